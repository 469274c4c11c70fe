"""Plain functions run in threads that a stopped turn reaches, and that can hold nothing up for ever."""

from __future__ import annotations

import contextvars
import threading
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import trio

from placet.actors.agents import bridge
from placet.actors.agents.blocking import BlockingTurn
from placet.actors.agents.bridge import current_turn, run_agent
from placet.actors.agents.loading import Agent
from placet.actors.agents.terminal import CommandResult
from placet.actors.agents.turn import Turn, TurnCancelled
from placet.actors.protocol.approvals import ApprovalStatus, Decision
from placet.actors.protocol.conversation import ChatMessage, Usage
from placet.actors.protocol.errors import StoreUnavailable
from tests.agents.fakes import APPROVED, FakeToolCall, FakeTurn

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.thread

SCOPE: contextvars.ContextVar[str] = contextvars.ContextVar("scope", default="outside")


def plain(function: Callable[[BlockingTurn], Any]) -> Agent:
    return Agent(name="test", function=function, blocking=True, replayable=False)


def on_trio(function: Callable[[Turn], Any]) -> Agent:
    return Agent(name="test", function=function, blocking=False, replayable=False)


async def run(function: Callable[[BlockingTurn], Any], turn: Turn) -> str | None:
    return await run_agent(plain(function), turn)


async def test_every_name_of_the_turn_works_from_a_thread() -> None:
    turn = FakeTurn("hello", answers=(APPROVED,))

    def agent(turn: BlockingTurn) -> str:
        assert (turn.input, turn.session_id, turn.generation, turn.history, turn.system) == (
            "hello",
            "s",
            1,
            (),
            "",
        )
        assert turn.content.text == turn.input
        assert turn.settings.model is None
        assert turn.surroundings.workspace == "/"
        turn.say("a")
        turn.think("b")
        with turn.tool("look", {"at": 1}, call_id="c1") as call:
            assert (call.call_id, call.replayed, call.result) == ("c1", False, None)
            call.progress("half")
            call.finish({"seen": True})
        assert turn.request_approval(command="rm x", description="It removes x.").approved
        turn.count(Usage(1, 2))
        turn.keep(ChatMessage("user"))
        turn.cut("length")
        assert isinstance(turn.run_guarded("echo hi"), CommandResult)
        return f"done: {turn.step('add', lambda: 1 + 1)}"

    assert await run(agent, turn) == "done: 2"
    guarded = ["start", "progress", "end"]
    assert turn.kinds() == ["say", "think", "start", "progress", "end", "ask", "count", *guarded, "step"]
    assert (turn.kept, turn.finish_reason) == ([ChatMessage("user")], "length")
    assert turn.events[4] == ("end", {"seen": True}, False)
    assert turn.asks()[0]["command"] == "rm x"


async def test_stopping_a_turn_that_waits_for_a_person_raises_in_its_thread_and_waits_for_it() -> None:
    turn, seen = FakeTurn(), []

    def agent(turn: BlockingTurn) -> None:
        try:
            turn.request_approval(command="rm x", description="It removes x.")
        finally:
            seen.append("ended")

    with trio.fail_after(5), trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, agent, turn)
            await turn.asked.wait()
            scope.cancel()
    assert seen == ["ended"]


async def test_stopping_a_turn_that_waits_for_the_disk_raises_in_its_thread() -> None:
    waiting, seen = trio.Event(), []

    class SlowDisk(FakeTurn):
        async def say(self, text: str) -> None:
            waiting.set()
            await trio.sleep_forever()

    def agent(turn: BlockingTurn) -> None:
        try:
            turn.say("x")
        except TurnCancelled:
            seen.append("cancelled")
            raise

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, agent, SlowDisk())
            await waiting.wait()
            nursery.cancel_scope.cancel()
    assert seen == ["cancelled"]


async def test_stopping_a_turn_inside_a_tool_ends_the_block_at_once_and_the_thread_at_its_next_call() -> None:
    turn, go_on, inside = FakeTurn(), threading.Event(), trio.Event()
    token, seen = trio.lowlevel.current_trio_token(), []

    def agent(turn: BlockingTurn) -> None:
        with turn.tool("look", {}) as call:
            token.run_sync_soon(inside.set)
            go_on.wait()
            try:
                call.progress("x")
            except TurnCancelled:
                seen.append("cancelled")
                raise

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, agent, turn)
            await inside.wait()
            nursery.cancel_scope.cancel()
            with trio.CancelScope(shield=True):
                await trio.testing.wait_all_tasks_blocked()
            assert turn.events == [("start", "look", {}), ("end", trio.Cancelled, True)]
            go_on.set()
    assert seen == ["cancelled"]


