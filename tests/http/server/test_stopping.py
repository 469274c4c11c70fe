"""Who is told that the server stops."""

from __future__ import annotations

from placet.http.server.stopping import Stop


async def test_all_who_asked_are_called_once_and_nobody_who_took_it_back() -> None:
    stop, called = Stop(), list[str]()

    def one() -> None:
        called.append("one")
        stop.discard(one)

    def another() -> None:
        called.append("another")

    stop.add(one)
    stop.add(another)
    stop.discard(another)
    stop.discard(another)
    await stop.set()
    assert called == ["one"]
    assert stop.is_set()


async def test_who_comes_late_is_called_at_once() -> None:
    stop, called = Stop(), list[str]()
    await stop.set()
    stop.add(lambda: called.append("late"))
    assert called == ["late"]
