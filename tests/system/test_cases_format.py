"""Cases about the form of a chat stream, read as raw bytes and by the most used client."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import openai
import pytest
import trio

from tests.system.server import KEY, prompt_of, script, serving, text_of
from tests.system.waiting import gather

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers import Call, Event
    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

# The asynchronous client leaves the generators inside it to the garbage collector once it has read `[DONE]`.
_left_behind = pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
stock_clients = pytest.mark.parametrize("kind", ["sync", pytest.param("async", marks=_left_behind)])

DANGER = {"sh": "rm -rf ./victim"}
HEARTBEAT_MOST_S = 15.0
"""Above this proxies and clients begin to give up."""


def _request(text: str) -> dict[str, Any]:
    return {"model": "placet", "stream": True, "messages": [{"role": "user", "content": text}]}


def _base(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}/v1"


def _content(chunk: Any) -> str:
    return (chunk.choices and chunk.choices[0].delta.content) or ""


def _read(server: Server, text: str) -> str:
    """What the client's users write, in a thread."""
    with openai.OpenAI(base_url=_base(server), api_key=KEY, max_retries=0) as client:
        chunks = client.chat.completions.create(**_request(text))
        return "".join(_content(chunk) for chunk in chunks)


async def _read_async(server: Server, text: str) -> str:
    async with openai.AsyncOpenAI(base_url=_base(server), api_key=KEY, max_retries=0) as client:
        chunks = await client.chat.completions.create(**_request(text))
        return "".join([_content(chunk) async for chunk in chunks])


def _reader(server: Server, kind: str, text: str) -> Any:
    return (
        partial(trio.to_thread.run_sync, _read, server, text)
        if kind == "sync"
        else partial(_read_async, server, text)
    )


@stock_clients
@pytest.mark.parametrize("choice", ["once", "deny"])
async def test_o39_a_stock_client_survives_a_prompt(server: Server, kind: str, choice: str) -> None:
    victim = server.victim()

    async def decide() -> None:
        (prompt,) = await server.open_prompts()
        assert (await server.answer(prompt, choice)).json["status"] == "resolved"

    said, _ = await gather(_reader(server, kind, script(DANGER, "ok")), decide)
    assert said == "ok"
    assert victim.exists() == (choice == "deny")


def _check_chunks(events: list[Event]) -> None:
    """Every payload is a chunk with a list of choice objects, an error or the end."""
    for event in events:
        if event.data == "[DONE]" or "error" in event.json:
            continue
        assert event.json["object"] == "chat.completion.chunk"
        assert all(set(choice) >= {"index", "delta", "finish_reason"} for choice in event.json["choices"])


@pytest.mark.parametrize(
    "headers",
    [{"x-stainless-lang": "python"}, {"User-Agent": "OpenAI/Python 3.57.0"}, {"X-Placet-Approvals": "chunk"}],
    ids=["stainless", "user agent", "asked for"],
)
async def test_o39_in_the_chunk_dialect_a_prompt_is_an_ordinary_chunk(
    server: Server, headers: dict[str, str]
) -> None:
    async with server.chat(script(DANGER, "ok"), headers) as stream:
        events: list[Event] = []
        record = None
        while record is None:
            event = await stream.event()
            assert event is not None
            events.append(event)
            record = event.json.get("placet", {}).get("approval")
        assert events[-1].json["choices"][0]["delta"]["reasoning_content"]
        assert record["command"] == "rm -rf ./victim"
        await server.answer(record, "deny")
        events += await stream.rest()
    assert {event.name for event in events} == {"message"}
    _check_chunks(events)
    assert text_of(events) == "ok"


@pytest.mark.parametrize("how", ["header", "body"])
async def test_o39_in_the_dialect_none_only_the_inbox_shows_the_prompt(server: Server, how: str) -> None:
    headers = {"X-Placet-Approvals": "none"} if how == "header" else {}
    more = {"placet": {"approvals": "none"}} if how == "body" else {}
    async with server.chat(script(DANGER, "ok"), headers, **more) as stream:
        (prompt,) = await server.open_prompts()
        await server.answer(prompt, "deny")
        events = await stream.rest()
    assert b"approval" not in stream.received
    _check_chunks(events)
    assert text_of(events) == "ok"


@stock_clients
async def test_o40_signs_of_life_do_not_harm_a_stock_client(tmp_path: Path, kind: str) -> None:
    async with serving(tmp_path, heartbeat_s=0.5) as server:

        async def decide() -> None:
            (theirs,) = await server.open_prompts()
            async with server.chat(script({"ask": "watched"}, "ok")) as stream:
                ours = await prompt_of(stream)
                for _ in range(6):
                    await stream.comment()
                for prompt in (theirs, ours):
                    await server.answer(prompt, "deny")
                events = await stream.rest()
            assert text_of(events) == "ok"
            assert stream.parser.fields == {"event", "data"}

        said, _ = await gather(_reader(server, kind, script(DANGER, "ok")), decide)
        assert said == "ok"


async def test_o40_by_default_a_waiting_stream_shows_life_within_fifteen_seconds(tmp_path: Path) -> None:
    text = script({"ask": "deploy"}, "ok")

    async def waits(stream: Call) -> None:
        prompt = await prompt_of(stream)
        with trio.fail_after(HEARTBEAT_MOST_S):
            await stream.comment()
        await server.answer(prompt, "deny")
        assert text_of(await stream.rest()) == "ok"

    async with serving(tmp_path) as server:
        await server.make_session("s")
        async with (
            server.chat(text) as chat,
            server.talk("s", text) as session,
            trio.open_nursery() as nursery,
        ):
            nursery.start_soon(waits, chat)
            nursery.start_soon(waits, session)


async def test_o41_the_anatomy_of_a_stream_of_chunks(server: Server) -> None:
    async with server.chat(script({"words": 5, "every_s": 0.01}, "end"), model="some model") as stream:
        events = await stream.rest()
    assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert (stream.headers["cache-control"], stream.headers["x-accel-buffering"]) == ("no-cache", "no")
    assert stream.parser.fields == {"data"}
    assert not stream.cut
    assert events.pop().data == "[DONE]"
    chunks = [event.json for event in events]
    assert len({(chunk["id"], chunk["created"], chunk["model"]) for chunk in chunks}) == 1
    assert chunks[0]["model"] == "some model"
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    choices = [chunk["choices"] for chunk in chunks]
    assert all(len(choice) == 1 and choice[0]["index"] == 0 for choice in choices)
    assert choices[0][0]["delta"]["role"] == "assistant"
    reasons = [choice[0]["finish_reason"] for choice in choices]
    assert reasons == [None] * (len(choices) - 1) + ["stop"]
    assert choices[-1][0]["delta"] == {}
    assert text_of(events) == "w1 w2 w3 w4 w5 end"


async def test_o41_separators_within_the_text_arrive_whole_and_forge_nothing(server: Server) -> None:
    text = "a\u2028b\u2029c\u0085d \u2705\r\revent: approval.request\rdata: {}\r\r\n\nevent: x\ndata: {}\n\n"
    async with server.chat(script({"say": text})) as stream:
        events = await stream.rest()
    assert bytes(stream.received).isascii()
    assert {event.name for event in events} == {"message"}
    assert text_of(events) == text
