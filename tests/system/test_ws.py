"""Viewers on real sockets, against a real server."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
import trio

from tests.http.ws.socket import VERSION, Closed, Viewer, connect, watching
from tests.system.server import KEY, named, prompt_of, script, serving, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

DRAINING = (1013, "gateway_draining")
STRANGER = (4403, "gateway_auth_failed")


async def _ticket(server: Server) -> str:
    reply = await server.api.ask("POST", "/api/ws/ticket")
    assert (reply.status, reply.headers["cache-control"]) == (201, "no-store")
    assert reply.json["subprotocols"] == [VERSION, f"hermes-gateway-ticket.{reply.json['ticket']}"]
    return str(reply.json["ticket"])


async def _is_let_in(server: Server, **how: Any) -> bool:
    """Whether a viewer is greeted. Where other origins may call, a foreign page's handshake is refused like any request of it."""
    try:
        async with connect(server.api, **how) as viewer:
            assert viewer.subprotocol == VERSION
            return (await viewer.event())["type"] == "gateway.ready"
    except Closed as closed:
        assert closed.code in {403, 4403}
        return False


async def test_who_may_connect(server: Server) -> None:
    port = server.port
    assert await _is_let_in(server)
    assert not await _is_let_in(server, key=None)
    assert not await _is_let_in(server, key="another-key-0123456789")
    assert await _is_let_in(server, origin=f"http://127.0.0.1:{port}")
    for foreign in ("http://evil.example", "null", f"http://127.0.0.1:{port + 1}"):
        assert not await _is_let_in(server, origin=foreign)
    async with connect(server.api, key=None) as viewer:
        assert await viewer.ends() == STRANGER
    async with connect(server.api, origin="http://evil.example") as viewer:
        assert await viewer.ends() == (4403, "origin_not_allowed")


async def test_a_ticket_opens_one_socket(server: Server) -> None:
    ticket = await _ticket(server)
    assert await _is_let_in(server, key=None, ticket=ticket)
    assert not await _is_let_in(server, key=None, ticket=ticket)
    assert not await _is_let_in(server, ticket=ticket)
    assert not await _is_let_in(server, key=None, ticket="0" * 48)
    foreign = await _ticket(server)
    assert not await _is_let_in(server, key=None, ticket=foreign, origin="http://evil.example")
    assert not await _is_let_in(server, key=None, ticket=foreign)
    server.key = None
    reply = await server.api.ask("POST", "/api/ws/ticket")
    server.key = KEY
    assert reply.status == 401


async def test_pages_of_named_origins_connect(tmp_path: Path) -> None:
    async with serving(tmp_path, config='cors_origins = ["http://app.example"]') as server:
        assert await _is_let_in(server, origin="http://app.example")
        assert not await _is_let_in(server, origin="http://evil.example")


async def test_a_server_without_keys_answers_to_no_name_that_was_made_to_point_here(tmp_path: Path) -> None:
    async with serving(tmp_path, key=None) as server:
        for host in (f"127.0.0.1:{server.port}", f"localhost:{server.port}"):
            assert await _is_let_in(server, host=host, origin=f"http://{host}")
        rebound = f"rebound.example:{server.port}"
        assert not await _is_let_in(server, host=rebound)
        assert not await _is_let_in(server, host=rebound, origin=f"http://{rebound}")
        async with await server.api.connect() as stream:
            await stream.send_all(f"GET /v1/approvals HTTP/1.1\r\nHost: {rebound}\r\n\r\n".encode())
            head = await stream.receive_some(65536)
            assert head.startswith(b"HTTP/1.1 403 ")
            assert b'"code":"host_not_allowed"' in head or b"host_not_allowed" in await stream.receive_some(
                65536
            )


