"""Counting and finding bits of a non-negative 64-bit integer, one machine instruction each when compiled."""

from typing import Any

from numba import types
from numba.extending import intrinsic, overload


def count_bits(mask: int) -> int:
    """Number of set bits."""
    return int(mask).bit_count()


def lowest_bit(mask: int) -> int:
    """Index of the lowest set bit; `mask` is not 0."""
    mask = int(mask)
    return (mask & -mask).bit_length() - 1


@intrinsic
def _ctpop(typing_context: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _cttz(typing_context: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        undefined_at_zero = context.get_constant(types.boolean, True)
        return builder.cttz(arguments[0], undefined_at_zero)

    return types.int64(types.int64), generate


@overload(count_bits)
def _count_bits(mask):
    return lambda mask: _ctpop(types.int64(mask))


@overload(lowest_bit)
def _lowest_bit(mask):
    return lambda mask: _cttz(types.int64(mask))
