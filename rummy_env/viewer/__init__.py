"""A recorded game as one HTML file to step through: no server, no network, no rules in the page."""

import json
from importlib.resources import files

from rummy_env.record import Record
from rummy_env.viewer.steps import page_data

_PARTS = {
    "<!-- suits -->": ("suits.svg",),
    "/* style */": ("cards.css", "page.css"),
    "/* program */": ("cards.js", "page.js"),
}


def page(record: Record, seat: int | None = None) -> str:
    """The whole HTML file of a game.

    Args:
        record: The game.
        seat: The only seat whose cards, legal moves and notes are in the file; None for all of them.

    Raises:
        RecordError: The record does not replay.
        IndexError: `seat` is no seat of the game.
    """
    html = part("page.html")
    for mark, names in _PARTS.items():
        html = html.replace(mark, "".join(map(part, names)))
    data = json.dumps(page_data(record, seat), separators=(",", ":"))
    # No text in the data can end the element that it is in.
    return html.replace('"data"', data.replace("<", "\\u003c"), 1)


def part(name: str) -> str:
    """The text of a file of this folder: ``cards.css``, ``cards.js`` and ``suits.svg`` draw cards on any page."""
    return files(__name__).joinpath(name).read_text("utf-8")
