"""Many games at once in which every seat is yours: the environment for batched self-play."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, MultiDiscrete
from gymnasium.vector import AutoresetMode

from rummy_env.actions import ActionLayout
from rummy_env.agents import CompiledAgent
from rummy_env.cards import NUM_FACES
from rummy_env.engine.batch import first_illegal
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.jit import announce_compilation
from rummy_env.engine.policies import choose_rows
from rummy_env.engine.potential import potentials
from rummy_env.engine.selfplay import EPISODE, advance, begin, choose_by_logits, choose_uniformly
from rummy_env.engine.state import NONE, NUM_BLOCKS, new_games
from rummy_env.envs.arguments import Deals, check_choice, check_count, episode_rules, other_deals
from rummy_env.envs.recorder import Recorder
from rummy_env.envs.spaces import ActionSpace
from rummy_env.envs.workers import Workers
from rummy_env.errors import ArgumentError, IllegalActionError, ResetNeededError
from rummy_env.game import Game, check_seed
from rummy_env.observation import ObservationLayout
from rummy_env.position import REASONS, position_to_dict
from rummy_env.rules import RuleSet

Info = dict[str, Any]

_REASONS = np.array([REASONS[code] for code in sorted(REASONS)], object)


class SelfPlayVectorEnv:
    """Games side by side, one decision in each at every step, whoever's turn it is there.

    Observation, mask and seat are those of the player to move in each game. Rewards are for all seats, so that each
    seat's return from one of its decisions to its next is exact, though a seat acts several times in a row and most
    games end on somebody else's turn: add up the rewards, and read a seat's sum when its turn comes or its game ends.

    It is no `gymnasium.vector.VectorEnv`, whose rewards have no seats; the rest is in its style. Where a game ends,
    the same step starts the next one in its row, whose first observation it returns.

    Args:
        rules: The rules of the game, as for `Game`.
        num_envs: Games side by side (N).
        num_players: Seats (P); the usual number of the rules if None.
        episode: ``"game"`` plays all deals, ``"deal"`` a single one.
        deals: Numbers of the contracts played, in order; with ``episode="deal"`` the list each game draws one from,
            or a mapping from each to its weight. None: all.
        reward: ``"score"`` pays every deal in hundreds of points, ``"win"`` only the end of the game, ±1 in all.
        num_threads: Threads that share the games, few games among fewer; no result depends on it.
        copy: Whether every call returns arrays of its own. With False they are the buffers of the environment, which
            the next call overwrites.
        observation: ``"plain"``, or ``"planning"``: after the same blocks some more that say what the cards are worth.
        record: File to which every finished episode is appended, as a line that `rummy_env.record` reads. The games
            are the same; each is played along as a `Game`, which costs speed.

    Attributes:
        single_observation_space: `Box` of 0 and 1, int8, shape ``(size,)``; `observation_space` for all N.
        single_action_space: `Discrete`; `action_space` for all N.
        rules: The `RuleSet` in force, with what `episode` and `deals` make of it.

    Raises:
        ArgumentError: `episode`, `reward` or `observation` is no such choice, or `num_envs` or `num_threads` no number
            from 1.
        RulesError: The rules, the deals or the number of players don't fit together.

    Examples:
        >>> import numpy as np
        >>> from rummy_env.envs.selfplay import SelfPlayVectorEnv
        >>> env = SelfPlayVectorEnv("basic_rummy", num_envs=64, num_players=2, episode="deal")
        >>> observations, info = env.reset(seed=1)
        >>> rows, unpaid, paid = np.arange(64), np.zeros((64, 2)), np.zeros((64, 2))
        >>> for _ in range(200):
        ...     seat = info["seat"]
        ...     paid[rows, seat] += unpaid[rows, seat]  # its last decision has all that it is paid
        ...     unpaid[rows, seat] = 0
        ...     observations, rewards, terminated, truncated, info = env.step(env.random_actions())
        ...     unpaid += rewards
        ...     paid[terminated] += unpaid[terminated]  # the last decisions of all seats of these games
        ...     unpaid[terminated] = 0
        >>> bool(np.allclose(paid.sum(axis=1), 0))
        True
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        rules: str | Path | Mapping[str, Any] | RuleSet = "contract_rummy",
        num_envs: int = 1,
        num_players: int | None = None,
        *,
        episode: str = "game",
        deals: Deals | None = None,
        reward: str = "score",
        num_threads: int = 1,
        copy: bool = True,
        observation: str = "plain",
        record: str | Path | None = None,
    ) -> None:
        announce_compilation()
        loaded = RuleSet.load(rules)
        variant = "basic_rummy" if loaded.contracts is None else "contract_rummy"
        self.rules = episode_rules(variant, loaded, deals, check_choice("episode", episode))
        self.num_players = self.rules.default_num_players if num_players is None else num_players
        self.num_envs = check_count("num_envs", num_envs)
        self.reward = check_choice("reward", reward)
        self.copy = copy
        self.observation = check_choice("observation", observation)
        self._compiled = compile_rules(self.rules, self.num_players, observation)
        self._table = self.rules.table(self.num_players)
        size = ObservationLayout.for_table(self.rules, self.num_players, observation).size
        actions = ActionLayout.for_rules(self.rules, self.num_players).num_actions
        self.single_observation_space = Box(0, 1, (size,), np.int8)
        self.observation_space = Box(0, 1, (self.num_envs, size), np.int8)
        self.single_action_space = ActionSpace(actions)
        self.action_space = MultiDiscrete(np.full(num_envs, actions))

        self._next_seed: int | None = None
        self._ready = False
        self._workers = Workers(num_threads)
        self._recorder = None if record is None else Recorder(record, num_envs)
        self._rows = np.arange(num_envs)
        self._games = new_games(num_envs)
        self._words = np.zeros((num_envs, NUM_BLOCKS), np.int64)
        self._seeds = np.zeros((num_envs, 2), np.int64)
        self._streams = np.zeros((num_envs, 4), np.int64)
        self._finished = np.zeros(num_envs, EPISODE)
        self._actions = np.zeros(num_envs, np.int64)
        self._log_probs = np.zeros(num_envs, np.float32)
        self._masks = np.zeros((num_envs, actions), np.int8)
        self._observations = np.zeros((num_envs, size), np.int8)
        self._seats = np.zeros(num_envs, np.int8)
        self._rewards = np.zeros((num_envs, self.num_players), np.float32)
        self._terminated = np.zeros(num_envs, np.bool_)
        self._truncated = np.zeros(num_envs, np.bool_)

    def reset(self, seed: int | Sequence[int] | None = None) -> tuple[np.ndarray, Info]:
        """Start a game in every row.

        Args:
            seed: A seed from which those of all games follow, or N of them, the seeds of the first games; all from
                0 to 2**63 - 1. Later games of a row follow from its first seed, whatever happens in other rows.
                None: follows from the last reset, or from the operating system's entropy in the first.

        Returns:
            Observations, int8 of shape ``(N, size)``, and the information of `step`, without ``"episode"``.

        Raises:
            SeedError: A seed is no such number.
            ArgumentError: Other than N seeds.
        """
        first: int | list[int] | None = self._next_seed
        if isinstance(seed, Sequence | np.ndarray):
            if len(seed) != self.num_envs:
                raise ArgumentError(f"seed has {len(seed)} entries: expected one for each of the {self.num_envs} games")
            first = [check_seed(one) for one in seed]
        elif seed is not None:
            first = check_seed(seed)
        following = np.random.SeedSequence(first).generate_state(self.num_envs + 1, np.uint64) >> np.uint64(1)
        self._next_seed = int(following[0])
        self._seeds[:, 0] = first if isinstance(first, list) else following[1:]
        self._workers.run(
            partial(begin, self._compiled),
            *(self._games, self._words, self._masks, self._observations, self._seats, self._seeds, self._streams),
        )
        self._ready = True
        self._begin_records(self._rows)
        return self._out(self._observations), self._info()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Info]:
        """Take one action in every game, for the seat to move there.

        Args:
            actions: Ids of legal actions, integers of shape ``(N,)``.

        Returns:
            observations: int8 ``(N, size)``, for the seat to move next.
            rewards: float32 ``(N, P)``, what this step pays each seat; zero-sum.
            terminated: bool ``(N,)``, where a game has ended. The rewards belong to that game, the observation, mask
                and seat to the next one.
            truncated: bool ``(N,)``, always False.
            info: ``"action_mask"``, int8 ``(N, n)``, and ``"seat"``, int8 ``(N,)``, of the seats to move. If a game
                ended also ``"_episode"``, a copy of `terminated`, and ``"episode"``, a dictionary of arrays that are
                meaningful in these rows: ``"length"`` (decisions of all seats), ``"deals"``, ``"scores"`` ``(N, P)``,
                ``"winners"`` (bool, ``(N, P)``), ``"out"`` (seat that went out in the last deal, or -1) and
                ``"reason"`` (how it ended: ``"out"``, ``"blocked"``, ``"capped"``; else None).

        Raises:
            IllegalActionError: An action is not legal, which names its game, or they are no N integers; nothing has
                changed.
            ResetNeededError: Before the first reset.
        """
        self._need_reset()
        self._actions[:] = self._checked(actions)
        illegal = first_illegal(self._compiled, self._words, self._rows, self._actions)
        if illegal != NONE:
            self._refuse(illegal)
        if self._recorder is not None:
            self._recorder.note(self._rows, self._actions)
        self._workers.run(
            partial(advance, self._compiled, self.reward == "win"),
            *(self._games, self._words, self._masks, self._observations, self._seats, self._seeds),
            *(self._rewards, self._terminated, self._finished, self._actions),
        )
        info = self._info()
        if self._terminated.any():
            info["episode"], info["_episode"] = self._episodes(), self._terminated.copy()
            self._write_records(np.flatnonzero(self._terminated))
        return (
            self._out(self._observations),
            self._out(self._rewards),
            self._out(self._terminated),
            self._out(self._truncated),
            info,
        )

    def set_deals(self, deals: Deals) -> None:
        """As `SeatEnv.set_deals`; the games being played go on."""
        self.rules = other_deals(self.rules, deals)
        self._compiled = compile_rules(self.rules, self.num_players, self.observation)

    def random_actions(self) -> np.ndarray:
        """A legal action of every game, all equally likely: int64, shape ``(N,)``.

        This and `sample_actions` draw from random streams of their own, which follow from the seed of the reset and
        never touch the cards.
        """
        self._need_reset()
        self._workers.run(partial(choose_uniformly, self._compiled), self._words, self._streams, self._actions)
        return self._actions.copy()

    def sample_actions(self, logits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Draw an action of every game from the softmax of `logits` over the legal actions.

        Args:
            logits: float32, contiguous, shape ``(N, n)``; those of illegal actions are not looked at.

        Returns:
            Actions, int64 ``(N,)``, and their log probabilities, float32 ``(N,)``.

        Raises:
            ArgumentError: Another type or shape, or logits that are no distribution, which names the game.
        """
        self._need_reset()
        expected = self._masks.shape
        if not isinstance(logits, np.ndarray) or logits.dtype != np.float32 or logits.shape != expected:
            got = f"{getattr(logits, 'dtype', type(logits).__name__)} of shape {np.shape(logits)}"
            raise ArgumentError(f"logits: expected a float32 array of shape {expected}, not {got}")
        if not logits.flags.c_contiguous:
            raise ArgumentError("logits: expected a contiguous array; np.ascontiguousarray makes one")
        arrays = (self._words, self._streams, self._actions, logits, self._log_probs)
        self._workers.run(partial(choose_by_logits, self._compiled), *arrays)
        if self._actions.min() == NONE:
            row = int(self._actions.argmin())
            raise ArgumentError(f"logits of game {row}: one is NaN or infinite, or all legal ones are -inf")
        return self._actions.copy(), self._log_probs.copy()

    def agent_actions(self, agent: CompiledAgent, rows: np.ndarray) -> np.ndarray:
        """What a compiled agent plays in some games, for the seats to move there.

        Args:
            agent: The agent, such as ``load_agent("cautious")``; what it does at random comes from the streams of
                `random_actions`.
            rows: Games, int64 of shape ``(k,)``, each at most once.

        Returns:
            Ids of legal actions, int64 ``(k,)``.
        """
        self._need_reset()
        actions = np.zeros(len(rows), np.int64)

        def choose(part: np.ndarray, chosen: np.ndarray) -> None:
            choose_rows(
                *(agent.policy.handle, agent.parameters, self._compiled, self._games, part, self._words),
                *(self._streams, new_games(1), chosen),
            )

        self._workers.run(choose, rows, actions)
        return actions

    def potentials(self) -> np.ndarray:
        """Minus what the hand of every seat still costs, in cards: float64, shape ``(N, P)``; see `shaping`.

        Where a game has just ended they are those of the next one.
        """
        self._need_reset()
        values = np.zeros((self.num_players, self.num_envs))
        for seat, own in enumerate(values):
            seats = np.full(self.num_envs, seat, np.int8)
            self._workers.run(partial(potentials, self._compiled), self._games, seats, own)
        return np.ascontiguousarray(values.T)

    def secrets(self) -> np.ndarray:
        """What is hidden from the seats to move: never for what chooses actions, only for what judges them in training.

        Returns:
            int8, shape ``(N, (P - 1 + 2 P) * 53)``: how many of every face each other seat holds, the next in turn
            first; then for each of the next 2 P cards of the stock, top first, a 1 at its face.
        """
        self._need_reset()
        games, seats, ahead = self._games, self.num_players, 2 * self.num_players
        rows = self._rows[:, None]
        others = (self._seats[:, None] + np.arange(1, seats)) % seats
        places = games["stock_size"][:, None] - np.arange(1, ahead + 1)
        faces = games["stock"][rows, np.maximum(places, 0)]
        cards = np.zeros((self.num_envs, ahead, NUM_FACES), np.int8)
        cards[rows, np.arange(ahead), faces] = places >= 0
        return np.concatenate([games["hands"][rows, others], cards], axis=1).reshape(self.num_envs, -1)

    def game(self, index: int) -> Game:
        """The game of a row as a `Game` of its own, without the history: to look at, to search in, to render."""
        self._need_reset()
        return Game.from_dict(position_to_dict(self.rules, self._table, self._games[index]), self.observation)

    @property
    def seeds(self) -> np.ndarray:
        """Seeds of the games being played, int64 ``(N,)``: with them `Game` and other environments play the same."""
        self._need_reset()
        return self._games["seed"].copy()

    def close(self) -> None:
        """Let the threads go."""
        self._workers.close()

    def _begin_records(self, rows: np.ndarray) -> None:
        """Games of `rows` have just been dealt."""
        if self._recorder is not None:
            for row in rows.tolist():
                game = Game(self.rules, self.num_players, int(self._games["seed"][row]))
                self._recorder.begin(row, game, at_position=False)

    def _write_records(self, rows: np.ndarray) -> None:
        """Games of `rows` have ended, and the next ones have been dealt."""
        if self._recorder is not None:
            self._recorder.write(rows)
            self._begin_records(rows)

    def _out(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self.copy else array

    def _info(self) -> Info:
        return {"action_mask": self._out(self._masks), "seat": self._out(self._seats)}

    def _episodes(self) -> dict[str, np.ndarray]:
        finished, seats = self._finished, self.num_players
        reasons = _REASONS[finished["reason"]]
        reasons[~self._terminated] = None
        return {
            "length": finished["length"].copy(),
            "deals": finished["deals"].copy(),
            "scores": finished["scores"][:, :seats].copy(),
            "winners": finished["winners"][:, :seats].astype(np.bool_),
            "out": finished["out"].copy(),
            "reason": reasons,
        }

    def _need_reset(self) -> None:
        if not self._ready:
            raise ResetNeededError("there are no games before the first reset(): call reset() on the environment")

    def _checked(self, actions: Any) -> np.ndarray:
        checked = np.asarray(actions)
        if checked.dtype.kind not in "iu" or checked.shape != (self.num_envs,):
            raise IllegalActionError(
                f"actions are {checked.dtype} of shape {checked.shape}: expected integers of shape ({self.num_envs},)"
            )
        return checked

    def _refuse(self, index: int) -> None:
        try:
            self.game(index).apply(int(self._actions[index]))
        except IllegalActionError as error:
            raise IllegalActionError(f"game {index}: {error}") from None
