"""What a viewer may call: a table from method to parameters and handler. A handler parses nothing and sends nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from werkzeug.datastructures import Headers

from placet import __version__
from placet.actors.protocol.commands import Clarify, Decide, ResolveUnknown, Stop
from placet.actors.protocol.errors import Conflict, InvalidInput, NotFound
from placet.actors.protocol.ids import Surface
from placet.actors.protocol.records import AdmissionStatus
from placet.actors.store import SessionFilter
from placet.http import views
from placet.http.admit import Submission, admit
from placet.http.chat_request import ChatRequest, SessionChatRequest, session_chat_of
from placet.http.decide import require_decider, require_may_decide
from placet.http.requests.declared import read
from placet.http.ws import params as p
from placet.http.ws.cut import read_info, receipt
from placet.http.ws.rpc import PROTOCOL
from placet.http.ws.since import events_since

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from placet.actors.protocol.answers import Decided
    from placet.actors.protocol.messages import Request
    from placet.actors.protocol.records import AdmissionRecord, ApprovalRecord
    from placet.http.ws.viewer import Viewer

    Answer = dict[str, Any]


class Method(NamedTuple):
    """What a method is called with, and what carries it out."""

    params: type[p.Params]
    handler: Callable[[Viewer, Any], Awaitable[Answer]]


async def describe(viewer: Viewer, _params: p.Params) -> Answer:
    """What this server is, and what this viewer may do here. Also the payload of `gateway.ready`."""
    return description(viewer)


def description(viewer: Viewer) -> Answer:
    """What `describe` tells."""
    principal, store = viewer.principal, viewer.desk.sessions.store
    capabilities = ["session:read", "session:submit", "session:control"]
    if principal.may_decide:
        capabilities += ["session:approve", "session:respond"]
    if principal.is_operator:
        capabilities.append("operator")
    return {
        "platform": "placet",
        "version": __version__,
        "desktop_protocol": PROTOCOL,
        "authority_epoch": store.epoch,
        "principal": principal.name,
        "role": principal.role.value,
        "capabilities": capabilities,
        "methods": sorted(METHODS),
    }


async def ping(viewer: Viewer, _params: p.Params) -> Answer:
    """A sign of life."""
    return {"pong": True, "timestamp": viewer.desk.sessions.services.now()}


async def resume(viewer: Viewer, params: p.OfSession) -> Answer:
    """Watch a session: its snapshot, and from then on its events."""
    return await viewer.resume(params.session_id)


async def detach(viewer: Viewer, params: p.OfSubscription) -> Answer:
    """Watch it no more. An unknown or foreign pair is no error."""
    return {"detached": viewer.detach(params.session_id, params.subscription_id)}


async def list_sessions(viewer: Viewer, params: p.OfList) -> Answer:
    """The named sessions that the viewer may see, the last active first."""
    wanted = SessionFilter(principal=viewer.principal.sees)
    page = await viewer.desk.sessions.store.sessions(wanted, after=params.after, limit=params.limit)
    return {"sessions": [views.session(item) for item in page.items], "has_more": page.has_more}


async def info(viewer: Viewer, params: p.OfSession) -> Answer:
    """How a session stands, without watching it."""
    await viewer.desk.session(params.session_id, viewer.principal)
    found = await read_info(viewer.desk.sessions.store, params.session_id)
    if found is None:
        raise NotFound("There is no session of that id.", code="session_not_found")
    return {"session_id": params.session_id, **found}


async def since(viewer: Viewer, params: p.Since) -> Answer:
    """What happened in a session after an event, at any age."""
    snapshot = await viewer.desk.session(params.session_id, viewer.principal)
    last = _either(params.last_sequence, params.last_seen, "last_seen")
    return await events_since(viewer.desk.sessions.store, snapshot, last or 0, params.replay_epoch)


async def submit(viewer: Viewer, params: p.Submit) -> Answer:
    """Ask the session's agent something. The same id and words again are the same input."""
    await viewer.desk.session(params.session_id, viewer.principal)
    viewer.require_membership(params.session_id)
    sessions = viewer.desk.sessions
    submission = Submission(
        principal=viewer.principal,
        surface=Surface.SESSION,
        chat=_chat(params),
        named_session=params.session_id,
        must_exist=True,
        key=_either(params.submission_id, params.input_id, "input_id"),
        names_joins=False,
    )
    ticket = await admit(sessions, submission)
    admitted = ticket.admitted
    if admitted.tail is not None:
        admitted.tail.close()  # the membership shows what becomes of it
    row = await _admission(viewer, params.session_id, admitted.admission_id)
    told = receipt(row, admitted.run_id, sessions.store.epoch)
    return {**told, "input_id": submission.key, "ahead": admitted.ahead, "replayed": admitted.joined}


def _chat(params: p.Submit) -> ChatRequest:
    message: str | list[Any] = params.text
    if params.attachments:
        message = [{"type": "text", "text": params.text}, *params.attachments]
    return session_chat_of(
        read(SessionChatRequest, {"message": message, "placet": {"on_busy": params.on_busy.value}}), Headers()
    )


async def cancel(viewer: Viewer, params: p.OfAdmission) -> Answer:
    """Withdraw an input that still waits."""
    await viewer.desk.own_session(params.session_id, viewer.principal)
    row = await _admission(viewer, params.session_id, params.admission_id)
    return await _stop(viewer, row, queued_only=True)


