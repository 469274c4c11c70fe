"""The records that several surfaces show: prompts, runs, what went wrong, what it cost."""

from __future__ import annotations

from typing import Literal

from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.actors.protocol.records import RunStatus
from placet.http.record import Record


class Usage(Record, frozen=True, kw_only=True):
    """Tokens that were counted."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Problem(Record, frozen=True, kw_only=True):
    """Why a run gave no whole answer.

    Attributes:
        message: for a person.
        code: the stable word for it.
    """

    message: str
    code: str | None


class ApprovalRequest(Record, frozen=True, kw_only=True, tag_field="event", tag="approval.request"):
    """A prompt: what an agent wants to do, and what a person may answer. It is the same on every surface.

    Attributes:
        kind: `approval`, or `outcome_unknown` for a tool that had started and not ended when the server went down.
        run_id: the id of the stream or run that shows it.
        request_id: its identity, the same after a restart. `prompt_id` is the same.
        execution_generation: the generation that a decision may name.
        command: the action, with secrets masked.
        display: the same with control, bidirectional and invisible characters escaped: the form to show to a person.
        pattern_key: the agent's word for the kind of danger.
        directory: where the action would run.
        path: which agent of the turn asks: `root`, or a child such as `root/name#1`, which is the id of its `delegate` call too.
        requested_by: the principal who submitted what runs.
        choices: what may be answered.
        rules: for each choice that would be remembered, the exact rule that it would make.
        digest: binds a decision to this very action.
        warnings: what was found in the text that could deceive a reader.
        created_at: Unix seconds.
        expires_at: Unix seconds, or null if it waits for ever.
        timestamp: Unix seconds.
    """

    kind: str
    run_id: str
    session_id: str
    request_id: str
    prompt_id: str
    execution_generation: int
    tool: str
    command: str
    display: str
    description: str
    pattern_key: str
    directory: str
    path: str
    requested_by: str
    choices: list[Choice]
    rules: dict[str, str]
    digest: str
    warnings: list[str]
    created_at: float
    expires_at: float | None
    timestamp: float


class ClarifyRequest(Record, frozen=True, kw_only=True, tag_field="event", tag="clarify.request"):
    """A question of an agent, to be answered in words, or with one of its choices if it has any.

    Attributes:
        run_id: the id of the stream or run that shows it.
        request_id: its identity, the same after a restart. `prompt_id` is the same.
        execution_generation: the generation that an answer must name.
        path: which agent of the turn asks: `root`, or a child of it.
        requested_by: the principal who submitted what runs.
        created_at: Unix seconds.
        expires_at: Unix seconds, or null if it waits for ever.
        timestamp: Unix seconds.
    """

    kind: Literal["clarify"]
    run_id: str
    session_id: str
    request_id: str
    prompt_id: str
    execution_generation: int
    question: str
    path: str
    requested_by: str
    choices: list[str]
    multi_select: bool
    created_at: float
    expires_at: float | None
    timestamp: float


class Approval(ApprovalRequest, frozen=True, kw_only=True):
    """A prompt and how it stands.

    Attributes:
        decided_by: the principal, or `rule:` and the rule's id.
        decided_at: Unix seconds.
        reason: what the person wrote, if anything.
    """

    object: Literal["approval"]
    status: ApprovalStatus
    decision: Choice | None
    answer: None
    decided_by: str | None
    decided_at: float | None
    reason: str | None


class Clarification(ClarifyRequest, frozen=True, kw_only=True):
    """A question and how it stands.

    Attributes:
        decided_by: the principal who answered.
        decided_at: Unix seconds.
    """

    object: Literal["approval"]
    status: ApprovalStatus
    decision: None
    answer: str | None
    decided_by: str | None
    decided_at: float | None
    reason: str | None


class ClarifySettled(Record, frozen=True, kw_only=True):
    """A question that was shown has ended: it was answered, expired or was cancelled."""

    event: Literal["clarify.settled"]
    run_id: str
    request_id: str
    prompt_id: str
    status: ApprovalStatus
    answer: str | None
    decided_by: str


class Steered(Record, frozen=True, kw_only=True):
    """The run was told something while it ran."""

    run_id: str
    accepted: bool
    text: str
    by: str


class ApprovalEnded(Record, frozen=True, kw_only=True):
    """A prompt that was shown has ended.

    Attributes:
        event: `approval.responded` if somebody chose, `approval.settled` if it expired or was cancelled.
    """

    event: Literal["approval.responded", "approval.settled"]
    run_id: str
    request_id: str
    prompt_id: str
    status: ApprovalStatus
    choice: Choice | None
    decided_by: str


class Run(Record, frozen=True, kw_only=True):
    """A run: one input to a session, from the queue to its end.

    Attributes:
        run_id: the id that was asked for.
        execution_generation: the generation that works on it; null while it waits in the queue.
        surface: by which door it came in.
        output: the answer, once it has ended.
        finish_reason: why the answer ends where it does: `stop`, or what cut it, `length` or `content_filter`.
        approval: the oldest prompt or question that waits, if one does.
        pending_controls: everything that waits for a person.
        approvals: everything that it ever asked.
    """

    object: Literal["hermes.run"]
    run_id: str
    status: RunStatus
    session_id: str
    admission_id: str
    execution_generation: int | None
    surface: str
    model: str | None
    created_at: float
    updated_at: float
    output: str | None
    finish_reason: str | None
    usage: Usage | None
    error: Problem | None
    approval: ApprovalRequest | ClarifyRequest | None
    pending_controls: list[ApprovalRequest | ClarifyRequest]
    approvals: list[Approval | Clarification]


class RunControl(Record, frozen=True, kw_only=True):
    """A run after it was told to end.

    Attributes:
        status: `stopping` while its turn still works.
        outcome: how it ended, if it has.
    """

    object: Literal["hermes.run.control"]
    run_id: str
    session_id: str
    admission_id: str
    execution_generation: int | None
    status: RunStatus
    outcome: str | None
