"""One readable game over one state of the engine."""

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rummy_env.actions import ActionLayout, action_text
from rummy_env.cards import FACE_TEXT
from rummy_env.engine.batch import legal_batch, seed_stream
from rummy_env.engine.blocks import PLAIN
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.determinize import determinize
from rummy_env.engine.jit import announce_compilation
from rummy_env.engine.observe import observe
from rummy_env.engine.play import apply_action, start_game
from rummy_env.engine.score import deal_rewards
from rummy_env.engine.state import NONE, NUM_BLOCKS, new_games
from rummy_env.errors import GameOverError, IllegalActionError, PositionError, SeedError
from rummy_env.observation import ObservationLayout
from rummy_env.position import PHASES, REASONS, check_keys, mask_faces, position_from_dict, position_to_dict
from rummy_env.reasons import why_illegal
from rummy_env.rules import RuleSet
from rummy_env.view import View

RulesSource = str | Path | Mapping[str, Any] | RuleSet
MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class DealSummary:
    """How a deal ended.

    Attributes:
        deal: running number of the deal in the game, from 1.
        contract: number of the contract, from 1 (1 where there are none).
        reason: ``"out"``, ``"blocked"`` or ``"capped"``.
        out: seat that went out, or None.
        rummy: whether it was a rummy that counted as one.
        turns: finished turns.
        hand_points: per seat, points of the cards left in hand.
        points: per seat, what the deal added to the scores.
    """

    deal: int
    contract: int
    reason: str
    out: int | None
    rummy: bool
    turns: int
    hand_points: list[int]
    points: list[int]

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain JSON."""
        return {**vars(self), "hand_points": self.hand_points.copy(), "points": self.points.copy()}


def deal_summary(state: Any, num_players: int) -> DealSummary | None:
    """Summary of the last finished deal of one `STATE` record, or None."""
    reason = REASONS[int(state.last_reason)]
    if reason is None:
        return None
    return DealSummary(
        deal=int(state.deals_done),
        contract=int(state.last_contract) + 1,
        reason=reason,
        out=None if state.last_out == NONE else int(state.last_out),
        rummy=bool(state.last_rummy),
        turns=int(state.last_turns),
        hand_points=state.last_hand_points[:num_players].tolist(),
        points=state.last_points[:num_players].tolist(),
    )


def check_seed(seed: Any) -> int:
    """`seed` as an int; `SeedError` unless it is a whole number from 0 to 2**63 - 1."""
    try:
        if isinstance(seed, (bool, np.bool_)):
            raise TypeError
        number = operator.index(seed)
    except TypeError:
        raise SeedError(f"the seed is {seed!r}; expected a whole number from 0 to 2**63 - 1") from None
    if not 0 <= number <= MAX_SEED:
        raise SeedError(f"the seed is {number}; expected a whole number from 0 to 2**63 - 1")
    return number


class Game:
    """A game of rummy: positions, legal actions, and what each seat may see.

    Args:
        rules: a `RuleSet`, the name of a preset, the path of a YAML file, or a mapping of options.
        num_players: seats; the default number of the rules if None.
        seed: everything random follows from it.
        observation: ``"plain"``, or ``"planning"`` with the blocks that say what a seat's cards are worth.

    Raises:
        RulesError: the rules, or this table, are impossible.
        SeedError: the seed is no whole number from 0 to 2**63 - 1.
        ArgumentError: there is no such kind of observation.
    """

    def __init__(
        self,
        rules: RulesSource = "contract_rummy",
        num_players: int | None = None,
        seed: int = 0,
        observation: str = PLAIN,
    ) -> None:
        loaded = RuleSet.load(rules)
        self._set_table(loaded, loaded.default_num_players if num_players is None else num_players, observation)
        start_game(self._rules, self._games, 0, check_seed(seed))

    def _set_table(self, rules: RuleSet, num_players: int, observation: str) -> None:
        announce_compilation()
        self.rules = rules
        self.table = rules.table(num_players)
        self.num_players = int(num_players)
        self._rules = compile_rules(rules, self.num_players, observation)
        self.layout = ActionLayout.for_rules(rules, self.num_players)
        self.observation_layout = ObservationLayout.for_table(rules, self.num_players, observation)
        self.history: list[int] = []
        self._games = new_games(1)
        self._words = np.zeros((1, NUM_BLOCKS), np.int64)
        self._mask = np.zeros((1, self.layout.num_actions), np.int8)
        self._mask_is_current = False

    @property
    def player(self) -> int:
        """Seat to move (of a finished game: the seat that moved last)."""
        return int(self._games["player"][0])

    @property
    def phase(self) -> str:
        """``"draw"`` or ``"play"``."""
        return PHASES[self._games["phase"][0]]

    @property
    def over(self) -> str | None:
        """None, or how the last deal of the finished game ended: ``"out"``, ``"blocked"``, ``"capped"``."""
        return REASONS[int(self._games["over"][0])]

    @property
    def scores(self) -> list[int]:
        """Score of each seat: penalties with contracts, gains without."""
        return [int(score) for score in self._games["scores"][0, : self.num_players]]

    @property
    def deal(self) -> int:
        """Number of the contract being played; without contracts the running number of the deal. From 1."""
        field = "contract" if self.rules.contracts else "deal"
        return int(self._games[field][0]) + 1

    @property
    def deals_done(self) -> int:
        """Finished deals."""
        return int(self._games["deals_done"][0])

    @property
    def decisions(self) -> int:
        """Actions applied since the game began."""
        return int(self._games["decisions"][0])

    @property
    def seed(self) -> int:
        """Seed of the game."""
        return int(self._games["seed"][0])

    @property
    def last_deal(self) -> DealSummary | None:
        """Summary of the last finished deal, or None."""
        return deal_summary(self._games[0], self.num_players)

    def winners(self) -> list[int]:
        """Seats with the best score so far, ties included: the lowest with contracts, else the highest."""
        scores = self.scores
        best = min(scores) if self.rules.contracts else max(scores)
        return [seat for seat, score in enumerate(scores) if score == best]

    def deal_rewards(self) -> np.ndarray:
        """Zero-sum rewards of the last finished deal: float32, shape (num_players,), in hundreds of points."""
        rewards = np.zeros((1, self.num_players), np.float32)
        deal_rewards(self._rules, self._games, 0, rewards, 0)
        return rewards[0]

    def _update_mask(self) -> np.ndarray:
        if not self._mask_is_current:
            legal_batch(self._rules, self._games, self._words, self._mask)
            self._mask_is_current = True
        return self._mask[0]

    def action_mask(self) -> np.ndarray:
        """Legal actions of the player to move: a fresh int8 array of shape (num_actions,), all 0 when over."""
        return self._update_mask().copy()

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions, ascending."""
        return [int(action) for action in np.flatnonzero(self._update_mask())]

    def is_legal(self, action: int) -> bool:
        """Whether an id is a legal action now; any other object is not."""
        try:
            index = NONE if isinstance(action, bool) else operator.index(action)
        except TypeError:
            return False
        return 0 <= index < self.layout.num_actions and bool(self._update_mask()[index])

    def apply(self, action: int) -> DealSummary | None:
        """Apply a legal action; the summary of the deal if it ended one (the next deal is dealt already).

        Raises:
            IllegalActionError: the action is not legal now, or is no action; the state is unchanged.
            GameOverError: the game is over.
        """
        if not self.is_legal(action):
            raise self._illegal(action)
        done, index = self.deals_done, operator.index(action)
        apply_action(self._rules, self._games, 0, index)
        self.history.append(index)
        self._mask_is_current = False
        return self.last_deal if self.deals_done > done else None

    def _illegal(self, action: Any) -> IllegalActionError:
        if self.over is not None:
            return GameOverError(f"the game is over ({self.over}); no action can be applied")
        if isinstance(action, bool) or not hasattr(action, "__index__"):
            return IllegalActionError(
                f"{action!r} is no action: expected an id from 0 to {self.layout.num_actions - 1}"
            )
        decoded = self.layout.decode(operator.index(action))
        reason = why_illegal(decoded, self.to_dict(), self.rules)
        legal = self.legal_actions()
        shown = ", ".join(self.describe(other) for other in legal[:6]) + (", …" if len(legal) > 6 else "")
        return IllegalActionError(
            f"player {self.player} may not {action_text(decoded)} in the {self.phase} phase: {reason}. Legal: {shown}"
        )

    def describe(self, action: int) -> str:
        """An id in words for this position: placements show declared jokers as ``JK(7H)``."""
        declared = mask_faces(int(self._games["declared"][0]))
        return action_text(self.layout.decode(action), frozenset(FACE_TEXT[face] for face in declared))

    def parse(self, text: str) -> int:
        """Id of an action in words; `NotationError` if they name none."""
        return self.layout.parse(text)

    def observation(self, seat: int) -> np.ndarray:
        """What a seat may see: int8, 0 or 1, shape (observation_layout.size,)."""
        observation = np.empty((1, self.observation_layout.size), np.int8)
        observe(self._rules, self._games, 0, self._at_table(seat), observation, 0)
        return observation[0]

    def view(self, seat: int) -> View:
        """The game as a seat sees it, for compiled players and search."""
        return View(self.rules, self._rules, self._games, 0, self._at_table(seat))

    def _at_table(self, seat: int) -> int:
        if not 0 <= (index := operator.index(seat)) < self.num_players:
            raise IndexError(f"seat {seat} is not at the table: expected 0 … {self.num_players - 1}")
        return index

    def state(self) -> np.ndarray:
        """The omniscient view: the observations of all seats one after the other, int8."""
        return np.concatenate([self.observation(seat) for seat in range(self.num_players)])

    def clone(self) -> "Game":
        """An independent copy with identical futures."""
        return self._copy()

    def __deepcopy__(self, memo: Any) -> "Game":
        return self._copy()

    def _copy(self) -> "Game":
        copy = object.__new__(Game)
        copy.__dict__.update(self.__dict__)
        copy.history = self.history.copy()
        copy._games = self._games.copy()
        copy._words = self._words.copy()
        copy._mask = self._mask.copy()
        return copy

    def determinize(self, viewer: int, seed: int) -> "Game":
        """A copy in which all that a seat cannot know is drawn anew: other hands, stock order, future deals.

        The observation of `viewer` is unchanged; cards that everybody knows to be held stay with their holders.
        """
        copy = self.clone()
        stream = np.zeros(4, np.int64)
        seed_stream(stream, check_seed(seed))
        determinize(copy._rules, copy._games, 0, self._at_table(viewer), copy._words, 0, stream)
        copy._mask_is_current = False
        return copy

    def to_dict(self) -> dict[str, Any]:
        """The position as plain JSON; `Game.from_dict` of it has identical futures.

        Keys: rules (preset name or options), num_players, deal (number of the contract, from 1), dealer, player,
        phase ("draw"/"play"), turn, hands (a text such as "KH TD JK" per seat), stock and discard (bottom → top),
        melds (list of {owner, kind: "run"/"set", cards: "5H JK(6H) 7H"}), down ("no"/"earlier"/"this_turn" per seat),
        taken, obliged, laying ({sets, runs} or null), declared (list of "JK(6H)"), freed_joker, played_before,
        played_this_turn, melds_this_turn, recycles, deals_done, scores, over, memory (held, discarded and refused
        per seat: what is publicly known) and random (the stream).
        """
        return position_to_dict(self.rules, self.table, self._games[0])

    @classmethod
    def from_dict(cls, position: Mapping[str, Any], observation: str = PLAIN) -> "Game":
        """Game from a position such as `to_dict` gives, with this kind of observation.

        rules, num_players, player, hands, stock and discard are needed; the others have the values of a fresh deal.

        Raises:
            ArgumentError: there is no such kind of observation.
            PositionError: the position is impossible; names the field and what is wrong.
            RulesError: its rules are.
        """
        check_keys(position)
        game = object.__new__(cls)
        game._set_table(RuleSet.load(position["rules"]), position["num_players"], observation)
        position_from_dict(position, game.rules, game.table, game._games)
        if game.over is None and not game._update_mask().any():
            raise PositionError(f"player {game.player} has no legal action in the {game.phase} phase of this position")
        return game

    def __repr__(self) -> str:
        state = f"over: {self.over}" if self.over else f"deal {self.deal}, player {self.player} to {self.phase}"
        return f"<Game {self.rules.name}, {self.num_players} players, {state}, scores {self.scores}>"
