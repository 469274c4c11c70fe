"""Only what the guard or a person lets run is run, as it was when they said so, and once."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import trio

from placet.actors.agents import gate
from placet.actors.agents.gate import MAX_ASKS, Refusal, WhyNot, run_guarded
from placet.actors.agents.terminal import CommandResult
from placet.actors.guard import Judgement, Policy, Reason, Shown, Verdict
from placet.actors.protocol.approvals import ApprovalStatus, Choice, Decision
from placet.actors.protocol.limits import Limits
from tests.agents.fakes import APPROVED, DENIED, EXPIRED, FakeTurn

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.thread

UNCONFINED = "It would not be confined: it can do whatever the server's own account can."
REASONS = (
    Reason("runs_code", "s.sh runs code whose effect is not known", "sh s.sh"),
    Reason("deletes", "rm deletes files", "rm a"),
    Reason("deletes", "rm deletes files", "rm b"),
    Reason("rule", "a rule of the operator says so: curl", "curl", Verdict.DENY),
)
BENIGN, EVIL = "echo benign >> out\n", "echo evil >> out\n"


@pytest.fixture
def guard(monkeypatch: pytest.MonkeyPatch) -> type[Guard]:
    """The guard, told what to think of the next command."""
    monkeypatch.setattr(gate, "judge", Guard.judge)
    Guard.verdict, Guard.files = Verdict.ASK, ()
    return Guard


class Guard:
    verdict = Verdict.ASK
    files: tuple[str, ...] = ()

    @classmethod
    def judge(cls, command: str, directory: str, policy: Policy) -> Judgement:
        reasons = tuple(reason for reason in REASONS if cls.verdict in {reason.verdict, Verdict.DENY})
        return Judgement(
            verdict=cls.verdict,
            reasons=reasons,
            display=command,
            masked=command,
            warnings=(),
            files=cls.files,
            choices=("once", "deny"),
        )


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


async def test_a_harmless_command_runs_unasked(tmp_path: Path, guard: type[Guard]) -> None:
    guard.verdict = Verdict.RUN
    turn = FakeTurn(workspace=str(tmp_path))
    ended = await run_guarded(turn, "echo hi; pwd; exit 0")
    assert isinstance(ended, CommandResult)
    assert ended.output == f"hi\n{tmp_path}\n"
    assert "".join(event[1] for event in turn.events if event[0] == "progress") == ended.output
    assert turn.events[0] == ("start", "terminal", {"command": "echo hi; pwd; exit 0"})
    assert turn.events[-1] == ("end", msgspec.to_builtins(ended), False)


async def test_an_exit_code_is_a_failed_call_and_no_error(tmp_path: Path, guard: type[Guard]) -> None:
    guard.verdict = Verdict.RUN
    turn = FakeTurn(workspace=str(tmp_path))
    ended = await run_guarded(turn, "exit 3")
    assert isinstance(ended, CommandResult)
    assert (ended.exit_code, turn.events[-1][2]) == (3, True)


async def test_the_limits_of_the_server_hold(tmp_path: Path, guard: type[Guard]) -> None:
    guard.verdict = Verdict.RUN
    turn = FakeTurn(workspace=str(tmp_path), limits=Limits(terminal_timeout_s=0.2, tool_output_bytes=3))
    ended = await run_guarded(turn, "echo 123456789; sleep 1000")
    assert isinstance(ended, CommandResult)
    assert (ended.timed_out, ended.cut_bytes) == (True, 4)


async def test_a_forbidden_command_is_neither_asked_about_nor_started(
    tmp_path: Path, guard: type[Guard]
) -> None:
    guard.verdict = Verdict.DENY
    turn = FakeTurn(workspace=str(tmp_path), answers=(APPROVED,))
    assert await run_guarded(turn, "touch ran") == Refusal(
        WhyNot.FORBIDDEN,
        "The command was not run, the guard forbids it: a rule of the operator says so: curl.",
    )
    assert turn.events == []
    assert not (tmp_path / "ran").exists()


async def test_a_person_is_asked_before_the_start_is_recorded(tmp_path: Path, guard: type[Guard]) -> None:
    turn = FakeTurn(workspace=str(tmp_path), answers=(APPROVED,))
    ended = await run_guarded(turn, "touch ran")
    assert isinstance(ended, CommandResult)
    assert (tmp_path / "ran").exists()
    assert turn.kinds() == ["ask", "start", "end"]
    assert turn.asks() == [
        {
            "command": "touch ran",
            "description": f"s.sh runs code whose effect is not known; rm deletes files. {UNCONFINED}",
            "pattern_key": "runs_code",
            "tool": "terminal",
            "arguments": None,
            "directory": str(tmp_path),
            "files": {},
            "choices": (Choice.ONCE, Choice.DENY),
            "timeout_s": None,
        }
    ]


@pytest.mark.parametrize(
    ("answer", "why", "text"),
    [
        (DENIED, WhyNot.DENIED, "The command was not run: it was denied (not today)."),
        (EXPIRED, WhyNot.EXPIRED, "The command was not run: nobody decided in time."),
        (
            Decision(choice=None, outcome=ApprovalStatus.CANCELLED),
            WhyNot.CANCELLED,
            "The command was not run: the question was withdrawn.",
        ),
    ],
)
async def test_what_is_not_approved_is_not_started(
    tmp_path: Path, guard: type[Guard], answer: Decision, why: WhyNot, text: str
) -> None:
    turn = FakeTurn(workspace=str(tmp_path), answers=(answer,))
    assert await run_guarded(turn, "touch ran") == Refusal(why, text)
    assert turn.kinds() == ["ask"]
    assert not (tmp_path / "ran").exists()


async def test_a_script_that_changed_while_it_was_read_is_asked_about_again(
    tmp_path: Path, guard: type[Guard]
) -> None:
    """Consent was to other bytes."""
    script = tmp_path / "s.sh"
    script.write_text(BENIGN)
    guard.files = ("s.sh",)

    def overwrite() -> Decision:
        script.write_text(EVIL)
        return APPROVED

    turn = FakeTurn(workspace=str(tmp_path), answers=(overwrite, DENIED))
    ended = await run_guarded(turn, "sh s.sh")
    assert isinstance(ended, Refusal)
    assert ended.why is WhyNot.DENIED
    assert not (tmp_path / "out").exists()
    assert [ask["files"] for ask in turn.asks()] == [{"s.sh": digest(BENIGN)}, {"s.sh": digest(EVIL)}]
    assert turn.asks()[1]["description"] == (
        "s.sh changed while you read, so your answer was not used. s.sh runs code whose effect is not known; rm deletes files."
        f" {UNCONFINED}"
    )
    assert turn.kinds() == ["step", "ask", "start", "end", "step", "ask"]
    assert turn.events[3] == ("end", {"changed": ("s.sh",)}, True)


async def test_what_was_approved_the_second_time_runs(tmp_path: Path, guard: type[Guard]) -> None:
    script = tmp_path / "s.sh"
    guard.files = ("s.sh",)

    def appear() -> Decision:
        script.write_text(BENIGN)
        return APPROVED

    turn = FakeTurn(workspace=str(tmp_path), answers=(appear, APPROVED))
    assert isinstance(await run_guarded(turn, "sh s.sh"), CommandResult)
    assert turn.asks()[0]["files"] == {"s.sh": "absent"}
    assert (tmp_path / "out").read_text() == "benign\n"


async def test_a_file_that_always_changes_is_given_up(tmp_path: Path, guard: type[Guard]) -> None:
    """A remembered rule answers at once; without a bound this would never end."""
    log = tmp_path / "log"
    guard.files = ("log",)

    def grow() -> Decision:
        with log.open("a") as file:
            file.write("line\n")
        return APPROVED

    turn = FakeTurn(workspace=str(tmp_path), answers=(grow,) * 10)
    assert await run_guarded(turn, "sh log") == Refusal(
        WhyNot.CHANGED, "The command was not run: log kept changing."
    )
    assert len(turn.asks()) == MAX_ASKS


async def test_a_secret_is_recorded_masked_and_run_whole(
    tmp_path: Path, guard: type[Guard], monkeypatch: pytest.MonkeyPatch
) -> None:
    guard.verdict = Verdict.RUN
    monkeypatch.setattr(gate, "shown", lambda text: Shown(text.replace("secret", "***"), "", ()))
    turn = FakeTurn(workspace=str(tmp_path))
    await run_guarded(turn, "touch secret")
    assert turn.events[0] == ("start", "terminal", {"command": "touch ***"})
    assert (tmp_path / "secret").exists()


async def test_a_call_that_is_known_is_not_run_again(tmp_path: Path, guard: type[Guard]) -> None:
    before = CommandResult(exit_code=0, output="then\n")
    turn = FakeTurn(workspace=str(tmp_path), answers=(APPROVED,), tools=(msgspec.to_builtins(before),))
    assert await run_guarded(turn, "touch ran") == before
    assert not (tmp_path / "ran").exists()


async def test_after_a_crash_the_same_way_is_taken_though_the_file_has_changed_since(
    tmp_path: Path, guard: type[Guard]
) -> None:
    """The script was changed while the person read, they approved the second text, it ran, then the server died."""
    guard.files = ("s.sh",)
    (tmp_path / "s.sh").write_text("third text")
    ran = CommandResult(exit_code=0, output="")
    turn = FakeTurn(
        workspace=str(tmp_path),
        answers=(APPROVED, APPROVED),
        steps=({"s.sh": "1"}, {"s.sh": "2"}),
        tools=({"changed": ["s.sh"]}, msgspec.to_builtins(ran)),
    )
    assert await run_guarded(turn, "sh s.sh") == ran
    assert [ask["files"] for ask in turn.asks()] == [{"s.sh": "1"}, {"s.sh": "2"}]


async def test_a_file_that_changed_while_the_server_was_down_is_asked_about_again(
    tmp_path: Path, guard: type[Guard]
) -> None:
    """The journal knows the prompt, not the call: the answer was to bytes that are gone."""
    guard.files = ("s.sh",)
    (tmp_path / "s.sh").write_text(EVIL)
    turn = FakeTurn(workspace=str(tmp_path), answers=(APPROVED, DENIED), steps=({"s.sh": digest(BENIGN)},))
    assert isinstance(await run_guarded(turn, "sh s.sh"), Refusal)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("result", [None, {"error": "unknown"}, "text"])
async def test_a_call_with_an_unknown_outcome_counts_as_failed(
    tmp_path: Path, guard: type[Guard], result: Any
) -> None:
    guard.verdict = Verdict.RUN
    ended = await run_guarded(FakeTurn(workspace=str(tmp_path), tools=(result,)), "touch ran")
    assert isinstance(ended, Refusal)
    assert ended.why is WhyNot.UNKNOWN
    assert not (tmp_path / "ran").exists()


async def test_stopping_the_turn_while_it_asks_starts_nothing(tmp_path: Path, guard: type[Guard]) -> None:
    turn = FakeTurn(workspace=str(tmp_path))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_guarded, turn, "touch ran")
        await turn.asked.wait()
        nursery.cancel_scope.cancel()
    assert turn.kinds() == ["ask"]
    assert not (tmp_path / "ran").exists()


async def test_with_the_guard_as_it_is_a_changed_script_is_not_run(tmp_path: Path) -> None:
    """The same with nothing scripted but the person."""
    (tmp_path / "s.sh").write_text(BENIGN)
    (tmp_path / "victim").mkdir()

    def overwrite() -> Decision:
        (tmp_path / "s.sh").write_text(EVIL)
        return APPROVED

    turn = FakeTurn(workspace=str(tmp_path), answers=(overwrite, DENIED))
    assert isinstance(await run_guarded(turn, "sh ./s.sh && rm -rf ./victim"), Refusal)
    assert "s.sh changed while you read, so your answer was not used" in turn.asks()[1]["description"]
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "victim").exists()


async def test_with_the_guard_as_it_is_a_secret_stays_out_of_the_record(tmp_path: Path) -> None:
    command = "rm -f x; export API_KEY=sk-live-0123456789abcdef; echo ${#API_KEY}"
    turn = FakeTurn(workspace=str(tmp_path), answers=(APPROVED,))
    ended = await run_guarded(turn, command)
    assert isinstance(ended, CommandResult)
    assert ended.output == "24\n"
    assert turn.asks()[0]["command"] == command, "the session masks what it shows and binds the whole"
    started = next(event for event in turn.events if event[0] == "start")
    assert "sk-live" not in started[2]["command"]
    assert "rm -f x" in started[2]["command"]
