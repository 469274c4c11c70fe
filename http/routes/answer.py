"""`/answer/TOKEN`: one prompt, for somebody who was sent a link to it and is not signed in.

Opening the page decides nothing, for mail scanners and chat rooms open whatever they pass on; what decides is the request that the
page makes when a person has chosen. A link that is not ours, or no longer, is the same 404 whatever is wrong with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import trio
from quart import Blueprint, Response, request

from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.protocol.commands import Decide
from placet.actors.protocol.errors import Conflict, NotFound
from placet.http import views
from placet.http.decide import require_may_decide
from placet.http.desk import Desk, json_response
from placet.http.requests.decisions import ChoiceRequest
from placet.http.routes.console import read_asset, respond
from placet.http.signin import Attempts, require_own_page

if TYPE_CHECKING:
    from placet.actors.protocol.records import ApprovalRecord
    from placet.http.hooks.links import Link

_PAGE: Final = Path("answer.html")

_SHOWN: Final = (
    "event",
    "request_id",
    "execution_generation",
    "tool",
    "display",
    "description",
    "directory",
    "path",
    "requested_by",
    "choices",
    "rules",
    "digest",
    "warnings",
    "created_at",
)
"""What of a prompt whoever has its link is shown: nothing that leads to anything else of the server."""


def routes(desk: Desk) -> Blueprint:
    """The routes of answer links. They need no key: the link is one, for one prompt."""
    blueprint = Blueprint("answer", __name__)
    wrong = Attempts(trio.current_time, "links")
    page_file = read_asset(_PAGE)

    @blueprint.get("/answer/<token>")
    async def page(token: str) -> Response:
        await _linked(desk, token, wrong)
        return respond(page_file)

    @blueprint.get("/answer/<token>/card")
    async def card(token: str) -> Response:
        link, row = await _linked(desk, token, wrong)
        return json_response(
            _card(link, row, desk.sessions.services.now()), headers={"Cache-Control": "no-store"}
        )

    @blueprint.post("/answer/<token>")
    async def decide(token: str) -> Response:
        link, row = await _linked(desk, token, wrong)
        require_own_page(request.headers)
        return await _decide(desk, link, row)

    return blueprint


async def _linked(desk: Desk, token: str, wrong: Attempts) -> tuple[Link, ApprovalRecord]:
    """The link and its prompt. Guesses are slowed, but never the right one, so that a stranger who guesses locks out nobody."""
    link = desk.links.read(token)
    row = None if link is None else await desk.sessions.store.approval(link.request_id)
    if link is None or row is None:
        address = request.remote_addr or "unknown"
        wrong.check(address)
        wrong.count_wrong(address)
        raise NotFound(
            "This is no answer link of this server, or what it was about is gone.", code="link_not_found"
        )
    return link, row


def _state(link: Link, row: ApprovalRecord, now: float) -> str:
    if not link.fits(row):
        return "stale"
    return "expired" if now >= link.expires_at else "good"


def _card(link: Link, row: ApprovalRecord, now: float) -> dict[str, Any]:
    state = _state(link, row, now)
    prompt = None
    if state == "good" and row.status is ApprovalStatus.OPEN:
        whole = views.approval_request(row, run_id="")
        prompt = {name: whole[name] for name in _SHOWN} | {"expires_at": link.expires_at}
    return {
        "object": "answer.card",
        "link": state,
        "status": row.status.value,
        "decides_as": link.decided_by,
        "prompt": prompt,
        "decision": row.choice,
        "decided_by": row.decided_by,
        "decided_at": row.decided_at,
        "now": now,
    }


async def _decide(desk: Desk, link: Link, row: ApprovalRecord) -> Response:
    require_may_decide(desk, desk.links.deciders[link.webhook], row.principal)
    asked = await desk.body(ChoiceRequest)
    state = _state(link, row, desk.sessions.services.now())
    if state == "stale":
        raise Conflict("The server was restarted since this link was made.", code="stale_generation")
    if state == "expired" and row.status is ApprovalStatus.OPEN:
        raise Conflict("The link's time is over. Sign in to decide.", code="link_expired")
    command = Decide(
        admission_id=row.prompt.admission_id,
        request_id=link.request_id,
        generation=link.generation,
        digest=row.prompt.digest,
        choice=asked.chosen,
        reason=asked.reason or "",
        by=link.decided_by,
        origin=desk.origin,
    )
    decided = await desk.sessions.ask(row.session_id, command)
    if not decided.fresh:
        raise _used(decided.approval)
    runs = await desk.sessions.store.first_runs((row.prompt.admission_id,))
    return json_response(views.decision(decided.approval, runs[row.prompt.admission_id], fresh=True))


def _used(row: ApprovalRecord) -> Conflict:
    """The refusal of a second answer, also of the same: a link is good for one."""
    won = {"choice": row.choice, "decided_by": row.decided_by, "decided_at": row.decided_at}
    return Conflict("The prompt was already answered.", code="already_resolved", detail={"decision": won})
