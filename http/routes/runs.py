"""`/v1/runs`: reading a run, deciding its prompts, stopping it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quart import Blueprint, Response

from placet.actors.protocol.commands import ResolveUnknown, Stop
from placet.actors.protocol.errors import Conflict, InvalidInput, NotAllowed
from placet.http import views
from placet.http.decide import decide
from placet.http.desk import Desk, json_response

if TYPE_CHECKING:
    from placet.actors.protocol.answers import Stopped
    from placet.actors.protocol.records import AdmissionRecord
    from placet.http.auth import Principal


def routes(desk: Desk) -> Blueprint:
    """The run routes."""
    blueprint = Blueprint("runs", __name__)

    @blueprint.get("/v1/runs/<run_id>")
    async def read_run(run_id: str) -> Response:
        return json_response(views.run(await desk.run(run_id, desk.principal())))

    @blueprint.post("/v1/runs/<run_id>/approval")
    async def decide_run(run_id: str) -> Response:
        principal = desk.principal()
        record = await desk.run(run_id, principal)
        return await decide(desk, principal, record.admission, run_id)

    @blueprint.post("/v1/runs/<run_id>/stop")
    async def stop_run(run_id: str) -> Response:
        principal = desk.principal()
        admission = await _controlled(desk, run_id, principal)
        command = Stop(admission_id=admission.admission_id, by=principal.name)
        return json_response(_stopped(run_id, await desk.sessions.ask(admission.session_id, command)))

    @blueprint.post("/v1/runs/<run_id>/resolve-unknown")
    async def resolve_unknown(run_id: str) -> Response:
        principal = desk.principal()
        admission = await _controlled(desk, run_id, principal)
        named, generation = _resolution(await desk.json_object())
        command = ResolveUnknown(admission_id=named, generation=generation, by=principal.name)
        if named != admission.admission_id:
            raise Conflict("That admission is not this run's.", code="not_found", param="admission_id")
        return json_response(_stopped(run_id, await desk.sessions.ask(admission.session_id, command)))

    return blueprint


async def _controlled(desk: Desk, run_id: str, principal: Principal) -> AdmissionRecord:
    admission = (await desk.run(run_id, principal)).admission
    if admission.principal != principal.name and not principal.is_operator:
        raise NotAllowed("Only who submitted a run, or an operator, may end it.", code="role_required")
    return admission


def _resolution(body: dict[str, Any]) -> tuple[str, int]:
    named, generation = body.get("admission_id"), body.get("execution_generation")
    exact = set(body) == {"admission_id", "execution_generation"} and not isinstance(generation, bool)
    if not exact or not isinstance(named, str) or not isinstance(generation, int):
        raise InvalidInput("The body is exactly {admission_id: string, execution_generation: integer}.")
    return named, generation


def _stopped(run_id: str, stopped: Stopped) -> dict[str, Any]:
    admission = stopped.admission
    return {
        "object": "hermes.run.control",
        "run_id": run_id,
        "session_id": admission.session_id,
        "admission_id": admission.admission_id,
        "execution_generation": admission.generation,
        "status": "stopping" if stopped.stopping else views.run_status(admission, ()),
        "outcome": None if admission.outcome is None else admission.outcome.value,
    }
