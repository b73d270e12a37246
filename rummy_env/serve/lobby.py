"""What may be played at a server: the choices of the form, and what a person chose as a game."""

import secrets
from collections.abc import Sequence
from typing import Any

from rummy_env.agents import agent_names, seat_agent
from rummy_env.errors import MessageError
from rummy_env.game import Game, check_seed
from rummy_env.play.session import Session, check_table
from rummy_env.presets import PRESETS
from rummy_env.rules import RuleSet
from rummy_env.serve.messages import MAX_NUMBER, New
from rummy_env.serve.primer import primer


class Lobby:
    """The rules and agents that a page may name, and what its form says at first.

    A page can name presets and agents by name, and what the arguments name: no other file, no other parameters.

    Args:
        variant: Rules, as `RuleSet.load` takes them.
        players: Seats; the usual number of the rules if None.
        agents: The agent of every other seat, or one for all.
        seat: Seat of the person.
        seed: Seed; a random one for each game if None.
        hints: Name of the agent that gives hints.

    Raises:
        RummyError: There are no such rules, seats or agents, or not at one table.
    """

    def __init__(
        self,
        variant: str = "contract_rummy",
        players: int | None = None,
        agents: Sequence[str] = ("cautious",),
        seat: int = 0,
        seed: int | None = None,
        hints: str = "planner",
    ) -> None:
        rules = RuleSet.load(variant)
        players = rules.default_num_players if players is None else players
        rules.table(players)
        check_table(players, seat, agents)
        for name in (*agents, hints):
            seat_agent(name, rules, players)
        self._rules = {variant: rules} | {name: RuleSet.preset(name) for name in PRESETS}
        self._agents = sorted({*agent_names(), *agents})
        self._hints = hints
        self._chosen: dict[str, Any] = {
            "variant": variant,
            "players": players,
            "agents": list(agents),
            "seat": seat,
            "seed": None if seed is None else check_seed(seed),
        }

    def setup(self) -> dict[str, Any]:
        """The message that a page makes its form of."""
        return {
            "kind": "setup",
            "variants": [
                {
                    "name": name,
                    "title": rules.name,
                    "players": list(rules.num_players),
                    "usual": rules.default_num_players,
                    "primer": primer(rules),
                }
                for name, rules in self._rules.items()
            ],
            "agents": self._agents,
            "chosen": self._chosen,
        }

    def warm_up(self) -> None:
        """Play what the form says at first up to a hint, so that nobody has to wait until that is compiled."""
        self.open(New(kind="new", **self._chosen)).hint()

    def open(self, wish: New) -> Session:
        """The game that a person asks for; `MessageError` or another `RummyError` if there can be none."""
        if wish.variant not in self._rules:
            raise MessageError("bad_table", f"there are no rules {wish.variant!r}: choose {', '.join(self._rules)}")
        for name in wish.agents:
            if name not in self._agents:
                raise MessageError("bad_table", f"there is no agent {name!r}: choose {', '.join(self._agents)}")
        seed = secrets.randbelow(MAX_NUMBER) if wish.seed is None else wish.seed
        return Session(Game(self._rules[wish.variant], wish.players, seed), wish.seat, wish.agents, self._hints)
