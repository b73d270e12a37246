"""Faces, suits and ranks as small integers, and the two-letter notation for them.

A *face* is one of 53 kinds of card: ``13 * suit + rank`` for the naturals (suits C D H S, ranks A=0 … K=12)
and 52 for the joker. Which pack a card comes from is never tracked.
"""

from collections.abc import Iterable

from rummy_env.errors import NotationError

SUITS = "CDHS"
RANKS = "A23456789TJQK"
NUM_SUITS = 4
NUM_RANKS = 13
NUM_NATURALS = NUM_SUITS * NUM_RANKS
JOKER = NUM_NATURALS
NUM_FACES = NUM_NATURALS + 1
NO_FACE = -1

FACE_TEXT = tuple(rank + suit for suit in SUITS for rank in RANKS) + ("JK",)
_FACE_OF_TEXT = {text: face for face, text in enumerate(FACE_TEXT)}


def parse_face(text: str) -> int:
    """Face of a notation such as ``"TD"`` or ``"JK"``, in either case; `NotationError` for anything else."""
    face = _FACE_OF_TEXT.get(text.upper()) if isinstance(text, str) else None
    if face is None:
        raise NotationError(
            f"{text!r} is no card: expected a rank of {RANKS} followed by a suit of {SUITS} (such as 'TD'), or 'JK'"
        )
    return face


def cards_text(faces: Iterable[int]) -> str:
    """Faces joined by spaces: ``"KH TD JK"``."""
    return " ".join(FACE_TEXT[face] for face in faces)


def parse_cards(text: str) -> list[int]:
    """Faces of a space-separated list such as ``"KH TD JK"``."""
    if not isinstance(text, str):
        raise NotationError(f"{text!r} is no list of cards: expected a text such as 'KH TD JK'")
    return [parse_face(word) for word in text.split()]
