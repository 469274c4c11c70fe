"""Real servers, real receivers, and what the page of the documentation says of them."""

from __future__ import annotations

import json
import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from placet.http.hooks import sending
from placet.http.hooks.sending import open_sender
from placet.http.hooks.settings import WebhookConfig
from placet.http.hooks.signature import signed
from tests.helpers import PATIENCE_S, Reply
from tests.http.hooks.given import OTHER_SECRET, SECRET, Got, Receiver, is_signed, receiving
from tests.system.server import Server, script, serving

PAGE = (Path(__file__).parents[3] / "docs" / "reaching-people.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def settings(receiver: Receiver, name: str = "ops", **more: Any) -> str:
    """A webhook as it is written in the file."""
    given = {"name": name, "url": f"{receiver.url}/{name}/T0PSECRET", "secret": SECRET, "delay_s": 0} | more
    return "[[webhook]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in given.items())


def kind(name: str) -> Any:
    return lambda got: got.type == name


async def open_prompt(server: Server, session: str = "one") -> None:
    server.victim()
    run = {"input": script({"sh": "rm -rf ./victim"}), "session_id": session}
    assert (await server.api.ask("POST", "/v1/runs", run)).status < 300


async def press(server: Server, link: str, choice: str, origin: str | None = None) -> Reply:
    """What the page of a link sends when its button is pressed."""
    own = f"http://127.0.0.1:{server.port}"
    assert link.startswith(f"{own}/answer/")
    headers = {"Origin": origin or own}
    stranger = server.api
    stranger.key = None
    return await stranger.ask("POST", link.removeprefix(own), {"choice": choice}, headers)


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.thread
async def test_a_person_far_away_is_called_and_decides(tmp_path: Path) -> None:
    async with receiving(500, 503) as receiver:
        config = settings(receiver, answer_link=True)
        async with serving(tmp_path, config=config) as server:
            await open_prompt(server)
            calls = await receiver.until(kind("prompt.opened"), 3)
            assert len({got.id for got in calls}) == 1
            assert all(is_signed(got) for got in calls)
            assert not any(is_signed(got, OTHER_SECRET) for got in calls)
            link = calls[-1].data["answer_link"]
            page = await server.api.ask("GET", link.removeprefix(f"http://127.0.0.1:{server.port}"))
            assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
            assert page.headers["referrer-policy"] == "no-referrer", "a link must not be told on"
            refused = await press(server, link, "once", "http://evil.example")
            assert refused.verdict == (403, "origin_not_allowed")
            assert (server.work / "victim").exists()
            made = await press(server, link, "once")
            assert (made.status, made.json["decided_by"]) == (200, "link:ops")
            assert (await press(server, link, "once")).verdict == (409, "already_resolved")
            (decided,) = await receiver.until(kind("prompt.decided"))
            (ended,) = await receiver.until(kind("run.ended"))
            assert (decided.data["decided_by"], ended.data["status"]) == ("link:ops", "completed")
            assert not (server.work / "victim").exists()
            (health,) = (await server.api.ask("GET", "/health/detailed")).json["webhooks"]
            assert (health["name"], health["given_up"]) == ("ops", 0)
        for secret in ("T0PSECRET", SECRET.removeprefix("whsec_"), link.rpartition(".")[2]):
            assert secret not in server.log


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.thread
async def test_nothing_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    async with receiving() as receiver:
        receiver.statuses = [503] * 1000
        async with serving(tmp_path, config=settings(receiver, events=["run.ended"])) as server:
            for number in range(3):
                run = {"input": f"say {number}", "session_id": f"s{number}"}
                assert (await server.api.ask("POST", "/v1/runs", run)).status < 300
            before = await receiver.until(kind("run.ended"), 3)
            await server.kill()
            receiver.got.clear()
            receiver.statuses = []
            await server.restart()
            after = await receiver.until(kind("run.ended"), 3)
            assert {got.id for got in after} == {got.id for got in before}
            assert {got.data["session_id"] for got in after} == {"s0", "s1", "s2"}


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.thread
async def test_a_receiver_that_never_answers_delays_neither_another_nor_the_end(tmp_path: Path) -> None:
    async with receiving() as deaf, receiving() as well:
        deaf.statuses = [None] * 1000
        config = settings(deaf, "deaf") + settings(well, "well")
        async with serving(tmp_path, config=config) as server:
            await open_prompt(server)
            await deaf.until(kind("prompt.opened"))
            await well.until(kind("prompt.opened"))
            (prompt,) = await server.open_prompts()
            await server.answer(prompt, "deny")
            await well.until(kind("run.ended"))
            with trio.fail_after(5):
                await server.stop()


def test_the_snippet_of_the_page_tells_right_from_wrong() -> None:
    (snippet,) = blocks("python")
    scope: dict[str, Any] = {}
    exec(snippet, scope)  # noqa: S102 - it is ours
    key = WebhookConfig(name="x", url="http://a", secret=(SECRET,)).keys
    body, at = b'{"type": "prompt.opened"}', int(scope["time"].time())
    headers = signed(key, "msg_1", at, body)
    is_from_placet = scope["is_from_placet"]
    assert is_from_placet(headers, body, SECRET)
    assert not is_from_placet(headers, body + b" ", SECRET)
    assert not is_from_placet(headers, body, OTHER_SECRET)
    assert not is_from_placet(signed(key, "msg_1", at - 400, body), body, SECRET)


def test_the_settings_of_the_page_are_settings() -> None:
    for text in blocks("toml"):
        for table in tomllib.loads(text)["webhook"]:
            msgspec.convert(table, WebhookConfig)


PRIORITIES = {"1", "2", "3", "4", "5", "min", "low", "default", "high", "max", "urgent"}


def is_for_ntfy(got: Got) -> bool:
    """Whether a request is what ntfy documents: a short text for a topic, and headers that it knows."""
    action = re.fullmatch(r"view, [^,;]+, https?://[^,;\s]+", got.headers["actions"])
    return (
        re.fullmatch(r"/[-_A-Za-z0-9]{1,64}", got.url) is not None
        and 0 < len(got.body.decode()) <= len(got.body) <= 4096
        and got.headers["priority"] in PRIORITIES
        and 0 < len(got.headers["title"]) <= 250
        and re.fullmatch(r"https?://\S+", got.headers["click"]) is not None
        and action is not None
    )


def is_for_slack(got: Got) -> bool:
    """Whether a request is what an incoming webhook documents: an object with a text that is not too long."""
    return (
        got.headers["content-type"] == "application/json"
        and got.json.keys() <= {"text", "blocks", "attachments", "unfurl_links", "unfurl_media", "mrkdwn"}
        and 0 < len(got.json["text"]) <= 40_000
    )


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.thread
async def test_the_recipes_of_the_page_work_as_they_stand(tmp_path: Path) -> None:
    recipes = [text for text in blocks("toml") if "format =" in text]
    async with receiving() as receiver:
        config = "".join(re.sub(r'url = "https://[^/"]+', f'url = "{receiver.url}', text) for text in recipes)
        config = config.replace("[[webhook]]\n", "[[webhook]]\ndelay_s = 0\n")
        async with serving(tmp_path, config=config) as server:
            await open_prompt(server)
            (phone,) = await receiver.until(lambda got: got.url.startswith("/a-topic"))
            (room,) = await receiver.until(lambda got: got.url.startswith("/services/"))
            assert is_for_ntfy(phone)
            assert (phone.headers["tags"], phone.headers["authorization"]) == (
                "raised_hand",
                "Bearer tk_the_access_token",
            )
            assert "rm -rf ./victim" in phone.body.decode()
            assert is_for_slack(room)
            made = await press(server, phone.headers["click"], "deny")
            assert (made.status, made.json["decided_by"]) == (200, "link:phone")
            link = re.search(r"<(http[^|]+)\|", room.json["text"])
            assert link is not None
            assert (await press(server, link[1], "once")).verdict == (409, "already_resolved")


@pytest.mark.thread
async def test_a_redirect_is_not_followed_and_nothing_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "SEND_S", 0.2)
    async with receiving(302, None) as receiver, open_sender() as send:
        assert (await send(receiver.url, {"Location": receiver.url}, b"x")).status == 302
        assert await send(receiver.url, {}, b"x") == (None, "no answer in time", None)
        assert len(receiver.got) == 2
        for url in ("http://127.0.0.1:1/", "http://[::1", "http://no.such.host.invalid/", "http://\x7f/"):
            answered = await send(url, {}, b"x")
            assert answered.status is None
            assert url not in answered.what


@pytest.mark.thread
async def test_an_answer_without_end_is_not_read() -> None:
    async def endless(stream: trio.SocketStream) -> None:
        await stream.receive_some(65536)
        await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        with suppress(trio.BrokenResourceError):
            while True:
                await stream.send_all(b"x" * 65536)
        left.set()

    left = trio.Event()
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, endless, listeners)
        async with open_sender() as send:
            answered = await send(f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}/", {}, b"x")
        assert answered.status == 200
        with trio.fail_after(PATIENCE_S):
            await left.wait()
        nursery.cancel_scope.cancel()