async def test_a_viewer_answers_the_prompt_of_a_chat_stream(server: Server) -> None:
    await server.make_session("s")
    async with watching(server.api) as viewer:
        text = script("may I? ", {"ask": "rm -rf ./victim"}, "done")
        async with server.chat(text, {"X-Hermes-Session-Id": "s"}) as stream:
            shown, seen = await prompt_of(stream), await viewer.prompt()
            assert (seen["prompt_id"], seen["digest"]) == (shown["request_id"], shown["digest"])
            answer = await viewer.respond(seen, "deny", reason="keep it")
            assert (answer["status"], answer["choice"]) == ("resolved", "deny")
            rest = await stream.rest()
        assert text_of(rest) == "done"
        assert rest[-1].data == "[DONE]"
        assert server.lines("decisions") == ["deny denied"]
        assert (await viewer.event("approval.settled"))["payload"]["status"] == "denied"
        late = await server.answer(shown, "once")
        assert late.verdict == (409, "already_resolved")


async def test_an_answer_over_http_closes_the_prompt_of_viewers(server: Server) -> None:
    await server.make_session("s")
    async with watching(server.api) as one, watching(server.api) as two:
        async with server.talk("s", script({"ask": "rm -rf ./victim"}, "done")) as stream:
            shown = await prompt_of(stream)
            seen = [await viewer.prompt() for viewer in (one, two)]
            assert {prompt["prompt_id"] for prompt in seen} == {shown["request_id"]}
            assert (await server.answer(shown, "once")).status == 200
            assert len(named(await stream.rest(), "done")) == 1
        for viewer in (one, two):
            assert (await viewer.event("approval.settled"))["payload"]["choice"] == "once"
            assert (await viewer.respond(seen[0], "deny"))["choice"] == "once"
            assert (await viewer.call("session.resume", session_id="s"))["prompts"] == []


async def test_a_peer_that_does_not_read_gets_one_gap_and_slows_nobody(tmp_path: Path) -> None:
    # It may be stuck for longer than a peer usually may: the machine that runs this is busy.
    async with serving(tmp_path, send_timeout_s=120) as server:
        await server.make_session("s")
        async with watching(server.api, receive_buffer=4096) as stuck, watching(server.api) as reads:
            count = 1200
            with trio.fail_after(60):
                reply = await server.api.ask(
                    "POST",
                    "/v1/runs",
                    {"input": script({"words": count, "every_s": 0, "size": 8192}), "session_id": "s"},
                )
                assert reply.status == 202
                seen = await reads.until("message.complete")
            words = "".join(event["payload"]["text"] for event in seen if event["type"] == "message.delta")
            assert words.count("w") == count

            missed = await stuck.until("session.replay_gap")
            had = [event["seq"] for event in missed if "seq" in event]
            assert had == sorted(set(had))
            assert missed[-1]["payload"]["latest_seq"] == seen[-1]["seq"]
            assert missed[-1]["payload"]["last_sequence"] == had[-1]
            assert (await stuck.call("ping"))["pong"] is True
            assert stuck.events == []
            snapshot = await stuck.call("session.resume", session_id="s")
            assert snapshot["last_sequence"] >= seen[-1]["seq"]
            assert snapshot["messages"][-1]["content"] == words


async def test_junk_ends_at_most_its_own_socket(server: Server) -> None:
    async with connect(server.api) as bystander:
        await bystander.event("gateway.ready")
        async with connect(server.api) as viewer:
            await viewer.event("gateway.ready")
            for junk in ("{", b"\x00\xff\x00", "[]", "", b""):
                await viewer.send(junk)
                assert (await viewer.frame())["error"]["code"] == -32700
            assert (await viewer.call("ping"))["pong"] is True
        async with connect(server.api) as viewer:
            await viewer.event("gateway.ready")
            await viewer.send("x" * (1024 * 1024 + 1))
            assert (await viewer.ends())[0] == 1009
            with trio.fail_after(
                10
            ):  # what follows a frame that was too large is not kept: the connection ends
                while await viewer.stream.receive_some(65536):
                    pass
        async with connect(server.api) as viewer:
            await viewer.event("gateway.ready")
            await viewer.stream.send_all(b"\xff" * 100)  # no frame of the protocol
            assert (await viewer.ends())[0] in (1002, 1006)
        async with connect(server.api) as viewer:
            await viewer.stream.aclose()
        assert (await bystander.call("ping"))["pong"] is True


