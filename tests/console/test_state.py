"""What the page knows, as a pure function of what it is told: tested in a browser without a page or a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from placet.http.routes import console as assets

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from tests.console.browser import Stage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

ORIGIN = "http://console.test"

FOLD = """async (events) => {
  const { initial, reduce } = await import("/console/core/state.js");
  const frozen = (value) => {
    Object.values(value ?? {}).filter((each) => typeof each === "object").forEach(frozen);
    return Object.freeze(value);
  };
  return events.reduce((state, event) => frozen(reduce(state, event)), initial);
}"""
"""The state after some events. Every state on the way is frozen, so that a change in place would throw."""


class Modules:
    """The console's modules in a browser, and nothing else."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._page = stage.call(stage.browser.new_page)
        stage.call(lambda: self._page.route("**/*", serve))
        stage.call(lambda: self._page.goto(ORIGIN))

    def evaluate(self, expression: str, argument: Any) -> Any:
        """What a function makes of an argument."""
        return self._stage.call(lambda: self._page.evaluate(expression, argument))


def serve(route: Route) -> None:
    """A file of the console, or an empty page."""
    name = route.request.url.removeprefix(f"{ORIGIN}/console/")
    if name == route.request.url:
        route.fulfill(body="<!doctype html>", content_type="text/html")
    else:
        asset = assets.read_asset(Path(name))
        route.fulfill(body=asset.body, content_type=asset.media)


@pytest.fixture(scope="module")
def page(stage: Stage) -> Modules:
    return Modules(stage)


def frame(name: str, frame_id: str | None = None, **data: Any) -> dict[str, Any]:
    """A frame as the parser gives it."""

    return {"name": name, "data": json.dumps({"event": name, **data}), "id": frame_id}


def told(*frames: dict[str, Any], at: int = 0) -> dict[str, Any]:
    """The event that frames have come."""
    return {"type": "frames", "frames": list(frames), "at": at}


def asked(
    request_id: str, generation: int = 1, status: str = "open", frame_id: str | None = None
) -> dict[str, Any]:
    """The frame of a prompt in the inbox."""
    fields = {
        "request_id": request_id,
        "execution_generation": generation,
        "status": status,
        "session_id": "s",
    }
    return frame("approval.request", frame_id, **fields)


def of_log(name: str, seq: int, run: str = "r", **data: Any) -> dict[str, Any]:
    """A frame of the session's log."""
    return frame(name, f"9.{seq}", seq=seq, run_id=run, session_id="s", timestamp=seq, **data)


def ended(request_id: str, choice: str = "once", by: str = "ann") -> dict[str, Any]:
    """The frame of a decision."""
    status = "denied" if choice == "deny" else "approved"
    return frame(
        "approval.responded", "7", request_id=request_id, choice=choice, decided_by=by, status=status
    )


class State:
    """The state after some events."""

    def __init__(self, page: Modules, *events: dict[str, Any]) -> None:
        self.all = page.evaluate(FOLD, list(events))

    @property
    def open(self) -> list[str]:
        """The prompts that wait, in order."""
        return [key for key, prompt in self.all["prompts"].items() if prompt["ended"] is None]

    @property
    def items(self) -> list[tuple[str, Any]]:
        """What the transcript shows: kind and text."""
        shown = [item for item in self.all["session"]["items"] if not item.get("dropped")]
        return [(item["kind"], item.get("text", item.get("output"))) for item in shown]


def test_prompts_stand_in_the_order_in_which_they_were_asked(page: Modules) -> None:
    state = State(page, told(asked("b"), asked("a")), told(ended("b")), told(asked("c")))
    assert state.open == ["a", "c"]
    assert state.all["prompts"]["b"]["ended"]["by"] == "ann"


def test_an_ended_prompt_stays_until_it_is_forgotten(page: Modules) -> None:
    events = [told(asked("a")), told(ended("a"), at=5)]
    assert State(page, *events).all["prompts"]["a"]["ended"]["at"] == 5
    assert State(page, *events, {"type": "forget", "requestId": "a"}).all["prompts"] == {}


def test_what_ended_long_ago_is_forgotten_also_where_nobody_looks(page: Modules) -> None:
    events = [told(asked("a")), told(ended("a"), at=5), told(asked("b"), at=60_005)]
    assert list(State(page, *events).all["prompts"]) == ["a", "b"]
    assert list(State(page, *events, told(asked("c"), at=60_006)).all["prompts"]) == ["b", "c"]


def test_the_first_word_about_an_end_counts_whichever_way_it_came(page: Modules) -> None:
    mine = {
        "type": "decided",
        "requestId": "a",
        "ended": {"status": "approved", "choice": "once", "by": "me"},
        "at": 1,
    }
    assert (
        State(page, told(asked("a")), mine, told(ended("a", by="ann"))).all["prompts"]["a"]["ended"]["by"]
        == "me"
    )
    assert (
        State(page, told(asked("a")), told(ended("a", by="ann")), mine).all["prompts"]["a"]["ended"]["by"]
        == "ann"
    )


def test_after_a_restart_a_prompt_is_the_same_under_another_generation(page: Modules) -> None:
    state = State(page, told(asked("a"), at=1), told(asked("a", generation=2), at=2))
    assert state.open == ["a"]
    assert (state.all["prompts"]["a"]["execution_generation"], state.all["prompts"]["a"]["since"]) == (2, 2)


def test_a_stream_that_begins_anew_tells_all_and_what_it_does_not_tell_is_gone(page: Modules) -> None:
    ready = frame("inbox.ready", "40", open=1)
    events = [told(asked("a"), asked("b"), ready), {"type": "fresh"}, told(asked("b"))]
    assert State(page, *events).open == ["a", "b"]
    state = State(page, *events, told(ready))
    assert (state.open, state.all["ready"], state.all["cursor"]) == (["b"], True, 40)


