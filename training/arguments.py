"""Arguments of a training program: a dataclass, filled from a YAML file and the command line."""

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import yaml

from rummy_env.errors import ArgumentError
from rummy_env.options import suggestion

T = TypeVar("T")


def read_arguments(kind: type[T], given: Sequence[str] | None = None) -> T:
    """A dataclass of arguments from ``--config FILE`` and ``--name value``, which win over the file.

    Args:
        kind: The dataclass; values on the command line are read as YAML.
        given: The command line; that of the process if None.

    Raises:
        ArgumentError: A name is no field, or a value has another type than its field; names both.
        OSError: The file cannot be read.
    """
    parser = argparse.ArgumentParser(description=(kind.__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("--config", type=Path, help="YAML file of arguments")
    known, words = parser.parse_known_args(given)
    chosen: dict[str, Any] = {}
    if known.config is not None:
        loaded = yaml.safe_load(known.config.read_text(encoding="utf-8")) or {}
        if not isinstance(loaded, dict):
            raise ArgumentError(f"{known.config}: expected a mapping of arguments")
        chosen |= loaded
    if len(words) % 2 or not all(name.startswith("--") for name in words[::2]):
        raise ArgumentError(f"arguments {' '.join(words)!r}: expected pairs of --name and value")
    chosen |= {
        name[2:].replace("-", "_"): yaml.safe_load(value) for name, value in zip(words[::2], words[1::2], strict=True)
    }
    return make_arguments(kind, chosen)


def make_arguments(kind: type[T], chosen: Mapping[str, Any]) -> T:
    """The dataclass with these fields; errors as in `read_arguments`."""
    types = get_type_hints(kind)
    fields = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    values = {}
    for name, value in chosen.items():
        if name not in fields:
            raise ArgumentError(f"{name}: there is no such argument{suggestion(name, fields)}; {', '.join(fields)}")
        values[name] = _checked(name, value, types[name])
    return kind(**values)


def _checked(name: str, value: Any, expected: Any) -> Any:
    bare = getattr(expected, "__origin__", expected)
    if bare is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if bare is float and isinstance(value, str):  # YAML takes 1e-3 for a text
        try:
            return float(value)
        except ValueError:
            pass
    if type(value) is not bare and bare is not Any:
        raise ArgumentError(f"{name}={value!r}: expected {getattr(bare, '__name__', bare)}")
    return value
