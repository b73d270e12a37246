"""Playing cards as drawn pictures; needs the extra ``render``. No image files and no glyphs beyond ASCII."""

import os
from functools import cache
from math import cos, pi, sin
from typing import Any

from rummy_env.errors import MissingExtraError
from rummy_env.render.layout import card_width, index_width

RED, BLACK, PURPLE = (190, 30, 45), (25, 28, 33), (112, 48, 160)
_PAPER, _JOKER_PAPER, _EDGE = (252, 251, 246), (255, 232, 150), (120, 124, 128)
_BACK, _BACK_LINES = (44, 82, 140), (86, 124, 184)
_FINE = 8
"""Suits are drawn so many times larger than they are shown, which makes their edges smooth."""


def import_pygame() -> Any:
    """Pygame with its fonts ready, without its greeting; `MissingExtraError` where it is not installed."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise MissingExtraError(
            f"a picture of the table needs pygame ({error}): pip install 'rummy-env[render]'"
        ) from error
    if not pygame.font.get_init():
        pygame.font.init()
        font.cache_clear()  # fonts don't outlive a pygame.quit()
    return pygame


@cache
def font(size: int) -> Any:
    """Pygame's own font, which is the same on every machine, in a size in pixels."""
    return import_pygame().font.Font(None, size)


@cache
def face_up(text: str, height: int) -> Any:
    """A card: ``"TD"``, ``"JK"``, or ``"JK(7H)"`` for a joker with what it stands for, on yellow with a star."""
    pygame = import_pygame()
    joker = text.startswith("JK")
    card = _blank(height, _JOKER_PAPER if joker else _PAPER)
    shown = text[3:5] if "(" in text else text
    colour = PURPLE if shown == "JK" else RED if shown[1] in "DH" else BLACK
    rank, size = (shown, 0.36) if shown == "JK" else (shown[0], 0.5)
    middle = index_width(height) // 2 + 1
    letters = font(round(size * height)).render(rank, True, colour)
    card.blit(letters, letters.get_rect(center=(middle, round(0.2 * height))))
    small, large = round(0.24 * height), round(0.36 * height)
    card.blit(_shape(shown[1], small, colour), (middle - small // 2, round(0.38 * height)))
    card.blit(_shape(shown[1], large, colour), (round(0.3 * height), round(0.58 * height)))
    if joker and shown != "JK":
        card.blit(_shape("K", small, PURPLE), (middle - small // 2, round(0.7 * height)))
    pygame.draw.rect(card, PURPLE if joker else _EDGE, card.get_rect(), 2 if joker else 1, _corner(height))
    return card


@cache
def face_down(height: int) -> Any:
    """The back of a card."""
    pygame = import_pygame()
    card = _blank(height, _BACK)
    inner = card.get_rect().inflate(-round(0.16 * height), -round(0.16 * height))
    pygame.draw.rect(card, _BACK_LINES, inner, max(1, height // 30), 2)
    pygame.draw.rect(card, _PAPER, card.get_rect(), 1, _corner(height))
    return card


@cache
def _shape(suit: str, size: int, colour: tuple[int, int, int]) -> Any:
    """One of the suits C D H S, or the star of a joker (K), on a transparent square with sides of `size` pixels."""
    pygame = import_pygame()
    fine = pygame.Surface((_FINE * size, _FINE * size), pygame.SRCALPHA)
    # Where the edge is blended, its colour shall be that of the suit.
    fine.fill((*colour, 0))
    unit = _FINE * size / 100

    def circle(x: float, y: float, radius: float) -> None:
        pygame.draw.circle(fine, colour, (x * unit, y * unit), radius * unit)

    def polygon(*points: tuple[float, float]) -> None:
        pygame.draw.polygon(fine, colour, [(x * unit, y * unit) for x, y in points])

    if suit == "D":
        polygon((50, 2), (86, 50), (50, 98), (14, 50))
    elif suit == "H":
        circle(28, 32, 24)
        circle(72, 32, 24)
        polygon((50, 34), (8.5, 46), (50, 97), (91.5, 46))
        polygon((28, 32), (72, 32), (50, 60))
    elif suit == "S":
        circle(28, 58, 23)
        circle(72, 58, 23)
        polygon((50, 2), (8, 47), (50, 66), (92, 47))
        polygon((50, 50), (66, 98), (34, 98))
    elif suit == "K":
        tips = ((50 * (0.96, 0.4)[tip % 2], tip * pi / 5 - pi / 2) for tip in range(10))
        polygon(*((50 + far * cos(angle), 50 + far * sin(angle)) for far, angle in tips))
    else:
        circle(50, 26, 22)
        circle(25, 60, 22)
        circle(75, 60, 22)
        circle(50, 50, 14)
        polygon((50, 40), (66, 98), (34, 98))
    return pygame.transform.smoothscale(fine, (size, size))


def _blank(height: int, paper: tuple[int, int, int]) -> Any:
    pygame = import_pygame()
    card = pygame.Surface((card_width(height), height), pygame.SRCALPHA)
    pygame.draw.rect(card, paper, card.get_rect(), 0, _corner(height))
    return card


def _corner(height: int) -> int:
    return max(2, height // 12)
