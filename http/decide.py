"""Reading a decision and carrying it to the session: the same for a run's prompt and for one picked from the inbox."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placet.actors.protocol.approvals import Choice
from placet.actors.protocol.commands import Decide
from placet.actors.protocol.errors import InvalidInput, NotAllowed
from placet.http import views
from placet.http.desk import Desk, json_response

if TYPE_CHECKING:
    from quart import Response

    from placet.actors.protocol.records import AdmissionRecord
    from placet.http.auth import Principal

REASON_MAX = 4000
"""Characters of a reason: a paragraph for the agent, not a document."""

_ALIASES = {"approve": "once", "approved": "once", "allow": "once"}
_FIELDS = {"choice", "request_id", "execution_generation", "digest", "reason"}


async def decide(
    desk: Desk, principal: Principal, admission: AdmissionRecord, run_id: str, request_id: str | None = None
) -> Response:
    """Answer a prompt of an admission with this request's body.

    Args:
        desk: the application's objects.
        principal: who answers.
        admission: whose prompt it must be. That the principal may see it was checked.
        run_id: the id to answer under.
        request_id: the prompt, where the path names it.

    Raises:
        NotAllowed: `role_required`; `self_approval_forbidden` where the settings keep requesters from approving.
        PlacetError: as the contract's list says, in its order.
    """
    require_may_decide(desk, principal, admission.principal)
    body = await desk.json_object()
    command = _read(body, admission.admission_id, request_id, principal.name, desk.origin)
    decided = await desk.sessions.ask(admission.session_id, command)
    return json_response(views.decision(decided.approval, run_id, fresh=decided.fresh))


def require_decider(principal: Principal) -> None:
    """Refuse who may not decide.

    Raises:
        NotAllowed: `role_required`.
    """
    if not principal.may_decide:
        raise NotAllowed("Deciding takes the role approver or operator.", code="role_required")


def require_may_decide(desk: Desk, principal: Principal, requester: str) -> None:
    """Refuse who may not decide about what `requester` submitted.

    Raises:
        NotAllowed: `role_required`; `self_approval_forbidden` where the settings keep requesters from approving.
    """
    require_decider(principal)
    if desk.config.approver_not_requester and requester == principal.name:
        raise NotAllowed(
            "On this server nobody decides what they themselves submitted.", code="self_approval_forbidden"
        )


def _read(body: dict[str, Any], admission_id: str, request_id: str | None, by: str, origin: str) -> Decide:
    unknown = set(body) - _FIELDS
    if unknown:
        raise InvalidInput(f"There is no field `{min(unknown)}` here.", param=min(unknown))
    named = _optional(body, "request_id", str)
    if request_id is not None and named not in (None, request_id):
        raise InvalidInput("The path and the body name two prompts.", param="request_id")
    reason = _optional(body, "reason", str) or ""
    if len(reason) > REASON_MAX:
        raise InvalidInput(f"A reason has at most {REASON_MAX} characters.", param="reason")
    return Decide(
        admission_id=admission_id,
        request_id=request_id or named,
        generation=_optional(body, "execution_generation", int),
        digest=_optional(body, "digest", str),
        choice=_choice(body.get("choice")),
        reason=reason,
        by=by,
        origin=origin,
    )


def _optional(body: dict[str, Any], name: str, kind: type[Any]) -> Any:
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidInput(f"`{name}` must be of type {kind.__name__}.", param=name)
    return value


def _choice(word: object) -> Choice:
    if not isinstance(word, str):
        raise InvalidInput("`choice` must be a string.", param="choice")
    word = word.strip().lower()
    try:
        return Choice(_ALIASES.get(word, word))
    except ValueError:
        offered = ", ".join(choice.value for choice in Choice)
        raise InvalidInput(f"`choice` is one of {offered}.", code="invalid_choice", param="choice") from None
