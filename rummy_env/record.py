"""Game records: one game per line of JSON, replayed action by action and checked to the last card.

A record keeps where the game started (a seed, or a position), every action, what came of it, and a digest of the last
position. Replaying needs nothing else, and a record that was damaged or edited does not pass.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from math import isfinite
from os import PathLike
from typing import Any, TextIO

from rummy_env.errors import IllegalActionError, RecordError, RummyError
from rummy_env.game import DealSummary, Game
from rummy_env.version import __version__

FORMAT = "rummy-env/2"
"""Tag of the record format; changes when a reader of this version could not read a newer record."""

READABLE = ("rummy-env/1", FORMAT)
"""Formats that are read: 1 is 2 without notes."""

Note = Mapping[str, Any]
"""What an agent thought of a decision: ``"probabilities"``, from action ids (as text) to what its policy gave them,
``"value"``, the return that it expected in the units of the rewards; either may be missing."""


@dataclass(frozen=True)
class Record:
    """One recorded game.

    Attributes:
        format: One of `READABLE`.
        version: Version of the package that wrote the record.
        rules: The rule set, as of `RuleSet.to_dict`.
        num_players: Number of seats.
        seed: Seed of the game; None for a game that began at a position.
        start: The position the game began at, as of `Game.to_dict`; None for a game that began with a seed.
        actions: Action ids in the order they were taken.
        deals: Summary of every finished deal, in order.
        scores: Totals by seat after the last action.
        digest: `digest` of the last position.
        notes: For each action what its agent thought, or None; empty if nothing was noted.
        line: Number of the line the record was read from, from 1; 0 for a record that was never in a file.
    """

    format: str
    version: str
    rules: Mapping[str, Any]
    num_players: int
    seed: int | None
    start: Mapping[str, Any] | None
    actions: tuple[int, ...]
    deals: tuple[Mapping[str, Any], ...]
    scores: tuple[int, ...]
    digest: str
    notes: tuple[Note | None, ...] = ()
    line: int = 0

    def start_game(self) -> Game:
        """The game before its first action; `RecordError` if the rules or the start are impossible."""
        try:
            if self.start is not None:
                return Game.from_dict(self.start)
            return Game(self.rules, self.num_players, 0 if self.seed is None else self.seed)
        except RummyError as error:
            raise self.error(f"the game cannot be started: {error}") from error

    def to_json(self) -> str:
        """The record as one line of JSON, without the line break."""
        fields = {name: getattr(self, name) for name in _FIELDS}
        if self.notes:
            fields["notes"] = self.notes
        return json.dumps(fields, separators=(",", ":"), default=dict)

    def error(self, problem: str) -> RecordError:
        """A `RecordError` that names the line of this record and, where it may be the cause, its version."""
        where = f"line {self.line}: " if self.line else ""
        other = f" (written by rummy-env {self.version}, this is {__version__})" if self.version != __version__ else ""
        return RecordError(f"{where}{problem}{other}")


_FIELDS: dict[str, tuple[type, ...]] = {
    "format": (str,),
    "version": (str,),
    "rules": (dict,),
    "num_players": (int,),
    "seed": (int, type(None)),
    "start": (dict, type(None)),
    "actions": (list,),
    "deals": (list,),
    "scores": (list,),
    "digest": (str,),
}
_ITEMS = {"actions": int, "deals": dict, "scores": int}
_NOTES = {"probabilities", "value"}


def digest(game: Game) -> str:
    """SHA-256, in hexadecimal, over the canonical JSON of the position of `game`."""
    canonical = json.dumps(game.to_dict(), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def make_record(
    game: Game, start: Mapping[str, Any] | None = None, notes: Sequence[Note | None] | None = None
) -> Record:
    """Record of `game` up to now.

    Args:
        game: A game, finished or not.
        start: The position (as of `Game.to_dict`) that the game began at; None if it began with its seed.
        notes: For each action of the history what its agent thought, or None.

    Raises:
        RecordError: The history of `game` does not lead from there to its position, or `notes` are malformed.
    """
    record = Record(
        format=FORMAT,
        version=__version__,
        rules=game.rules.to_dict(),
        num_players=game.num_players,
        seed=game.seed if start is None else None,
        start=start,
        actions=tuple(int(action) for action in game.history),
        deals=(),
        scores=tuple(game.scores),
        digest=digest(game),
        notes=() if notes is None else tuple(notes),
    )
    if problem := _notes_problem(record.notes, len(record.actions)):
        raise RecordError(problem)
    try:
        last, deals = _play(replace(record, notes=()))
        leads_here = digest(last) == record.digest
    except RecordError:
        leads_here = False
    if not leads_here:
        begin = "its seed" if start is None else "`start`"
        raise RecordError(
            f"the history of this game does not lead from {begin} to its position: "
            "hand over the position that the game began at as `start`"
        )
    if record.notes:
        _play(record)
    return replace(record, deals=tuple(deals))


def write_record(
    file: TextIO, game: Game, start: Mapping[str, Any] | None = None, notes: Sequence[Note | None] | None = None
) -> None:
    """Append the record of `game` to an open text file as one line; arguments and errors as for `make_record`."""
    file.write(make_record(game, start, notes).to_json() + "\n")


def append_record(path: str | PathLike[str], game: Game, start: Mapping[str, Any] | None = None) -> None:
    """Append the record of `game` to the file at `path`, which is made where there is none; as `write_record`."""
    with open(path, "a", encoding="utf-8") as file:
        write_record(file, game, start)


def read_records(path: str | PathLike[str]) -> Iterator[Record]:
    """Records of a file, one by one; blank lines are skipped.

    Only the form of each line is checked here: `replay` checks the game itself.

    Raises:
        OSError: The file cannot be read.
        RecordError: A line is no record; names the line and what is wrong with it.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield _parse(line, number)


