"""`/v1/approvals/rules` and `/v1/audit`: what is remembered of decisions, and the chain of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response

from placet.actors.protocol.errors import NotAllowed, NotFound
from placet.actors.store import DecisionFilter
from placet.http import views_decisions as views
from placet.http.desk import Desk, json_response
from placet.http.paging import listing
from placet.http.requests.queries import AuditPage, Page

if TYPE_CHECKING:
    from placet.actors.protocol.approvals import Rule
    from placet.http.auth import Principal


def routes(desk: Desk) -> Blueprint:
    """The routes of rules and of the audit."""
    blueprint = Blueprint("decisions", __name__)

    @blueprint.get("/v1/approvals/rules")
    async def list_rules() -> Response:
        principal, query = desk.principal(), desk.query(Page)
        page = await desk.sessions.store.rules(principal=principal.sees, after=query.after, limit=query.limit)
        uses = await desk.sessions.store.rule_uses(tuple(rule.rule_id for rule in page.items))
        data = [views.rule(rule, uses[rule.rule_id]) for rule in page.items]
        return json_response(listing(data, has_more=page.has_more))

    @blueprint.get("/v1/approvals/rules/<rule_id>")
    async def read_rule(rule_id: str) -> Response:
        rule = await _visible(desk, rule_id, desk.principal())
        uses = await desk.sessions.store.rule_uses((rule_id,))
        return json_response(views.rule(rule, uses[rule_id]))

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
        query, store = desk.query(AuditPage), desk.sessions.store
        after, limit = query.after, query.limit
        wanted = DecisionFilter(status=query.status, words=query.q, newest=query.order == "latest")
        links = await store.decisions(wanted, after=after, limit=limit + 1)
        broken = await store.verify_chain(tuple(link.number for link in links[:limit]))
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
