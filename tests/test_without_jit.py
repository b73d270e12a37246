"""The engine as plain Python (``NUMBA_DISABLE_JIT=1``) plays the same games as compiled, and without a warning."""

import os
import subprocess
import sys
from pathlib import Path

from tests.digest import TABLES, digest


def test_plain_python_plays_the_same_games():
    """Warnings are errors in the subprocess: an overflow that compiled code passes over would end it."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.digest"],
        cwd=Path(__file__).parents[1],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    expected = [f"{name}: {digest(*table)}" for name, table in TABLES.items()]
    assert result.stdout.splitlines() == expected


def test_without_jit_nothing_is_compiled():
    command = "from rummy_env.engine.legal import legal_actions; print(type(legal_actions).__name__)"
    result = subprocess.run(
        [sys.executable, "-c", command],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "function"