def test_the_cursor_is_where_each_log_was_read_to(page: Modules) -> None:
    watch = {"type": "watch", "id": "s"}
    state = State(
        page,
        watch,
        told(asked("a", frame_id="5.0")),
        told(of_log("run.started", 3)),
        told(asked("b", frame_id="12.3")),
    )
    assert (state.all["cursor"], state.all["session"]["seq"]) == (12, 3)
    lost = State(page, watch, told(of_log("run.started", 3)), {"type": "lost-place"}).all
    assert (lost["cursor"], lost["session"]["seq"], lost["session"]["items"]) == (None, 0, [])


def test_expiry_and_extension_move_the_end(page: Modules) -> None:
    soon = frame("approval.expiring", "3", request_id="a", expires_at=60)
    later = frame("approval.extended", "4", request_id="a", expires_at=600, by="bob")
    assert State(page, told(asked("a"), soon)).all["prompts"]["a"]["expiring"] is True
    prompt = State(page, told(asked("a"), soon, later)).all["prompts"]["a"]
    assert (prompt["expires_at"], prompt["expiring"], prompt["extendedBy"]) == (600, False, "bob")


def test_a_transcript_is_in_the_order_in_which_turns_run(page: Modules) -> None:
    state = State(
        page,
        {"type": "watch", "id": "s"},
        told(
            of_log("run.queued", 1, "r1", input="first", admission_id="a1"),
            of_log("run.started", 2, "r1", execution_generation=1),
            of_log("message.delta", 3, "r1", delta="one "),
            of_log("run.queued", 4, "r2", input="second", admission_id="a2"),
            of_log("message.delta", 5, "r1", delta="two"),
            of_log("run.completed", 6, "r1", output="one two"),
            of_log("run.started", 7, "r2", execution_generation=2),
            of_log("run.failed", 8, "r2", output="", error={"message": "no", "code": "x"}),
        ),
    )
    assert state.items == [("user", "first"), ("assistant", "one two"), ("user", "second"), ("end", None)]


def test_what_was_withdrawn_before_it_began_is_shown_as_that(page: Modules) -> None:
    queued = of_log("run.queued", 1, input="never mind", admission_id="a")
    state = State(page, {"type": "watch", "id": "s"}, told(queued, of_log("run.cancelled", 2, output="")))
    assert state.items == [("user", "never mind"), ("end", None)]


def test_an_answer_that_begins_anew_counts_from_there(page: Modules) -> None:
    state = State(
        page,
        {"type": "watch", "id": "s"},
        told(
            of_log("message.delta", 1, delta="wro"),
            of_log("reasoning.available", 2, text="hm"),
            of_log("message.restarted", 3),
            of_log("message.delta", 4, delta="right"),
            of_log("run.completed", 5, output="right"),
        ),
    )
    assert state.items == [("assistant", "right")]


def test_a_tool_has_its_output_and_its_end(page: Modules) -> None:
    call = {"tool_call_id": "c", "tool": "terminal"}
    state = State(
        page,
        {"type": "watch", "id": "s"},
        told(
            of_log("tool.started", 1, preview="ls", **call),
            of_log("tool.started", 2, "other", preview="ls", **call),
            of_log("tool.progress", 3, delta="a\n", tool_call_id="c"),
            of_log("tool.progress", 4, delta="b\n", tool_call_id="c"),
            of_log("tool.completed", 5, duration=1.0, error=True, preview="", **call),
        ),
    )
    assert state.items == [("tool", "a\nb\n"), ("tool", "")]
    assert state.all["session"]["items"][0]["done"]["failed"] is True


def test_a_merged_log_is_read_again_from_its_beginning(page: Modules) -> None:
    before = told(of_log("message.delta", 5, delta="x"))
    state = State(
        page, {"type": "watch", "id": "s"}, before, told(frame("replay.truncated", requested_seq=5))
    )
    assert (state.items, state.all["session"]["seq"]) == ([], 0)


def test_lists_are_read_anew_when_they_may_have_changed(page: Modules) -> None:
    live = {"type": "connection", "name": "live"}
    assert State(page, live).all["lists"] == 1
    assert State(page, live, told(frame("lists.changed"))).all["lists"] == 2
    assert State(page, live, told(asked("a"))).all["lists"] == 2


@pytest.mark.parametrize("cut", range(1, 40))
def test_frames_are_parsed_wherever_they_are_cut(page: Modules, cut: int) -> None:
    text = ": hello\r\n\r\nevent: a\ndata: {\n data: no\rdata: }\rid: 7\r\r\ndata:x\n\nid: 8\n\n"
    parse = """async (pieces) => {
      const { FrameParser } = await import("/console/core/sse.js");
      const parser = new FrameParser();
      return pieces.flatMap((piece) => parser.feed(piece));
    }"""
    expected = [{"name": "a", "data": "{\n}", "id": "7"}, {"name": "message", "data": "x", "id": None}]
    assert page.evaluate(parse, [text[:cut], text[cut:]]) == expected


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb\u200bc", "a\\u202eb\\u200bc"),
        ("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07", "red link"),
        ("a\x00\x07b\r\nc\td", "a\\u0000\\u0007b\nc\td"),
        ("👩\u200d💻 नमस्ते \u200f", "👩\u200d💻 नमस्ते \\u200f"),
        ("a\rb", "a\\u000db"),
    ],
)
def test_what_hides_or_reorders_text_is_shown(page: Modules, text: str, shown: str) -> None:
    visible = "async (text) => (await import('/console/core/text.js')).visible(text)"
    assert page.evaluate(visible, text) == shown
