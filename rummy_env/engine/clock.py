"""The time that a process has computed, for kernels with a budget of time."""

import time
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

_TICKS_PER_MS = 1000.0
"""Of the `clock` of the C library, as POSIX has it."""


def milliseconds() -> float:
    """Processor time of this process so far, in milliseconds."""
    return 1000 * time.process_time()


@intrinsic
def _clock(typing_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "clock"), [])

    return types.int64(), generate


@overload(milliseconds)
def _milliseconds() -> Any:
    return lambda: _clock() / _TICKS_PER_MS
