"""Moves as a person thinks of them: one where jokers are declared or exchanged for a placement, and in full words."""

import re
from dataclasses import dataclass

from rummy_env.game import Game

_CARD = re.compile(r"\b(?:[A2-9TJQK][CDHS]|JK)\b")
BEGINNINGS = ("declare", "swap")
"""Kinds of actions that a placement has to follow."""
DULL = ("draw_stock", "discard")
"""Kinds of actions that a turn is made of in which nothing is taken or placed."""

_DECLARED_AT_ONCE = 3
"""No placement takes more declared jokers than the three cards of a meld."""


@dataclass(frozen=True)
class PersonMove:
    """A move.

    Attributes:
        words: What a person would say: ``"lay 5H 6H JK(7H)"``.
        actions: Ids of its actions, in order.
    """

    words: str
    actions: tuple[int, ...]

    @property
    def cards(self) -> frozenset[str]:
        """The cards that the words name."""
        return frozenset(_CARD.findall(self.words))

    def fits(self, text: str) -> bool:
        """Whether every word of a text, such as ``"lay 5h"``, is one of its cards or in its words."""
        return all(word.upper() in self.cards or word.lower() in self.words.lower() for word in text.split())


def person_moves(game: Game) -> list[PersonMove]:
    """The legal moves of the player to move, in the order of their actions; none once the game is over."""
    found: dict[str, PersonMove] = {}
    _collect(game, (), (), found)
    return sorted(found.values(), key=lambda move: (len(move.actions), move.actions))


def _collect(game: Game, begun: tuple[int, ...], said: tuple[str, ...], found: dict[str, PersonMove]) -> None:
    declared = [action for action in begun if game.layout.decode(action).kind == "declare"]
    for action in game.legal_actions():
        kind = game.layout.decode(action).kind
        if kind == "declare":
            # Jokers that are declared together are declared in one order only.
            if len(declared) < _DECLARED_AT_ONCE and (not declared or action > declared[-1]):
                after = game.clone()
                after.apply(action)
                _collect(after, (*begun, action), said, found)
            continue
        words = (*said, action_words(game, action))
        if kind in BEGINNINGS:
            after = game.clone()
            after.apply(action)
            _collect(after, (*begun, action), words, found)
        else:
            sentence = ", then ".join(words)
            found.setdefault(sentence, PersonMove(sentence, (*begun, action)))


def action_words(game: Game, action: int) -> str:
    """One legal action in full words: which card is taken, and which meld takes a card."""
    decoded = game.layout.decode(action)
    pile = game.to_dict()["discard"].split()
    if decoded.kind == "draw_stock":
        return "draw from the stock"
    if decoded.kind == "take_top":
        return f"take {pile[-1]} from the pile"
    if decoded.kind == "take":
        place = len(pile) - 2 - pile[-2::-1].index(decoded.face)
        above = pile[place + 1 :]
        return f"take {decoded.face} with the {len(above)} card{'s' * (len(above) > 1)} above it: {' '.join(above)}"
    text = game.describe(action)
    if decoded.kind.startswith("meld"):
        return text.replace("meld", "lay", 1)
    if decoded.kind.startswith("layoff"):
        card = text.split()[2]
        return f"lay off {card}{_on_meld(game, action, 'on')}"
    if decoded.kind == "swap":
        return f"exchange {decoded.face} for the joker{_on_meld(game, action, 'in')}"
    return text


def _on_meld(game: Game, action: int, word: str) -> str:
    """The meld that an action changes, as it was before; nothing where the deal ends and the table is cleared."""
    after, before = game.clone(), game.to_dict()["melds"]
    after.apply(action)
    if after.deals_done > game.deals_done and after.over is None:
        return ""
    pairs = zip(before, after.to_dict()["melds"], strict=False)
    return next(f" {word} {old['cards']}" for old, new in pairs if old != new)
