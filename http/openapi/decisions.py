"""`/v1/approvals/rules` and `/v1/audit`, described."""

from typing import Annotated, Final, Literal

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus, Choice, RuleScope
from placet.http.openapi import parameters as p
from placet.http.openapi.operation import Answer, Operation, Parameter
from placet.http.openapi.records import Record

TAG: Final = "Decisions"


class ApprovalRule(Record, frozen=True, kw_only=True):
    """A remembered approval: exactly this command in this directory.

    Attributes:
        text: what it means, as it was shown before somebody chose it.
        request_id: the prompt that made it.
        created_at: Unix seconds.
    """

    object: Literal["approval.rule"]
    id: str
    scope: RuleScope
    principal: str
    session_id: str
    text: str
    request_id: str
    created_by: str
    created_at: float


class RuleList(Record, frozen=True, kw_only=True):
    """A page of rules."""

    object: Literal["list"]
    data: list[ApprovalRule]
    has_more: bool


class RuleDeleted(Record, frozen=True, kw_only=True):
    """A rule that no longer holds."""

    object: Literal["approval.rule.deleted"]
    id: str
    deleted: Literal[True]


class AuditedDecision(Record, frozen=True, kw_only=True):
    """A decision in the chain of all decisions.

    Attributes:
        number: its place in the chain.
        position: its place in the log of the whole server.
        at: Unix seconds.
        by: the principal, or `rule:` and the rule's id.
        origin: from where it was made.
        prev_hash: the hash of the decision before.
        hash: over this decision and `prev_hash`.
    """

    object: Literal["audit.decision"]
    number: int
    position: int
    at: float
    request_id: str
    admission_id: str
    session_id: str
    execution_generation: int | None
    tool: str
    command: str
    digest: str
    choice: Choice | None
    status: ApprovalStatus
    by: str
    origin: str
    reason: str | None
    rule_id: str | None
    prev_hash: str
    hash: str


class Break(Record, frozen=True, kw_only=True):
    """Where the chain does not hold."""

    number: int
    why: str


class Chain(Record, frozen=True, kw_only=True):
    """Whether the whole chain holds, verified for this answer."""

    verified: bool
    broken_at: Break | None


class Audit(Record, frozen=True, kw_only=True):
    """A page of the chain, oldest first."""

    object: Literal["list"]
    data: list[AuditedDecision]
    has_more: bool
    chain: Chain


_RULE: Final = Parameter(name="rule_id", place="path", description="The rule.")
_Position = Annotated[int, msgspec.Meta(ge=0, le=10**9 - 1)]

OPERATIONS: Final = (
    Operation(
        name="approval_rules",
        method="GET",
        path="/v1/approvals/rules",
        tag=TAG,
        summary="List the remembered approvals that you may see.",
        parameters=(p.LIMIT, p.AFTER_ITEM),
        answers=(Answer(description="A page.", body=RuleList),),
        errors=("invalid_pagination",),
    ),
    Operation(
        name="approval_rule",
        method="GET",
        path="/v1/approvals/rules/{rule_id}",
        tag=TAG,
        summary="Show a remembered approval.",
        parameters=(_RULE,),
        answers=(Answer(description="The rule.", body=ApprovalRule),),
        errors=("rule_not_found",),
    ),
    Operation(
        name="approval_rule_revoke",
        method="DELETE",
        path="/v1/approvals/rules/{rule_id}",
        tag=TAG,
        summary="Revoke a remembered approval.",
        parameters=(_RULE,),
        answers=(Answer(description="It no longer holds.", body=RuleDeleted),),
        errors=("rule_not_found", "role_required"),
    ),
    Operation(
        name="audit",
        method="GET",
        path="/v1/audit",
        tag=TAG,
        summary="Read every decision that was ever made, and verify their chain.",
        parameters=(
            p.LIMIT,
            Parameter(
                name="after",
                place="query",
                description="The number of the last decision of the page before.",
                type=_Position,
            ),
        ),
        answers=(Answer(description="A page.", body=Audit),),
        errors=("invalid_pagination", "role_required"),
    ),
)
