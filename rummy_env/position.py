"""Positions as plain JSON, in both directions, and the checks that a position can exist."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from rummy_env.cards import FACE_TEXT, JOKER, NO_FACE, NUM_RANKS, RANKS, SUITS, cards_text, parse_cards, parse_face
from rummy_env.engine.melds import face_at
from rummy_env.engine.moves import add_card
from rummy_env.engine.state import (
    DOWN_NO,
    DOWN_THIS_TURN,
    MAX_MELDS,
    NONE,
    OVER_BLOCKED,
    OVER_CAPPED,
    OVER_NO,
    OVER_OUT,
    PHASE_DRAW,
    RUN,
    SET,
)
from rummy_env.errors import NotationError, PositionError
from rummy_env.presets import PRESETS
from rummy_env.rules import RuleSet, Table

PHASES = ("draw", "play")
DOWN = ("no", "earlier", "this_turn")
REASONS = {OVER_NO: None, OVER_OUT: "out", OVER_BLOCKED: "blocked", OVER_CAPPED: "capped"}
_KINDS = ("set", "run")
_REQUIRED = ("rules", "num_players", "player", "hands", "stock", "discard")
_OPTIONAL = (
    "deal", "dealer", "phase", "turn", "melds", "down", "taken", "obliged", "laying", "declared", "freed_joker",
    "played_before", "played_this_turn", "melds_this_turn", "recycles", "deals_done", "scores", "over", "memory",
    "random",
)  # fmt: skip


def mask_faces(mask: int) -> list[int]:
    """Faces of a mask, in order."""
    return [face for face in range(JOKER + 1) if (mask >> face) & 1]


def hand_faces(counts: Iterable[int]) -> list[int]:
    """Faces of a hand given as counts, in order."""
    return [face for face, count in enumerate(counts) for _ in range(count)]


def meld_cards(state: Any, meld: int) -> list[str]:
    """Cards of a meld in notation: a run from its low end, a set in suit order, jokers as ``JK(7H)``."""
    jokers = int(state.meld_jokers[meld])
    key, low = int(state.meld_key[meld]), int(state.meld_low[meld])
    if state.meld_kind[meld] == RUN:
        places = {p: FACE_TEXT[face_at(key, p)] for p in range(low, int(state.meld_high[meld]) + 1)}
    else:
        places = {suit: RANKS[key] + SUITS[suit] for suit in range(4) if (low >> suit) & 1}
    return [f"JK({text})" if (jokers >> place) & 1 else text for place, text in places.items()]


def position_to_dict(rules: RuleSet, table: Table, state: Any) -> dict[str, Any]:
    """Position of one `STATE` record as plain JSON (the keys are those of `Game.to_dict`)."""
    seats = range(table.num_players)
    return {
        "rules": _rules_source(rules),
        "num_players": table.num_players,
        "deal": int(state.contract) + 1 if rules.contracts else int(state.deal) + 1,
        "dealer": int(state.dealer),
        "player": int(state.player),
        "phase": PHASES[state.phase],
        "turn": int(state.turn),
        "hands": [cards_text(hand_faces(state.hands[seat])) for seat in seats],
        "stock": cards_text(state.stock[: state.stock_size]),
        "discard": cards_text(state.pile[: state.pile_size]),
        "melds": [
            {
                "owner": int(state.meld_owner[meld]),
                "kind": _KINDS[state.meld_kind[meld]],
                "cards": " ".join(meld_cards(state, meld)),
            }
            for meld in range(state.num_melds)
        ],
        "down": [DOWN[state.down[seat]] for seat in seats],
        "taken": None if state.taken == NONE else FACE_TEXT[state.taken],
        "obliged": None if state.obliged == NONE else FACE_TEXT[state.obliged],
        "laying": None
        if state.laying_sets == NONE
        else {"sets": int(state.laying_sets), "runs": int(state.laying_runs)},
        "declared": [f"JK({FACE_TEXT[face]})" for face in mask_faces(int(state.declared))],
        "freed_joker": bool(state.swapping),
        "played_before": [bool(state.played_before[seat]) for seat in seats],
        "played_this_turn": bool(state.played_this_turn),
        "melds_this_turn": int(state.melds_this_turn),
        "recycles": int(state.recycles),
        "deals_done": int(state.deals_done),
        "scores": [int(state.scores[seat]) for seat in seats],
        "over": REASONS[int(state.over)],
        "memory": {
            "held": [cards_text(hand_faces(state.known[seat])) for seat in seats],
            "discarded": [cards_text(mask_faces(int(state.discarded[seat]))) for seat in seats],
            "refused": [cards_text(mask_faces(int(state.refused[seat]))) for seat in seats],
        },
        "random": {"seed": int(state.seed), "stream": [int(word) for word in state.random]},
    }


def _rules_source(rules: RuleSet) -> str | dict[str, Any]:
    is_preset = rules.name in PRESETS and RuleSet.preset(rules.name) == rules
    return rules.name if is_preset else rules.to_dict()


def _is_whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and low <= int(value) <= high


def _is_one_of(value: Any, choices: Iterable[Any]) -> bool:
    """Membership in which neither 1 nor 1.0 stands for True."""
    return any(type(value) is type(choice) and value == choice for choice in choices)


def position_from_dict(position: Mapping[str, Any], rules: RuleSet, table: Table, games: np.ndarray) -> None:
    """Fill `games` (one zeroed `STATE`) from a position; `PositionError` names what is impossible about it."""
    _Reader(position, rules, table).fill(games)


def check_keys(position: Mapping[str, Any]) -> None:
    """Refuse a position that lacks a key or has an unknown one."""
    if not isinstance(position, Mapping):
        raise PositionError(f"a position is a mapping such as Game.to_dict() gives, not {type(position).__name__}")
    missing = [key for key in _REQUIRED if key not in position]
    if missing:
        raise PositionError(f"the position lacks {', '.join(missing)}")
    unknown = [str(key) for key in position if key not in _REQUIRED and key not in _OPTIONAL]
    if unknown:
        raise PositionError(f"unknown keys {', '.join(unknown)}; the keys are {', '.join(_REQUIRED + _OPTIONAL)}")


class _Reader:
    """One position being read: parses field by field, each complaint naming its field."""

    def __init__(self, position: Mapping[str, Any], rules: RuleSet, table: Table) -> None:
        self.position, self.rules, self.table = position, rules, table
        self.seats = table.num_players
        self.cards: Counter[int] = Counter()

    def fill(self, games: np.ndarray) -> None:
        """Read everything into the one record of `games`, then check the whole."""
        state = games[0]
        self._read_clocks(state)
        self._read_cards(state, games)
        self._read_melds(state)
        self._read_turn(state)
        self._read_memory(state)
        self._read_random(state)
        self._check_deck()
        self._check_hands(state)

    def _int(self, key: str, default: int, low: int, high: int) -> int:
        value = self.position.get(key, default)
        if not _is_whole(value, low, high):
            raise PositionError(f"{key} is {value!r}; expected a whole number from {low} to {high}")
        return int(value)

    def _choice(self, key: str, default: Any, choices: Iterable[Any]) -> Any:
        value = self.position.get(key, default)
        allowed = list(choices)
        if not _is_one_of(value, allowed):
            raise PositionError(f"{key} is {value!r}; expected one of {', '.join(map(repr, allowed))}")
        return value

    def _per_seat(self, key: str, default: Any) -> list[Any]:
        value = self.position.get(key, [default] * self.seats)
        if not isinstance(value, (list, tuple)) or len(value) != self.seats:
            raise PositionError(f"{key} is {value!r}; expected a list with an entry for each of {self.seats} seats")
        return list(value)

    def _faces(self, key: str, text: Any) -> list[int]:
        try:
            faces = parse_cards(text)
        except NotationError as error:
            raise PositionError(f"{key}: {error}") from None
        self._check_in_deck(key, faces)
        return faces

    def _face(self, key: str) -> int:
        text = self.position.get(key)
        if text is None:
            return NO_FACE
        faces = self._faces(key, text)
        if len(faces) != 1:
            raise PositionError(f"{key} is {text!r}; expected one card or null")
        return faces[0]

    def _check_in_deck(self, key: str, faces: Iterable[int]) -> None:
        for face in faces:
            if self._copies(face) == 0:
                raise PositionError(f"{key} has {FACE_TEXT[face]}, which is not in the deck of these rules")

    def _copies(self, face: int) -> int:
        if face == JOKER:
            return self.table.num_jokers
        in_deck = face % NUM_RANKS < self.rules.deck_ranks and face // NUM_RANKS < self.rules.deck_suits
        return self.table.num_packs if in_deck else 0

    def _read_clocks(self, state: Any) -> None:
        state.player = self._int("player", 0, 0, self.seats - 1)
        state.dealer = self._int("dealer", (int(state.player) - 1) % self.seats, 0, self.seats - 1)
        state.phase = PHASES.index(self._choice("phase", "draw", PHASES))
        reason = self._choice("over", None, REASONS.values())
        state.over = next(code for code, text in REASONS.items() if text == reason)
        over = int(state.over != OVER_NO)
        state.turn = self._int("turn", 0, 0, self.table.max_turns - 1 + over)
        state.recycles = self._int("recycles", 0, 0, 32767)
        state.scores[: self.seats] = [self._score(score) for score in self._per_seat("scores", 0)]
        self._read_deal(state, over)
        state.last_out = NONE

    def _read_deal(self, state: Any, over: int) -> None:
        deals, single = self.table.deals, self.rules.game_end == "single_deal"
        if self.rules.contracts:
            number = self._int("deal", 1, 1, len(self.rules.contracts))
            if number not in deals:
                raise PositionError(f"deal is {number}; these rules play the deals {list(deals)}")
            state.contract, state.deal = number - 1, deals.index(number)
        else:
            number = self._int("deal", 1, 1, 32767 if single else self.table.num_deals)
            state.deal = number - 1
        if single:
            state.deals_done = self._int("deals_done", over, over, over)
            return
        state.deals_done = self._int("deals_done", int(state.deal) + over, over, self.table.num_deals - 1 + over)
        state.deal = int(state.deals_done) - over
        expected = deals[int(state.deal) % len(deals)] if self.rules.contracts else int(state.deal) + 1
        if number != expected:
            raise PositionError(f"deal is {number}, but after {state.deals_done} finished deals it is {expected}")

    def _score(self, score: Any) -> int:
        if not _is_whole(score, -(2**30), 2**30):
            raise PositionError(f"scores has {score!r}; expected whole numbers")
        return int(score)

    def _read_cards(self, state: Any, games: np.ndarray) -> None:
        stock = self._faces("stock", self.position["stock"])
        pile = self._faces("discard", self.position["discard"])
        hands = [self._faces(f"hands[{seat}]", text) for seat, text in enumerate(self._per_seat("hands", ""))]
        for faces in (stock, pile, *hands):
            self.cards.update(faces)
        self._check_deck(complete=False)
        state.stock[: len(stock)], state.stock_size = stock, len(stock)
        state.pile[: len(pile)], state.pile_size = pile, len(pile)
        for seat, faces in enumerate(hands):
            for face in faces:
                add_card(games, 0, seat, face)

    def _read_melds(self, state: Any) -> None:
        melds = self.position.get("melds", [])
        if not isinstance(melds, (list, tuple)) or len(melds) > MAX_MELDS:
            raise PositionError(f"melds is {melds!r}; expected a list of at most {MAX_MELDS} melds")
        for number, meld in enumerate(melds):
            key = f"melds[{number}]"
            if not isinstance(meld, Mapping) or set(meld) != {"owner", "kind", "cards"}:
                raise PositionError(
                    f"{key} is {meld!r}; expected {{'owner': seat, 'kind': 'run' or 'set', 'cards': …}}"
                )
            owner, kind = meld["owner"], meld["kind"]
            if not _is_whole(owner, 0, self.seats - 1):
                raise PositionError(f"{key}: owner is {owner!r}; expected a seat from 0 to {self.seats - 1}")
            if kind not in _KINDS:
                raise PositionError(f"{key}: kind is {kind!r}; expected 'run' or 'set'")
            faces, jokers = self._meld_faces(key, meld["cards"])
            self.cards.update(JOKER if joker else face for face, joker in zip(faces, jokers, strict=True))
            state.meld_owner[number] = owner
            (self._read_run if kind == "run" else self._read_set)(key, state, number, faces, jokers)
            naturals = len(faces) - sum(jokers)
            if naturals < self.rules.min_naturals_per_meld:
                raise PositionError(
                    f"{key} has {naturals} naturals; the rules ask for {self.rules.min_naturals_per_meld}"
                )
            state.num_melds = number + 1

    def _meld_faces(self, key: str, text: Any) -> tuple[list[int], list[bool]]:
        if not isinstance(text, str):
            raise PositionError(f"{key}: cards is {text!r}; expected a text such as '5H JK(6H) 7H'")
        words = text.split()
        jokers = [word.upper().startswith("JK(") and word.endswith(")") for word in words]
        try:
            faces = [parse_face(word[3:-1] if joker else word) for word, joker in zip(words, jokers, strict=True)]
        except NotationError as error:
            raise PositionError(f"{key}: {error}") from None
        if JOKER in faces:
            raise PositionError(f"{key}: a joker in a meld is written with its identity, such as JK(6H)")
        self._check_in_deck(key, faces)
        if len(faces) < 3:
            raise PositionError(f"{key} has {len(faces)} cards; a meld has at least 3")
        return faces, jokers

    def _read_run(self, key: str, state: Any, number: int, faces: list[int], jokers: list[bool]) -> None:
        rules = self.rules
        top = 14 if rules.ace_mode == "both" and rules.deck_ranks == NUM_RANKS else rules.deck_ranks
        suit, low = faces[0] // NUM_RANKS, faces[0] % NUM_RANKS + 1
        high = low + len(faces) - 1
        if high > top or faces != [face_at(suit, place) for place in range(low, high + 1)]:
            raise PositionError(f"{key}: {cards_text(faces)} is no run from the low end up")
        if low == 1 and high == 14 and not rules.allow_double_ace_run:
            raise PositionError(f"{key}: the rules allow no run with two aces")
        if not rules.adjacent_jokers and any(a and b for a, b in pairwise(jokers)):
            raise PositionError(f"{key}: the rules allow no two jokers side by side")
        state.meld_kind[number], state.meld_key[number] = RUN, suit
        state.meld_low[number], state.meld_high[number] = low, high
        state.meld_jokers[number] = sum(1 << (low + step) for step, joker in enumerate(jokers) if joker)

    def _read_set(self, key: str, state: Any, number: int, faces: list[int], jokers: list[bool]) -> None:
        suits = [face // NUM_RANKS for face in faces]
        if len({face % NUM_RANKS for face in faces}) != 1 or len(set(suits)) != len(suits):
            raise PositionError(f"{key}: {cards_text(faces)} is no set of different suits")
        state.meld_kind[number], state.meld_key[number] = SET, faces[0] % NUM_RANKS
        state.meld_low[number] = sum(1 << suit for suit in suits)
        state.meld_jokers[number] = sum(1 << suit for suit, joker in zip(suits, jokers, strict=True) if joker)

    def _read_turn(self, state: Any) -> None:
        player = int(state.player)
        down = [DOWN.index(self._one_of("down", value, DOWN)) for value in self._per_seat("down", "no")]
        if not self.rules.contracts:
            down = [DOWN_NO] * self.seats
        for seat, value in enumerate(down):
            if value == DOWN_THIS_TURN and seat != player:
                raise PositionError(f"down[{seat}] is 'this_turn', but player {player} is to move")
        state.down[: self.seats] = down
        state.taken, state.obliged = self._face("taken"), self._face("obliged")
        own = sum(1 for meld in range(state.num_melds) if state.meld_owner[meld] == player)
        self._read_laying(state)
        fresh = own if state.laying_sets != NONE or down[player] == DOWN_THIS_TURN else 0
        state.melds_this_turn = self._int("melds_this_turn", fresh, 0, own)
        this_turn = range(state.num_melds - state.melds_this_turn, state.num_melds)
        for meld in this_turn:
            if state.meld_owner[meld] != player:
                raise PositionError(
                    f"melds_this_turn is {state.melds_this_turn}, but melds[{meld}] belongs to another player; "
                    "the melds of this turn are the last of the list"
                )
        if state.laying_sets != NONE:
            sets, runs = self.rules.contracts[int(state.contract)]  # type: ignore[index]
            kinds = [int(state.meld_kind[meld]) for meld in this_turn]
            if (kinds.count(SET), kinds.count(RUN)) != (sets - state.laying_sets, runs - state.laying_runs):
                raise PositionError(
                    f"laying is {self.position['laying']!r}, but the melds of this turn are "
                    f"{kinds.count(SET)} sets and {kinds.count(RUN)} runs of the {sets} and {runs} asked"
                )
        state.played_this_turn = self._choice("played_this_turn", bool(state.melds_this_turn), (False, True))
        earlier = {int(state.meld_owner[meld]) for meld in range(state.num_melds - state.melds_this_turn)}
        played = self.position.get("played_before", [seat in earlier for seat in range(self.seats)])
        self.position = {**self.position, "played_before": played}
        for seat, value in enumerate(self._per_seat("played_before", False)):
            state.played_before[seat] = self._one_of("played_before", value, (False, True))
        self._read_jokers_in_the_air(state)
        if state.phase == PHASE_DRAW and (
            state.taken != NONE or state.obliged != NONE or state.laying_sets != NONE or state.declared
            or state.swapping or state.played_this_turn or down[player] == DOWN_THIS_TURN
        ):  # fmt: skip
            raise PositionError("phase is 'draw', but something of this turn has happened already")
        if state.taken != NONE and state.obliged != NONE:
            raise PositionError("taken and obliged exclude each other: the first is a single card from the pile")

    def _one_of(self, key: str, value: Any, choices: tuple[Any, ...]) -> Any:
        if not _is_one_of(value, choices):
            raise PositionError(f"{key} has {value!r}; expected {', '.join(map(repr, choices))}")
        return value

    def _read_laying(self, state: Any) -> None:
        laying = self.position.get("laying")
        state.laying_sets, state.laying_runs = NONE, NONE
        if laying is None:
            return
        if not self.rules.contracts or state.down[state.player] != DOWN_NO:
            raise PositionError("laying is given, but the player to move has no contract to lay")
        asked = self.rules.contracts[int(state.contract)]
        if not isinstance(laying, Mapping) or set(laying) != {"sets", "runs"}:
            raise PositionError(f"laying is {laying!r}; expected {{'sets': n, 'runs': m}} or null")
        left = (laying["sets"], laying["runs"])
        for value, limit in zip(left, asked, strict=True):
            if not _is_whole(value, 0, limit):
                raise PositionError(f"laying is {laying!r}; the contract asks for {asked[0]} sets and {asked[1]} runs")
        all_at_once = int(state.contract) + 1 in self.rules.all_at_once_deals
        if left == asked or (left == (0, 0) and not all_at_once):
            raise PositionError(f"laying is {laying!r}, but then the contract is not half laid")
        state.laying_sets, state.laying_runs = left

    def _read_jokers_in_the_air(self, state: Any) -> None:
        declared = self.position.get("declared", [])
        if not isinstance(declared, (list, tuple)):
            raise PositionError(f"declared is {declared!r}; expected a list such as ['JK(6H)']")
        for text in declared:
            if not isinstance(text, str) or not text.upper().startswith("JK("):
                raise PositionError(f"declared has {text!r}; expected a joker with its identity, such as 'JK(6H)'")
            faces = self._faces("declared", text[3:-1])
            if len(faces) != 1 or JOKER in faces or not text.endswith(")") or (int(state.declared) >> faces[0]) & 1:
                raise PositionError(f"declared has {text!r}, which is no card or stands there twice")
            state.declared |= 1 << faces[0]
        state.swapping = self._choice("freed_joker", False, (False, True))
        state.freed = state.swapping and not state.declared
        self.cards[JOKER] += len(declared) + int(state.freed)

    def _read_memory(self, state: Any) -> None:
        memory = self.position.get("memory")
        memory = {} if memory is None else memory
        if not isinstance(memory, Mapping) or not set(memory) <= {"held", "discarded", "refused"}:
            raise PositionError(f"memory is {memory!r}; expected the keys held, discarded and refused")
        reader = _Reader({**memory}, self.rules, self.table)
        for seat in range(self.seats):
            for face in reader._faces("memory.held", reader._per_seat("held", "")[seat]):
                state.known[seat, face] += 1
                state.known_faces[seat] |= 1 << face
                if state.known[seat, face] > state.hands[seat, face]:
                    raise PositionError(f"memory.held[{seat}] has {FACE_TEXT[face]}, which is not in that hand")
            for key, field in (("discarded", state.discarded), ("refused", state.refused)):
                for face in reader._faces(f"memory.{key}", reader._per_seat(key, "")[seat]):
                    field[seat] |= 1 << face

    def _read_random(self, state: Any) -> None:
        stream = self.position.get("random")
        stream = {"seed": 0, "stream": [0, 0, 0, 1]} if stream is None else stream
        is_sound = (
            isinstance(stream, Mapping)
            and _is_whole(stream.get("seed"), 0, 2**63 - 1)
            and isinstance(stream.get("stream"), (list, tuple))
            and len(stream["stream"]) == len(state.random)
            and all(_is_whole(word, 0, 2**32 - 1) for word in stream["stream"])
        )
        if not is_sound:
            raise PositionError(f"random is {stream!r}; expected {{'seed': …, 'stream': four 32-bit numbers}}")
        state.seed, state.random[:] = stream["seed"], stream["stream"]

    def _check_deck(self, complete: bool = True) -> None:
        for face, count in self.cards.items():
            copies = self._copies(face)
            if count > copies:
                raise PositionError(
                    f"{FACE_TEXT[face]} is there {count} times; the deck has {copies} "
                    f"({self.table.num_packs} packs, {self.table.num_jokers} jokers)"
                )
        missing = [face for face in range(JOKER + 1) for _ in range(self._copies(face) - self.cards[face])]
        if complete and missing:
            raise PositionError(
                f"{sum(self.cards.values())} cards are there, {len(missing)} fewer than the deck has; "
                f"missing: {cards_text(missing)}"
            )

    def _check_hands(self, state: Any) -> None:
        player = int(state.player)
        if state.over != OVER_NO:
            return
        for seat in range(self.seats):
            if state.hand_size[seat] == 0 and not (seat == player and (state.declared or state.freed)):
                raise PositionError(f"hands[{seat}] is empty, but the deal is not over")
        if state.phase == PHASE_DRAW and state.pile_size == 0:
            raise PositionError("discard is empty at the start of a turn")
        if state.obliged != NONE and not state.hands[player, state.obliged]:
            in_the_air = state.obliged == JOKER and state.declared
            if not in_the_air:
                raise PositionError(
                    f"obliged is {FACE_TEXT[state.obliged]}, which is not in the hand of the player to move"
                )
