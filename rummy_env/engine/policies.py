"""Players compiled into the engine: they decide at the speed of the batch.

A policy is a kernel ``policy(rules, views, i, words, row, parameters, stream) -> action id`` that chooses among the
legal actions of ``words[row]`` for the player to move in ``views[i]``, which holds what that player may see and no more
(see `view`). `parameters` is float64 of any length, the policy's own; what is random comes from `stream` alone.

Kernels that play call a policy by its handle, a number: the address of its machine code. So players live outside the
engine, and a new one compiles nothing anew.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from llvmlite import ir
from numba import from_dtype, types
from numba.core import config
from numba.extending import intrinsic

from rummy_env.engine.batch import choose
from rummy_env.engine.jit import kernel
from rummy_env.engine.state import RULES, STATE
from rummy_env.engine.view import see


class Policy:
    """What gives the handle of a policy.

    Args:
        kernel: The policy, decorated with `jit.kernel` or `jit.allocating_kernel`.
    """

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self.kernel = kernel

    @cached_property
    def handle(self) -> int:
        """Positive number by which kernels call the policy, valid in this process; compiles it when first asked."""
        if config.DISABLE_JIT:
            _interpreted.append(self.kernel)
            return len(_interpreted)
        compiled: Any = self.kernel
        compiled.compile(_SIGNATURE)
        result = compiled.get_compile_result(_SIGNATURE)
        return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))

    def __reduce__(self) -> tuple[Any, ...]:
        return Policy, (self.kernel,)


def _array(of: Any, dimensions: int = 1) -> Any:
    return types.Array(of, dimensions, "C")


_SIGNATURE = types.int64(
    _array(from_dtype(RULES)),
    _array(from_dtype(STATE)),
    types.int64,
    _array(types.int64, 2),
    types.int64,
    _array(types.float64),
    _array(types.int64),
)
_interpreted: list[Callable[..., Any]] = []


def _call_interpreted(handle: int, *arguments: Any) -> int:
    return int(_interpreted[handle - 1](*arguments))


@intrinsic
def _call_compiled(
    context: Any, handle: Any, rules: Any, views: Any, i: Any, words: Any, row: Any, parameters: Any, stream: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arguments = [context.get_value_type(argument) for argument in signature.args[1:]]
        function = ir.FunctionType(context.get_value_type(signature.return_type), arguments)
        return builder.call(builder.inttoptr(values[0], function.as_pointer()), values[1:])

    return _SIGNATURE.return_type(types.int64, *_SIGNATURE.args), generate


_call: Any = _call_interpreted if config.DISABLE_JIT else _call_compiled


@kernel
def choose_action(policy, parameters, rules, games, i, words, row, stream, views):
    """Action id that the policy of that handle chooses for the player to move; ``views[0]`` (`STATE`) is scratch."""
    see(rules, games, i, int(games[i].player), views, 0)
    return _call(policy, rules, views, 0, words, row, parameters, stream)


@kernel
def choose_rows(policy, parameters, rules, games, rows, words, streams, views, actions):
    """Let one policy decide in every game of `rows`; `actions` (int64) has one entry for each."""
    for k in range(len(rows)):
        i = rows[k]
        actions[k] = choose_action(policy, parameters, rules, games, i, words, i, streams[i], views)


@kernel
def _act_randomly(rules, views, i, words, row, parameters, stream):
    return choose(rules, words, row, stream)


RANDOM = Policy(_act_randomly)
"""Plays uniformly among the legal actions."""
