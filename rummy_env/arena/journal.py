"""Finished chunks on disk, so that a match that was interrupted can be gone on with."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from rummy_env.arena.chunk import Chunk
from rummy_env.arena.match import Match
from rummy_env.errors import ArgumentError

FILE_NAME = "chunks.jsonl"


class Journal:
    """A file of JSON lines in a folder: what the match is, then each finished chunk.

    Args:
        folder: The folder; made where it is missing.
        match: The match that is played.

    Attributes:
        chunks: What an earlier run has left.

    Raises:
        ArgumentError: The file is that of another match, which names what differs, or no such file.
        OSError: The folder cannot be made, or the file not be read.
    """

    def __init__(self, folder: str | Path, match: Match) -> None:
        self._path = Path(folder) / FILE_NAME
        self._path.parent.mkdir(parents=True, exist_ok=True)
        head = json.dumps(match.to_dict())
        lines = self._path.read_bytes().split(b"\n") if self._path.exists() else [b""]
        complete = lines[:-1]  # what a killed run was writing has no line break yet
        if complete:
            self._check_head(complete[0], json.loads(head))
        self.chunks = [self._parse(line, number) for number, line in enumerate(complete[1:], start=2)]
        if not complete or lines[-1]:
            self._path.write_bytes(b"".join(line + b"\n" for line in complete or [head.encode()]))

    def _check_head(self, line: bytes, expected: dict[str, object]) -> None:
        try:
            found = json.loads(line)
            differences = [name for name, value in expected.items() if found[name] != value]
        except (ValueError, KeyError, TypeError):
            raise ArgumentError(f"{self._path} is not the file of a match: resume in another folder") from None
        if differences:
            name = differences[0]
            raise ArgumentError(
                f"{self._path} is the file of another match: {name} is {found[name]!r} there and "
                f"{expected[name]!r} here; resume in another folder"
            )

    def _parse(self, line: bytes, number: int) -> Chunk:
        try:
            return Chunk.from_dict(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            raise ArgumentError(f"{self._path}, line {number}: no finished chunk ({error})") from None

    def missing(self, units: int) -> list[int]:
        """Those of the units 0 … `units` - 1 that are in no chunk."""
        done = {unit for chunk in self.chunks for unit in range(chunk.first, chunk.end)}
        return [unit for unit in range(units) if unit not in done]

    def keep(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Hand on chunks, each after it is on disk."""
        with open(self._path, "a", encoding="utf-8") as file:
            for chunk in chunks:
                file.write(json.dumps(chunk.to_dict()) + "\n")
                file.flush()
                yield chunk
