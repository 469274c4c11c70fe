"""Events as text."""

from __future__ import annotations

from typing import Any

import pytest

from placet.http.cli.flow import Flow
from placet.http.cli.transcript import Transcript
from tests.cli import given


def text_of(*events: Any) -> str:
    """What a screen shows of these events."""
    transcript, flow = Transcript(), Flow()
    shown = [flow.add(said) for event in events for said in transcript.show(event.name, event.data)]
    return "".join(before + text for before, text in shown)


def test_text_flows_and_what_is_thought_stands_apart() -> None:
    assert (
        text_of(
            given.event("reasoning.available", text="Let me "),
            given.event("reasoning.available", text="see."),
            given.event("message.delta", delta="Hel"),
            given.event("message.delta", delta="lo"),
            given.event("run.completed", output="Hello"),
        )
        == "Let me see.\nHello"
    )


def test_a_tool_shows_its_output_as_it_comes_and_once() -> None:
    assert (
        text_of(
            given.event("message.delta", delta="Now:"),
            given.event("tool.started", tool="terminal", tool_call_id="c", preview="ls\npwd"),
            given.event("tool.progress", tool_call_id="c", delta="a\nb"),
            given.event("tool.progress", tool_call_id="c", delta="c\n"),
            given.event("tool.completed", tool_call_id="c", duration=0.25, error=False, preview="a bc"),
        )
        == "Now:\n· terminal  ls\n  pwd\n  a\n  bc\n  ✓ 0.2 s\n"
    )


def test_a_tool_without_output_on_the_way_shows_its_result() -> None:
    assert text_of(
        given.event("tool.started", tool="read_file", tool_call_id="c", preview="a.txt"),
        given.event("tool.completed", tool_call_id="c", duration=1, error=True, preview="no\nsuch file"),
    ).endswith("\n  no such file\n  ✗ failed, 1.0 s\n")


@pytest.mark.parametrize(
    ("preview", "shown"),
    [
        ('{"exit_code":0,"output":""}', "  ✓ 1.0 s\n"),
        ('{"exit_code":126,"output":"no such\\nfile\\u001b"}', "  no such file\\x1b\n  ✓ 1.0 s\n"),
        ('{"rows":3}', '  {"rows":3}\n  ✓ 1.0 s\n'),
        ('{"exit_code":0,"output":"cut', '  {"exit_code":0,"output":"cut\n  ✓ 1.0 s\n'),
    ],
)
def test_a_command_that_said_nothing_on_the_way_shows_its_output(preview: str, shown: str) -> None:
    assert (
        text_of(given.event("tool.completed", tool_call_id="c", duration=1, error=False, preview=preview))
        == shown
    )


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (given.responded(choice="once"), "✓ allowed, once, by ann\n"),
        (given.responded(choice="session"), "✓ allowed in this session, by ann\n"),
        (given.responded(choice="always"), "✓ allowed always, by ann\n"),
        (given.responded(choice="retry"), "✓ run once more, by ann\n"),
        (given.responded(choice="deny", reason="no"), "✗ denied by ann: no\n"),
        ({"event": "approval.settled", "status": "expired"}, "✗ nobody decided in time\n"),
        ({"event": "approval.settled", "status": "cancelled"}, "✗ the question was withdrawn\n"),
        ({"event": "approval.granted", "display": "rm x"}, "✓ allowed by a rule: rm x\n"),
        (
            {"event": "clarify.settled", "status": "answered", "decided_by": "ann", "answer": "left"},
            "✓ answered by ann: left\n",
        ),
        (given.prompt(status="approved"), "? rm -rf build\n"),
        (
            {"event": "run.cancelled", "error": {"message": "The run was cancelled."}},
            "The run was stopped.\n",
        ),
        (
            {"event": "run.failed", "error": {"message": "The model is away."}},
            "The run failed: The model is away.\n",
        ),
        ({"event": "run.stopping", "by": "ann"}, "Being stopped, by ann.\n"),
        ({"event": "run.resumed"}, "The server was restarted; the run goes on.\n"),
        ({"event": "something.new", "text": "x"}, ""),
        ({"event": "run.queued", "input": "x"}, ""),
    ],
)
def test_what_happened_in_words(data: dict[str, Any], shown: str) -> None:
    assert text_of(given.arrived(data)) == shown


def test_nothing_of_an_event_acts_on_the_terminal() -> None:
    names = {
        "delta",
        "text",
        "tool",
        "preview",
        "choice",
        "decided_by",
        "reason",
        "answer",
        "by",
        "display",
        "question",
    }
    hostile = dict.fromkeys(names, "\x1b[2J") | {"tool_call_id": "c", "error": {"message": "\x1b[2J"}}
    kinds = (
        "message.delta",
        "reasoning.available",
        "tool.started",
        "tool.progress",
        "tool.completed",
        "approval.request",
    )
    kinds += (
        "approval.granted",
        "approval.responded",
        "approval.settled",
        "clarify.settled",
        "approval.extended",
    )
    kinds += ("run.steered", "run.stopping", "run.failed", "run.interrupted")

    for kind in kinds:
        for status in ("approved", "denied", "answered", "\x1b[2J"):
            shown = text_of(given.event(kind, **hostile, status=status))
            assert shown, kind
            assert "\x1b" not in shown, kind