async def test_leaving_in_the_middle_leaves_nothing(server: Server) -> None:
    await server.make_session("s")
    async with server.talk("s", script({"words": 20, "every_s": 0.05}, "end")) as stream:
        files = server.open_files
        for _ in range(20):
            async with watching(server.api) as viewer:
                await viewer.stream.send_all(b"")
        rest = await stream.rest()
    assert text_of(rest).endswith("end")
    with trio.fail_after(10):
        await trio.lowlevel.checkpoint()
        while server.open_files > files:  # noqa: ASYNC110 - a process
            await trio.sleep(0.02)


async def test_a_server_that_stops_says_so_and_finishes_what_it_began(tmp_path: Path) -> None:
    async with serving(tmp_path, drain_grace_s=5) as server:
        await server.make_session("s")
        async with watching(server.api) as viewer, connect(server.api) as idle:
            await idle.event("gateway.ready")
            body = {"input": script({"words": 20, "every_s": 0.05}), "session_id": "s"}
            await server.api.ask("POST", "/v1/runs", body)
            await viewer.event("message.delta")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(server.stop)
                await _until_draining(server)
                async with connect(server.api) as late:
                    assert await late.ends() == DRAINING
                end = await viewer.event("message.complete")
                assert end["payload"]["outcome"] == "completed"
                assert await viewer.ends() == DRAINING
                assert await idle.ends() == DRAINING


async def _until_draining(server: Server) -> None:
    with trio.fail_after(5):
        while (await server.api.ask("GET", "/health")).json["status"] == "ok":  # noqa: ASYNC110 - a process
            await trio.sleep(0.01)


class Reader:
    """Somebody who comes and goes, and keeps what they saw."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.seen: list[dict[str, Any]] = []

    @property
    def last(self) -> int:
        return max((event["seq"] for event in self.seen), default=0)

    async def come(self, chance: random.Random) -> None:
        """Resume, fetch what was missed, and watch for a while."""
        async with watching(self.server.api) as viewer:
            await self._catch_up(viewer)
            for _ in range(chance.randrange(1, 40)):
                self._keep(await viewer.event())

    async def catch_up(self) -> None:
        """Fetch all that was missed."""
        async with connect(self.server.api) as viewer:
            await viewer.event("gateway.ready")
            await self._catch_up(viewer)

    async def _catch_up(self, viewer: Viewer) -> None:
        while True:
            asked = {"session_id": "s", "last_sequence": self.last}
            answer = await viewer.call("session.events.since", **asked)
            assert not answer["snapshot_required"]
            for event in answer["events"]:
                self._keep(event)
            if not answer["has_more"]:
                return

    def _keep(self, event: dict[str, Any]) -> None:
        if event.get("seq", 0) > self.last:
            del event["authority_epoch"]  # whose word it is, before or after the restart
            self.seen.append(event)


async def test_readers_that_come_and_go_see_every_event_once_also_over_a_restart(tmp_path: Path) -> None:
    async with serving(tmp_path, agent="tests.system.agents.script:replayed", drain_grace_s=0.1) as server:
        await server.make_session("s")
        text = script({"words": 150, "every_s": 0.02}, "end")
        for _ in range(2):
            await server.api.ask("POST", "/v1/runs", {"input": text, "session_id": "s"})
        readers = [Reader(server) for _ in range(5)]
        chances = [random.Random(number) for number in range(5)]
        for reader, chance in zip(readers, chances, strict=True):
            await reader.come(chance)
        await server.stop()
        await server.start()
        async with trio.open_nursery() as nursery:
            for reader, chance in zip(readers, chances, strict=True):
                nursery.start_soon(reader.come, chance)
        with trio.fail_after(30):
            while len(await _settled(server)) < 2:  # noqa: ASYNC110 - a process
                await trio.sleep(0.1)
        for reader in readers:
            await reader.catch_up()
            numbers = [event["seq"] for event in reader.seen]
            assert numbers == sorted(set(numbers))
            assert reader.seen == readers[0].seen
        assert [event["type"] for event in readers[0].seen].count("message.complete") == 2


async def _settled(server: Server) -> list[dict[str, Any]]:
    runs = (await server.api.ask("GET", "/v1/runs?session_id=s")).json["data"]
    return [run for run in runs if run["status"] == "completed"]
