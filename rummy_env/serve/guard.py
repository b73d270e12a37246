"""What keeps the pages of other sites out, and the own page from doing more than it should."""

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """Answers nobody who calls the server by a strange name, nor a WebSocket of a page that is not its own.

    A page of another site can reach a server on this machine in two ways: from its own origin, which its browser tells,
    or by a name of its own that it makes point here; a number or ``localhost`` it cannot make point here.

    Args:
        app: What is guarded.
        host: The name or number that the server listens at.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._host = host.lower()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one WebSocket."""
        if scope["type"] == "http":
            await self._serve_page(scope, receive, send)
        elif scope["type"] != "websocket" or self._is_own_page(Headers(scope=scope)):
            await self._app(scope, receive, send)
        else:
            # Before it is accepted: the browser is told 403.
            await send({"type": "websocket.close", "code": 1008})

    async def _serve_page(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        known = self._is_known(Headers(scope=scope).get("host", ""))
        app = self._app if known else PlainTextResponse("This server is not called so.\n", 403)
        await app(scope, receive, send_guarded)

    def _is_own_page(self, headers: Headers) -> bool:
        host = headers.get("host", "")
        return self._is_known(host) and headers.get("origin") in (f"http://{host}", f"https://{host}")

    def _is_known(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname
            if name in ("localhost", self._host):
                return True
            ipaddress.ip_address(name or "")
        except ValueError:
            return False
        return True