async def test_an_agent_that_goes_on_after_every_error_still_ends() -> None:
    turn, errors = FakeTurn(), []

    def agent(turn: BlockingTurn) -> None:
        while True:
            try:
                turn.request_approval(command="rm x", description="It removes x.")
            except Exception as error:
                errors.append(error)

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, agent, turn)
            await turn.asked.wait()
            nursery.cancel_scope.cancel()
    assert errors == []


async def test_a_thread_that_never_calls_again_is_left_behind(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bridge, "ABANDON_AFTER_S", 0.05)
    started, go_on, ended, seen = threading.Event(), threading.Event(), threading.Event(), []
    thread_ended, turn = trio.Event(), FakeTurn()

    def agent(turn: BlockingTurn) -> None:
        started.set()
        go_on.wait()
        for call in (
            partial(turn.say, "late"),
            partial(turn.count, Usage()),
            turn.tool("look", {}).__enter__,
        ):
            try:
                call()
            except TurnCancelled:
                seen.append("cancelled")
        ended.set()

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_agent, plain(agent), turn, thread_ended.set)
            await trio.to_thread.run_sync(started.wait)
            nursery.cancel_scope.cancel()
    assert caplog.messages == ["the thread of test in s did not end and is left behind"]
    assert not thread_ended.is_set(), "an abandoned thread is still a thread"
    go_on.set()
    with trio.fail_after(5):
        await trio.to_thread.run_sync(ended.wait)
        await thread_ended.wait()
    assert seen == ["cancelled"] * 3
    assert turn.events == []


async def test_what_the_agent_raises_comes_out_as_itself() -> None:
    def agent(turn: BlockingTurn) -> None:
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        await run(agent, FakeTurn())


async def test_what_the_turn_raises_is_raised_in_the_thread_and_comes_out_as_itself() -> None:
    class NoDisk(FakeTurn):
        async def say(self, text: str) -> None:
            raise StoreUnavailable("The disk is full.")

        def count(self, usage: Usage) -> None:
            raise ValueError(usage)

    seen: list[Exception] = []

    def agent(turn: BlockingTurn) -> None:
        try:
            turn.count(Usage(1))
        except ValueError as error:
            seen.append(error)
        turn.say("x")

    with pytest.raises(StoreUnavailable):
        await run(agent, NoDisk())
    assert seen[0].args == (Usage(1),)


async def test_an_error_inside_a_tool_reaches_the_block_and_the_agent() -> None:
    turn, seen = FakeTurn(), []

    def agent(turn: BlockingTurn) -> None:
        try:
            with turn.tool("look", {}):
                raise OSError("gone")
        except OSError as error:
            seen.append(str(error))

    await run(agent, turn)
    assert seen == ["gone"]
    assert turn.events[-1] == ("end", OSError, True)


async def test_a_tool_that_cannot_begin_raises_where_it_would_have_begun() -> None:
    class NoDisk(FakeTurn):
        def tool(self, name: str, arguments: Any, *, call_id: str | None = None) -> Any:
            raise StoreUnavailable("The disk is full.")

    entered = []

    def agent(turn: BlockingTurn) -> None:
        with turn.tool("look", {}):
            entered.append(True)

    with pytest.raises(StoreUnavailable):
        await run(agent, NoDisk())
    assert entered == []


async def test_leaving_a_tool_raises_what_recording_its_end_raises() -> None:
    class DiskFillsUp(FakeTurn):
        @asynccontextmanager
        async def tool(self, name: str, arguments: Any, *, call_id: str | None = None) -> Any:
            yield FakeToolCall(self, "c1", replayed=False, result=None)
            raise StoreUnavailable("The disk is full.")

    def agent(turn: BlockingTurn) -> None:
        with turn.tool("look", {}):
            pass

    with pytest.raises(StoreUnavailable):
        await run(agent, DiskFillsUp())


async def test_a_step_runs_in_the_agents_own_thread_and_in_the_scope_of_the_step() -> None:
    class Scoped(FakeTurn):
        async def step(self, name: str, function: Callable[[], Any], *, wait: bool = True) -> Any:
            SCOPE.set(name)
            return await super().step(name, function, wait=wait)

        async def say(self, text: str) -> None:
            await super().say(f"{text} in {SCOPE.get()}")

    turn = Scoped()

    def agent(turn: BlockingTurn) -> None:
        here = threading.get_ident()
        turn.say("before")

        def work() -> bool:
            turn.say("within")
            return threading.get_ident() == here

        assert turn.step("outer", work) is True
        turn.say("after")

    await run(agent, turn)
    assert [event[1] for event in turn.events] == [
        "before in outside",
        "within in outer",
        "outer",
        "after in outside",
    ]


