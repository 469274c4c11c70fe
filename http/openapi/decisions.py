"""`/v1/approvals/rules` and `/v1/audit`, described."""

from typing import Final, Literal

from placet.actors.protocol.approvals import ApprovalStatus, Choice, RuleScope
from placet.http.openapi.operation import Answer, Operation
from placet.http.record import Record
from placet.http.requests.queries import AuditPage, Page

TAG: Final = "Decisions"


class ApprovalRule(Record, frozen=True, kw_only=True):
    """A remembered approval: exactly this command in this directory.

    Attributes:
        text: what it means, as it was shown before somebody chose it.
        request_id: the prompt that made it.
        created_at: Unix seconds.
        uses: how often it has answered in a person's place.
        last_used_at: Unix seconds; null if it never did.
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
    uses: int
    last_used_at: float | None


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
    path: str
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


OPERATIONS: Final = (
    Operation(
        name="approval_rules",
        method="GET",
        path="/v1/approvals/rules",
        tag=TAG,
        summary="List the remembered approvals that you may see.",
        query=Page,
        answers=(Answer(description="A page.", body=RuleList),),
        errors=("invalid_pagination",),
    ),
    Operation(
        name="approval_rule",
        method="GET",
        path="/v1/approvals/rules/{rule_id}",
        tag=TAG,
        summary="Show a remembered approval.",
        answers=(Answer(description="The rule.", body=ApprovalRule),),
        errors=("rule_not_found",),
    ),
    Operation(
        name="approval_rule_revoke",
        method="DELETE",
        path="/v1/approvals/rules/{rule_id}",
        tag=TAG,
        summary="Revoke a remembered approval.",
        answers=(Answer(description="It no longer holds.", body=RuleDeleted),),
        errors=("rule_not_found", "role_required"),
    ),
    Operation(
        name="audit",
        method="GET",
        path="/v1/audit",
        tag=TAG,
        summary="Read every decision that was ever made, and verify their chain.",
        query=AuditPage,
        answers=(Answer(description="A page.", body=Audit),),
        errors=("invalid_pagination", "invalid_params", "role_required"),
    ),
)
