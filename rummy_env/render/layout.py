"""Where cards lie in a picture: as large as a place takes them, the index of every card in sight. Pixels throughout."""

from collections.abc import Sequence
from typing import NamedTuple

SMALLEST, LARGEST = 12, 96
"""Heights that a card may have."""

_GAP = 10
"""Between two melds, and between a hand and the melds beside it."""


class Place(NamedTuple):
    """A rectangle: its left upper corner, width and height."""

    x: int
    y: int
    width: int
    height: int


class Cards(NamedTuple):
    """Cards of one height and their left upper corners; later ones cover earlier ones."""

    height: int
    corners: list[tuple[int, int]]


def card_width(height: int) -> int:
    """Width of a card of a height."""
    return round(0.7 * height)


def index_width(height: int) -> int:
    """So much of a card's left edge has to be seen to tell which one it is."""
    return round(0.36 * height)


def index_height(height: int) -> int:
    """So much of a card's upper edge has to be seen to tell which one it is."""
    return round(0.64 * height)


def fan(count: int, place: Place) -> Cards:
    """Overlapping cards, row by row."""
    for height in range(min(LARGEST, place.height), SMALLEST - 1, -1):
        columns = 1 + (place.width - card_width(height)) // index_width(height)
        rows = -(-count // columns)
        if columns > 0 and height + (rows - 1) * index_height(height) <= place.height:
            break
    columns = max(1, -(-count // max(1, rows)))
    across = min(card_width(height) + 3, (place.width - card_width(height)) // max(1, columns - 1))
    return Cards(
        height,
        [
            (place.x + number % columns * across, place.y + number // columns * index_height(height))
            for number in range(count)
        ],
    )


def meld_rows(sizes: Sequence[int], place: Place) -> Cards:
    """Melds of so many cards side by side, going on in the next row where one is full."""
    for height in range(min(LARGEST, place.height), SMALLEST - 1, -1):
        widths = [card_width(height) + (size - 1) * index_width(height) for size in sizes]
        starts = _flow(widths, place.width)
        bottom = max((row for _, row in starts), default=0) * (height + 2) + height
        if max(widths, default=0) <= place.width and bottom <= place.height:
            break
    return Cards(
        height,
        [
            (place.x + x + number * index_width(height), place.y + row * (height + 2))
            for size, (x, row) in zip(sizes, starts, strict=True)
            for number in range(size)
        ],
    )


def _flow(widths: Sequence[int], room: int) -> list[tuple[int, int]]:
    starts = []
    x = row = 0
    for width in widths:
        if x and x + width > room:
            x, row = 0, row + 1
        starts.append((x, row))
        x += width + _GAP
    return starts


def hand_and_melds(hand: int, melds: Sequence[int], place: Place) -> tuple[Cards, Cards]:
    """A hand of so many cards and melds of so many, above or beside each other, whichever has the larger cards."""
    if not melds:
        return fan(hand, place), Cards(0, [])
    high, wide = (place.height - 4) // 2, (place.width - _GAP) // 2
    above = place._replace(height=high), place._replace(y=place.y + place.height - high, height=high)
    beside = place._replace(width=wide), place._replace(x=place.x + place.width - wide, width=wide)
    arranged = [(fan(hand, first), meld_rows(melds, second)) for first, second in (above, beside)]
    return max(arranged, key=lambda both: min(cards.height for cards in both))
