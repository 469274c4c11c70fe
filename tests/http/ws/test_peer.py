"""One connection: what it answers to anything at all, what it does to a peer that is too slow or too fast, and how it ends."""

from __future__ import annotations

import json

import pytest
import trio
import trio.testing

from placet.actors.agents import Turn
from placet.actors.protocol.limits import Limits
from placet.http.ws import methods, peer
from placet.http.ws.methods import METHODS, Method
from placet.http.ws.params import Params
from tests.http.ws.viewers import APPROVER_KEY, CLIENT_KEY, Refused, Remote, open_hall


async def counts(turn: Turn) -> None:
    for number in range(int(turn.input)):
        await turn.say(f"w{number} ")
        await trio.sleep(0.1)


async def waits(turn: Turn) -> None:
    await trio.sleep_forever()


async def test_a_viewer_is_told_what_it_may_do(autojump_clock) -> None:
    async with open_hall(waits) as hall:
        api, anna, carl = (
            await hall.connect(),
            await hall.connect(APPROVER_KEY),
            await hall.connect(CLIENT_KEY),
        )
        described = await api.call("runtime.describe")
        assert described["methods"] == sorted(METHODS)
        assert (described["principal"], described["role"]) == ("api", "operator")
        assert "operator" in described["capabilities"]
        assert "session:approve" in (await anna.call("runtime.describe"))["capabilities"]
        assert "session:approve" not in (await carl.call("runtime.describe"))["capabilities"]
        assert (await api.call("ping"))["pong"] is True


async def test_every_method_says_what_it_is_called_with() -> None:
    for name, method in METHODS.items():
        assert method.handler.__doc__, name
        assert method.params.__struct_config__.forbid_unknown_fields, name


async def test_junk_is_answered_and_harms_nothing(autojump_clock) -> None:
    async with open_hall(waits) as hall:
        viewer = await hall.connect()
        for junk, code in {
            "nonsense": -32700,
            b"\x00\xff": -32700,
            "": -32700,
            "[]": -32700,
            '{"jsonrpc": "2.0", "id": 1}': -32600,
            '{"jsonrpc": "2.0", "id": 1, "method": "no.such"}': -32601,
            '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}': 4001,
            '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": 1}}': 4001,
            '{"jsonrpc": "2.0", "id": 1, "method": "session.info", "params": {}}': 4001,
        }.items():
            await viewer.requests.send(junk)
            assert (await viewer.frame())["error"]["code"] == code, junk
        await viewer.requests.send(None)  # how an empty binary frame comes
        assert (await viewer.frame())["error"]["code"] == -32700
        assert (await viewer.call("ping"))["pong"] is True


async def test_a_notification_is_carried_out_and_not_answered(autojump_clock) -> None:
    async with open_hall(counts) as hall:
        await hall.session()
        viewer = await hall.connect()
        for method, params in (("session.resume", {"session_id": "s"}), ("no.such", {}), ("ping", {"x": 1})):
            await viewer.requests.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))
        await viewer.call("ping")
        await hall.ask("1")
        await viewer.event("message.complete")


async def test_what_nobody_expected_costs_one_answer(autojump_clock, monkeypatch, caplog) -> None:
    async def breaks(*_: object) -> dict[str, object]:
        raise RuntimeError("secret")

    monkeypatch.setitem(methods.METHODS, "ping", Method(Params, breaks))
    async with open_hall(waits) as hall:
        viewer = await hall.connect()
        with pytest.raises(Refused) as caught:
            await viewer.call("ping")
        assert (caught.value.code, caught.value.data) == (-32603, {"reason": "internal_error"})
        assert "secret" in caplog.text
        assert (await viewer.call("session.list"))["sessions"] == []


async def _frames(viewer: Remote, last: str) -> list[dict]:
    seen = []
    while not seen or seen[-1]["type"] != last:
        seen.append((await viewer.frame())["params"])
    return seen


