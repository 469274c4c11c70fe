"""`/v1/approvals`: the inbox over all sessions that one may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.protocol.errors import InvalidInput, NotFound, StoreUnavailable
from placet.http import views
from placet.http.decide import decide
from placet.http.desk import Desk, json_response
from placet.http.fields import choice_of

if TYPE_CHECKING:
    from placet.actors.protocol.records import AdmissionRecord, ApprovalRecord
    from placet.http.auth import Principal

PAGE_DEFAULT = 50
PAGE_MAX = 200
"""Prompts in one page; each may hold a long command."""


def routes(desk: Desk) -> Blueprint:
    """The inbox routes."""
    blueprint = Blueprint("approvals", __name__)

    @blueprint.get("/v1/approvals")
    async def list_approvals() -> Response:
        principal = desk.principal()
        status = choice_of(ApprovalStatus, request.args.get("status"), "status")
        page = await desk.sessions.store.approvals(
            status=status,
            principal=None if principal.may_see_all else principal.name,
            after=request.args.get("after"),
            limit=_limit(request.args.get("limit")),
        )
        runs = await desk.sessions.store.first_runs(tuple({row.prompt.admission_id for row in page.items}))
        data = [views.approval_record(row, runs[row.prompt.admission_id]) for row in page.items]
        return json_response({"object": "list", "data": data, "has_more": page.has_more})

    @blueprint.get("/v1/approvals/<request_id>")
    async def read_approval(request_id: str) -> Response:
        row = await _visible(desk, request_id, desk.principal())
        return json_response(views.approval_record(row, await _run_of(desk, row)))

    @blueprint.post("/v1/approvals/<request_id>/decision")
    async def decide_approval(request_id: str) -> Response:
        principal = desk.principal()
        row = await _visible(desk, request_id, principal)
        admission = await _admission_of(desk, row)
        return await decide(desk, principal, admission, await _run_of(desk, row), request_id)

    return blueprint


async def _visible(desk: Desk, request_id: str, principal: Principal) -> ApprovalRecord:
    row = await desk.sessions.store.approval(request_id)
    if row is None or not principal.may_see(row.principal):
        raise NotFound("There is no prompt of that id.", code="approval_not_found")
    return row


async def _run_of(desk: Desk, row: ApprovalRecord) -> str:
    runs = await desk.sessions.store.first_runs((row.prompt.admission_id,))
    return runs[row.prompt.admission_id]


async def _admission_of(desk: Desk, row: ApprovalRecord) -> AdmissionRecord:
    admission = await desk.sessions.store.admission(row.prompt.admission_id)
    if admission is None:
        raise StoreUnavailable("The run of this prompt cannot be read.")
    return admission


def _limit(word: str | None) -> int:
    if word is None:
        return PAGE_DEFAULT
    if not word.isascii() or not word.isdigit() or not 1 <= int(word[:9]) <= PAGE_MAX:
        raise InvalidInput(
            f"`limit` is a number from 1 to {PAGE_MAX}.", code="invalid_pagination", param="limit"
        )
    return int(word)
