"""What goes out: in order, whole, and at most so long."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest
import trio

from placet.http.server.limits import ConnectionLimits
from placet.http.server.wire import Wire

if TYPE_CHECKING:
    from trio.testing import MockClock


def _pair() -> tuple[trio.SocketStream, trio.SocketStream]:
    ours, theirs = trio.socket.socketpair(socket.AF_UNIX)
    return trio.SocketStream(ours), trio.SocketStream(theirs)


def _fail() -> None:
    raise AssertionError("the peer is not lost")


async def test_what_the_kernel_takes_at_once_is_sent_without_a_checkpoint() -> None:
    ours, theirs = _pair()
    async with ours, theirs:
        wire = Wire(ours, ConnectionLimits(), _fail)
        with trio.testing.assert_no_checkpoints():
            await wire.send(b"a frame")
        assert await theirs.receive_some() == b"a frame"


async def test_frames_of_two_tasks_do_not_mix(autojump_clock: MockClock) -> None:
    ours, theirs = _pair()
    async with ours, theirs:
        wire = Wire(ours, ConnectionLimits(), _fail)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wire.send, b"a" * 1_000_000)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(wire.send, b"b" * 10)
            await trio.testing.wait_all_tasks_blocked()
            received = b""
            while len(received) < 1_000_010:
                received += await theirs.receive_some(65536)
        assert received == b"a" * 1_000_000 + b"b" * 10


async def test_a_waiting_task_is_let_go_when_the_peer_is_dropped(autojump_clock: MockClock) -> None:
    ours, theirs = _pair()
    lost = 0

    def count() -> None:
        nonlocal lost
        lost += 1

    async with ours, theirs:
        wire = Wire(ours, ConnectionLimits(send_s=10), count)
        started = trio.current_time()
        async with trio.open_nursery() as nursery:
            for frame in (b"a", b"b", b"c"):
                nursery.start_soon(wire.send, frame * 1_000_000)
        assert trio.current_time() - started == pytest.approx(10)
        assert (wire.lost, lost) == (True, 1)


async def test_a_lost_peer_costs_a_checkpoint_and_no_error() -> None:
    ours, theirs = _pair()
    await theirs.aclose()
    events: list[str] = []
    async with ours:
        wire = Wire(ours, ConnectionLimits(), lambda: events.append("lost"))
        await wire.send(b"first")
        with trio.testing.assert_checkpoints():
            await wire.send(b"second")
    assert events == ["lost"]


async def test_nothing_is_sent_through_a_descriptor_that_was_closed() -> None:
    """Its number may by then belong to another connection."""
    ours, theirs = _pair()
    wire = Wire(ours, ConnectionLimits(), lambda: None)
    number = ours.socket.fileno()
    await ours.aclose()
    mine, other = socket.socketpair()
    with mine, other:
        assert number in {mine.fileno(), other.fileno()}
        await wire.send(b"secret")
        for sock in (mine, other):
            sock.settimeout(0)
            with pytest.raises(BlockingIOError):
                sock.recv(10)
    assert wire.lost
    await theirs.aclose()


async def test_closing_reads_on_for_a_peer_that_is_still_sending(autojump_clock: MockClock) -> None:
    ours, theirs = _pair()
    wire = Wire(ours, ConnectionLimits(linger_s=2), _fail)
    await theirs.send_all(b"the rest of a body")
    await wire.send(b"413")
    started = trio.current_time()
    await wire.close(read_on=True)
    assert trio.current_time() - started == pytest.approx(2)
    assert await theirs.receive_some() == b"413"
    assert await theirs.receive_some() == b""
    await theirs.aclose()
