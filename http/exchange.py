"""One request and its response between the server and the framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart.wrappers import Response
from quart.wrappers.response import DataBody
from quart_trio.asgi import TrioASGIHTTPConnection

from placet.http.headers import add_security_headers

if TYPE_CHECKING:
    from hypercorn.typing import ASGISendCallable
    from quart.typing import ResponseTypes


class Exchange(TrioASGIHTTPConnection):
    """Sends every response with the security headers, and one whose body is at hand whole.

    The framework says the end of each body in a message of its own, which the server cannot know to be near when it sends what came
    before it. Said together they are one write.
    """

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