async def test_a_slow_peer_is_told_once_what_it_missed_and_slows_nobody(autojump_clock) -> None:
    async with open_hall(counts, limits=Limits(subscriber_events=16)) as hall:
        for name in ("s", "quiet"):
            await hall.session(name)
        slow, quick = await hall.connect(reads=3), await hall.viewer()
        for name in ("s", "quiet"):
            await slow.call("session.resume", session_id=name)
        started = trio.current_time()
        await hall.ask("100")
        seen = await quick.until("message.complete")
        assert trio.current_time() - started < 10.5
        words = [event["payload"]["text"] for event in seen if event["type"] == "message.delta"]
        assert len(words) == 100

        missed = await _frames(slow, "session.replay_gap")
        had = [event["payload"]["text"] for event in missed if event["type"] == "message.delta"]
        assert had == words[: len(had)]
        assert len(had) < 20
        gap = missed[-1]["payload"]
        assert (gap["reason"], gap["latest_seq"]) == ("slow_peer", seen[-1]["seq"])
        assert gap["last_sequence"] == max(event["seq"] for event in missed if "seq" in event)

        assert (await slow.call("ping"))["pong"] is True
        assert slow.events == []
        await hall.ask("1", session_id="quiet")
        assert (await slow.event("message.complete"))["session_id"] == "quiet"
        snapshot = await slow.call("session.resume", session_id="s")
        assert snapshot["messages"][-1]["content"] == "".join(words)
        await hall.ask("1")
        assert (await slow.event("message.complete"))["session_id"] == "s"
        assert "session.replay_gap" not in [event["type"] for event in slow.events]


async def test_a_slow_peer_may_not_answer_what_it_does_not_see(autojump_clock) -> None:
    async with open_hall(counts, limits=Limits(subscriber_events=16)) as hall:
        await hall.session()
        slow = await hall.connect(reads=3)
        first = await slow.call("session.resume", session_id="s")
        await hall.ask("100")
        await trio.sleep(20)
        await _frames(slow, "session.replay_gap")
        retired = {"session_id": "s", "subscription_id": first["subscription_id"]}
        assert await slow.refusal("prompt.submit", session_id="s", text="x") == "permission_denied"
        assert (await slow.call("session.detach", **retired)) == {"detached": False}


async def test_a_peer_that_asks_and_asks_is_let_go(autojump_clock) -> None:
    async with open_hall(waits) as hall:
        flood = await hall.connect(reads=0)
        for number in range(peer.REQUESTS_MAX + 2):
            await flood.requests.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}))
        await flood.closed.wait()
        assert flood.goodbye == peer.POLICY_VIOLATION


async def test_a_peer_that_asks_too_much_is_let_go(autojump_clock) -> None:
    async with open_hall(waits) as hall:
        flood = await hall.connect(reads=0)
        for _ in range(5):
            await flood.requests.send(" " * (1024 * 1024))
        await flood.closed.wait()
        assert flood.goodbye == peer.POLICY_VIOLATION


async def test_requests_that_are_answered_make_room_for_others(autojump_clock) -> None:
    async with open_hall(waits) as hall:
        viewer = await hall.connect()
        for _ in range(peer.REQUESTS_MAX * 2):
            await viewer.call("ping")
        for _ in range(8):
            await viewer.requests.send(" " * (1024 * 1024))
            assert (await viewer.frame())["error"]["code"] == -32700
        assert not viewer.closed.is_set()


async def test_a_drained_server_says_goodbye_after_the_last_event(autojump_clock) -> None:
    async with open_hall(counts, limits=Limits(drain_grace_s=60)) as hall:
        await hall.session()
        watches, idle = await hall.viewer(), await hall.connect()
        await hall.ask("20")
        await watches.event("message.delta")
        hall.nursery.start_soon(hall.desk.sessions.drain, trio.Event())
        await trio.testing.wait_all_tasks_blocked()
        assert await watches.refusal("prompt.submit", session_id="s", text="x") == "runtime_draining"
        assert not idle.closed.is_set()
        assert (await watches.event("message.complete"))["payload"]["outcome"] == "completed"
        for viewer in (watches, idle):
            await viewer.closed.wait()
            assert viewer.goodbye == (1013, "gateway_draining")


async def test_a_drain_does_not_wait_for_a_peer_that_does_not_read(autojump_clock) -> None:
    async with open_hall(counts) as hall:
        await hall.session()
        stuck = await hall.connect(reads=1)
        await stuck.call("session.resume", session_id="s")
        await hall.ask("20")
        await trio.sleep(1)
        await hall.desk.sessions.drain(trio.Event())
        before = trio.current_time()
        await stuck.closed.wait()
        assert stuck.goodbye == (1013, "gateway_draining")
        assert trio.current_time() - before <= peer.LAST_WORDS_S
