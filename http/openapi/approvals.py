"""`/v1/approvals`, described, and the decision that is the same wherever it is made."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.http.decide import REASON_MAX
from placet.http.openapi import parameters as p
from placet.http.openapi.operation import Answer, Operation, Parameter
from placet.http.openapi.records import Approval, Record

TAG: Final = "Approvals"

_Choice = Annotated[
    str,
    msgspec.Meta(
        extra_json_schema={
            "enum": [*(choice.value for choice in Choice), "approve", "approved", "allow"],
        }
    ),
]


class DecisionRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer to a prompt. What it names beside the choice is checked, so that nobody decides what they did not see.

    Attributes:
        choice: one that the prompt offers; `approve`, `approved` and `allow` mean `once`.
        request_id: the prompt. Without it the run's only prompt is meant.
        execution_generation: the generation under which it was shown.
        digest: the digest that was shown.
        reason: for the agent and the audit.
    """

    choice: _Choice
    request_id: str | None = None
    execution_generation: int | None = None
    digest: str | None = None
    reason: Annotated[str, msgspec.Meta(max_length=REASON_MAX)] | None = None


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
    data: list[Approval]
    has_more: bool


DECISION_ERRORS: Final = (
    "role_required",
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
        parameters=(
            Parameter(
                name="status", place="query", description="Only those that stand so.", type=ApprovalStatus
            ),
            p.LIMIT,
            p.AFTER_ITEM,
        ),
        answers=(Answer(description="A page.", body=ApprovalList),),
        errors=("invalid_params", "invalid_pagination"),
    ),
    Operation(
        name="approval",
        method="GET",
        path="/v1/approvals/{request_id}",
        tag=TAG,
        summary="Show a prompt.",
        parameters=(p.PROMPT,),
        answers=(Answer(description="The prompt.", body=Approval),),
        errors=("approval_not_found",),
    ),
    Operation(
        name="approval_decision",
        method="POST",
        path="/v1/approvals/{request_id}/decision",
        tag=TAG,
        summary="Decide a prompt from the inbox.",
        parameters=(p.PROMPT,),
        body=DecisionRequest,
        answers=(Answer(description="The decision holds.", body=ApprovalDecision),),
        errors=("approval_not_found", *DECISION_ERRORS),
    ),
)
