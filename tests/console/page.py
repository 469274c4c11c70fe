"""Requests as the console's page makes them: without a key, with whatever cookie the server has set."""

from __future__ import annotations

import json
from typing import Any

from tests.http.routes.house import Answer, Client, Stream

OWN = {"Origin": "http://localhost"}
"""What a browser says of a page that this server has served."""


class Page:
    """A browser that shows the console.

    Args:
        client: the application.

    Attributes:
        cookies: by name.
        set_cookie: the last `Set-Cookie` as it came.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self.cookies: dict[str, str] = {}
        self.set_cookie = ""

    async def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] = OWN) -> Answer:
        response = await self._respond(method, path, body, headers)
        text = await response.get_data(as_text=True)
        found = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, found, json.loads(text))

    async def stream(self, path: str, headers: dict[str, str] = OWN) -> Stream:
        response = await self._respond("GET", path, None, headers)
        assert response.status_code == 200, await response.get_data(as_text=True)
        return Stream(200, {}, response.response)

    async def sign_in(self, key: str, headers: dict[str, str] = OWN) -> Answer:
        return await self.ask("POST", "/v1/console/session", {"key": key}, headers)

    async def _respond(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        context = self._client.app.test_request_context(
            path,
            method=method,
            headers=headers | ({"Cookie": cookie} if cookie else {}),
            data=None if body is None else json.dumps(body),
        )
        response = await self._client.app.handle_request(context.request)
        self.set_cookie = response.headers.get("Set-Cookie", "")
        if self.set_cookie:
            name, _, value = self.set_cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return response
