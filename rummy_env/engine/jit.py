"""The one compile decorator of the engine, and where its compiled code is cached.

Numba invalidates a cached function when its own file changes, not when a function it calls does. The cache therefore
lives in a folder named after a hash of every engine source, so any change starts a fresh one.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from numba import njit, types
from numba.core import config

F = TypeVar("F", bound=Callable[..., object])


_ENGINE = Path(__file__).parent


def _source_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.py"), _ENGINE.parent / "cards.py"]):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    digest.update(str(bool(config.BOUNDSCHECK)).encode())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rummy-env"


CACHE_DIR = _cache_root() / _source_hash(_ENGINE)
"""Folder of the compiled engine; `NUMBA_CACHE_DIR` moves its parent."""


@cache
def _cache_dir(folder: Path) -> Path:
    """Where kernels of the modules of a folder are cached: they depend on each other and on the engine."""
    return CACHE_DIR if folder == _ENGINE else CACHE_DIR / _source_hash(folder)


def kernel(function: F) -> F:
    """Compile `function` for the engine: machine code on first call, cached on disk, free of the interpreter lock.

    Kernels do not allocate, so Numba need not count references to the arrays they hand on, which would cost up to
    a quarter of the time of a decision.
    """
    return _compiled(function, allocates=False)


def allocating_kernel(function: F) -> F:
    """A `kernel` that needs arrays of its own, for searches too rare to carry scratch space everywhere."""
    return _compiled(function, allocates=True)


def _compiled(function: F, allocates: bool) -> F:
    default = config.CACHE_DIR
    config.CACHE_DIR = str(_cache_dir(Path(function.__code__.co_filename).parent))
    try:
        compiled = njit(cache=True, nogil=True, _nrt=allocates)(function)
    finally:
        config.CACHE_DIR = default
    if not config.DISABLE_JIT:
        _compile_once(compiled)
    return compiled


def _compile_once(compiled: Any) -> None:
    """Make calls from other kernels share one version for all whole numbers and one for all truth values.

    Left alone, Numba compiles a version for every combination of constants and integer widths among the arguments.
    """
    resolve = compiled.get_call_template

    def resolve_widened(arguments: Any, keywords: Any) -> Any:
        return resolve(tuple(_widened(argument) for argument in arguments), keywords)

    compiled.get_call_template = resolve_widened


def _widened(argument: Any) -> Any:
    argument = types.unliteral(argument)
    return types.int64 if isinstance(argument, types.Integer) else argument


def announce_compilation() -> None:
    """Tell the user on stderr, once per process, that the first call of a new engine has to be compiled."""
    global _announced
    if _announced or config.DISABLE_JIT:
        return
    _announced = True
    if not any(CACHE_DIR.rglob("*.nbi")):
        print("rummy-env: compiling the engine, once per version (under a minute) …", file=sys.stderr, flush=True)


_announced = False
