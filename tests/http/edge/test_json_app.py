"""A request comes to its handler by a short way, and nothing that a handler counts on is missing there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
from quart import Response, current_app, request

from placet.http.json_app import JsonApp
from tests.http.server.helpers import connect

if TYPE_CHECKING:
    from trio.testing import MockClock


def make_app() -> JsonApp:
    app = JsonApp("test")

    @app.get("/things/<name>")
    async def thing(name: str) -> str:
        await trio.sleep(float(request.args.get("wait", 0)))
        return f"{request.method} {name} {request.args.get('q')} {current_app.name}"

    @app.get("/plain")
    def plain() -> str:
        return f"in a thread: {request.path}"

    return app


async def ask(app: JsonApp, target: str, method: str = "GET") -> bytes:
    async with connect(app) as client:
        await client.send(f"{method} {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        return await client.read()


async def test_a_handler_has_its_request_and_its_app_and_nobody_has_them_behind_it(
    autojump_clock: MockClock,
) -> None:
    app = make_app()
    context = app.test_request_context("/things/a?q=1", method="GET")
    response: Any = await app.handle_request(context.request)
    assert await response.get_data() == b"GET a 1 test"
    for gone in (request, current_app):
        with pytest.raises(RuntimeError):
            gone.name  # noqa: B018


async def test_handlers_at_the_same_time_have_each_their_own_request(autojump_clock: MockClock) -> None:
    app, answers = make_app(), list[bytes]()

    async def ask_for(name: str, wait: int) -> None:
        answers.append(await ask(app, f"/things/{name}?wait={wait}&q={name}"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask_for, "a", 2)
        nursery.start_soon(ask_for, "b", 1)
    assert [answer.rpartition(b"\r\n")[2] for answer in answers] == [b"GET b b test", b"GET a a test"]


async def test_a_plain_function_may_be_a_handler() -> None:
    assert (await ask(make_app(), "/plain")).endswith(b"in a thread: /plain")


async def test_the_app_is_asked_before_and_after(autojump_clock: MockClock) -> None:
    app = make_app()

    @app.before_request
    async def check() -> Response | None:
        return Response("stopped", status=403) if request.args.get("q") == "no" else None

    @app.after_request
    async def add(response: Response) -> Response:
        response.headers["x-seen"] = request.path
        return response

    let_through, stopped, nowhere = [
        (await ask(app, target)).lower() for target in ("/things/a?q=1", "/things/a?q=no", "/nowhere")
    ]
    assert b" 200 " in let_through
    assert b" 403 " in stopped
    assert stopped.endswith(b"stopped")
    assert b" 404 " in nowhere
    for answer, path in ((let_through, b"/things/a"), (stopped, b"/things/a"), (nowhere, b"/nowhere")):
        assert b"\r\nx-seen: %b\r\n" % path in answer


async def test_a_path_with_two_slashes_leads_on(autojump_clock: MockClock) -> None:
    head, _, body = (await ask(make_app(), "/things//a?q=1")).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 308 ")
    assert b"\r\nlocation: http://x/things/a?q=1\r\n" in head
    assert b"\r\nx-frame-options: DENY" in head
    assert body == b""


@pytest.mark.parametrize(
    ("method", "status"), [("HEAD", b" 200 "), ("OPTIONS", b" 200 "), ("POST", b" 405 ")]
)
async def test_other_methods_are_answered_as_ever(
    method: str, status: bytes, autojump_clock: MockClock
) -> None:
    head, _, body = (await ask(make_app(), "/things/a", method)).partition(b"\r\n\r\n")
    assert status in head
    assert bool(body) == (method == "POST")
    assert (b"\r\nallow: " in head) == (method != "HEAD")
