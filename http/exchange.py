"""One request and its response between the server and the framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
from quart.wrappers import Response
from quart.wrappers.request import Body
from quart.wrappers.response import DataBody
from quart_trio.asgi import TrioASGIHTTPConnection

from placet.http.headers import add_security_headers
from placet.http.server.incoming import EXTENSION, Incoming

if TYPE_CHECKING:
    from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable
    from quart.typing import ResponseTypes


class Exchange(TrioASGIHTTPConnection):
    """What the framework has for this, without its two tasks and three messages for each request.

    The server tells by itself when the client is gone (`Incoming`), so nobody has to listen for it; under a server that does not,
    the framework's own way remains. A body is taken from the server as it is read: one that nobody reads fills no memory. A
    response whose body is at hand is said with its end, in one message, and so becomes one write.
    """

    async def __call__(self, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Answer the request. Cancelled inside, and returns, when the client leaves."""
        incoming = self.scope.get("extensions", {}).get(EXTENSION)
        if not isinstance(incoming, Incoming):
            await super().__call__(receive, send)
            return
        with trio.CancelScope() as scope:
            incoming.on_disconnect = scope.cancel
            await self._send_response(send, await self._respond(receive, send))

    async def _respond(self, receive: ASGIReceiveCallable, send: ASGISendCallable) -> ResponseTypes:
        """The request is known here only: whoever waits on its stream for a person needs no more of it, and it is large."""
        request = self._create_request_from_scope(send)
        request.body = PulledBody(receive)
        return await self.app.handle_request(request)

    async def _send_response(self, send: ASGISendCallable, response: ResponseTypes) -> None:
        add_security_headers(response.headers)
        body = response.response
        if not (isinstance(response, Response) and isinstance(body, DataBody)):
            await super()._send_response(send, response)
            return
        headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.headers
        ]
        await send(
            {
                "type": "http.response.start",
                "status": response.status_code,
                "headers": headers,
                "trailers": False,
            }
        )
        await send(
            {"type": "http.response.body", "body": body.data[body.begin : body.end], "more_body": False}
        )


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
