"""Watching sessions: the snapshot, what comes after it, and the past."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from placet.actors.agents import Turn
from placet.actors.protocol.limits import Limits
from placet.actors.store import Store
from placet.http.ws import since
from tests.http.ws.viewers import CLIENT_KEY, Hall, Remote, open_hall


async def echoes(turn: Turn) -> None:
    await turn.say(f"you said {turn.input}")


async def waits(turn: Turn) -> None:
    await trio.sleep_forever()


async def counts(turn: Turn) -> None:
    """Says numbered words, one a second, as many as the input says."""
    for number in range(int(turn.input)):
        await turn.say(f"w{number} ")
        await trio.sleep(1)


def whole(count: int) -> str:
    return "".join(f"w{number} " for number in range(count))


def seqs(events: list[dict[str, Any]]) -> list[int]:
    return [event["seq"] for event in events if "seq" in event]


def said(events: list[dict[str, Any]]) -> str:
    return "".join(event["payload"]["text"] for event in events if event["type"] == "message.delta")


async def test_a_turn_is_seen_from_its_acceptance_to_its_end(autojump_clock) -> None:
    async with open_hall(echoes) as hall:
        await hall.session()
        viewer = await hall.connect()
        snapshot = await viewer.call("session.resume", session_id="s")
        assert (snapshot["running"], snapshot["pending"], snapshot["messages"]) == (False, [], [])
        assert (snapshot["prompts"], snapshot["inflight"]) == ([], None)
        run_id = await hall.ask("hi")
        events = await viewer.until("message.complete")
        numbered = [event for event in events if "seq" in event]
        assert [event["type"] for event in numbered] == [
            "prompt.accepted",
            "message.start",
            "message.delta",
            "message.complete",
        ]
        assert sorted(set(seqs(events))) == seqs(events)
        assert seqs(events)[0] > snapshot["last_sequence"]
        assert {event["session_id"] for event in events} == {"s"}
        assert {event["replay_epoch"] for event in events} == {snapshot["replay_epoch"]}
        assert {event["execution_generation"] for event in numbered[1:]} == {1}
        assert len({event["admission_id"] for event in numbered}) == 1
        end = numbered[-1]["payload"]
        assert (end["text"], end["outcome"], end["status"]) == ("you said hi", "completed", "complete")
        info = (await viewer.event("session.info"))["payload"]
        assert (info["running"], info["pending"], info["execution_generation"]) == (False, [], 1)
        run = (await hall.http.get(f"/v1/runs/{run_id}")).json
        assert numbered[0]["admission_id"] == run["admission_id"]


async def test_how_a_session_stands_is_told_whenever_it_changes(autojump_clock) -> None:
    async with open_hall(waits) as hall:
        await hall.session()
        viewer = await hall.viewer()
        first = await hall.ask("a")
        info = (await viewer.event("session.info"))["payload"]
        assert info["running"] is True
        assert [(item["text"], item["status"]) for item in info["pending"]] == [("a", "started")]
        await hall.ask("b")
        info = (await viewer.event("session.info"))["payload"]
        assert [(item["text"], item["status"]) for item in info["pending"]] == [
            ("a", "started"),
            ("b", "queued"),
        ]
        assert info["pending"][0]["run_id"] == first
        assert "seq" not in (await viewer.call("session.info", session_id="s"))
        assert (await viewer.call("session.info", session_id="s"))["pending"] == info["pending"]


@pytest.mark.parametrize("at", [0.5, 1.0, 7.5, 19.0])
async def test_snapshot_and_events_together_are_the_whole_turn(autojump_clock, at: float) -> None:
    async with open_hall(counts) as hall:
        await hall.session()
        await hall.ask("20")
        await trio.sleep(at)
        viewer = await hall.connect()
        snapshot = await viewer.call("session.resume", session_id="s")
        assert snapshot["running"] is True
        assert snapshot["pending"][0]["status"] == "started"
        events = await viewer.until("message.complete")
        assert snapshot["inflight"]["text"] + said(events) == whole(20)
        assert min(seqs(events)) > snapshot["last_sequence"]


@pytest.mark.slow
async def test_the_cut_has_no_gap_however_many_events_come_meanwhile(autojump_clock) -> None:
    async def hurries(turn: Turn) -> None:
        for number in range(400):
            await turn.say(f"w{number} ")
            await trio.lowlevel.checkpoint()

    async def watch(hall: Hall, delay: int, halves: list[tuple[str, str]]) -> None:
        for _ in range(delay):
            await trio.lowlevel.checkpoint()
        viewer = await hall.connect()
        snapshot = await viewer.call("session.resume", session_id="s")
        assert snapshot["running"]
        halves.append((snapshot["inflight"]["text"], said(await viewer.until("message.complete"))))

    async with open_hall(hurries, limits=Limits(subscriber_events=100_000)) as hall:
        await hall.session()
        first = await hall.viewer()
        await hall.ask()
        await first.event("message.delta")
        halves: list[tuple[str, str]] = []
        async with trio.open_nursery() as nursery:
            for number in range(8):
                nursery.start_soon(watch, hall, number * 20, halves)
        assert {before + after for before, after in halves} == {whole(400)}
        assert len({before for before, _ in halves}) == 8


async def test_what_ends_while_the_snapshot_is_read_is_no_part_of_it(autojump_clock) -> None:
    async with open_hall(echoes) as hall:
        await hall.session()
        watcher = await hall.viewer()
        await hall.ask("before")
        await watcher.until("message.complete")
        store, read = hall.desk.sessions.store, hall.desk.sessions.store.messages

        async def late(*args: Any, **more: Any) -> Any:
            await hall.ask("meanwhile")
            await watcher.until("message.complete")
            return await read(*args, **more)

        store.messages = late  # type: ignore[method-assign]
        viewer = await hall.connect()
        snapshot = await viewer.call("session.resume", session_id="s")
        assert [message["content"] for message in snapshot["messages"]] == ["before", "you said before"]
        assert snapshot["pending"] == []
        events = await viewer.until("message.complete")
        assert events[-1]["payload"]["text"] == "you said meanwhile"


async def test_two_connections_of_one_user_are_two_memberships(autojump_clock) -> None:
    async with open_hall(echoes) as hall:
        await hall.session()
        one, two = await hall.connect(), await hall.connect()
        first = await one.call("session.resume", session_id="s")
        second = await two.call("session.resume", session_id="s")
        assert first["subscription_id"] != second["subscription_id"]
        foreign = {"session_id": "s", "subscription_id": first["subscription_id"]}
        assert (await two.call("session.detach", **foreign)) == {"detached": False}
        await hall.ask()
        assert seqs(await one.until("message.complete")) == seqs(await two.until("message.complete"))
        assert (await one.call("session.detach", **foreign)) == {"detached": True}
        assert (await one.call("session.detach", **foreign)) == {"detached": False}
        one.events.clear()
        await hall.ask()
        await two.until("message.complete")
        await one.call("ping")
        assert one.events == []


async def test_resuming_again_keeps_one_membership_and_begins_anew(autojump_clock) -> None:
    async with open_hall(counts) as hall:
        await hall.session()
        viewer = await hall.connect()
        first = await viewer.call("session.resume", session_id="s")
        await hall.ask("10")
        await trio.sleep(4.5)
        again = await viewer.call("session.resume", session_id="s")
        assert again["subscription_id"] == first["subscription_id"]
        assert max(seqs(viewer.events)) <= again["last_sequence"]
        viewer.events.clear()
        events = await viewer.until("message.complete")
        assert again["inflight"]["text"] + said(events) == whole(10)
        assert len(seqs(events)) == len(set(seqs(events)))
        assert hall.desk.sessions.registry.active_keys() == ["s"]


async def test_closing_a_connection_ends_its_memberships_and_nothing_else(autojump_clock) -> None:
    async with open_hall(counts) as hall:
        await hall.session()
        leaves, stays = await hall.viewer(), await hall.viewer()
        await hall.ask("10")
        await trio.sleep(2)
        leaves.requests.close()
        await leaves.closed.wait()
        assert leaves.goodbye is None
        assert said(await stays.until("message.complete")) == whole(10)


async def test_a_deleted_session_says_goodbye(autojump_clock) -> None:
    async with open_hall(echoes) as hall:
        await hall.session()
        viewer = await hall.viewer()
        await hall.http.call("DELETE", "/api/sessions/s")
        assert (await viewer.event())["type"] == "session.deleted"
        assert await viewer.refusal("session.resume", session_id="s") == "not_found"


async def test_sessions_are_listed_to_those_who_may_see_them(autojump_clock) -> None:
    async with open_hall(echoes) as hall:
        for name, key in (("a", CLIENT_KEY), ("b", hall.http.key), ("c", hall.http.key)):
            await hall.session(name, key)
            await trio.sleep(1)
        carl, api = await hall.connect(CLIENT_KEY), await hall.connect()
        assert [item["id"] for item in (await carl.call("session.list"))["sessions"]] == ["a"]
        page = await api.call("session.list", limit=2)
        assert ([item["id"] for item in page["sessions"]], page["has_more"]) == (["c", "b"], True)
        page = await api.call("session.list", limit=2, after="b")
        assert ([item["id"] for item in page["sessions"]], page["has_more"]) == (["a"], False)
        for method in ("session.resume", "session.info", "session.events.since"):
            assert await carl.refusal(method, session_id="b") == "not_found"


async def _all_since(viewer: Remote, last: int) -> tuple[list[dict[str, Any]], int]:
    """Every event after a place, and in how many answers they came."""
    events: list[dict[str, Any]] = []
    answers = 0
    while True:
        answer = await viewer.call("session.events.since", session_id="s", last_sequence=last)
        assert answer["count"] == len(answer["events"])
        answers += 1
        events += answer["events"]
        last = answer["last_sequence"]
        if not answer["has_more"]:
            assert last == answer["latest_seq"]
            return events, answers


async def test_the_past_is_what_was_seen_live_from_any_place(autojump_clock) -> None:
    async with open_hall(counts) as hall:
        await hall.session()
        viewer = await hall.viewer()
        for _ in range(3):
            await hall.ask("5")
        live = []
        for _ in range(3):
            live += await viewer.until("message.complete")
        live = [event for event in live if "seq" in event]
        for last in [0, *seqs(live)]:
            past, _ = await _all_since(viewer, last)
            assert past == [event for event in live if event["seq"] > last]


async def test_a_long_past_comes_in_several_answers(autojump_clock, monkeypatch) -> None:
    monkeypatch.setattr(since, "ANSWER_BYTES", 1000)
    monkeypatch.setattr(since, "PAGE", 7)
    async with open_hall(counts) as hall:
        await hall.session()
        viewer = await hall.viewer()
        await hall.ask("40")
        live = await viewer.until("message.complete")
        past, answers = await _all_since(viewer, 0)
        assert seqs(past) == seqs(live)
        assert answers > 8


async def test_a_place_that_never_was_calls_for_a_snapshot(autojump_clock) -> None:
    async with open_hall(echoes) as hall:
        await hall.session()
        viewer = await hall.connect()
        snapshot = await viewer.call("session.resume", session_id="s")
        ahead = {"last_seen": snapshot["last_sequence"] + 1}
        elsewhere = {"last_seen": 0, "replay_epoch": "another"}
        for place in (ahead, elsewhere):
            answer = await viewer.call("session.events.since", session_id="s", **place)
            assert (answer["events"], answer["truncated"], answer["snapshot_required"]) == ([], True, True)
        known = {"last_seen": 0, "replay_epoch": snapshot["replay_epoch"]}
        answer = await viewer.call("session.events.since", session_id="s", **known)
        assert (answer["truncated"], answer["snapshot_required"]) == (False, False)
        both = {"last_seen": 0, "last_sequence": 1}
        assert await viewer.refusal("session.events.since", session_id="s", **both) == "invalid_params"


async def test_numbers_mean_the_same_after_a_restart(autojump_clock) -> None:
    store = Store.inline()
    async with open_hall(counts, store=store) as hall:
        await hall.session()
        viewer = await hall.viewer()
        await hall.ask("5")
        before = await viewer.until("message.complete")
    async with open_hall(counts, store=store) as hall:
        viewer = await hall.connect()
        snapshot = await viewer.call("session.resume", session_id="s")
        assert snapshot["replay_epoch"] == before[0]["replay_epoch"]
        past, _ = await _all_since(viewer, seqs(before)[2])
        assert seqs(past) == seqs(before)[3:]
