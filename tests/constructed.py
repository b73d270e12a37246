"""Positions that random play hardly ever reaches, built from a seed: a hidden contract, jokers, melds that fit.

Every card of the deck lies in exactly one place. Whether anything can be done in a position is asked nowhere: it may
as well be a deal that is blocked.
"""

import random
from collections import Counter
from typing import Any

from rummy_env import RuleSet
from tests.plain_table import JOKER, SUITS, Card, Meld, Setting, face_at

MANY_TRIES = 40


def construct(rules: RuleSet, num_players: int, rng: random.Random) -> dict[str, Any]:
    """A position at the start of a turn or just after a draw, with the keys of `Game.to_dict` but memory and random."""
    while True:
        position = _Builder(rules, num_players, rng).build()
        if position["discard"] and all(position["hands"]):
            return position


class _Builder:
    """One position in the making; `left` counts the cards that have no place yet."""

    def __init__(self, rules: RuleSet, num_players: int, rng: random.Random) -> None:
        self.rng = rng
        self.rules = rules.to_dict()
        self.table = rules.table(num_players)
        self.seats = num_players
        self.player = rng.randrange(num_players)
        self.deal = rng.choice(self.table.deals) if rules.contracts else 1
        self.hand_size = self.table.hand_sizes[self.deal - 1]
        self.setting = Setting({"player": self.player, "deal": self.deal}, self.rules)
        self.left = Counter(dict.fromkeys(self.setting.deck, self.table.num_packs) | {JOKER: self.table.num_jokers})
        self.melds: list[Meld] = []
        self.for_the_pile: list[str] = []
        self.upcard: list[str] = []
        self.down = ["no"] * num_players

    def build(self) -> dict[str, Any]:
        """The whole position."""
        if self.setting.contract is not None and not self.setting.all_at_once:
            self.down = [self.rng.choice(["no", "earlier"]) for _ in range(self.seats)]
        hidden = self._hidden_contract() if self.down[self.player] == "no" else []
        for seat in range(self.seats):
            self._lay_melds(seat)
        for _ in range(self.rng.randrange(8) if self.melds else 0):
            index = self.rng.randrange(len(self.melds))
            self.melds[index] = self._extended(self.melds[index], joker_chance=0.3) or self.melds[index]
        phase = self.rng.choice(["draw", "play"])
        hand = self._hand(hidden, drawn=phase == "play")
        hands, pile = self._other_hands(hand), self._pile()
        max_recycles = self.rules["max_recycles"]
        return {
            "rules": self.rules,
            "num_players": self.seats,
            "deal": self.deal,
            "player": self.player,
            "phase": phase,
            "turn": self.rng.randrange(self.table.max_turns),
            "hands": [" ".join(cards) for cards in hands],
            "stock": " ".join(self._take_any(self.left.total())),
            "discard": " ".join(pile),
            "melds": [{"owner": meld.owner, "kind": meld.kind, "cards": _meld_text(meld)} for meld in self.melds],
            "down": self.down,
            "taken": self.rng.choice(hand) if hand and phase == "play" and self.rng.random() < 0.5 else None,
            "obliged": None,
            "laying": None,
            "declared": [],
            "freed_joker": False,
            "played_this_turn": False,
            "melds_this_turn": 0,
            "recycles": 0 if max_recycles is None else self.rng.randint(0, max_recycles),
        }

    def _take(self, face: str, joker_chance: float) -> Card | None:
        """A card to stand for the face: a joker by chance, or the natural; None where what chance wants is not left."""
        joker = self.rng.random() < joker_chance
        card = JOKER if joker else face
        if not self.left[card]:
            return None
        self.left[card] -= 1
        return Card(face, joker)

    def _take_any(self, most: int) -> list[str]:
        cards = self.rng.sample(sorted(self.left.elements()), min(most, self.left.total()))
        self.left.subtract(cards)
        return cards

    def _take_some(self, faces: list[str], most: int) -> list[str]:
        """Up to `most` of these faces, as far as they are left."""
        taken = []
        for face in self.rng.sample(faces, min(most, len(faces))):
            if self.left[face]:
                self.left[face] -= 1
                taken.append(face)
        return taken

    def _put_back(self, cards: list[Card]) -> None:
        self.left.update(_in_hand(cards))

    def _base_meld(self, owner: int, kind: str) -> Meld | None:
        """A meld of three, some of them jokers; None where a card is not left or a joker limit stands against it."""
        shape = self.rng.choice([shape for shape in self.setting.shapes if shape.kind == kind])
        cards: list[Card] = []
        for face in shape.faces:
            card = self._take(face, joker_chance=0.25) or self._take(face, joker_chance=0.5)
            if card is None:
                self._put_back(cards)
                return None
            cards.append(card)
        if self.setting.joker_limits_allow(shape, {card.face for card in cards if card.joker}):
            return Meld(owner, kind, tuple(cards))
        self._put_back(cards)
        return None

    def _contract(self, owner: int) -> list[Meld]:
        """Melds that meet the contract; none where chance does not find all of them."""
        sets, runs = self.setting.contract or (0, 0)
        kinds = ["set"] * sets + ["run"] * runs
        found: list[Meld] = []
        for _ in range(MANY_TRIES):
            if len(found) == len(kinds):
                return found
            meld = self._base_meld(owner, kinds[len(found)])
            if meld is None:
                continue
            runs_found = [other for other in found if other.kind == "run"]
            if self.setting.suits_allow(meld, runs_found, may_touch=self.setting.all_at_once):
                found.append(meld)
            else:
                self._put_back(list(meld.cards))
        for meld in found:
            self._put_back(list(meld.cards))
        return []

    def _extended(self, meld: Meld, joker_chance: float) -> Meld | None:
        """The meld with one card more, or None where chance finds none."""
        places = self._open_places(meld)
        if not places:
            return None
        end, face = self.rng.choice(places)
        neighbour = meld.cards[-1] if end == "high" else meld.cards[0]
        if end != "set" and neighbour.joker and not self.rules["adjacent_jokers"]:
            joker_chance = 0.0
        card = self._take(face, joker_chance)
        if card is None:
            return None
        if end == "set":
            by_suit = sorted((*meld.cards, card), key=lambda card: SUITS.index(card.face[1]))
            return meld._replace(cards=tuple(by_suit))
        return meld._replace(cards=(card, *meld.cards) if end == "low" else (*meld.cards, card))

    def _open_places(self, meld: Meld) -> list[tuple[str, str]]:
        """(end, face) of every card that the meld would take."""
        if meld.kind == "set":
            if len(meld.cards) == 4 or not self.rules["layoff_on_sets"]:
                return []
            present = {card.face for card in meld.cards}
            mates = [face for face in self.setting.deck if face[0] == meld.cards[0].face[0]]
            return [("set", face) for face in mates if face not in present]
        ends = {"low": meld.low - 1, "high": meld.high + 1}
        if not self.rules["allow_double_ace_run"] and len(meld.cards) == 13:
            return []
        return [
            (end, face_at(meld.suit, position))
            for end, position in ends.items()
            if 1 <= position <= self.setting.max_position
        ]

    def _hidden_contract(self) -> list[str]:
        """Cards for the hand that meet the contract; where all goes down at once, about as many as the hand has."""
        melds = self._contract(self.player)
        while self.setting.all_at_once and melds and sum(len(meld.cards) for meld in melds) <= self.hand_size:
            grown = [self._extended(meld, joker_chance=0.1) for meld in melds]
            melds = [bigger or meld for bigger, meld in zip(grown, melds, strict=True)]
            if not any(grown) and self.rng.random() < 0.2:
                break
        return _in_hand([card for meld in melds for card in meld.cards])

    def _lay_melds(self, seat: int) -> None:
        if self.setting.contract is None:
            for _ in range(self.rng.randrange(3)):
                meld = self._base_meld(seat, self.rng.choice(self.setting.shapes).kind)
                self.melds += [meld] if meld is not None else []
        elif self.down[seat] == "earlier":
            melds = self._contract(seat)
            self.melds += melds
            self.down[seat] = "earlier" if melds else "no"

    def _useful(self) -> list[str]:
        """Faces that extend a meld on the table, and naturals for the jokers there."""
        faces = [face for meld in self.melds for _, face in self._open_places(meld)]
        return faces + [card.face for meld in self.melds for card in meld.cards if card.joker]

    def _hand(self, hidden: list[str], drawn: bool) -> list[str]:
        if self.setting.contract is not None and self.down[self.player] == "no":
            size = self.hand_size + drawn
        else:
            doubles = [face for face, copies in self.left.items() if copies >= 2]
            if doubles and not drawn and self.rng.random() < 0.1:
                # With the upcard taken, there may be nothing left to discard.
                face = self.rng.choice(doubles)
                self.upcard = self._take_some([face], 1)
                return self._take_some([face] * self.rng.randint(1, 3), 3)
            size = self.rng.randint(1, self.hand_size) + drawn
            if self.rng.random() < 0.5:
                size = min(size, 2 + drawn)
        self.rng.shuffle(hidden)
        missing = self.rng.choice([0, 0, 1, 2])
        hand = hidden[missing : missing + size]
        self.for_the_pile = hidden[:missing] + hidden[missing + size :]
        hand += self._take_some([JOKER] * 2, min(self.rng.choice([0, 0, 1, 2]), size - len(hand)))
        hand += self._take_some(self._useful(), self.rng.randint(0, size - len(hand)))
        if self.setting.contract is None or self.rules["extra_melds"] == "any":
            hand += self._take_some([*self.rng.choice(self.setting.shapes).faces], size - len(hand))
        return hand + self._take_any(size - len(hand))

    def _other_hands(self, hand: list[str]) -> list[list[str]]:
        """The hands of all seats; an upcard is always left over."""
        hands = []
        for seat in range(self.seats):
            if seat == self.player:
                hands.append(hand)
                continue
            others_waiting = self.seats - 1 - len(hands)
            down = self.setting.contract is None or self.down[seat] != "no"
            size = self.rng.randint(1, self.hand_size) if down else self.hand_size
            hands.append(self._take_any(max(1, min(size, self.left.total() - others_waiting - 1))))
        if self.rng.random() < (0.5 if self.upcard else 0.05):
            # A dry stock: nearly all that is left is in other hands.
            hands[self.player - 1] += self._take_any(max(0, self.left.total() - self.rng.choice([0, 1, 2])))
        return hands

    def _pile(self) -> list[str]:
        pile = [*self.for_the_pile]
        pile += self._take_some(self._useful(), self.rng.randint(0, 3))
        pile += self._take_any(self.rng.randint(0 if pile or self.upcard else 1, 6))
        self.rng.shuffle(pile)
        return pile + self.upcard


def _in_hand(cards: list[Card]) -> list[str]:
    return [JOKER if card.joker else card.face for card in cards]


def _meld_text(meld: Meld) -> str:
    return " ".join(f"JK({card.face})" if card.joker else card.face for card in meld.cards)