def find_record(path: str | PathLike[str], number: int) -> Record:
    """Record `number` (from 1) of a file, which replays; `RecordError` if there is none, or as of `replay`."""
    record = next(islice(read_records(path), number - 1, None), None)
    if record is None:
        raise RecordError(f"{path} has no game {number}: it holds {sum(1 for _ in read_records(path))}")
    replay(record)
    return record


def replay(record: Record) -> Game:
    """Play a record from its start and check everything that it claims.

    Returns:
        The game after the last action, with the whole history in it.

    Raises:
        RecordError: The game cannot be started, an action (or one that a note gives a probability) is illegal, or
            summaries, scores or the last position differ from what the record says.
    """
    game, deals = _play(record)
    for number, (played, written) in enumerate(zip(deals, record.deals, strict=False), start=1):
        if played != written:
            raise record.error(f"the summary of deal {number} differs from the one that the actions lead to")
    if len(deals) != len(record.deals):
        raise record.error(f"{len(record.deals)} deals are summed up, but the actions finish {len(deals)}")
    if tuple(game.scores) != record.scores:
        raise record.error(f"the scores are {list(record.scores)}, but the actions lead to {list(game.scores)}")
    if digest(game) != record.digest:
        raise record.error("the digest differs from that of the position which the actions lead to")
    return game


def _play(record: Record) -> tuple[Game, list[dict[str, Any]]]:
    game = record.start_game()
    deals = []
    for step, action in enumerate(record.actions, start=1):
        note = record.notes[step - 1] if record.notes else None
        for noted in (note or {}).get("probabilities", ()):
            if not game.is_legal(int(noted)):
                raise record.error(f"the note on action {step} gives a probability to action {noted}, not legal then")
        try:
            summary = game.apply(action)
        except IllegalActionError as error:
            raise record.error(f"action {step} of {len(record.actions)} is illegal: {error}") from error
        if summary is not None:
            deals.append(_summary(summary))
    return game, deals


def _summary(summary: DealSummary) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(asdict(summary)))
    return plain


def _parse(line: bytes, number: int) -> Record:
    def error(problem: str) -> RecordError:
        return RecordError(f"line {number}: {problem}")

    try:
        fields = json.loads(line)
    except ValueError as cause:
        raise error(f"no complete JSON: {cause}") from cause
    if not isinstance(fields, dict):
        raise error(f"no record: expected a JSON object, found {type(fields).__name__}")
    if "format" in fields and fields["format"] not in READABLE:
        raise error(f"unknown format {fields['format']!r}: this version reads {' and '.join(map(repr, READABLE))}")
    for name, types in _FIELDS.items():
        if name not in fields:
            raise error(f"the field {name!r} is missing")
        if type(fields[name]) not in types:
            raise error(f"the field {name!r} holds a value of type {type(fields[name]).__name__}")
    for name, kind in _ITEMS.items():
        for item in fields[name]:
            if type(item) is not kind:
                raise error(f"the field {name!r} holds {item!r}, expected only values of type {kind.__name__}")
    if unknown := sorted(fields.keys() - _FIELDS.keys() - {"notes"}):
        raise error(f"the field {unknown[0]!r} is unknown")
    if (fields["seed"] is None) == (fields["start"] is None):
        raise error("exactly one of 'seed' and 'start' has to be given, the other null")
    if problem := _notes_problem(fields.get("notes", ()), len(fields["actions"])):
        raise error(problem)
    for name in (*_ITEMS, "notes"):
        fields[name] = tuple(fields.get(name, ()))
    return Record(**fields, line=number)


def _notes_problem(notes: Any, actions: int) -> str | None:
    """What is wrong with the form of notes, or None."""
    if not isinstance(notes, list | tuple) or len(notes) not in (0, actions):
        return f"the field 'notes' has to hold one entry for each of {actions} actions"
    for step, note in enumerate(notes, start=1):
        if note is None:
            continue
        if not isinstance(note, Mapping) or not note.keys() <= _NOTES:
            return f"the note on action {step} is no object with nothing but {' and '.join(sorted(_NOTES))}"
        probabilities = note.get("probabilities", {})
        if not isinstance(probabilities, Mapping) or not all(
            isinstance(action, str) and action.isdecimal() and _is_number(share) and 0 <= share <= 1
            for action, share in probabilities.items()
        ):
            return f"the note on action {step} has probabilities that are no mapping from action ids to 0 … 1"
        if "value" in note and not _is_number(note["value"]):
            return f"the note on action {step} has the value {note['value']!r}: expected a number"
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
