"""`/v1/approvals`, described, and the decision that is the same wherever it is made."""

from typing import Final, Literal

from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.http.openapi.codes import OF_ONCE
from placet.http.openapi.log import LogError
from placet.http.openapi.operation import WHOSE_WORK, Answer, Operation, Stream
from placet.http.openapi.records import (
    Approval,
    ApprovalRequest,
    Clarification,
    ClarifyRequest,
    ClarifySettled,
)
from placet.http.record import Record
from placet.http.requests import parameters as p
from placet.http.requests.decisions import DecisionRequest, Extension
from placet.http.requests.queries import ApprovalsPage, Since

TAG: Final = "Approvals"


class ApprovalDecision(Record, frozen=True, kw_only=True):
    """A decision that holds.

    Attributes:
        status: `already_resolved` if the same had been decided before.
        decided_at: Unix seconds.
    """

    object: Literal["approval.decision"]
    run_id: str
    request_id: str
    prompt_id: str
    choice: Choice
    status: Literal["resolved", "already_resolved"]
    resolved: int
    decided_by: str
    decided_at: float


class ApprovalList(Record, frozen=True, kw_only=True):
    """A page of prompts, oldest first."""

    object: Literal["list"]
    data: list[Approval | Clarification]
    has_more: bool


class InboxPrompt(ApprovalRequest, frozen=True, kw_only=True):
    """A prompt as it stands."""

    status: ApprovalStatus


class InboxQuestion(ClarifyRequest, frozen=True, kw_only=True):
    """A question as it stands."""

    status: ApprovalStatus


class InboxQuestionEnded(ClarifySettled, frozen=True, kw_only=True):
    """A question was answered, expired or was cancelled."""

    session_id: str
    timestamp: float


class InboxEvent(Record, frozen=True, kw_only=True):
    """Something happened to a prompt.

    Attributes:
        timestamp: Unix seconds.
    """

    event: str
    run_id: str
    session_id: str
    request_id: str
    prompt_id: str
    timestamp: float


class InboxExpiry(InboxEvent, frozen=True, kw_only=True):
    """A prompt will expire then: soon, or later than it would have."""

    expires_at: float


class InboxEnded(InboxEvent, frozen=True, kw_only=True):
    """A prompt was decided, expired or was cancelled."""

    status: ApprovalStatus
    choice: Choice | None
    decided_by: str
    reason: str | None


class InboxReady(Record, frozen=True, kw_only=True):
    """Every prompt that was open has been shown; what comes now is new.

    Attributes:
        open: how many there were.
    """

    event: Literal["inbox.ready"]
    open: int


INBOX: Final = Stream(
    events=(
        ("approval.request", InboxPrompt),
        ("clarify.request", InboxQuestion),
        ("clarify.settled", InboxQuestionEnded),
        ("inbox.ready", InboxReady),
        ("approval.expiring", InboxExpiry),
        ("approval.extended", InboxExpiry),
        ("approval.responded", InboxEnded),
        ("approval.settled", InboxEnded),
        ("error", LogError),
    )
)

DECISION_ERRORS: Final = (
    "role_required",
    "self_approval_forbidden",
    "invalid_choice",
    "approval_not_pending",
    "stale_generation",
    "already_resolved",
    "approval_expired",
    "stale_action",
    "session_not_found",
)

OPERATIONS: Final = (
    Operation(
        name="approval_list",
        method="GET",
        path="/v1/approvals",
        tag=TAG,
        summary="List the prompts of every session that you may see: the inbox.",
        query=ApprovalsPage,
        answers=(Answer(description="A page.", body=ApprovalList),),
        errors=("invalid_params", "invalid_pagination"),
    ),
    Operation(
        name="approval_inbox_events",
        method="GET",
        path="/v1/approvals/events",
        tag=TAG,
        summary="Follow the whole inbox in one stream.",
        description="A new reader is shown what is open; one that resumes gets each later event once and in order.",
        headers=(p.LAST_EVENT_ID,),
        query=Since,
        answers=(Answer(description="The inbox, live.", stream=INBOX),),
        errors=("invalid_last_event_id",),
    ),
    Operation(
        name="approval",
        method="GET",
        path="/v1/approvals/{request_id}",
        tag=TAG,
        summary="Show a prompt.",
        answers=(Answer(description="The prompt.", body=Approval | Clarification),),
        errors=("approval_not_found",),
    ),
    Operation(
        name="approval_decision",
        method="POST",
        path="/v1/approvals/{request_id}/decision",
        tag=TAG,
        summary="Decide a prompt from the inbox.",
        body=DecisionRequest,
        answers=(Answer(description="The decision holds.", body=ApprovalDecision),),
        errors=("approval_not_found", *DECISION_ERRORS),
    ),
    Operation(
        name="approval_extend",
        method="POST",
        path="/v1/approvals/{request_id}/extend",
        tag=TAG,
        summary="Let a prompt wait longer.",
        headers=(p.SESSION_KEY, p.IDEMPOTENCY_KEY),
        body=Extension,
        answers=(
            Answer(
                description="The prompt, with its new end.", body=Approval | Clarification, headers=WHOSE_WORK
            ),
        ),
        errors=(
            *OF_ONCE,
            "approval_not_found",
            "approval_not_pending",
            "approval_never_expires",
            "approval_expired",
            "already_resolved",
            "role_required",
            "session_not_found",
        ),
    ),
)
