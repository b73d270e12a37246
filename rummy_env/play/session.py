"""A game between a person and agents: their turns, undo, hints, saving."""

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from rummy_env.agents import Agent, decide, seat_agent
from rummy_env.analysis import best_partition, contract_distance
from rummy_env.errors import ArgumentError
from rummy_env.game import DealSummary, Game
from rummy_env.play.moves import BEGINNINGS, DULL, PersonMove, action_words, person_moves
from rummy_env.record import Record, replay, write_record
from rummy_env.render.text import deal_text, seat_name


def check_table(num_players: int, seat: int, agents: Sequence[str]) -> None:
    """Refuse a seat that is not at the table and agents that are too many or too few, by an `ArgumentError`."""
    others = num_players - 1
    if not 0 <= seat <= others:
        raise ArgumentError(f"seat {seat} is not at the table: choose 0 … {others}")
    if len(agents) not in (1, others):
        raise ArgumentError(f"{len(agents)} agents for {others} other seats: name one for all, or one for each")


class Session:
    """A game that waits for the person's next move, the others having moved.

    Args:
        game: The game; the session plays it on.
        seat: Seat of the person.
        agents: Name of the agent of every other seat, beginning with the one after the person, or one for all.
        hints: Name of the agent whose choice is the hint.
        start: Position that `game` began at, where it did not begin with its seed.

    Attributes:
        game: The game.
        seat: Seat of the person.
        log: What has happened, in words, a line for each turn and deal.
        deals: The finished deals.

    Raises:
        ArgumentError: The seat is not at the table, or the agents are too many, too few or unknown.
    """

    def __init__(
        self,
        game: Game,
        seat: int = 0,
        agents: Sequence[str] = ("cautious",),
        hints: str = "planner",
        start: Any = None,
    ) -> None:
        check_table(game.num_players, seat, agents)
        self.game = game
        self.seat = seat
        self.log: list[str] = []
        self.deals: list[DealSummary] = []
        self.names = ["you"] * game.num_players
        self._start = start
        self._adviser = seat_agent(hints, game.rules, game.num_players)
        self._agents: list[Agent | None] = [None] * game.num_players
        for number in range(game.num_players - 1):
            other = (seat + 1 + number) % game.num_players
            self.names[other] = agents[number % len(agents)]
            self._agents[other] = self._seated(self.names[other], other)
        self._turn_open = False
        self._before: list[tuple[Game, list[Agent | None], list[str], list[DealSummary], bool]] = []
        self._let_others_play()

    def _seated(self, name: str, seat: int) -> Agent:
        agent: Any = seat_agent(name, self.game.rules, self.game.num_players)
        if hasattr(agent, "reset"):
            # A resumed game goes on with other choices by chance than it began with.
            agent.reset((self.game.seed + 1000 * self.game.decisions + seat) % 2**63)
        return agent

    @classmethod
    def resume(
        cls, record: Record, seat: int = 0, agents: Sequence[str] = ("cautious",), hints: str = "planner"
    ) -> "Session":
        """Go on with a recorded game; `RecordError` if it does not replay."""
        session = cls(replay(record), seat, agents, hints, record.start)
        session.deals[:0] = [DealSummary(**deal) for deal in record.deals]
        return session

    def name(self, seat: int) -> str:
        """What a seat is called in the log."""
        return f"{seat_name(seat)} ({self.names[seat]})"

    def moves(self) -> list[PersonMove]:
        """The person's legal moves; none once the game is over."""
        return person_moves(self.game)

    def play(self, move: PersonMove) -> None:
        """Make one of `moves`, and let the others play to the person's next move or the end of the game.

        If an agent fails, the game is as it was.
        """
        agents, log, deals = deepcopy(self._agents), self.log.copy(), self.deals.copy()
        self._before.append((self.game.clone(), agents, log, deals, self._turn_open))
        try:
            self._apply(move.actions, move.words)
            self._let_others_play()
        except Exception:
            self.undo()
            raise

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to take back."""
        return bool(self._before)

    def undo(self) -> bool:
        """Take back the person's last move and all that came after it; whether there was one."""
        if not self._before:
            return False
        self.game, self._agents, self.log, self.deals, self._turn_open = self._before.pop()
        return True

    def hint(self) -> tuple[PersonMove, str]:
        """What the adviser would do now, and in words with what would be left in the hand unless that is by chance."""
        game, adviser = self.game.clone(), deepcopy(self._adviser)
        chosen: list[int] = []
        while not chosen or game.layout.decode(chosen[-1]).kind in BEGINNINGS:
            chosen.append(decide(adviser, game))
            game.apply(chosen[-1])
        # The order in which it declares jokers may be another.
        move = next(move for move in self.moves() if sorted(move.actions) == sorted(chosen))
        # What the top of the stock would do for the hand is not known before it is drawn.
        known = game.deals_done == self.game.deals_done and game.layout.decode(chosen[-1]).kind != "draw_stock"
        return move, f"{move.words}{self._worth(game) if known else ''}"

    def play_on(self) -> bool:
        """Follow the adviser in this deal for as long as it only draws from the stock and discards.

        Where nobody can lay any more cards, as often when all sets are closed, this comes to the end of the deal.

        Returns:
            Whether a move was made.
        """
        deal, moves = self.game.deals_done, 0
        try:
            while self.game.over is None and self.game.deals_done == deal:
                move, _ = self.hint()
                if self.game.layout.decode(move.actions[0]).kind not in DULL:
                    break
                self.play(move)
                moves += 1
        except Exception:
            for _ in range(moves):
                self.undo()
            raise
        return moves > 0

    def _worth(self, game: Game) -> str:
        if game.over is not None:
            return ""
        position = game.to_dict()
        hand = position["hands"][self.seat]
        if game.rules.contracts is None:
            return f" – then {best_partition(hand, game.rules).deadwood} points are in no meld"
        if position["down"][self.seat] != "no" or position["laying"] or position["declared"]:
            return ""
        distance = contract_distance(hand, position["deal"], game.rules)
        if distance == 0:
            return " – then the hand has the contract"
        return f" – then the contract lacks {distance} card{'s' * (distance != 1)}"

    def save(self, path: str | Path) -> None:
        """Write the game as the only record of a file, from which `resume` goes on."""
        with open(path, "w", encoding="utf-8") as file:
            write_record(file, self.game, self._start)

    def _let_others_play(self) -> None:
        game = self.game
        while game.over is None and game.player != self.seat:
            agent = self._agents[game.player]
            assert agent is not None
            action = decide(agent, game)
            self._apply((action,), action_words(game, action))

    def _apply(self, actions: Sequence[int], words: str) -> None:
        name = self.name(self.game.player)
        turn = f"{name}: "
        for action in actions:
            summary = self.game.apply(action)
        if self.log and self.log[-1].startswith(turn) and self._turn_open:
            self.log[-1] += f", {words}"
        else:
            self.log.append(turn + words)
        self._turn_open = summary is None and self.game.phase == "play"
        if summary is not None:
            self.deals.append(summary)
            self.log.append(deal_text(summary))
