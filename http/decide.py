"""Reading a decision and carrying it to the session: the same for a run's prompt and for one picked from the inbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.protocol.commands import Decide
from placet.actors.protocol.errors import InvalidInput, NotAllowed
from placet.http import views
from placet.http.desk import Desk, json_response
from placet.http.requests.decisions import DecisionRequest

if TYPE_CHECKING:
    from quart import Response

    from placet.actors.session import RunPlace
    from placet.http.auth import Principal


async def decide(
    desk: Desk, principal: Principal, place: RunPlace, run_id: str, request_id: str | None = None
) -> Response:
    """Answer a prompt of an admission with this request's body.

    Args:
        desk: the application's objects.
        principal: who answers.
        place: the admission whose prompt it must be. That the principal may see it was checked.
        run_id: the id to answer under.
        request_id: the prompt, where the path names it.

    Raises:
        NotAllowed: `role_required`; `self_approval_forbidden` where the settings keep requesters from approving.
        PlacetError: as the contract's list says, in its order.
    """
    require_may_decide(desk, principal, place.principal)
    asked = await desk.body(DecisionRequest)
    if request_id is not None and asked.request_id not in (None, request_id):
        raise InvalidInput("The path and the body name two prompts.", param="request_id")
    command = Decide(
        admission_id=place.admission_id,
        request_id=request_id or asked.request_id,
        generation=asked.execution_generation,
        digest=asked.digest,
        choice=asked.chosen,
        reason=asked.reason or "",
        by=principal.name,
        origin=desk.origin,
    )
    decided = await desk.sessions.ask(place.session_id, command)
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
