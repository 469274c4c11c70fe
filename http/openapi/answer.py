"""Answer links, described: one prompt, for whoever was sent a link to it."""

from typing import Final, Literal

from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.http.openapi.approvals import ApprovalDecision
from placet.http.openapi.operation import Answer, Operation
from placet.http.record import Record
from placet.http.requests.decisions import ChoiceRequest

TAG: Final = "Answer links"


class AnswerPrompt(Record, frozen=True, kw_only=True):
    """What is shown of a prompt to whoever has a link to it.

    Attributes:
        display: what would run, with secrets masked and everything that could deceive an eye escaped.
        rules: for each choice that would be remembered, the exact rule that it would create.
        warnings: what was found in the text that could deceive a reader.
        expires_at: until when it can be answered by this link, Unix seconds.
    """

    event: Literal["approval.request"]
    request_id: str
    execution_generation: int
    tool: str
    display: str
    description: str
    directory: str
    path: str
    requested_by: str
    choices: list[Choice]
    rules: dict[str, str]
    digest: str
    warnings: list[str]
    created_at: float
    expires_at: float


class AnswerCard(Record, frozen=True, kw_only=True):
    """A link, and how its prompt stands.

    Attributes:
        link: `expired`: its time is over; `stale`: the server was restarted since, and whoever is to answer gets another.
        status: of the prompt.
        decides_as: whom a decision by this link is recorded for.
        prompt: null unless it can be answered by this link now.
        decided_by: the principal, or `rule:` and the rule's id; null while it is open.
        now: the server's clock, Unix seconds.
    """

    object: Literal["answer.card"]
    link: Literal["good", "expired", "stale"]
    status: ApprovalStatus
    decides_as: str
    prompt: AnswerPrompt | None
    decision: Choice | None
    decided_by: str | None
    decided_at: float | None
    now: float


_NO_LINK: Final = ("link_not_found", "sign_in_slowed")

OPERATIONS: Final = (
    Operation(
        name="answer_page",
        method="GET",
        path="/answer/{token}",
        tag=TAG,
        summary="The page of one prompt. Opening it decides nothing.",
        answers=(Answer(description="The page.", media="text/html"),),
        errors=_NO_LINK,
        public=True,
    ),
    Operation(
        name="answer_card",
        method="GET",
        path="/answer/{token}/card",
        tag=TAG,
        summary="What that page shows.",
        answers=(Answer(description="The link, and how its prompt stands.", body=AnswerCard),),
        errors=_NO_LINK,
        public=True,
    ),
    Operation(
        name="answer_decision",
        method="POST",
        path="/answer/{token}",
        tag=TAG,
        summary="Decide by a link, once. Only that page may.",
        body=ChoiceRequest,
        answers=(Answer(description="The decision holds.", body=ApprovalDecision),),
        errors=(
            *_NO_LINK,
            "already_resolved",
            "approval_expired",
            "approval_not_pending",
            "invalid_choice",
            "link_expired",
            "role_required",
            "self_approval_forbidden",
            "stale_action",
            "stale_generation",
        ),
        public=True,
    ),
)