async def interrupt(viewer: Viewer, params: p.Interrupt) -> Answer:
    """Stop the running turn. What waits behind it goes on."""
    snapshot = await viewer.desk.own_session(params.session_id, viewer.principal)
    running = next((row for row in snapshot.admissions if row.status is AdmissionStatus.STARTED), None)
    if running is None:
        return {"session_id": params.session_id, "status": "idle", "interrupted": False}
    if params.execution_generation not in (None, running.generation):
        raise Conflict("Another turn runs by now.", code="stale_generation")
    return {**await _stop(viewer, running), "interrupted": True}


async def resolve_unknown(viewer: Viewer, params: p.Resolve) -> Answer:
    """Settle as interrupted a turn that was lost with its process, so that the session goes on."""
    await viewer.desk.own_session(params.session_id, viewer.principal)
    row = await _admission(viewer, params.session_id, params.admission_id)
    command = ResolveUnknown(
        admission_id=row.admission_id, generation=params.execution_generation, by=viewer.principal.name
    )
    answer = await viewer.desk.sessions.ask(params.session_id, command)
    return views.stopped(await _run_of(viewer, row.admission_id), answer)


async def respond(viewer: Viewer, params: p.Respond) -> Answer:
    """Decide a prompt: the very one that every other surface shows, with the same checks. Whoever is late is told who won."""
    desk, principal = viewer.desk, viewer.principal
    await desk.session(params.session_id, principal)
    require_decider(principal)
    row = await _prompt(viewer, params.session_id, params.prompt_id)
    require_may_decide(desk, principal, row.principal)
    command = Decide(
        admission_id=row.prompt.admission_id,
        request_id=params.prompt_id,
        generation=params.execution_generation,
        digest=params.digest,
        choice=params.choice,
        reason=params.reason,
        by=principal.name,
        origin=viewer.origin,
    )
    return await _settle(viewer, row, command, views.decision)


async def clarify(viewer: Viewer, params: p.Answer) -> Answer:
    """Answer a question of a turn, in words. It is no consent, so whoever may see it may answer."""
    await viewer.desk.session(params.session_id, viewer.principal)
    row = await _prompt(viewer, params.session_id, params.prompt_id)
    command = Clarify(
        admission_id=row.prompt.admission_id,
        request_id=params.prompt_id,
        generation=params.execution_generation,
        answer=params.answer,
        by=viewer.principal.name,
        origin=viewer.origin,
    )
    return await _settle(viewer, row, command, views.answer)


async def _prompt(viewer: Viewer, session_id: str, prompt_id: str) -> ApprovalRecord:
    viewer.require_membership(session_id)
    row = await viewer.desk.sessions.store.approval(prompt_id)
    if row is None or row.session_id != session_id:
        raise Conflict("No such prompt of this session waits for an answer.", code="approval_not_pending")
    return row


async def _settle(
    viewer: Viewer, row: ApprovalRecord, command: Request[Decided], shape: Callable[..., Answer]
) -> Answer:
    try:
        decided = await viewer.desk.sessions.ask(row.session_id, command)
    except Conflict as conflict:
        won = conflict.detail.get("decision")
        if conflict.code != "already_resolved" or not isinstance(won, dict):
            raise
        return {"status": "already_resolved", "prompt_id": row.prompt.request_id, **won}
    run_id = await _run_of(viewer, row.prompt.admission_id)
    return shape(decided.approval, run_id, fresh=decided.fresh)


async def _admission(viewer: Viewer, session_id: str, admission_id: str) -> AdmissionRecord:
    row = await viewer.desk.sessions.store.admission(admission_id)
    if row is None or row.session_id != session_id:
        raise NotFound("There is no input of that id in this session.", code="admission_not_found")
    return row


async def _stop(viewer: Viewer, row: AdmissionRecord, *, queued_only: bool = False) -> Answer:
    command = Stop(admission_id=row.admission_id, by=viewer.principal.name, queued_only=queued_only)
    answer = await viewer.desk.sessions.ask(row.session_id, command)
    return views.stopped(await _run_of(viewer, row.admission_id), answer)


async def _run_of(viewer: Viewer, admission_id: str) -> str:
    return (await viewer.desk.sessions.store.first_runs((admission_id,)))[admission_id]


def _either(value: Any, alias: Any, name: str) -> Any:
    """The one that is given of two names for one field."""
    if value is not None and alias is not None and value != alias:
        raise InvalidInput(f"`{name}` is another name for the same and must not differ.", param=name)
    return alias if value is None else value


METHODS: Final[dict[str, Method]] = {
    "runtime.describe": Method(p.Params, describe),
    "ping": Method(p.Params, ping),
    "session.resume": Method(p.OfSession, resume),
    "session.detach": Method(p.OfSubscription, detach),
    "session.list": Method(p.OfList, list_sessions),
    "session.info": Method(p.OfSession, info),
    "session.events.since": Method(p.Since, since),
    "session.interrupt": Method(p.Interrupt, interrupt),
    "prompt.submit": Method(p.Submit, submit),
    "prompt.cancel": Method(p.OfAdmission, cancel),
    "prompt.resolve_unknown": Method(p.Resolve, resolve_unknown),
    "approval.respond": Method(p.Respond, respond),
    "clarify.respond": Method(p.Answer, clarify),
}
"""Everything that may be called."""
