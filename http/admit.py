"""From a request that was read to an admission, and from there to its answer: the same for every surface that submits work."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.answers import Admitted
from placet.actors.protocol.commands import Admit
from placet.actors.protocol.conversation import TurnResult
from placet.actors.protocol.errors import Conflict, StoreUnavailable
from placet.actors.protocol.events import AdmissionLost, AdmissionSettled, Outcome, SessionOpened
from placet.actors.protocol.ids import Surface, ephemeral_session_id, new_run_id
from placet.actors.protocol.records import AdmissionStatus
from placet.http.auth import Principal
from placet.http.chat_request import ChatRequest, fingerprint
from placet.http.follow import Ended, Follower
from placet.http.sse import draining

if TYPE_CHECKING:
    from placet.actors.session import Sessions


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """A request for work, read and checked.

    Attributes:
        principal: who submits.
        surface: by which door.
        chat: what is asked.
        named_session: the session that the request names, if it names one.
        must_exist: whether that session must be there already.
        key: the `Idempotency-Key`, if one was sent.
        names_joins: whether an exact retry gets a run id of its own.
    """

    principal: Principal
    surface: Surface
    chat: ChatRequest
    named_session: str | None
    must_exist: bool = False
    key: str | None = None
    names_joins: bool = True


class Ticket(msgspec.Struct, frozen=True):
    """An admission with all that its answer needs.

    Attributes:
        session_id: where it was admitted.
        admitted: where it stands.
        result: how it ended, if it had ended before.
    """

    session_id: str
    admitted: Admitted
    result: tuple[Outcome, TurnResult] | None


async def admit(sessions: Sessions, submission: Submission) -> Ticket:
    """Admit a submission, or join what this exact request admitted before. Durable when it returns.

    Raises:
        PlacetError: refused; nothing was admitted. An unknown outcome of an earlier try is `unknown_execution`.

    Cancelled, it may be admitted all the same: the client's exact retry with its key finds it.
    """
    family = submission.surface.value
    session_id = submission.named_session or ephemeral_session_id(
        submission.principal.name, family, submission.key
    )
    opens = None
    if not submission.must_exist:
        opens = SessionOpened(principal=submission.principal.name, ephemeral=submission.named_session is None)
    command = Admit(
        principal=submission.principal.name,
        surface=family,
        run_id=new_run_id(submission.surface),
        input=submission.chat.input,
        key=submission.key,
        fingerprint=fingerprint(family, submission.named_session, submission.chat),
        opens=opens,
        on_busy=submission.chat.on_busy,
        names_joins=submission.names_joins,
    )
    is_new = submission.named_session is None and submission.key is None
    return await submit(sessions, session_id, command, is_new=is_new)


async def submit(sessions: Sessions, session_id: str, command: Admit, *, is_new: bool = False) -> Ticket:
    """Put an admission to its session; errors and cancellation as in `admit`.

    Args:
        sessions: where it is.
        session_id: which.
        command: the admission.
        is_new: whether the id was made just now, at random.
    """
    ask = sessions.ask_new if is_new else sessions.ask
    admitted = await ask(session_id, command)
    if admitted.tail is not None and admitted.status is not AdmissionStatus.UNKNOWN:
        return Ticket(session_id, admitted, None)
    if admitted.tail is not None:
        admitted.tail.close()
        raise Conflict(
            "What this run had done when the server went down is not known. Settle it with resolve-unknown.",
            code="unknown_execution",
            detail={"run_id": admitted.run_id, "admission_id": admitted.admission_id},
        )
    return Ticket(session_id, admitted, await _stored(sessions, admitted.admission_id))


async def _stored(sessions: Sessions, admission_id: str) -> tuple[Outcome, TurnResult]:
    receipt = await sessions.store.receipt(admission_id)
    if receipt is None:
        raise StoreUnavailable("The result of this run cannot be read.")
    return receipt


def follow(sessions: Sessions, ticket: Ticket) -> Follower | None:
    """A follower of the admission: a joiner's from its beginning, another's from now; `None` if it has ended."""
    admitted = ticket.admitted
    if admitted.tail is None:
        return None
    return Follower(
        sessions,
        ticket.session_id,
        admitted.admission_id,
        after=0 if admitted.joined else admitted.head_seq,
        head_seq=admitted.head_seq,
        tail=admitted.tail,
    )


async def wait_for_result(sessions: Sessions, ticket: Ticket) -> tuple[Outcome, TurnResult]:
    """Wait until the admission has ended, also through its prompts.

    Raises:
        PlacetError: it cannot be known: the server drains, or lost the turn.

    Cancelled, only the waiting ends; the turn goes on.
    """
    if ticket.result is not None or ticket.admitted.tail is None:
        return ticket.result or await _stored(sessions, ticket.admitted.admission_id)
    follower = follow(sessions, ticket)
    assert follower is not None
    with closing(follower):
        while True:
            try:
                events = await follower.receive()
            except Ended as ended:
                raise draining() from ended
            for item in events:
                if isinstance(item.event, AdmissionSettled):
                    return item.event.outcome, item.event.result
                if isinstance(item.event, AdmissionLost):
                    raise Conflict("The server went down while this ran.", code="unknown_execution")
