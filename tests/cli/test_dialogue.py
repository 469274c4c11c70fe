"""What one screen does about what happens: which prompt is asked, what is sent, what is shown and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.protocol.errors import PlacetError
from placet.http.cli.dialogue import Back, Dialogue, Interrupted, Keys, Lost, Send, Sent, Stop
from placet.http.cli.exits import Exit
from placet.http.cli.json_lines import JsonLines
from placet.http.cli.question import Answer, Decision
from placet.http.cli.text import Said
from placet.http.client import NotReached, Refused
from tests.cli import given

if TYPE_CHECKING:
    from placet.http.cli.dialogue import Effect, Happening
    from placet.http.client import Arrived

WIDTH = 80


class Screen:
    """A dialogue with its clock.

    Attributes:
        shown: all that it has shown.
        sent: what it has sent and not yet been answered.
        stops: how often it has asked for a stop.
    """

    def __init__(self, *, asks: bool = True, stops: bool = True) -> None:
        self.dialogue = Dialogue(asks=asks, stops=stops)
        self.now = given.BEGAN
        self.shown: list[str] = []
        self.sent: list[Send] = []
        self.stops = 0

    def on(self, *happenings: Happening) -> None:
        for happening in happenings:
            for effect in self.dialogue.on(happening, self.now, WIDTH):
                self._take(effect)
            self.now += 1

    def _take(self, effect: Effect) -> None:
        if isinstance(effect, Said):
            self.shown.append(effect.text)
        elif isinstance(effect, Send):
            self.sent.append(effect)
        else:
            assert isinstance(effect, Stop)
            self.stops += 1

    def answered(self, error: PlacetError | None = None) -> None:
        """The server has answered what was sent."""
        self.on(Sent(self.sent.pop().prompt, error))

    @property
    def footer(self) -> str:
        return self.dialogue.footer(self.now, WIDTH) or ""

    def count(self, text: str) -> int:
        return sum(text in shown for shown in self.shown)


def delta(text: str) -> Arrived:
    return given.event("message.delta", delta=text)


def refused(code: str, status: int = 409, **detail: object) -> Refused:
    return Refused(status, "no", code=code, detail=detail)


def test_a_prompt_is_asked_answered_and_gone_on_from() -> None:
    screen = Screen()
    screen.on(delta("one"), given.arrived(given.prompt()), Keys("o"))

    assert [(send.prompt.request_id, send.outcome) for send in screen.sent] == [("p1", Decision("once"))]
    assert screen.footer == "  your answer is under way …"
    screen.answered()
    screen.on(given.arrived(given.responded(by="api")), delta("two"), given.event("run.completed"))
    assert screen.shown[-2:] == ["✓ allowed, once, by api", "two"]
    assert screen.dialogue.ended is Exit.OK
    assert screen.footer == ""


def test_what_is_sent_names_what_was_shown() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt(execution_generation=7, digest="dd")), Keys("o"))

    prompt = screen.sent[0].prompt
    assert (prompt.request_id, prompt.execution_generation, prompt.digest) == ("p1", 7, "dd")


def test_while_it_is_asked_the_rest_waits_and_comes_in_order() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt()), delta("a"), delta("b"))

    assert "a" not in screen.shown
    screen.on(Keys("q"))
    assert screen.shown[-2:] == ["a", "b"]


def test_another_screen_that_is_faster_closes_the_question_and_is_named() -> None:
    screen = Screen()
    screen.on(
        given.arrived(given.prompt()), delta("held"), given.arrived(given.responded(choice="deny", by="ann"))
    )

    assert screen.shown[-2:] == ["✗ denied by ann", "held"]
    assert screen.footer == ""
    screen.on(Keys("o"))
    assert not screen.sent, "the key belongs to no question"


def test_whoever_is_too_late_is_told_who_was_faster() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt()), Keys("o"))
    screen.answered(
        refused("already_resolved", decision={"choice": "deny", "decided_by": "ann", "decided_at": 1.0})
    )

    assert screen.count("Too late: deny, by ann.") == 1
    screen.on(given.arrived(given.responded(choice="deny", by="ann")))
    assert screen.footer == ""


def test_several_prompts_are_asked_one_after_the_other() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt("p1")), given.arrived(given.prompt("p2", display="rm -rf dist")))

    assert screen.count("rm -rf dist") == 0
    assert "+1" in screen.footer
    screen.on(Keys("o"))
    screen.answered()
    assert screen.count("rm -rf dist") == 0
    screen.on(given.arrived(given.responded("p1", by="api")))
    assert screen.shown.index("✓ allowed, once, by api") < screen.shown.index("  │ rm -rf dist")
    screen.on(Keys("d"), Keys("\r"))
    assert screen.sent[-1].outcome == Decision("deny")
    assert screen.sent[-1].prompt.request_id == "p2"


def test_one_that_ends_while_another_is_asked_is_named() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt("p1")), given.arrived(given.prompt("p2", display="rm -rf dist")))
    screen.on(given.arrived(given.responded("p2")), Keys("q"))

    assert screen.shown[-1] == "✓ allowed, once, by ann  (rm -rf dist)"
    assert screen.count("│ rm -rf dist") == 0


def test_what_was_left_open_is_asked_again_on_request() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt()), Keys("q"))

    assert screen.count("placet approvals approve p1") == 1
    assert "1 left open · r asks again" in screen.footer
    screen.on(Keys("x"), Keys("r"))
    assert screen.count("│ rm -rf build") == 2
    screen.on(Keys("o"))
    assert len(screen.sent) == 1


def test_one_left_open_does_not_come_back_by_itself() -> None:
    """Also not when the server was restarted and shows it again; but then it is the new one that is asked."""
    screen = Screen()
    screen.on(given.arrived(given.prompt()), Keys("q"), given.arrived(given.prompt(execution_generation=2)))

    assert screen.count("│ rm -rf build") == 1
    screen.on(Keys("r"), Keys("o"))
    assert screen.sent[0].prompt.execution_generation == 2


def test_a_restart_while_it_is_asked_asks_on_under_the_new_generation() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt()), Lost("gone"), Back())
    screen.on(given.event("run.resumed"), given.arrived(given.prompt(execution_generation=2)), Keys("o"))

    assert screen.count("│ rm -rf build") == 1, "it is shown already"
    assert screen.sent[0].prompt.execution_generation == 2


def test_an_action_that_has_changed_is_shown_as_it_is_now() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt()), given.arrived(given.prompt(digest="d2", display="rm -rf /")))

    assert screen.count("│ rm -rf /") == 1
    screen.on(Keys("o"))
    assert screen.sent[0].prompt.digest == "d2"


def test_an_answer_that_did_not_arrive_is_asked_again() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt()), Keys("o"))
    screen.answered(NotReached("No answer."))

    assert screen.count("No answer.") == 1
    assert screen.count("│ rm -rf build") == 2
    screen.on(Keys("o"))
    assert len(screen.sent) == 1


def test_who_may_not_decide_is_told_and_not_asked_again() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt()), Keys("o"))
    screen.answered(refused("role_required", 403))

    assert screen.count("│ rm -rf build") == 1
    assert "1 left open" in screen.footer


def test_a_second_key_while_the_answer_is_under_way_does_nothing() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt()), Keys("o"), Keys("a"))

    assert len(screen.sent) == 1


def test_a_question_is_answered() -> None:
    screen = Screen()
    screen.on(given.arrived(given.question()), Keys("ri"), Keys("ght\r"))

    assert screen.sent[0].outcome == Answer("right")
    screen.answered()
    screen.on(
        given.event("clarify.settled", request_id="q1", status="answered", answer="right", decided_by="api")
    )
    assert screen.shown[-1] == "✓ answered by api: right"


def test_a_prompt_that_waits_longer_says_so_under_itself() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt(expires_at=given.BEGAN + 60)))
    screen.on(given.event("approval.extended", request_id="p1", expires_at=given.BEGAN + 7200, by="ann"))

    assert "1:59:58 left" in screen.footer


def test_a_prompt_of_the_past_is_told_not_asked() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt(status="approved")), given.arrived(given.responded()))

    assert screen.shown == ["? rm -rf build", "✓ allowed, once, by ann"]
    assert screen.footer == ""


def test_ctrl_c_stops_once_and_leaves_twice() -> None:
    screen = Screen()
    screen.on(delta("a"), Interrupted())

    assert (screen.stops, screen.dialogue.ended) == (1, None)
    screen.on(given.event("run.stopping", by="api"))
    assert screen.shown[-1] == "Stopping. Ctrl-C again leaves.", "said once"
    screen.on(Interrupted())
    assert (screen.stops, screen.dialogue.ended) == (1, Exit.LEFT)


def test_a_stop_that_is_carried_out_ends_the_question() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt()), Interrupted())
    screen.on(
        given.event("approval.settled", request_id="p1", status="cancelled"), given.event("run.cancelled")
    )

    assert screen.shown[-3:] == [
        "✗ the question was withdrawn",
        "Stopping. Ctrl-C again leaves.",
        "The run was stopped.",
    ]
    assert screen.dialogue.ended is Exit.NOT_COMPLETED


def test_ctrl_d_leaves_and_stops_nothing() -> None:
    screen = Screen()
    screen.on(delta("a"), Keys("\x04"))

    assert (screen.stops, screen.dialogue.ended) == (0, Exit.LEFT)


def test_watching_the_inbox_ctrl_c_leaves() -> None:
    screen = Screen(stops=False)
    screen.on(Interrupted())

    assert (screen.stops, screen.dialogue.ended) == (0, Exit.LEFT)


def test_a_lost_connection_is_said_once() -> None:
    screen = Screen()
    screen.on(delta("a"), Lost("refused"), Lost("refused"), Lost("refused"), Back(), delta("b"))

    assert screen.shown == ["a", "The connection is lost; trying again. refused", "Connected again.", "b"]


def test_a_lost_connection_shows_under_a_prompt() -> None:
    screen = Screen()
    screen.on(given.arrived(given.prompt()), Lost("x"))
    assert "no connection" in screen.footer
    screen.on(Back())
    assert "no connection" not in screen.footer


def test_without_a_terminal_it_says_how_to_decide_and_asks_nothing() -> None:
    screen = Screen(asks=False)
    screen.on(given.arrived(given.prompt()), delta("b"), Keys("o"))

    assert screen.count("placet approvals approve p1") == 1
    assert screen.shown[-1] == "b"
    assert not screen.sent
    assert screen.footer == ""


def test_a_run_of_unknown_outcome_is_no_success() -> None:
    screen = Screen()
    screen.on(given.event("run.unknown"))

    assert screen.dialogue.ended is Exit.NOT_COMPLETED


def test_programs_get_every_event_on_a_line() -> None:
    lines = JsonLines()
    effects = lines.on(given.event("message.delta", delta="\u2028\x9b"), 0.0, WIDTH)

    assert effects == [Said('{"event":"message.delta","delta":"\\u2028\\u009b"}')]
    assert lines.on(Lost("x"), 0.0, WIDTH) == []
    lines.on(given.event("run.failed"), 0.0, WIDTH)
    assert lines.ended is Exit.NOT_COMPLETED
