"""The server: its page, and a WebSocket for each person who plays."""

import json
import socket
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import uvicorn
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from fastapi.responses import Response

from rummy_env.errors import MessageError
from rummy_env.serve.guard import Guard
from rummy_env.serve.lobby import Lobby
from rummy_env.serve.messages import MAX_BYTES, New, Resume, error_message, parse
from rummy_env.serve.table import MAX_TABLES, Table, Tables
from rummy_env.viewer import part

MAX_CONNECTIONS = 4 * MAX_TABLES


def make_app(lobby: Lobby, host: str = "127.0.0.1", max_tables: int = MAX_TABLES) -> FastAPI:
    """The server as an application.

    Args:
        lobby: What may be played.
        host: The name or number that it listens at.
        max_tables: Most tables at a time.
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.add_middleware(Guard, host=host)
    tables = Tables(max_tables)
    for path, kind, text in _page_files():
        app.get(path)(_sender(text, kind))

    @app.websocket("/play")
    async def play(connection: WebSocket) -> None:
        await connection.accept()
        visitor = _Visitor(lobby, tables)
        try:
            await connection.send_text(json.dumps(lobby.setup()))
            while (frame := await connection.receive())["type"] == "websocket.receive":
                await connection.send_text(json.dumps(await visitor.answer(frame.get("text"))))
        except WebSocketDisconnect:
            pass  # it went away while it was answered
        finally:
            visitor.leave()

    return app


class _Visitor:
    """One connection: at no table at first, then at one after the other."""

    def __init__(self, lobby: Lobby, tables: Tables) -> None:
        self._lobby = lobby
        self._tables = tables
        self._table: Table | None = None

    async def answer(self, text: str | None) -> dict[str, Any]:
        """The answer to a frame, whatever is in it."""
        try:
            message = parse(text)
            if isinstance(message, New):
                return await self._open(message)
            if isinstance(message, Resume):
                self._sit(self._tables.visit(message.table))
            if self._table is None:
                raise MessageError("no_table", f"{message.kind!r} needs a table: send 'new' or 'resume' first")
            return await self._table.obey(message)
        except MessageError as error:
            return error_message(error)

    async def _open(self, wish: New) -> dict[str, Any]:
        self._tables.check_room()
        table = Table(self._lobby)
        try:
            answer = await table.obey(wish)
            self._tables.add(table)
        except BaseException:
            table.close()
            raise
        self._sit(table)
        return answer

    def _sit(self, table: Table) -> None:
        self.leave()
        self._table = table

    def leave(self) -> None:
        """Leave the table."""
        if self._table is not None:
            self._tables.leave(self._table)
        self._table = None


def _page_files() -> list[tuple[str, str, str]]:
    """Path, media type and text of all that the page consists of."""

    def own(name: str) -> str:
        return files("rummy_env.serve").joinpath(name).read_text("utf-8")

    return [
        ("/", "text/html", own("page.html").replace("<!-- suits -->", part("suits.svg"))),
        ("/page.css", "text/css", part("cards.css") + own("page.css")),
        ("/page.js", "text/javascript", part("cards.js") + own("page.js")),
    ]


def _sender(text: str, kind: str) -> Callable[[], Response]:
    return lambda: Response(text, media_type=kind)


def run(lobby: Lobby, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until the process is interrupted.

    Args:
        lobby: What may be played.
        host: The name or number to listen at.
        port: The port; any free one if 0.
        tell: Called with the address of the page once it can be opened.

    Raises:
        OSError: It cannot listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        name = f"[{host}]" if ":" in host else host
        tell(f"http://{name}:{listener.getsockname()[1]}/")
        config = uvicorn.Config(
            make_app(lobby, host),
            log_level="warning",
            limit_concurrency=MAX_CONNECTIONS,
            # Longer messages are refused with a word; these end the connection.
            ws_max_size=16 * MAX_BYTES,
            ws_per_message_deflate=False,
            server_header=False,
        )
        uvicorn.Server(config).run(sockets=[listener])
