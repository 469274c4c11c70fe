"""`/v1/runs`: submitting work, following it, deciding its prompts, stopping it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from placet.actors.protocol.commands import Clarify, ResolveUnknown, Steer, Stop
from placet.actors.protocol.errors import Conflict, InvalidInput, NotAllowed, NotFound
from placet.actors.protocol.ids import Surface
from placet.actors.store import RunFilter
from placet.http import views
from placet.http.admit import Submission, admit
from placet.http.decide import decide
from placet.http.desk import Desk, json_response
from placet.http.follow import Follower
from placet.http.identity import idempotency_key, session_of
from placet.http.once import once, use_of
from placet.http.paging import listing
from placet.http.requests.queries import RunsPage, Since
from placet.http.resume import place_of, watch_run
from placet.http.run_controls import AnswerRequest, Resolution, Steering
from placet.http.run_request import RunRequest, run_of
from placet.http.run_stream import LogRenderer
from placet.http.sse import CLOSED, EventBody, event_response

if TYPE_CHECKING:
    from placet.actors.session import RunPlace
    from placet.http.auth import Principal


def routes(desk: Desk) -> Blueprint:
    """The run routes."""
    blueprint = Blueprint("runs", __name__)

    @blueprint.post("/v1/runs")
    async def create_run() -> Response:
        return await _create(desk, desk.submitter())

    @blueprint.get("/v1/runs")
    async def list_runs() -> Response:
        principal, query = desk.principal(), desk.query(RunsPage)
        wanted = RunFilter(principal=principal.sees, session_id=query.session_id, status=query.status)
        page = await desk.sessions.store.runs(wanted, after=query.after, limit=query.limit)
        return json_response(listing([views.run(item) for item in page.items], has_more=page.has_more))

    @blueprint.get("/v1/runs/<run_id>")
    async def read_run(run_id: str) -> Response:
        return json_response(views.run(await desk.run(run_id, desk.principal())))

    @blueprint.get("/v1/runs/<run_id>/events")
    async def run_events(run_id: str) -> Response:
        return await _events(desk, run_id, desk.principal())

    @blueprint.post("/v1/runs/<run_id>/approval")
    async def decide_run(run_id: str) -> Response:
        principal = desk.principal()
        return await decide(desk, principal, await desk.run_place(run_id, principal), run_id)

    @blueprint.post("/v1/runs/<run_id>/clarify")
    async def clarify_run(run_id: str) -> Response:
        principal = desk.principal()
        place = await desk.run_place(run_id, principal)
        asked = await desk.body(AnswerRequest)
        command = Clarify(
            admission_id=place.admission_id,
            request_id=asked.request_id,
            generation=asked.execution_generation,
            answer=asked.answer,
            by=principal.name,
            origin=desk.origin,
        )
        decided = await desk.sessions.ask(place.session_id, command)
        return json_response(views.answer(decided.approval, run_id, fresh=decided.fresh))

    @blueprint.post("/v1/runs/<run_id>/steer")
    async def steer_run(run_id: str) -> Response:
        principal = desk.principal()
        place = await _controlled(desk, run_id, principal)
        text = (await desk.body(Steering)).said
        asked = place.admission_id
        use = use_of(principal, request.headers, "steer", target=asked, asked=text, subject=asked)
        command = Steer(admission_id=asked, text=text, by=principal.name, use=use)
        earlier = await once(desk.sessions, use, partial(desk.sessions.ask, place.session_id, command))
        headers = desk.id_headers(place.session_id, replayed=earlier is not None)
        body = {"object": "hermes.run.steer", "run_id": run_id, "accepted": True}
        return json_response(body, headers=headers)

    @blueprint.post("/v1/runs/<run_id>/stop")
    async def stop_run(run_id: str) -> Response:
        principal = desk.principal()
        place = await _controlled(desk, run_id, principal)
        command = Stop(admission_id=place.admission_id, by=principal.name)
        return json_response(views.stopped(run_id, await desk.sessions.ask(place.session_id, command)))

    @blueprint.post("/v1/runs/<run_id>/resolve-unknown")
    async def resolve_unknown(run_id: str) -> Response:
        principal = desk.principal()
        place = await _controlled(desk, run_id, principal)
        asked = await desk.body(Resolution)
        command = ResolveUnknown(
            admission_id=asked.admission_id, generation=asked.execution_generation, by=principal.name
        )
        if asked.admission_id != place.admission_id:
            raise Conflict("That admission is not this run's.", code="not_found", param="admission_id")
        return json_response(views.stopped(run_id, await desk.sessions.ask(place.session_id, command)))

    return blueprint


async def _create(desk: Desk, principal: Principal) -> Response:
    asked = await desk.body(RunRequest)
    chat = run_of(asked, request.headers)
    named = await _session_named(desk, principal, asked)
    submission = Submission(
        principal=principal,
        surface=Surface.RUNS,
        chat=chat if named is None else chat.with_stored_history(),
        named_session=named,
        key=idempotency_key(request.headers),
        names_joins=False,
    )
    ticket = await admit(desk.sessions, submission)
    admitted = ticket.admitted
    if admitted.tail is not None:
        admitted.tail.close()
    headers = desk.id_headers(ticket.session_id, replayed=admitted.joined)
    status = "started"
    if ticket.result is not None:
        status = ticket.result[0].value  # known also when its session, and so the run, was deleted since
    elif admitted.joined:
        status = views.run(await desk.run(admitted.run_id, principal))["status"]
    body = {
        "object": "hermes.run",
        "run_id": admitted.run_id,
        "session_id": ticket.session_id,
        "status": status,
        "ahead": admitted.ahead,
        "replayed": admitted.joined,
    }
    return json_response(body, 202, headers)


async def _session_named(desk: Desk, principal: Principal, asked: RunRequest) -> str | None:
    """The session of a run: that of its header, its body, or of the response that it goes on from; they must not differ."""
    named = {session_of(request.headers, no_auth=desk.config.no_auth)}
    named |= set() if asked.session_id is None else {asked.session_id.value}
    if asked.previous_response_id is not None:
        previous = await desk.sessions.store.run(asked.previous_response_id)
        if previous is None or not principal.may_see(previous.admission.principal):
            raise NotFound(
                "There is no response of that id.", code="response_not_found", param="previous_response_id"
            )
        named.add(previous.admission.session_id)
    named.discard(None)
    if len(named) > 1:
        raise InvalidInput("The request names two sessions.", code="invalid_session_id", param="session_id")
    return named.pop() if named else None


async def _events(desk: Desk, run_id: str, principal: Principal) -> Response:
    after = place_of(request.headers, desk.query(Since)) or 0
    record = await desk.run(run_id, principal)
    admission = record.admission
    headers = desk.id_headers(admission.session_id)
    watched = await watch_run(desk.sessions, record, after)
    renderer = LogRenderer(watched, admission.principal, after=after, ends_with=admission.admission_id)
    follower = Follower(
        desk.sessions,
        admission.session_id,
        admission.admission_id,
        after=after,
        head_seq=watched.head_seq,
        tail=watched.tail,
    )
    body = EventBody(renderer, follower, desk.config.heartbeat_s, replays=True, farewell=CLOSED)
    return event_response(body, headers)


async def _controlled(desk: Desk, run_id: str, principal: Principal) -> RunPlace:
    place = await desk.run_place(run_id, principal)
    if place.principal != principal.name and not principal.is_operator:
        raise NotAllowed(
            "Only who submitted a run, or an operator, may steer or end it.", code="role_required"
        )
    return place
