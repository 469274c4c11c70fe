"""`/v1/approvals/rules` and `/v1/audit`: what is remembered of decisions, and the chain of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from placet.actors.protocol.errors import NotAllowed, NotFound
from placet.http import views_decisions as views
from placet.http.desk import Desk, json_response
from placet.http.paging import limit_of, listing, number_of

if TYPE_CHECKING:
    from placet.actors.protocol.approvals import Rule
    from placet.http.auth import Principal

_POSITION_MAX = 10**9 - 1
"""As far as the audit can be paged: more events than a database of this kind ever holds."""


def routes(desk: Desk) -> Blueprint:
    """The routes of rules and of the audit."""
    blueprint = Blueprint("decisions", __name__)

    @blueprint.get("/v1/approvals/rules")
    async def list_rules() -> Response:
        principal = desk.principal()
        page = await desk.sessions.store.rules(
            principal=principal.sees, after=request.args.get("after"), limit=limit_of(request.args)
        )
        return json_response(listing([views.rule(rule) for rule in page.items], has_more=page.has_more))

    @blueprint.get("/v1/approvals/rules/<rule_id>")
    async def read_rule(rule_id: str) -> Response:
        return json_response(views.rule(await _visible(desk, rule_id, desk.principal())))

    @blueprint.delete("/v1/approvals/rules/<rule_id>")
    async def revoke_rule(rule_id: str) -> Response:
        principal = desk.principal()
        rule = await _visible(desk, rule_id, principal)
        if rule.principal != principal.name and not principal.is_operator:
            raise NotAllowed(
                "Only whose turns it covers, or an operator, may revoke a rule.", code="role_required"
            )
        await desk.sessions.revoke_rule(rule_id, principal.name)
        return json_response({"object": "approval.rule.deleted", "id": rule_id, "deleted": True})

    @blueprint.get("/v1/audit")
    async def read_audit() -> Response:
        principal = desk.principal()
        if not principal.may_see_all:
            raise NotAllowed("Reading the audit takes the role approver or operator.", code="role_required")
        store, limit = desk.sessions.store, limit_of(request.args)
        after = number_of(request.args, "after", least=0, most=_POSITION_MAX, default=0)
        links = await store.decisions(after=after, limit=limit + 1)
        broken = await store.verify_chain()
        return json_response(
            listing(
                [views.link(link) for link in links[:limit]],
                has_more=len(links) > limit,
                chain={
                    "verified": broken is None,
                    "broken_at": None if broken is None else {"number": broken.number, "why": broken.why},
                },
            )
        )

    return blueprint


async def _visible(desk: Desk, rule_id: str, principal: Principal) -> Rule:
    rule = await desk.sessions.store.rule_by_id(rule_id)
    if rule is None or not principal.may_see(rule.principal):
        raise NotFound("There is no rule of that id.", code="rule_not_found")
    return rule