async def test_a_journaled_step_is_not_run_again() -> None:
    ran = []

    def agent(turn: BlockingTurn) -> None:
        assert turn.step("once", partial(ran.append, 1)) == "known"

    await run(agent, FakeTurn(steps=("known",)))
    assert ran == []


async def test_an_error_in_a_step_reaches_the_journal_and_the_agent() -> None:
    reached = []

    class Watching(FakeTurn):
        async def step(self, name: str, function: Callable[[], Any], *, wait: bool = True) -> Any:
            try:
                return await super().step(name, function, wait=wait)
            except OSError:
                reached.append(name)
                raise

    def fail() -> None:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        await run(lambda turn: turn.step("read", fail), Watching())
    assert reached == ["read"]


async def test_prompts_of_parallel_threads_and_turns_each_get_their_own_answer() -> None:
    class Echoing(FakeTurn):
        async def request_approval(self, *, command: str, **rest: Any) -> Decision:
            await trio.testing.wait_all_tasks_blocked()
            return Decision(
                choice="once", outcome=ApprovalStatus.APPROVED, reason=f"{self.session_id}: {command}"
            )

    answers: dict[str, str] = {}

    def hook(command: str) -> None:
        answers[command] = current_turn().request_approval(command=command, description="d").reason

    def agent(turn: BlockingTurn) -> None:
        threads = []
        for number in range(4):
            context = contextvars.copy_context()
            threads.append(threading.Thread(target=context.run, args=(hook, f"{turn.session_id}{number}")))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    async with trio.open_nursery() as nursery:
        for session_id in "ab":
            nursery.start_soon(run_agent, plain(agent), Echoing(session_id=session_id))
    assert answers == {f"{name}{number}": f"{name}: {name}{number}" for name in "ab" for number in range(4)}


async def test_there_is_no_current_turn_outside_of_one() -> None:
    await run(lambda turn: None, FakeTurn())
    with pytest.raises(LookupError):
        current_turn()


async def test_a_thread_that_outlives_its_agent_is_refused() -> None:
    kept: list[BlockingTurn] = []
    turn = FakeTurn()
    await run(kept.append, turn)
    with pytest.raises(TurnCancelled):
        await trio.to_thread.run_sync(kept[0].say, "late")
    assert turn.events == []


async def test_a_thread_that_outlives_the_server_is_refused() -> None:
    kept: list[BlockingTurn] = []

    def serve() -> None:
        trio.run(run, kept.append, FakeTurn())

    await trio.to_thread.run_sync(serve)
    with pytest.raises(TurnCancelled):
        kept[0].say("late")


async def test_the_end_of_its_thread_is_told_before_the_agent_counts_as_done() -> None:
    ended: list[str] = []
    await run_agent(plain(lambda turn: None), FakeTurn(), lambda: ended.append("thread"))
    assert ended == ["thread"]


async def test_no_thread_left_fails_the_turn_and_is_the_end_of_the_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*args: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(trio.lowlevel, "start_thread_soon", refuse)
    ended: list[str] = []
    with pytest.raises(RuntimeError, match="can't start new thread"):
        await run_agent(plain(lambda turn: None), FakeTurn(), lambda: ended.append("thread"))
    assert ended == ["thread"]


async def test_an_async_agent_runs_as_it_is() -> None:
    async def agent(turn: Turn) -> str:
        await turn.say("a")
        return "b"

    turn = FakeTurn()
    assert await run_agent(on_trio(agent), turn) == "b"
    assert turn.said == "a"


@pytest.mark.parametrize("how", [SystemExit, KeyboardInterrupt, TurnCancelled])
async def test_a_thread_cannot_end_the_server(how: type[BaseException]) -> None:
    def agent(turn: BlockingTurn) -> None:
        with turn.tool("look", {}):
            raise how

    turn = FakeTurn()
    with pytest.raises(RuntimeError, match=f"raised {how.__name__}; an agent ends by returning"):
        await run(agent, turn)
    assert turn.events[-1] == ("end", RuntimeError, True)


async def test_a_step_cannot_end_the_server() -> None:
    def leave() -> None:
        raise SystemExit

    with pytest.raises(RuntimeError, match="raised SystemExit"):
        await run(lambda turn: turn.step("leave", leave), FakeTurn())


async def test_an_async_agent_cannot_end_the_server() -> None:
    async def agent(turn: Turn) -> None:
        await turn.say("bye")
        raise SystemExit(3)

    with pytest.raises(RuntimeError, match="raised SystemExit"):
        await run_agent(on_trio(agent), FakeTurn())


async def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="returned int; it must return text or None"):
        await run(lambda turn: 3, FakeTurn())


async def test_a_hidden_coroutine_is_refused_with_advice() -> None:
    async def hidden() -> None: ...

    with pytest.raises(TypeError, match="make it `async def`"):
        await run(lambda turn: hidden(), FakeTurn())
