"""Tables: each a game of one person, in a thread of its own, and how many of them there may be."""

import asyncio
import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rummy_env.errors import IllegalActionError, MessageError, RummyError
from rummy_env.play.session import Session
from rummy_env.serve.lobby import Lobby
from rummy_env.serve.messages import Hint, Message, Move, New, PlayOn, Resume, Undo
from rummy_env.serve.view import session_view

MAX_TABLES = 32


class Table:
    """A game of one person.

    All that is asked of it is done in its own thread, one after the other: agents that think hold up no other table,
    and no two messages meet.

    Args:
        lobby: What may be played.

    Attributes:
        token: Its secret name, by which the person comes back to it.
        visitors: Number of connections to it.
    """

    def __init__(self, lobby: Lobby) -> None:
        self.token = secrets.token_urlsafe()
        self.visitors = 0
        self._lobby = lobby
        self._position = 0
        self._session: Session
        self._seed_is_known = False
        self._thread = ThreadPoolExecutor(1)

    def close(self) -> None:
        """End its thread after what was asked last."""
        self._thread.shutdown(wait=False)

    async def obey(self, message: Message) -> dict[str, Any]:
        """Do what a message asks, the first being `New`.

        Returns:
            The answer: the table, or a hint.

        Raises:
            MessageError: It is not done; the game is as it was.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._obey, message)

    def _obey(self, message: Message) -> dict[str, Any]:
        try:
            match message:
                case New():
                    self._session = self._lobby.open(message)
                    self._seed_is_known = message.seed is not None
                case Resume():
                    pass
                case _ if message.position != self._position:
                    raise MessageError(
                        "stale", f"position {message.position} has passed; the table is in position {self._position}"
                    )
                case Move():
                    self._play(message.move)
                case Undo():
                    if not self._session.undo():
                        raise MessageError("illegal_move", "there is no move to take back")
                    self._position += 1
                case Hint():
                    return self._hint()
                case PlayOn():
                    self._play_on()
        except MessageError:
            raise
        except Exception as error:
            # What an agent did wrong is told with the moves that it had, and so with its cards.
            if isinstance(error, RummyError) and not isinstance(error, IllegalActionError):
                raise MessageError("bad_table", str(error)) from error
            logging.getLogger(__name__).exception("an agent failed")
            raise MessageError("agent_failed", "an agent failed, which the log of the server explains") from error
        return self._view()

    def _play(self, number: int) -> None:
        session = self._session
        if session.game.over is not None:
            raise MessageError("game_over", "the game is over; there are no more moves")
        moves = session.moves()
        if number >= len(moves):
            raise MessageError("illegal_move", f"move {number} is not offered: there are moves 0 … {len(moves) - 1}")
        session.play(moves[number])
        self._position += 1

    def _play_on(self) -> None:
        if self._session.game.over is not None:
            raise MessageError("game_over", "the game is over; there is nothing to play on")
        if not self._session.play_on():
            raise MessageError("illegal_move", "there is something to take or to place")
        self._position += 1

    def _hint(self) -> dict[str, Any]:
        session = self._session
        if session.game.over is not None:
            raise MessageError("game_over", "the game is over; there is nothing to advise")
        move, words = session.hint()
        return {"kind": "hint", "position": self._position, "move": session.moves().index(move), "words": words}

    def _view(self) -> dict[str, Any]:
        game = self._session.game
        return {
            "kind": "table",
            "table": self.token,
            "position": self._position,
            **session_view(self._session),
            "undo": self._session.can_undo,
            # Until the end a seed that nobody chose is as secret as the cards that follow from it.
            "seed": game.seed if self._seed_is_known or game.over is not None else None,
        }


class Tables:
    """The tables of a server: a new one takes the place of the one that was left first, if there are too many.

    Args:
        limit: Most tables.
    """

    def __init__(self, limit: int = MAX_TABLES) -> None:
        self._limit = limit
        self._tables: dict[str, Table] = {}  # that was left longest ago first

    def __len__(self) -> int:
        return len(self._tables)

    def add(self, table: Table) -> None:
        """Take in a table with its first visitor; `MessageError` if people sit at all."""
        idle = self.check_room()
        if idle is not None:
            self.remove(idle)
        self._tables[table.token] = table
        table.visitors = 1

    def check_room(self) -> Table | None:
        """The table that a new one would take the place of, None if it needs none; `MessageError` if there is none."""
        if len(self) < self._limit:
            return None
        idle = next((table for table in self._tables.values() if not table.visitors), None)
        if idle is None:
            raise MessageError("full", f"people sit at all {self._limit} tables; try again later")
        return idle

    def visit(self, token: str) -> Table:
        """The table of a token with one visitor more; `MessageError` if there is none."""
        if token not in self._tables:
            raise MessageError(
                "unknown_table", "this table is gone, as after a restart of the server; start a new game"
            )
        table = self._tables[token]
        table.visitors += 1
        return table

    def leave(self, table: Table) -> None:
        """Count a visitor less."""
        table.visitors -= 1
        self._tables[table.token] = self._tables.pop(table.token)

    def remove(self, table: Table) -> None:
        """Give up a table and its game."""
        del self._tables[table.token]
        table.close()
