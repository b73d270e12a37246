"""A single deal of rummy as an OpenSpiel game; importing this module registers it as ``rummy``.

Chance deals every card in the open: the hands before play (each in ascending order, so that a hand is dealt in one way
only), the upcard, and the card of every draw from the stock at the moment it is drawn. The stock itself has no order.
This is the same game as one shuffle in advance, and its tree is exact, so that exploitability is too.

>>> import pyspiel
>>> import rummy_env.integrations.openspiel
>>> game = pyspiel.load_game("rummy", {"rules": "configs/rules/tiny_rummy.yaml"})
>>> game.num_players(), game.num_distinct_actions()
(2, 314)
"""

import random
from math import comb
from typing import Any

import numpy as np

from rummy_env.cards import FACE_TEXT
from rummy_env.engine.moves import recycle
from rummy_env.game import Game
from rummy_env.render.text import render_text
from rummy_env.rules import RuleSet

try:
    import pyspiel
except ImportError as error:
    raise ImportError("OpenSpiel is not installed: pip install 'rummy-env[openspiel]'") from error

_GAME_TYPE = pyspiel.GameType(
    short_name="rummy",
    long_name="Rummy, a single deal",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=8,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rules": "basic_rummy", "players": 0, "deal": 1},
)


class RummyGame(pyspiel.Game):  # type: ignore[misc]
    """One deal under given rules.

    Parameters, all optional: ``rules``, the name of a preset or the path of a YAML file; ``players``, 0 for the usual
    number; ``deal``, the number of the contract. Returns are zero-sum, in hundreds of points. Actions and observation
    tensors are those of `Game`; the chance outcome of a card is its place in the sorted pack, of equal cards the first.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        rules = RuleSet.load(params.get("rules", "basic_rummy"))
        self.deal = int(params.get("deal", 1))
        changes: dict[str, Any] = {"game_end": "single_deal", "deals": (self.deal,) if rules.contracts else None}
        if not isinstance(rules.first_dealer, int):
            changes["first_dealer"] = 0
        self.draws_dealer = "first_dealer" in changes
        self.rules = rules.replace(**changes)
        template = Game(self.rules, int(params.get("players", 0)) or None)
        table = template.table
        self.layout = template.observation_layout
        self.hand_size = table.hand_sizes[self.deal - 1]
        self.pack = sorted(
            [13 * suit + rank for suit in range(rules.deck_suits) for rank in range(rules.deck_ranks)] * table.num_packs
            + [52] * table.num_jokers
        )
        ace, factor = table.ace_value, self.rules.going_rummy_multiplier
        points = sum(
            rules.joker_value if face == 52 else ace if face % 13 == 0 else min(face % 13 + 1, 10) for face in self.pack
        )
        utility = points * factor / 100
        super().__init__(
            _GAME_TYPE,
            pyspiel.GameInfo(
                num_distinct_actions=template.layout.num_actions,
                max_chance_outcomes=max(len(self.pack), table.num_players),
                num_players=table.num_players,
                min_utility=-utility,
                max_utility=utility,
                utility_sum=0.0,
                # Every turn draws and discards; every card is placed at most once, but for jokers that are exchanged.
                max_game_length=2 * table.max_turns + 3 * len(self.pack),
            ),
            params,
        )

    def new_initial_state(self) -> "RummyState":
        """The state before the deal."""
        return RummyState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "RummyObserver":
        """What one player sees: now, or with perfect recall since the deal (as text only)."""
        return RummyObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class RummyState(pyspiel.State):  # type: ignore[misc]
    """The deal so far. `game` is the running `Game`, None until all cards are dealt."""

    def __init__(self, game: RummyGame) -> None:
        super().__init__(game)
        self.game: Game | None = None
        self._dealer: int | None = None if game.draws_dealer else int(game.rules.first_dealer)
        self._dealt: list[int] = []  # places in the pack
        self._drawing = False
        self._seen: list[list[str]] = [[] for _ in range(game.num_players())]

    def current_player(self) -> int:
        """Seat to move, or OpenSpiel's number for chance or for the end."""
        if self.game is None or self._drawing:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.game.over else self.game.player

    def _legal_actions(self, player: int) -> list[int]:
        assert self.game is not None
        return self.game.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes and their probabilities."""
        game = self.get_game()
        if self._dealer is None:
            return [(seat, 1 / game.num_players()) for seat in range(game.num_players())]
        if self.game is not None:
            state = self.game._games[0]
            return _by_face(game.pack, [int(face) for face in state.stock[: state.stock_size]])
        left = [place for place in range(len(game.pack)) if place not in self._dealt]
        done = len(self._dealt) % game.hand_size
        if len(self._dealt) == game.hand_size * game.num_players():
            return _by_face(game.pack, [game.pack[place] for place in left])
        if done:
            left = [place for place in left if place > self._dealt[-1]]
        missing = game.hand_size - done
        total = comb(len(left), missing)
        chances = [comb(len(left) - 1 - index, missing - 1) / total for index in range(len(left))]
        return [(place, chance) for place, chance in zip(left, chances, strict=True) if chance]

    def _apply_action(self, action: int) -> None:
        if self.game is not None:
            self._play(action)
        elif self._dealer is None:
            self._dealer = action
        else:
            self._dealt.append(action)
            if len(self._dealt) > self.get_game().hand_size * len(self._seen):
                self._start()

    def _start(self) -> None:
        """All cards are dealt: set up the position."""
        game, seats = self.get_game(), len(self._seen)
        assert self._dealer is not None
        cards = [FACE_TEXT[game.pack[place]] for place in self._dealt]
        hands = [" ".join(cards[seat * game.hand_size :][: game.hand_size]) for seat in range(seats)]
        left = (game.pack[place] for place in range(len(game.pack)) if place not in self._dealt[:-1])
        stock = [FACE_TEXT[face] for face in left]
        stock.remove(cards[-1])
        self.game = Game.from_dict(
            {
                "rules": game.rules,
                "num_players": seats,
                "deal": game.deal,
                "dealer": self._dealer,
                "player": (self._dealer + 1) % seats,
                "hands": hands,
                "stock": " ".join(stock),
                "discard": cards[-1],
            }
        )
        for seat, seen in enumerate(self._seen):
            seen += [f"seat {seat}", f"dealer {self._dealer}", hands[seat], f"upcard {cards[-1]}"]

    def _play(self, action: int) -> None:
        game = self.game
        assert game is not None
        if self._drawing:
            self._drawing = False
            face = self.get_game().pack[action]
            player = game.player
            _put_on_top(game, face)
            game.apply(game.parse("draw stock"))
            self._seen[player].append(FACE_TEXT[face])
            return
        for seen in self._seen:
            seen.append(str(action))
        if action == game.parse("draw stock"):
            self._drawing = True
            if game._games[0].stock_size == 0:
                recycle(game._games, 0)
        else:
            game.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            assert self.game is not None
            return self.game.describe(action)
        if self._dealer is None:
            return f"dealer {action}"
        pack = self.get_game().pack
        copy = action - pack.index(pack[action])
        return f"deal {FACE_TEXT[pack[action]]}" + (f" (copy {copy + 1})" if copy else "")

    def is_terminal(self) -> bool:
        """Whether the deal is over."""
        return self.game is not None and self.game.over is not None

    def returns(self) -> list[float]:
        """Hundreds of points of each player: zero-sum, all 0 before the end."""
        if not self.is_terminal():
            return [0.0] * len(self._seen)
        assert self.game is not None
        rewards = self.game.deal_rewards().astype(np.float64)
        # The engine rounds to float32; OpenSpiel wants the sum to be 0 more closely than that.
        return list((rewards - rewards.mean()).tolist())

    def __str__(self) -> str:
        if self.game is None:
            return f"dealer {self._dealer}, dealt {[FACE_TEXT[self.get_game().pack[place]] for place in self._dealt]}"
        return render_text(self.game) + (", drawing" if self._drawing else "")


class RummyObserver:
    """OpenSpiel's view of one player: `tensor`, its named blocks `dict`, and the text of both kinds."""

    def __init__(self, game: RummyGame, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters are not supported: {params}")
        if iig_obs_type.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not iig_obs_type.public_info:
            raise ValueError("rummy offers the view of a single player with all that is public in it, no other")
        self._perfect_recall = iig_obs_type.perfect_recall
        self._layout = game.layout
        self.tensor = np.zeros(0 if self._perfect_recall else game.layout.size, np.float32)
        self.dict = {} if self._perfect_recall else game.layout.split(self.tensor)

    def set_from(self, state: RummyState, player: int) -> None:
        """Write the observation of `player` into `tensor`; all 0 until the cards are dealt."""
        self.tensor[:] = 0 if state.game is None or self._perfect_recall else state.game.observation(player)

    def string_from(self, state: RummyState, player: int) -> str:
        """The observation as text: the entries that are set, block by block; with perfect recall all events seen."""
        if self._perfect_recall:
            return "; ".join(state._seen[player])
        if state.game is None:
            return ""
        blocks = self._layout.split(state.game.observation(player))
        return " ".join(f"{name}{np.flatnonzero(block).tolist()}" for name, block in blocks.items() if block.any())


def resample(state: RummyState, player: int, seed: int | None = None) -> RummyState:
    """Another state that `player` cannot tell from this one: what determinising searches ask for.

    Made for ``ISMCTSBot.set_resampler(resample)`` with ``use_observation_string=True``. What the others have seen
    begins, in the new state, with the hands they were given here.

    Args:
        state: A state in which `player` is to move.
        player: The seat whose view is kept.
        seed: Everything random follows from it; drawn by the global generator of `random` if None.
    """
    assert state.game is not None
    other = state.clone()
    other.game = state.game.determinize(player, random.getrandbits(63) if seed is None else seed)
    hands = other.game.to_dict()["hands"]
    other._seen = [seen if seat == player else [hands[seat]] for seat, seen in enumerate(other._seen)]
    return other


def _by_face(pack: list[int], cards: list[int]) -> list[tuple[int, float]]:
    """One of `cards`, each as likely, as outcomes."""
    return [(pack.index(face), cards.count(face) / len(cards)) for face in sorted(set(cards))]


def _put_on_top(game: Game, face: int) -> None:
    """Make `face` the next card of the stock."""
    state = game._games[0]
    stock, top = state.stock, int(state.stock_size) - 1
    index = stock[: top + 1].tolist().index(face)
    stock[index], stock[top] = stock[top], face


pyspiel.register_game(_GAME_TYPE, RummyGame)
