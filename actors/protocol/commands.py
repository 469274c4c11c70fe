"""What is asked of a session, in the imperative. The first part comes from the wire, the second from the session's own turns."""

from __future__ import annotations

from enum import Enum

import msgspec

from placet.actors.protocol.answers import Admitted, Decided, SessionView, Stopped, Watching
from placet.actors.protocol.approvals import Choice, Decision, Prompt
from placet.actors.protocol.conversation import TurnInput, TurnResult
from placet.actors.protocol.events import Outcome, Output, SessionChanged, SessionOpened
from placet.actors.protocol.filing import Filing
from placet.actors.protocol.keys import KeyUse
from placet.actors.protocol.messages import Notice, Request
from placet.actors.protocol.records import ApprovalRecord


class OnBusy(Enum):
    """What an input does that finds its session at work."""

    QUEUE = "queue"
    REJECT = "reject"
    INTERRUPT = "interrupt"


class OpenSession(Request[SessionView], frozen=True, kw_only=True):
    """Make the session. `Conflict` (`session_exists`) if there is one."""

    opened: SessionOpened


class ChangeSession(Request[SessionView], frozen=True, kw_only=True):
    """Change what people keep about the session. `NotFound` if there is none."""

    changed: SessionChanged


class DeleteSession(Request[None], frozen=True):
    """Delete the session with all that is its own. `NotFound` if there is none, `Conflict` if something of it is not settled.

    Exact retries of what it had answered are answered as before; a session of the same id begins with nothing.
    """


class Admit(Request[Admitted], frozen=True, kw_only=True):
    """Take an input into the queue, or join the admission that this exact request made before.

    Attributes:
        principal: who submits.
        surface: by which door, the value of a `Surface`.
        run_id: the public id that the client is told.
        input: what is asked.
        key: the `Idempotency-Key`, if one was sent.
        fingerprint: sha256 of the request's meaning.
        opens: how to make the session if there is none; without it a missing session is `NotFound`.
        on_busy: what to do if the session is at work.
        names_joins: whether a request that joins gets a public id of its own; else it is told the admission's first.
        filing: what it is filed under if it is a response.
    """

    principal: str
    surface: str
    run_id: str
    input: TurnInput
    key: str | None = None
    fingerprint: str = ""
    opens: SessionOpened | None = None
    on_busy: OnBusy = OnBusy.QUEUE
    names_joins: bool = True
    filing: Filing | None = None


class ForgetResponse(Request[None], frozen=True, kw_only=True):
    """Let a response not be read or gone on from any more. Nothing happens if that is so already."""

    run_id: str
    admission_id: str


class Watch(Request[Watching], frozen=True, kw_only=True):
    """Subscribe to what the session records from now on."""


class Decide(Request[Decided], frozen=True, kw_only=True):
    """Answer a prompt.

    Attributes:
        admission_id: the admission whose prompt it must be.
        request_id: which prompt; without it, the only one that the admission ever opened.
        generation: the generation under which the person saw it, if known.
        digest: the digest that the person saw, if known.
        choice: the answer.
        reason: free text for the agent and the audit.
        by: the principal who answers.
        origin: from where.
    """

    admission_id: str
    request_id: str | None
    generation: int | None
    digest: str | None
    choice: Choice
    reason: str
    by: str
    origin: str


class Clarify(Request[Decided], frozen=True, kw_only=True):
    """Answer a question of a turn.

    Attributes:
        admission_id: the admission whose question it must be.
        request_id: which question.
        generation: the generation under which the person saw it, if known.
        answer: in words; of a question with options, one of these.
        by: the principal who answers.
        origin: from where.
    """

    admission_id: str
    request_id: str
    generation: int | None
    answer: str
    by: str
    origin: str


class Steer(Request[None], frozen=True, kw_only=True):
    """Tell a running turn something. `Conflict` if it does not run, or waits for a person.

    Attributes:
        admission_id: the turn's.
        text: what it is told.
        by: the principal who tells it.
        use: the key under which it is told; `Conflict` (`idempotency_key_taken`) if that is in use.
    """

    admission_id: str
    text: str
    by: str
    use: KeyUse | None = None


class Extend(Request[ApprovalRecord], frozen=True, kw_only=True):
    """Let an open prompt wait longer.

    Attributes:
        admission_id: the admission whose prompt it is.
        request_id: which prompt.
        seconds: how much longer than now said.
        by: the principal who asks for it.
        use: the key under which it is asked for; `Conflict` (`idempotency_key_taken`) if that is in use.
    """

    admission_id: str
    request_id: str
    seconds: float
    by: str
    use: KeyUse | None = None


class Stop(Request[Stopped], frozen=True, kw_only=True):
    """Cancel a queued admission, or stop its running turn.

    Attributes:
        queued_only: whether a turn that has started is to be left alone: then `Conflict` (`already_started`).
    """

    admission_id: str
    by: str
    queued_only: bool = False


class ResolveUnknown(Request[Stopped], frozen=True, kw_only=True):
    """Settle as interrupted an admission whose process was lost, so that its session goes on."""

    admission_id: str
    generation: int
    by: str


class Drain(Request[None], frozen=True, kw_only=True):
    """The server stops: let the watchers of an idle session go. Answered once nothing runs.

    Attributes:
        cut: whether a running turn is ended now, parked if its agent is replayable and interrupted if not; else it may finish.
    """

    cut: bool


class Record(Request[None], frozen=True, kw_only=True):
    """From a turn: record what it did, in order."""

    admission_id: str
    generation: int
    outputs: tuple[Output, ...]


class OpenApproval(Request[Decision], frozen=True, kw_only=True):
    """From a turn: ask a person. Answered when the prompt ends."""

    generation: int
    prompt: Prompt


class EndTurn(Request[None], frozen=True, kw_only=True):
    """From a turn: it has ended.

    Attributes:
        admission_id: whose turn it was.
        generation: under which claim it ran.
        outcome: how it ended.
        result: what is kept of it.
        outputs: what it did last and has not recorded yet.
    """

    admission_id: str
    generation: int
    outcome: Outcome
    result: TurnResult
    outputs: tuple[Output, ...] = ()


class Wake(Request[None], frozen=True):
    """Be there: load the session and take up what it had begun. Answered once that is done."""


class Proceed(Notice, frozen=True):
    """From the room: there may be a place to start the next turn."""


class PromptDue(Notice, frozen=True, kw_only=True):
    """From a timer: a prompt's warning or its expiry is due."""

    request_id: str


class Parked(Notice, frozen=True):
    """From a turn: it has stopped working and stays started; the next process goes on with it."""


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """How turns that were lost with their process are taken up.

    Attributes:
        replayable: whether the agent can be run again from its journal.
        interrupt: whether a lost turn of another agent is settled at once instead of waiting for a person.
    """

    replayable: bool
    interrupt: bool = False
