"""The official client, unmodified, against a real server: it gets through a prompt that somebody else decides meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
from openai import AsyncOpenAI, OpenAI

from tests.system.server import KEY, REPLAYED, SCRIPT, script, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

REMOVES = script("before ", {"sh": "rm -rf ./victim"}, "after")
Ask = dict[str, Any]
ASK: Ask = {"model": "placet", "input": REMOVES}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with serving(tmp_path) as running:
        running.victim()
        yield running


def sync_client(server: Server) -> OpenAI:
    return OpenAI(base_url=f"http://127.0.0.1:{server.port}/v1", api_key=KEY, max_retries=0)


def async_client(server: Server) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=f"http://127.0.0.1:{server.port}/v1", api_key=KEY, max_retries=0)


def create(server: Server) -> tuple[str, list[str]]:
    with sync_client(server) as client:
        response = client.responses.create(**ASK)
        return response.output_text, [item.type for item in response.output]


def create_stream(server: Server) -> tuple[str, list[str]]:
    with sync_client(server) as client, client.responses.create(**ASK, stream=True) as stream:
        *_, last = events = list(stream)
        assert [event.sequence_number for event in events] == list(range(len(events)))
        assert last.type == "response.completed"
        return last.response.output_text, [item.type for item in last.response.output]


def stream(server: Server) -> tuple[str, list[str]]:
    with sync_client(server) as client, client.responses.stream(**ASK) as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        response = stream.get_final_response()
        assert response.output_text == text
        return text, [item.type for item in response.output]


async def create_async(server: Server) -> tuple[str, list[str]]:
    async with async_client(server) as client:
        response = await client.responses.create(**ASK)
        return response.output_text, [item.type for item in response.output]


async def create_stream_async(server: Server) -> tuple[str, list[str]]:
    async with async_client(server) as client, await client.responses.create(**ASK, stream=True) as stream:
        events = [event async for event in stream]
        assert [event.sequence_number for event in events] == list(range(len(events)))
        last = events[-1]
        assert last.type == "response.completed"
        return last.response.output_text, [item.type for item in last.response.output]


async def stream_async(server: Server) -> tuple[str, list[str]]:
    async with async_client(server) as client, client.responses.stream(**ASK) as stream:
        text = "".join([event.delta async for event in stream if event.type == "response.output_text.delta"])
        response = await stream.get_final_response()
        assert response.output_text == text
        return text, [item.type for item in response.output]


def threaded(call: Callable[[Server], tuple[str, list[str]]]) -> Callable[[Server], Awaitable[Any]]:
    async def run(server: Server) -> Any:
        return await trio.to_thread.run_sync(call, server)

    return run


CALLS = {
    "create": threaded(create),
    "create stream": threaded(create_stream),
    "stream": threaded(stream),
    "create async": create_async,
    "create stream async": create_stream_async,
    "stream async": stream_async,
}


async def decide(server: Server, choice: str) -> None:
    """Somebody else, on a connection of their own."""
    (prompt,) = await server.open_prompts()
    reply = await server.answer(prompt, choice)
    assert reply.status == 200, reply


@pytest.mark.parametrize("choice", ["once", "deny"])
@pytest.mark.parametrize("call", CALLS)
async def test_each_way_to_ask_gets_through_a_prompt(server: Server, call: str, choice: str) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(decide, server, choice)
        text, kinds = await CALLS[call](server)
    assert text == "before after"
    assert kinds.count("mcp_approval_request") == kinds.count("mcp_approval_response") == 1
    assert kinds.count("function_call_output") == kinds.count("function_call")
    assert server.work.joinpath("victim").exists() == (choice == "deny")


async def test_the_client_that_asks_for_named_events_gets_through_as_well(server: Server) -> None:
    def ask() -> list[str]:
        with sync_client(server) as client:
            stream = client.responses.create(
                **ASK, stream=True, extra_body={"placet": {"approvals": "event"}}
            )
            with stream:
                return [event.type for event in stream]

    async with trio.open_nursery() as nursery:
        nursery.start_soon(decide, server, "once")
        names = await trio.to_thread.run_sync(ask)
    assert names.count("approval.request") == 1
    assert names[-1] == "response.completed"


async def test_a_background_response_is_polled_streamed_from_any_place_and_deleted(server: Server) -> None:
    async with async_client(server) as client:
        begun = await client.responses.create(**ASK, background=True)
        assert begun.status in ("queued", "in_progress")
        await decide(server, "once")
        whole = [event async for event in await client.responses.retrieve(begun.id, stream=True)]
        rest = [
            event async for event in await client.responses.retrieve(begun.id, stream=True, starting_after=5)
        ]
        assert rest == whole[6:]
        read = await client.responses.retrieve(begun.id)
        assert (read.status, read.output_text) == ("completed", "before after")
        async with client.responses.stream(response_id=begun.id, starting_after=5) as stream:
            assert (await stream.get_final_response()).output_text == "before after"
        await client.responses.delete(begun.id)


async def test_what_is_stopped_ends_the_stream_without_an_exception(server: Server) -> None:
    async with async_client(server) as client:
        names: list[str] = []
        async for event in await client.responses.create(**ASK, stream=True):
            if event.type == "response.created":
                run_id = event.response.id
            if event.type == "response.output_item.done" and event.item.type == "mcp_approval_request":
                assert (await client.responses.cancel(run_id)).status == "cancelled"
            names.append(event.type)
        assert names[-1] == "response.cancelled"


async def test_an_output_that_is_sent_back_as_input_is_understood(server: Server) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(decide, server, "once")
        async with async_client(server) as client:
            response = await client.responses.create(**ASK)
            output = [item.to_dict() for item in response.output]
            again: Any = [{"role": "user", "content": "x"}, *output, {"role": "user", "content": "y"}]
            assert (await client.responses.create(model="placet", input=again)).output_text == "y"


@pytest.mark.parametrize("agent", [REPLAYED, SCRIPT])
async def test_a_killed_server_loses_no_frame_and_sends_none_twice(tmp_path: Path, agent: str) -> None:
    async with serving(tmp_path, agent) as server:
        server.victim()
        body = {"input": REMOVES, "stream": True}
        async with server.api.open("POST", "/v1/responses", body) as stream:
            seen = [await stream.until("response.created")]
            while seen[-1].name != "approval.request":
                event = await stream.event()
                assert event is not None
                seen.append(event)
            run_id = seen[0].json["response"]["id"]
            await server.kill()
        await server.restart()
        if agent is REPLAYED:
            await decide(server, "once")
            await server.run_becomes(run_id, "completed")
        whole = await _read(server, run_id, -1)
        assert [event for event in whole if "sequence_number" in event.json][: len(seen) - 1] == seen[:-1]
        after = seen[-2].json["sequence_number"]
        assert await _read(server, run_id, after) == whole[len(seen) - 1 :]
        assert await _read(server, run_id, -1) == whole
        end = "response.completed" if agent is REPLAYED else "response.incomplete"
        assert whole[-1].name == end
        status = (await server.api.ask("GET", f"/v1/responses/{run_id}")).json["status"]
        assert f"response.{status}" == end


async def _read(server: Server, run_id: str, after: int) -> list[Any]:
    place = "" if after < 0 else f"&starting_after={after}"
    async with server.api.open("GET", f"/v1/responses/{run_id}?stream=true{place}") as stream:
        events = await stream.rest()
        assert not stream.cut
        return events
