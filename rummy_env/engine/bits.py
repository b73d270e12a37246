"""Counting, finding and spreading the bits of a non-negative 64-bit integer, a few machine instructions when compiled.

Each function is plain Python with a compiled twin of the same behaviour.
"""

from typing import Any

from llvmlite import ir
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


def spread_eight(row, base, mask):
    """Set the eight entries of `row` (int8, contiguous) from `base` on to the lowest eight bits of `mask`."""
    for index in range(8):
        row[base + index] = (int(mask) >> index) & 1


@intrinsic
def _spread_eight(typing_context: Any, row: Any, base: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)

        def constant(byte: int) -> Any:
            return ir.Constant(word, int.from_bytes(bytes([byte] * 8), "little"))

        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        low_byte = builder.and_(arguments[2], ir.Constant(word, 0xFF))
        # Copy the byte into all eight, keep bit k in byte k, and make every byte that is not 0 a 1.
        copies = builder.mul(low_byte, constant(0x01))
        diagonal = builder.and_(copies, ir.Constant(word, 0x8040201008040201))
        carried = builder.add(diagonal, constant(0x7F))
        ones = builder.and_(builder.lshr(carried, ir.Constant(word, 7)), constant(0x01))
        target = builder.gep(array.data, [arguments[1]])
        builder.store(ones, builder.bitcast(target, ir.PointerType(word)), align=1)
        return context.get_dummy_value()

    return types.none(row, types.int64, types.int64), generate


@overload(spread_eight)
def _spread_eight_compiled(row, base, mask):
    return lambda row, base, mask: _spread_eight(row, base, mask)


@overload(count_bits)
def _count_bits(mask):
    return lambda mask: _ctpop(types.int64(mask))


@overload(lowest_bit)
def _lowest_bit(mask):
    return lambda mask: _cttz(types.int64(mask))
