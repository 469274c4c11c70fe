"""`POST /v1/chat/completions`."""

from __future__ import annotations

from quart import Blueprint, Response, request

from placet.actors.protocol.events import Outcome
from placet.actors.protocol.ids import Surface
from placet.http import views
from placet.http.admit import Submission, Ticket, admit, follow, wait_for_result
from placet.http.chat_request import ChatCompletionRequest, ChatRequest, chat_of
from placet.http.chat_stream import ChatRenderer, failure_of
from placet.http.desk import Desk, json_response
from placet.http.errors import error_response
from placet.http.identity import dialect_of, idempotency_key, session_of
from placet.http.sse import EventBody, event_response

DEFAULT_MODEL = "placet"
"""What a request that names no model is answered as."""


def routes(desk: Desk) -> Blueprint:
    """The chat completion route."""
    blueprint = Blueprint("chat", __name__)

    @blueprint.post("/v1/chat/completions")
    async def chat_completions() -> Response:
        principal = desk.submitter()
        headers = request.headers
        chat = chat_of(await desk.body(ChatCompletionRequest), headers)
        named = session_of(headers, no_auth=desk.config.no_auth)
        dialect = dialect_of(chat, headers, principal)
        submission = Submission(
            principal=principal,
            surface=Surface.CHAT,
            chat=chat if named is None else chat.with_stored_history(),
            named_session=named,
            key=idempotency_key(headers),
        )
        ticket = await admit(desk.sessions, submission)
        id_headers = desk.id_headers(ticket.session_id, replayed=ticket.admitted.joined)
        created = int(desk.sessions.services.now())
        if not chat.stream:
            return await _whole(desk, chat, ticket, created, id_headers)
        renderer = ChatRenderer(
            run_id=ticket.admitted.run_id,
            session_id=ticket.session_id,
            principal=principal.name,
            model=chat.model or DEFAULT_MODEL,
            created=created,
            dialect=dialect,
            include_usage=chat.include_usage,
            result=ticket.result,
        )
        body = EventBody(renderer, follow(desk.sessions, ticket), desk.config.heartbeat_s)
        return event_response(body, id_headers)

    return blueprint


async def _whole(
    desk: Desk, chat: ChatRequest, ticket: Ticket, created: int, headers: dict[str, str]
) -> Response:
    outcome, result = await wait_for_result(desk.sessions, ticket)
    if outcome is not Outcome.COMPLETED:
        response = error_response(failure_of(outcome, result))
        response.status_code = 502
        response.headers.update(headers)
        return response
    message = {"role": "assistant", "content": result.text}
    completion = {
        "id": ticket.admitted.run_id,
        "object": "chat.completion",
        "created": created,
        "model": chat.model or DEFAULT_MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": result.finish_reason}],
        "usage": views.usage(result.usage),
    }
    return json_response(completion, headers=headers)
