"""What a page may ask of the server: one JSON object a message, checked here before anything is done.

The server answers every message with one of its own: ``setup`` (unasked, at the beginning), ``table``, ``hint`` or
``error``.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from rummy_env.errors import MessageError
from rummy_env.rules import MAX_PLAYERS

MAX_BYTES = 4096
"""Longest message of a page."""
MAX_NUMBER = 10**15 - 1
"""Largest number in a message: JavaScript has it exactly, and its form takes 15 digits."""

_Count = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
_Name = Annotated[str, Field(max_length=200)]


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class New(_Message):
    """Open a table, and sit down at it; `agents` as `Session` takes them, a random `seed` if None."""

    kind: Literal["new"]
    variant: _Name
    players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)]
    agents: Annotated[list[_Name], Field(min_length=1, max_length=MAX_PLAYERS - 1)]
    seat: Annotated[int, Field(ge=0, lt=MAX_PLAYERS)] = 0
    seed: _Count | None = None


class Resume(_Message):
    """Go on at the table with this secret name."""

    kind: Literal["resume"]
    table: _Name


class Move(_Message):
    """Make a move: its place among those that the table had in this position."""

    kind: Literal["move"]
    position: _Count
    move: _Count


class Undo(_Message):
    """Take back the last move."""

    kind: Literal["undo"]
    position: _Count


class Hint(_Message):
    """Ask for a hint."""

    kind: Literal["hint"]
    position: _Count


class PlayOn(_Message):
    """Draw and discard as the adviser would until it would take or place a card, or the deal is over."""

    kind: Literal["play_on"]
    position: _Count


Message = New | Resume | Move | Undo | Hint | PlayOn
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def parse(text: str | None) -> Message:
    """A message from the text of a frame, None for a binary one; `MessageError` says what is wrong with it."""
    if text is None:
        raise MessageError("malformed", "the message is binary; expected text with a JSON object")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise MessageError("too_large", f"the message is longer than {MAX_BYTES} bytes")
    try:
        return _MESSAGE.validate_json(text)
    except ValidationError as errors:
        first = errors.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise MessageError("malformed", f"{place}: {first['msg']}" if place else first["msg"]) from None


def error_message(error: MessageError) -> dict[str, Any]:
    """What a page is told of an error."""
    return {"kind": "error", "error": error.code, "text": str(error)}
