"""Players compiled into the engine, to be opponents at the speed of the batch.

A policy is a kernel ``policy(rules, games, i, words, row, stream) -> action id``: it chooses among the legal actions of
``words[row]`` for the player to move in ``games[i]``, draws what is random from `stream` alone and changes nothing
else. A new one gets a number in `POLICIES`, under the name it has as an agent, and a branch in `choose_action`.
"""

from rummy_env.engine.batch import choose
from rummy_env.engine.jit import kernel

POLICIES = {"random": 0}
"""Name of the agent → number of its policy; its Python form (see `rummy_env.agents`) plays exactly the same."""


@kernel
def choose_action(policy, rules, games, i, words, row, stream):
    """Action id that the policy of that number chooses."""
    return choose(rules, words, row, stream)
