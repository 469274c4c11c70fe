"""The console's one stream: what it carries, that nothing is missing or double, and that each lane goes on by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio

from placet.actors.protocol.errors import StoreUnavailable
from placet.actors.session import Bell
from placet.actors.store import Store
from placet.http.console_events import LISTS_S, Cursor, Lanes, ListsLane, read_cursor
from placet.http.follow import Ended
from tests.http.routes.house import APPROVER_KEY, CLIENT_KEY, Client, Stream, serving

if TYPE_CHECKING:
    from placet.actors.agents import Turn

CONSOLE = "/v1/console/events"


async def asks(turn: Turn) -> str:
    await turn.say("May I? ")
    decision = await turn.request_approval(command=f"rm {turn.input}", description="it deletes")
    return f"{decision.choice} by {decision.decided_by}"


async def submit(client: Client, text: str, session_id: str) -> None:
    answer = await client.post("/v1/runs", {"input": text, "session_id": session_id})
    assert answer.status == 202
    await trio.testing.wait_all_tasks_blocked()


async def decide(client: Client, request_id: str) -> None:
    answer = await client.post(f"/v1/approvals/{request_id}/decision", {"choice": "once"})
    assert answer.status == 200


async def console(client: Client, query: str = "", **headers: str) -> Stream:
    return await client.stream("GET", CONSOLE + query, **headers)


def kind(event: Any) -> str:
    """Its name, and of which lane it is."""
    return f"{'session' if 'seq' in event.json else 'inbox'} {event.name}"


async def test_one_stream_tells_of_the_inbox_of_a_session_and_of_lists(autojump_clock) -> None:
    async with serving(asks) as client:
        stream = await console(client)
        assert [event.name for event in await stream.until("inbox.ready")] == ["inbox.ready"]
        await submit(client, "a", "one")
        await submit(client, "b", "two")
        both = {(await stream.until("approval.request"))[-1].json["session_id"] for _ in range(2)}
        assert both == {"one", "two"}
        stream.close()
        watched = await console(client, "?session=one")
        seen = await watched.until("message.delta")
        assert {
            "inbox approval.request",
            "inbox inbox.ready",
            "session run.queued",
            "session run.started",
        } <= set(map(kind, seen))
        assert all(event.json["session_id"] == "one" for event in seen if "seq" in event.json)
        shown = (await watched.until("approval.request"))[-1].json
        await decide(client, shown["request_id"])
        # Each lane keeps its order; which of two lanes is first is nobody's promise.
        names: set[str] = set()
        while not {"inbox approval.responded", "session run.completed"} <= names:
            last = "approval.responded" if "session run.completed" in names else "run.completed"
            names |= {kind(event) for event in await watched.until(last)}
        assert "session approval.responded" in names


async def test_lists_are_told_of_but_not_more_often_than_they_can_be_read(autojump_clock) -> None:
    async with serving(asks) as client:
        stream = await console(client)
        await stream.until("inbox.ready")
        began = trio.current_time()
        for number in range(20):
            await client.post("/api/sessions", {"id": f"s{number}"})
        await stream.until("lists.changed")
        for number in range(20):
            await client.call("DELETE", f"/api/sessions/s{number}")
        await stream.until("lists.changed")
        assert trio.current_time() - began >= LISTS_S
        with trio.move_on_after(60) as quiet:
            await stream.until("lists.changed")
        assert quiet.cancelled_caught


async def test_a_revoked_rule_is_a_change_of_lists(autojump_clock) -> None:
    async with serving(asks) as client:
        await submit(client, "a", "one")
        stream = await console(client)
        prompt = (await stream.until("inbox.ready"))[0].json
        await client.post(f"/v1/approvals/{prompt['request_id']}/decision", {"choice": "always"})
        rule = (await client.get("/v1/approvals/rules")).json["data"][0]
        await everything_now(stream)
        await client.call("DELETE", f"/v1/approvals/rules/{rule['id']}")
        await stream.until("lists.changed")


async def test_resumed_at_any_place_each_lane_goes_on_after_what_the_page_has(autojump_clock) -> None:
    """The whole is read once; then from each id again, which must give exactly what came after it."""
    store = Store.inline()
    async with serving(asks, store=store) as client:
        await client.post("/api/sessions", {"id": "one"})
        stream = await console(client, "?session=one&after=0")
        for text in "abc":
            await submit(client, text, "one")
            await submit(client, text, "two")
        for _ in range(6):
            row = (await client.get("/v1/approvals?status=open")).json["data"][0]
            await decide(client, row["request_id"])
            await trio.testing.wait_all_tasks_blocked()
        whole = await everything(stream)
        assert sum(event.name == "run.completed" for event in whole) == 3
        for place, event in enumerate(whole):
            if event.id and (place + 1 == len(whole) or whole[place + 1].id != event.id):
                again = await everything(await console(client, "?session=one", Last_Event_ID=event.id))
                for lane in ("inbox", "session"):
                    expected = [item for item in whole[place + 1 :] if kind(item).startswith(lane)]
                    got = [item for item in again if kind(item).startswith(lane)]
                    assert [told(item) for item in got] == [told(item) for item in expected], (place, event)


def told(event: Any) -> tuple[str, str | None, int | None]:
    """What must come once. A prompt that was opened before the reader came is told as it stands by then."""
    return event.name, event.json.get("request_id"), event.json.get("seq")


async def everything_now(stream: Stream) -> list[Any]:
    """What a stream tells before it falls silent, but for what is no event of a log."""
    events: list[Any] = []
    with trio.move_on_after(5):
        while (event := await stream.read()) is not None:
            if event.name != "lists.changed":
                events.append(event)
    return events


async def everything(stream: Stream) -> list[Any]:
    """The same, and the stream is left."""
    events = await everything_now(stream)
    stream.close()
    return events


async def test_a_deleted_session_is_said_once_and_the_inbox_goes_on(autojump_clock) -> None:
    async with serving(asks) as client:
        await client.post("/api/sessions", {"id": "one"})
        stream = await console(client, "?session=one")
        await stream.until("inbox.ready")
        await client.call("DELETE", "/api/sessions/one")
        await stream.until("session.deleted")
        await submit(client, "a", "two")
        seen = await stream.until("approval.request")
        assert "session.deleted" not in [event.name for event in seen]


async def test_what_one_may_not_see_is_not_there(autojump_clock) -> None:
    async with serving(asks) as client:
        await submit(client, "a", "one")
        carl = client.as_(CLIENT_KEY)
        assert (await carl.get(f"{CONSOLE}?session=one")).verdict == (404, "session_not_found")
        stream = await console(carl)
        assert (await stream.until("inbox.ready"))[-1].json["open"] == 0
        assert (await (await console(client.as_(APPROVER_KEY))).until("inbox.ready"))[-1].json["open"] == 1


@pytest.mark.parametrize("after", ["x", "1.", ".1", "1.2.3", "-1", "9" * 19, "999999999", "999999999.5"])
async def test_a_place_that_no_event_has_is_refused(after: str, autojump_clock) -> None:
    async with serving(asks) as client:
        refused = await client.get(f"{CONSOLE}?after={after}")
        assert refused.verdict == (400, "invalid_last_event_id")
        refused = await client.get(CONSOLE, Last_Event_ID=after)
        assert refused.verdict == (400, "invalid_last_event_id")


async def test_when_the_server_drains_the_stream_ends_whole(autojump_clock) -> None:
    async with serving(asks) as client:
        stream = await console(client)
        await stream.until("inbox.ready")
        await client.sessions.drain(trio.Event())
        assert [event.name for event in await stream.rest()][-1] == "error"


def test_a_cursor_is_one_number_or_two() -> None:
    assert (read_cursor("12"), read_cursor("12.5")) == (Cursor(12, 0), Cursor(12, 5))


class Scripted:
    """A lane that brings what it is given, or fails."""

    def __init__(self) -> None:
        self.send, self._receive = trio.open_memory_channel[bytes | Exception](10)
        self.closed = False

    def opening(self) -> bytes:
        return b""

    async def receive(self) -> bytes:
        brought = await self._receive.receive()
        if isinstance(brought, Exception):
            raise brought
        return brought

    def close(self) -> None:
        self.closed = True


async def test_no_lane_keeps_the_others_waiting_and_none_loses_anything_to_a_cancellation(
    autojump_clock,
) -> None:
    one, other = Scripted(), Scripted()
    lanes = Lanes([one, other])
    seen: list[bytes] = []
    for number in range(20):
        with trio.move_on_after(0.5):
            seen += await lanes.receive()
        (one if number % 2 else other).send.send_nowait(b"%d" % number)
        with trio.CancelScope() as scope:
            scope.cancel()
            seen += await lanes.receive()
    with trio.move_on_after(1):
        while True:
            seen += await lanes.receive()
    assert sorted(map(int, seen)) == list(range(20))
    lanes.close()
    assert one.closed
    assert other.closed


@pytest.mark.parametrize("error", [Ended("drains"), StoreUnavailable("full")], ids=repr)
async def test_what_was_brought_comes_before_an_error(error: Exception, autojump_clock) -> None:
    one, other = Scripted(), Scripted()
    lanes = Lanes([one, other])
    one.send.send_nowait(b"1")
    other.send.send_nowait(error)
    seen: list[bytes] = await lanes.receive()
    if not seen:
        seen = await lanes.receive()
    assert seen == [b"1"]
    with pytest.raises(type(error)):
        await lanes.receive()


async def test_the_lane_of_lists_is_not_starved_by_being_called_off(autojump_clock) -> None:
    bell = Bell()
    lane = ListsLane(bell)
    bell.ring()
    await lane.receive()
    bell.ring()
    for _ in range(10):
        with trio.move_on_after(LISTS_S / 5) as scope:
            assert b"lists.changed" in await lane.receive()
        if not scope.cancelled_caught:
            break
    else:
        pytest.fail("it never came")
