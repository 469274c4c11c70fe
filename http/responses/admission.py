"""From a request for a response to its admission: what it goes on from, and in which session."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from placet.actors.protocol.commands import Admit
from placet.actors.protocol.errors import InvalidInput
from placet.actors.protocol.events import SessionOpened
from placet.actors.protocol.filing import Filing
from placet.actors.protocol.ids import Surface, ephemeral_session_id, new_run_id
from placet.actors.protocol.responses import ResponseRecord
from placet.http.admit import Ticket, submit
from placet.http.responses.reading import stored_response, unknown_response

if TYPE_CHECKING:
    from placet.actors.session import Sessions
    from placet.http.auth import Principal
    from placet.http.responses.request import AskedResponse

FAMILY = Surface.RESPONSES.value


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a response comes from.

    Attributes:
        session_id: the session that it is admitted to.
        opens: whether that session may be new, and then whether it is kept; `None` if it must be there.
        previous: what it goes on from.
    """

    session_id: str
    opens: SessionOpened | None
    previous: ResponseRecord | None


async def admit_response(
    sessions: Sessions, principal: Principal, asked: AskedResponse, named: str | None, key: str | None
) -> Ticket:
    """Admit a request, or join what this exact request admitted before. Durable when it returns.

    Args:
        sessions: where.
        principal: who asks.
        asked: the request.
        named: the session that its headers name.
        key: its `Idempotency-Key`.

    Raises:
        NotFound: `response_not_found`, for what it goes on from.
        InvalidInput: the headers name another session than that of what it goes on from.
        PlacetError: refused; nothing was admitted.

    Cancelled, it may be admitted all the same: the client's exact retry with its key finds it.
    """
    origin = await _origin(sessions, principal, asked, named, key)
    return await submit(sessions, origin.session_id, _command(principal, asked, origin, named, key))


def _command(
    principal: Principal, asked: AskedResponse, origin: Origin, named: str | None, key: str | None
) -> Admit:
    filing = _filing(asked, origin)
    system = "\n".join(text for text in (filing.instructions, asked.chat.input.system) if text)
    history = asked.chat.input.history
    if named is not None or not (asked.brings_history or _is_first(asked)):
        history = None
    return Admit(
        principal=principal.name,
        surface=FAMILY,
        run_id=new_run_id(Surface.RESPONSES),
        input=replace(asked.chat.input, history=history, system=system),
        key=key,
        fingerprint=asked.fingerprint(named),
        opens=origin.opens,
        on_busy=asked.chat.on_busy,
        names_joins=False,
        filing=filing,
    )


def _is_first(asked: AskedResponse) -> bool:
    return asked.previous is None and asked.conversation is None


def _filing(asked: AskedResponse, origin: Origin) -> Filing:
    inherited = "" if origin.previous is None else origin.previous.filing.instructions
    goes_on = not _is_first(asked) and not asked.brings_history
    return Filing(
        previous=asked.previous,
        conversation=asked.conversation,
        stored=asked.stored,
        background=asked.background,
        truncates=asked.truncates,
        instructions=inherited if asked.instructions is None else asked.instructions,
        before=asked.chat.input.history or () if goes_on else (),
    )


async def _origin(
    sessions: Sessions, principal: Principal, asked: AskedResponse, named: str | None, key: str | None
) -> Origin:
    """The chain's own session, else a conversation's, else the one that the headers name, else a new one."""
    if asked.previous is not None:
        previous = await stored_response(sessions, asked.previous, principal, "previous_response_id")
        if previous.admission.principal != principal.name:
            raise unknown_response("previous_response_id")
        session_id = previous.admission.session_id
        _check_named(named, session_id)
        return Origin(session_id=session_id, opens=None, previous=previous)
    if asked.conversation is not None:
        session_id = conversation_session_id(principal.name, asked.conversation)
        _check_named(named, session_id)
        previous_one = await sessions.store.latest_response(principal.name, asked.conversation)
        opens = SessionOpened(principal=principal.name, title=asked.conversation[:100])
        return Origin(session_id=session_id, opens=opens, previous=previous_one)
    opens = SessionOpened(principal=principal.name, ephemeral=named is None)
    session_id = named or ephemeral_session_id(principal.name, FAMILY, key)
    return Origin(session_id=session_id, opens=opens, previous=None)


def conversation_session_id(principal: str, conversation: str) -> str:
    """The session of a conversation: the same for the same name of the same principal, so that its responses queue."""
    return "conv-" + hashlib.sha256(f"{principal}\0{conversation}".encode()).hexdigest()[:32]


def _check_named(named: str | None, session_id: str) -> None:
    if named not in (None, session_id):
        raise InvalidInput(
            "The headers name another session than the one that this goes on in.",
            code="invalid_session_id",
            param="X-Hermes-Session-Id",
        )
