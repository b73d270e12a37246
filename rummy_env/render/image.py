"""The table as a picture of 960 × 640 pixels, drawn with pygame; needs the extra ``render``."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from rummy_env.game import Game
from rummy_env.render.cards import face_down, face_up, font, import_pygame
from rummy_env.render.layout import Cards, Place, fan, hand_and_melds
from rummy_env.render.text import DOWN_TEXT, check_viewer, deal_line, seat_name, turn_line

SIZE = (960, 640)
"""Width and height in pixels."""

MOVES_SHOWN = 6
"""So many of the last moves are shown."""

Move = tuple[int, int]
"""Who moved, and the id of the action."""

_FELT, _PANEL, _PLACE, _MARK = (22, 84, 62), (30, 102, 76), (18, 70, 52), (255, 206, 84)
_WHITE, _PALE = (248, 248, 244), (196, 220, 208)
_MARGIN, _GAP = 8, 6


def render_image(
    game: Game, viewer: int | None = None, moves: Sequence[Move] = (), headline: str | None = None
) -> np.ndarray:
    """The table as a picture.

    Args:
        game: The game to show.
        viewer: Seat whose hand lies face up, the others face down; None shows all hands.
        moves: The last moves, oldest first; more than `MOVES_SHOWN` are cut.
        headline: What is said in place of whose turn it is.

    Returns:
        uint8, shape ``(640, 960, 3)``: rows, columns, RGB.

    Raises:
        IndexError: `viewer` is no seat.
        MissingExtraError: Pygame is not installed.
    """
    check_viewer(game, viewer)
    pygame = import_pygame()
    position = game.to_dict()
    surface = pygame.Surface(SIZE)
    surface.fill(_FELT)
    inside = SIZE[0] - 2 * _MARGIN
    _text(surface, deal_line(game, position), (_MARGIN, 8), inside, 24, _WHITE)
    _text(surface, headline or turn_line(game, position), (_MARGIN, 32), inside, 22, _MARK)
    _middle(surface, game, position, moves, Place(_MARGIN, 56, inside, 112))
    seats = Place(_MARGIN, 174, inside, SIZE[1] - 174 - _MARGIN)
    for seat, panel in enumerate(_panels(seats, game.num_players)):
        _seat(surface, game, position, seat, viewer in (None, seat), panel)
    return np.ascontiguousarray(pygame.surfarray.array3d(surface).swapaxes(0, 1))


def write_image(image: np.ndarray, path: str | PathLike[str]) -> None:
    """Write a picture to a file, as a PNG.

    Raises:
        OSError: The file cannot be written.
    """
    pygame = import_pygame()
    with open(path, "wb") as file:
        pygame.image.save(pygame.surfarray.make_surface(image.swapaxes(0, 1)), file, "picture.png")


def _middle(surface: Any, game: Game, position: Mapping[str, Any], moves: Sequence[Move], place: Place) -> None:
    """Stock, discard pile and last moves, from left to right."""
    pygame = import_pygame()
    stock, pile = position["stock"].split(), position["discard"].split()
    pygame.draw.rect(surface, _PLACE, place, 0, 6)
    _text(surface, f"stock {len(stock)}", (place.x + _GAP, place.y + 5), 84, 20, _PALE)
    if stock:
        surface.blit(face_down(78), (place.x + 14, place.y + 26))
    left, width = place.x + 96, place.width - 96 - _GAP - (252 if moves else 0)
    _text(surface, f"discard pile {len(pile)}, top card last", (left, place.y + 5), width, 20, _PALE)
    _lay(surface, pile, fan(len(pile), Place(left, place.y + 26, width, 80)))
    column = place.x + place.width - 246
    for line, (seat, action) in enumerate(moves[-MOVES_SHOWN:]):
        words = f"{seat_name(seat)}: {game.layout.text(action)}"
        _text(surface, words, (column, place.y + 6 + 17 * line), 240, 19, _WHITE)


def _panels(place: Place, count: int) -> list[Place]:
    """A place for each seat: one column up to three seats, else two."""
    columns = 1 if count <= 3 else 2
    rows = -(-count // columns)
    width, height = (place.width + _GAP) // columns, (place.height + _GAP) // rows
    return [
        Place(place.x + seat // rows * width, place.y + seat % rows * height, width - _GAP, height - _GAP)
        for seat in range(count)
    ]


def _seat(surface: Any, game: Game, position: Mapping[str, Any], seat: int, shown: bool, panel: Place) -> None:
    """Name, score, hand and melds of a seat."""
    pygame = import_pygame()
    acting = seat == position["player"] and not position["over"]
    pygame.draw.rect(surface, _PANEL, panel, 0, 6)
    if acting:
        pygame.draw.rect(surface, _MARK, panel, 2, 6)
    hand = position["hands"][seat].split()
    words = [seat_name(seat), f"score {position['scores'][seat]}"]
    if game.rules.contracts is not None:
        words.append(DOWN_TEXT[position["down"][seat]])
    words.append(f"{len(hand)} card{'s' * (len(hand) != 1)}")
    _text(
        *(surface, " · ".join(words), (panel.x + _GAP, panel.y + 5), panel.width - 2 * _GAP, 19),
        _MARK if acting else _WHITE,
    )
    inner = Place(panel.x + _GAP, panel.y + 21, panel.width - 2 * _GAP, panel.height - 25)
    melds = [meld["cards"].split() for meld in position["melds"] if meld["owner"] == seat]
    in_hand, on_table = hand_and_melds(len(hand), list(map(len, melds)), inner)
    _lay(surface, hand if shown else [None] * len(hand), in_hand)
    _lay(surface, [card for meld in melds for card in meld], on_table)


def _lay(surface: Any, cards: Sequence[str | None], where: Cards) -> None:
    """Cards, None for one that lies face down."""
    for card, corner in zip(cards, where.corners, strict=True):
        surface.blit(face_down(where.height) if card is None else face_up(card, where.height), corner)


def _text(surface: Any, text: str, where: tuple[int, int], width: int, size: int, colour: tuple[int, int, int]) -> None:
    """A line of text, smaller where it would be wider than `width` pixels."""
    while size > 8 and font(size).size(text)[0] > width:
        size -= 1
    surface.blit(font(size).render(text, True, colour), where)
