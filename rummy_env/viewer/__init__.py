"""A recorded game as one HTML file to step through: no server, no network, no rules in the page."""

import json
from importlib.resources import files

from rummy_env.record import Record
from rummy_env.viewer.steps import page_data

_PARTS = {"style": "page.css", "program": "page.js"}


def page(record: Record, seat: int | None = None) -> str:
    """The whole HTML file of a game.

    Args:
        record: The game.
        seat: The only seat whose cards, legal moves and notes are in the file; None for all of them.

    Raises:
        RecordError: The record does not replay.
        IndexError: `seat` is no seat of the game.
    """
    folder = files(__name__)
    html = folder.joinpath("page.html").read_text("utf-8")
    for mark, name in _PARTS.items():
        html = html.replace(f"/* {mark} */", folder.joinpath(name).read_text("utf-8"))
    data = json.dumps(page_data(record, seat), separators=(",", ":"))
    # No text in the data can end the element that it is in.
    return html.replace('"data"', data.replace("<", "\\u003c"), 1)
