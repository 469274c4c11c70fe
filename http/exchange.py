"""One request and its response between the server and the framework."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import trio
from quart.wrappers.request import Body
from quart.wrappers.response import DataBody
from quart_trio.asgi import TrioASGIHTTPConnection

from placet.http.headers import wire_headers
from placet.http.server.incoming import EXTENSION, Incoming
from placet.http.server.stream import WHOLE
from placet.http.sse import EventBody

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Awaitable, Callable

    from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable
    from quart.typing import ResponseTypes
    from quart.wrappers.response import ResponseBody

    Say = Callable[[dict[str, Any]], Awaitable[None]]
    """An application's `send`, which also takes messages that only this server knows."""

_START: Final = "http.response.start"
_BODY: Final = "http.response.body"


class Exchange(TrioASGIHTTPConnection):
    """What the framework has for this, without its two tasks and three messages for each request.

    The server tells by itself when the client is gone (`Incoming`), so nobody has to listen for it; under a server that does not,
    the framework's own way remains. A body is taken from the server as it is read: one that nobody reads fills no memory. A
    response whose body is at hand is said in one message, to a server that takes it so, and becomes one write.
    """

    async def __call__(self, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Answer the request. Cancelled inside, and returns, when the client leaves."""
        incoming = self.scope.get("extensions", {}).get(EXTENSION)
        if not isinstance(incoming, Incoming):
            await super().__call__(receive, send)
            return
        with trio.CancelScope() as scope:
            incoming.on_disconnect = scope.cancel
            response = await self._respond(receive, send)
            if isinstance(response.response, DataBody):
                # Nothing is left that would wait. A cancellation at every end is a twentieth of a small request.
                incoming.on_disconnect = None
            await self._send_response(send, response)

    async def _respond(self, receive: ASGIReceiveCallable, send: ASGISendCallable) -> ResponseTypes:
        """The request is known here only: whoever waits on its stream for a person needs no more of it, and it is large."""
        request = self._create_request_from_scope(send)
        request.body = PulledBody(receive)
        return await self.app.handle_request(request)

    async def _send_response(self, send: ASGISendCallable, response: ResponseTypes) -> None:
        say = cast("Say", send)
        status, body = response.status_code, cast("ResponseBody", response.response)
        if isinstance(body, DataBody) and WHOLE in self.scope["extensions"]:
            data = body.data[body.begin : body.end]
            headers = wire_headers(response.headers)
            await say({"type": WHOLE, "status": status, "headers": headers, "body": data})
            return
        await say({"type": _START, "status": status, "headers": wire_headers(response.headers)})
        await _say_pieces(say, body)
        await say({"type": _BODY, "body": b"", "more_body": False})


async def _say_pieces(say: Say, body: ResponseBody) -> None:
    async def write(data: bytes) -> None:
        await say({"type": _BODY, "body": data, "more_body": True})

    async with body as entered:
        if isinstance(body, EventBody):
            await body.speak(write)
            return
        pieces: AsyncIterable[bytes] = entered
        async for data in pieces:
            await write(data)


class PulledBody(Body):
    """A request's body, received when it is iterated over.

    Args:
        receive: gives the next ASGI message.
    """

    def __init__(self, receive: ASGIReceiveCallable) -> None:
        super().__init__(None, None)
        self._receive = receive
        self._more = True

    async def __anext__(self) -> bytes:
        """The next piece. Cancelled when the client leaves before the end."""
        while self._more:
            message = await self._receive()
            if message["type"] != "http.request":
                # Half a body is none. Who reads it has been cancelled with the client's leaving.
                await trio.sleep_forever()
            self._more = message["more_body"]
            if message["body"]:
                return message["body"]
        raise StopAsyncIteration
