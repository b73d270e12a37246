"""Games seen from one seat each: the common core of the single-agent environment and its batched twin."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from rummy_env.actions import ActionLayout
from rummy_env.agents import Agent
from rummy_env.engine.batch import first_illegal
from rummy_env.engine.blocks import PLAIN
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.jit import announce_compilation
from rummy_env.engine.potential import potentials
from rummy_env.engine.seats import (
    EPISODE_OVER,
    OUTSIDE_TURN,
    PLAYING,
    REWARD_SCORE,
    REWARD_WIN,
    SEATS,
    advance,
    start_seats,
    view_turns,
)
from rummy_env.engine.state import NONE, NUM_BLOCKS, new_games
from rummy_env.envs.arguments import Deals, check_choice, episode_rules, game_from_position, other_deals
from rummy_env.envs.opponents import Opponents, OpponentSource, choose_actions
from rummy_env.envs.recorder import Recorder
from rummy_env.envs.workers import Workers
from rummy_env.errors import ArgumentError, PositionError
from rummy_env.game import MAX_SEED, Game, check_seed, deal_summary
from rummy_env.observation import ObservationLayout
from rummy_env.position import position_from_dict, position_to_dict
from rummy_env.render.image import Move
from rummy_env.rules import RuleSet
from rummy_env.view import View


class SeatGames:
    """`count` games, each at a decision of its learner or over; see `SeatEnv` for the arguments.

    Attributes:
        rules: The `RuleSet` in force, with what `episode` and `deals` make of it.
        num_players: Seats at each table.
        observation: Kind of the observations.
        observations: int8, shape ``(count, size)``: what each learner sees. Written in place.
        masks: int8, shape ``(count, num_actions)``: its legal actions, all 0 in an episode that is over. In place.
    """

    def __init__(
        self,
        count: int,
        variant: str,
        num_players: int | None = None,
        rules: str | Path | Mapping[str, Any] | RuleSet | None = None,
        episode: str = "game",
        deals: Deals | None = None,
        reward: str = "score",
        illegal_action: str = "forfeit",
        seat: int | str = 0,
        opponents: OpponentSource | Sequence[OpponentSource] = "random",
        num_threads: int = 1,
        observation: str = "plain",
        record: str | Path | None = None,
    ) -> None:
        check_choice("episode", episode)
        self.rules = episode_rules(variant, rules, deals, episode)
        self.num_players = self.rules.default_num_players if num_players is None else num_players
        self.table = self.rules.table(self.num_players)
        self.raises = check_choice("illegal_action", illegal_action) == "raise"
        self._reward_kind = {"score": REWARD_SCORE, "win": REWARD_WIN}[check_choice("reward", reward)]
        self.observation = check_choice("observation", observation)
        self._seat = None if isinstance(seat, str) and seat == "random" else _check_seat(seat, self.num_players)
        self._opponents = Opponents(opponents, self.rules, self.num_players, count, inside=record is None)
        self._recorder = None if record is None else Recorder(record, count)
        self._workers = Workers(num_threads)

        announce_compilation()
        self._rules = compile_rules(self.rules, self.num_players, observation)
        num_actions = ActionLayout.for_rules(self.rules, self.num_players).num_actions
        size = ObservationLayout.for_table(self.rules, self.num_players, observation).size
        self.observations = np.zeros((count, size), np.int8)
        self.masks = np.zeros((count, num_actions), np.int8)
        self._games = new_games(count)
        self._seats = np.zeros(count, SEATS)
        self._words = np.zeros((count, NUM_BLOCKS), np.int64)
        self._deal_rewards = np.zeros((count, self.num_players), np.float32)
        self._finished_deals: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)

    def set_deals(self, deals: Deals) -> None:
        """See `SeatEnv.set_deals`."""
        self.rules = other_deals(self.rules, deals)
        self._rules = compile_rules(self.rules, self.num_players, self.observation)

    def start(
        self,
        rows: np.ndarray,
        generators: Sequence[np.random.Generator],
        seeds: Sequence[int | None] | None = None,
        position: Any = None,
    ) -> None:
        """Start an episode in each game of `rows` (int64), and play to the learner's first decision.

        Args:
            rows: Games to start.
            generators: One per row, for the seed of the game where none is given and for a random seat. An episode in
                which the learner never decides is not handed out; another one is drawn.
            seeds: Seeds of the games, one per row, or None.
            position: Position to go on from, as in `game_from_position`.

        Raises:
            SeedError: A seed is no whole number from 0 to 2**63 - 1.
            PositionError: The position is impossible here, or leaves the learner nothing to decide.
        """
        given = seeds or [None] * len(rows)
        game_seeds = [
            int(generator.integers(MAX_SEED, endpoint=True)) if seed is None else check_seed(seed)
            for generator, seed in zip(generators, given, strict=True)
        ]
        learners = [
            int(generator.integers(self.num_players)) if self._seat is None else self._seat for generator in generators
        ]
        starts = [] if position is None else self._positions(game_seeds, position)
        start_seats(
            *(self._rules, self._games, self._seats, rows),
            *(np.array(game_seeds, np.int64), np.array(learners, np.int64)),
        )
        for row, start in zip(rows, starts, strict=False):
            self._games[row] = start
        for row, seed, learner in zip(rows.tolist(), game_seeds, learners, strict=True):
            self._finished_deals.pop(row, None)
            if self._opponents.outside:
                self._opponents.reset(row, learner, seed)
        if self._recorder is not None:
            for row, seed in zip(rows.tolist(), game_seeds, strict=True):
                game = Game(self.rules, self.num_players, seed) if position is None else self.game(row)
                self._recorder.begin(row, game, position is not None)
        self._play_on(rows, np.zeros_like(rows))

        again = np.flatnonzero(self._seats["status"][rows] == EPISODE_OVER)
        if len(again) and position is not None:
            raise PositionError("the episode ends before the learner decides anything in this position")
        if len(again):
            self.start(rows[again], [generators[k] for k in again.tolist()])

    def _positions(self, seeds: Sequence[int], position: Any) -> list[Any]:
        states = []
        for seed in seeds:
            game = game_from_position(self.rules, self.num_players, seed, position)
            state = new_games(1)
            position_from_dict(game.to_dict(), self.rules, self.table, state)
            states.append(state[0])
        return states

    def play(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Take the learner's decision in each game of `rows`, and play to its next one or the end of the episode.

        Args:
            rows: int64, games that are not over.
            actions: int64, an action id for each.

        Raises:
            IllegalActionError: With ``illegal_action="raise"``; no game has changed.
        """
        if self.raises:
            wrong = first_illegal(self._rules, self._words, rows, actions)
            if wrong >= 0:
                self.game(int(rows[wrong])).apply(int(actions[wrong]))
        if self._recorder is not None:
            self._recorder.note(rows, actions)
        self._play_on(rows, actions)
        if self._recorder is not None:
            self._recorder.write(rows[self.over[rows]])

    def _play_on(self, rows: np.ndarray, actions: np.ndarray) -> None:
        while True:
            self._workers.run(self._advance, rows, actions)
            status = self._seats["status"][rows]
            stopped = status > EPISODE_OVER
            if not stopped.any():
                return
            for row in rows[status == PLAYING].tolist():
                self._note_deal(row)
            # A deal that ends the episode is noted too, so the kernel has to be asked once more.
            rows, status = rows[stopped], status[stopped]
            actions = np.zeros_like(rows)
            asked = np.flatnonzero(status == OUTSIDE_TURN)
            if len(asked):
                actions[asked] = self._ask_outside(rows[asked])
                if self._recorder is not None:
                    self._recorder.note(rows[asked], actions[asked])

    def _advance(self, rows: np.ndarray, actions: np.ndarray) -> None:
        advance(
            *(self._rules, self._opponents.policies(), self._opponents.parameters, self._opponents.lengths),
            *(self._games, self._seats, rows, actions, self._words),
            *(self.masks, self.observations, self._deal_rewards, new_games(1), self._reward_kind),
        )

    def _note_deal(self, row: int) -> None:
        summary = deal_summary(self._games[row], self.num_players)
        assert summary is not None
        self._finished_deals[row].append(summary.to_dict())

    def _ask_outside(self, rows: np.ndarray) -> np.ndarray:
        players = self._games["player"][rows].astype(np.int64)
        others = (players - self._seats["learner"][rows] - 1) % self.num_players
        agents = [self._opponents.agent(row, other) for row, other in zip(rows.tolist(), others.tolist(), strict=True)]
        kinds = np.array([getattr(agent, "observation", self.observation) for agent in agents])
        actions = np.zeros(len(rows), np.int64)
        for kind in np.unique(kinds).tolist():
            asked = np.flatnonzero(kinds == kind)
            actions[asked] = self._ask(rows[asked], players[asked], [agents[k] for k in asked.tolist()], kind)
        wrong = first_illegal(self._rules, self._words, rows, actions)
        if wrong >= 0:
            raise ArgumentError(
                f"opponent {agents[wrong]!r} chose action {actions[wrong]}, which is not legal: "
                "it must heed its action mask"
            )
        return actions

    def _ask(self, rows: np.ndarray, players: np.ndarray, agents: list[Agent], kind: str) -> np.ndarray:
        """Actions of agents that take one kind of observation; whether they are legal is not checked."""
        size = ObservationLayout.for_table(self.rules, self.num_players, kind).size
        masks = np.zeros((len(rows), self.masks.shape[1]), np.int8)
        observations = np.zeros((len(rows), size), np.int8)
        compiled = compile_rules(self.rules, self.num_players, kind)
        view_turns(compiled, self._games, rows, self._words, masks, observations)
        public: dict[str, Any] = {"rules": self.rules, "num_players": self.num_players}
        if kind != PLAIN:
            public["observation"] = kind
        infos = [
            {**public, "seat": seat, "view": View(self.rules, self._rules, self._games, row, seat)}
            for row, seat in zip(rows.tolist(), players.tolist(), strict=True)
        ]
        return choose_actions(agents, observations, masks, infos)

    @property
    def over(self) -> np.ndarray:
        """Whether each episode is over: bool, shape ``(count,)``."""
        return self._seats["status"] == EPISODE_OVER

    def take_rewards(self, rows: np.ndarray) -> np.ndarray:
        """Rewards of the learners of `rows` since they were last taken: float64, shape ``(len(rows),)``.

        What a learner is paid before its first decision waits for the first time they are taken.
        """
        rewards = self._seats["reward"][rows]
        self._seats["reward"][rows] = 0.0
        return rewards

    def potentials(self) -> np.ndarray:
        """Potential of each learner's hand, 0 in an episode that is over: float64, shape ``(count,)``."""
        seats = np.where(self.over, NONE, self._seats["learner"]).astype(np.int8)
        values = np.zeros(len(seats))
        self._workers.run(partial(potentials, self._rules), self._games, seats, values)
        return values

    def seat(self, row: int) -> int:
        """Seat of the learner of a game."""
        return int(self._seats["learner"][row])

    def events(self) -> list[int]:
        """Games in which a deal has finished since `take_news`, or whose episode is over; ascending."""
        return sorted({*self._finished_deals, *np.flatnonzero(self.over).tolist()})

    def take_news(self, row: int) -> dict[str, Any]:
        """What `SeatEnv` tells in its information of finished deals and of the end of an episode."""
        news: dict[str, Any] = {}
        deals = self._finished_deals.pop(row, None)
        if deals:
            news["deals"] = deals
        if self._seats["status"][row] != EPISODE_OVER:
            return news
        scores = self._games["scores"][row, : self.num_players].copy()
        news["seat"] = self.seat(row)
        news["scores"] = scores
        illegal = int(self._seats["illegal"][row])
        if illegal == NONE:
            best = scores.min() if self.rules.contracts else scores.max()
            news["winners"] = np.flatnonzero(scores == best).tolist()
        else:
            news["illegal_action"] = illegal
        return news

    def moves(self, row: int) -> list[Move]:
        """The last moves of game `row`, oldest first; none unless games are recorded."""
        return [] if self._recorder is None else list(self._recorder.moves[row])

    def game(self, row: int) -> Game:
        """A `Game` of its own at the position of game `row`, all cards included."""
        return Game.from_dict(position_to_dict(self.rules, self.table, self._games[row]), self.observation)

    def close(self) -> None:
        """End the threads."""
        self._workers.close()


def _check_seat(seat: Any, num_players: int) -> int:
    if not isinstance(seat, bool) and hasattr(seat, "__index__") and 0 <= index(seat) < num_players:
        return index(seat)
    raise ArgumentError(f"seat={seat!r} is not at the table: choose 0 … {num_players - 1} or 'random'")
