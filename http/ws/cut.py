"""A session as a viewer finds it: one cut through it, with everything on one side a snapshot and on the other a subscription.

The session's actor gives the cut: the newest event, what was not settled, what was asked, and the tail of what comes after. The
store is read later than that, so whatever could have grown meanwhile is bounded by the cut: messages by the first input that was
not settled then, the running turn's text by the newest event.
"""

from __future__ import annotations

from contextlib import ExitStack
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

import msgspec

from placet.actors.protocol import events as e
from placet.actors.protocol.answers import Watching
from placet.actors.protocol.commands import Watch
from placet.actors.protocol.errors import NotFound
from placet.actors.protocol.records import AdmissionRecord, AdmissionStatus, MessageRecord, SessionRecord
from placet.http import views, views_session
from placet.http.follow import PAGE, Follower
from placet.http.sofar import SoFar
from placet.http.ws.frames import prompt, replay_epoch
from placet.http.ws.rpc import PROTOCOL

if TYPE_CHECKING:
    from placet.actors.session import Sessions
    from placet.actors.store import Store

MESSAGES_MAX: Final = 200
"""The newest messages that a snapshot holds: some screens. What is older is read in pages over HTTP."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """The first unsettled input at the cut, as far as its turn had come."""

    status: AdmissionStatus
    generation: int | None
    stopping: bool
    text: str
    thoughts: str


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """A session at one moment.

    Attributes:
        record: the session itself, as read right after the cut.
        watching: the newest event before the cut and what comes after it. Whoever has it closes its tail.
        queue: the inputs that were not settled, in order.
        runs: their public run ids.
        messages: the newest part of the conversation before them.
        turn: the first of them; `None` if the session was idle.
    """

    record: SessionRecord
    watching: Watching
    queue: tuple[AdmissionRecord, ...]
    runs: dict[str, str]
    messages: tuple[MessageRecord, ...]
    turn: Turn | None


async def take_cut(sessions: Sessions, session_id: str) -> Cut:
    """Cut through a session. Always a checkpoint; if it fails or is cancelled, no subscription is left.

    Raises:
        NotFound: it was deleted meanwhile.
        Unavailable: the session or the store cannot be reached.
    """
    store = sessions.store
    watching = await sessions.ask(session_id, Watch())
    with ExitStack() as on_failure:
        on_failure.callback(watching.tail.close)
        queue = tuple([await _row(store, admission_id) for admission_id in watching.unsettled])
        messages = await _messages(store, session_id, watching)
        turn = await _turn(sessions, session_id, watching, queue[0]) if queue else None
        runs = await store.first_runs(watching.unsettled)
        snapshot = await store.session(session_id)
        if snapshot is None:
            raise NotFound("There is no session of that id.", code="session_not_found")
        on_failure.pop_all()
    return Cut(
        record=snapshot.session, watching=watching, queue=queue, runs=runs, messages=messages, turn=turn
    )


async def _row(store: Store, admission_id: str) -> AdmissionRecord:
    row = await store.admission(admission_id)
    if row is None:
        raise NotFound("The session was deleted.", code="session_not_found")
    return row


async def _messages(store: Store, session_id: str, watching: Watching) -> tuple[MessageRecord, ...]:
    found = await store.messages(session_id, offset=0, limit=MESSAGES_MAX, newest=True)
    later = await store.events(session_id, after=watching.head_seq, limit=PAGE)
    accepted = {item.event.admission_id for item in later if isinstance(item.event, e.AdmissionAccepted)}
    open_then = accepted.union(watching.unsettled)
    # Inputs are carried out in order, so the first that was not settled at the cut is where the snapshot ends.
    return tuple(takewhile(lambda message: message.admission_id not in open_then, found))


async def _turn(sessions: Sessions, session_id: str, watching: Watching, first: AdmissionRecord) -> Turn:
    past = Follower(sessions, session_id, first.admission_id, after=0, head_seq=watching.head_seq, tail=None)
    so_far = SoFar(session_id, first.principal)
    status, generation, stopping = AdmissionStatus.QUEUED, None, False
    while past.is_behind:
        for item in await past.past():
            so_far.add(item.event)
            match item.event:
                case e.AdmissionClaimed() | e.AdmissionResumed():
                    status, generation = AdmissionStatus.STARTED, item.event.generation
                case e.AdmissionLost():
                    status = AdmissionStatus.UNKNOWN
                case e.StopRequested():
                    stopping = True
                case _:
                    pass
    return Turn(
        status=status, generation=generation, stopping=stopping, text=so_far.text, thoughts=so_far.thoughts
    )


def snapshot_of(cut: Cut, subscription_id: str, authority_epoch: int) -> dict[str, Any]:
    """What `session.resume` answers.

    Args:
        cut: the session.
        subscription_id: of the membership that goes on from here.
        authority_epoch: of this process.
    """
    watching, turn = cut.watching, cut.turn
    pending = [_pending_at_cut(cut, place, authority_epoch) for place in range(len(cut.queue))]
    running = turn is not None and turn.status is AdmissionStatus.STARTED
    generation = cut.record.generation if turn is None or turn.generation is None else turn.generation
    info = session_info(cut.record, pending, running=running, generation=generation, epoch=authority_epoch)
    messages = [views_session.message(item, cut.record.session_id) for item in cut.messages]
    return {
        "session_id": cut.record.session_id,
        "messages": messages,
        "message_count": len(messages),
        "replay_epoch": replay_epoch(cut.record),
        "last_sequence": watching.head_seq,
        "subscription_id": subscription_id,
        "prompts": [prompt(row, cut.runs[row.prompt.admission_id]) for row in watching.prompts],
        "inflight": _inflight(cut),
        "info": info,
        **info,
    }


def _pending_at_cut(cut: Cut, place: int, epoch: int) -> dict[str, Any]:
    row, turn = cut.queue[place], cut.turn
    status, generation = AdmissionStatus.QUEUED, None
    if place == 0 and turn is not None:
        status, generation = turn.status, turn.generation
    then = msgspec.structs.replace(row, status=status, generation=generation, outcome=None)
    return receipt(then, cut.runs[row.admission_id], epoch)


def _inflight(cut: Cut) -> dict[str, Any] | None:
    turn = cut.turn
    if turn is None or turn.status is AdmissionStatus.QUEUED:
        return None
    return {
        "admission_id": cut.queue[0].admission_id,
        "run_id": cut.runs[cut.queue[0].admission_id],
        "execution_generation": turn.generation,
        "stopping": turn.stopping,
        "text": turn.text,
        "reasoning": turn.thoughts,
    }


def receipt(row: AdmissionRecord, run_id: str, authority_epoch: int) -> dict[str, Any]:
    """An input and where it stands.

    Args:
        row: the input.
        run_id: its first public id.
        authority_epoch: of this process.
    """
    return {
        "admission_id": row.admission_id,
        "run_id": run_id,
        "ref": {"session_id": row.session_id},
        "session_id": row.session_id,
        "sequence": row.seq,
        "status": row.status.value,
        "outcome": None if row.outcome is None else row.outcome.value,
        "execution_generation": row.generation,
        "authority_epoch": authority_epoch,
        "text": row.input.content.text,
        "created_at": row.created_at,
    }


def session_info(
    record: SessionRecord, pending: list[dict[str, Any]], *, running: bool, generation: int, epoch: int
) -> dict[str, Any]:
    """What a `session.info` frame and the method of that name tell.

    Args:
        record: the session.
        pending: receipts of what runs or waits.
        running: whether a turn runs.
        generation: of the newest turn.
        epoch: of this process.
    """
    return {
        "stored_session_id": record.session_id,
        "session": views.session(record),
        "pending": pending,
        "running": running,
        "execution_generation": generation,
        "revision": record.revision,
        "authority_epoch": epoch,
        "desktop_protocol": PROTOCOL,
    }


async def read_info(store: Store, session_id: str) -> dict[str, Any] | None:
    """`session_info` as the store has it now; `None` if the session was deleted. Always a checkpoint."""
    snapshot = await store.session(session_id)
    if snapshot is None:
        return None
    runs = await store.first_runs(tuple(row.admission_id for row in snapshot.admissions))
    return session_info(
        snapshot.session,
        [receipt(row, runs[row.admission_id], store.epoch) for row in snapshot.admissions],
        running=any(row.status is AdmissionStatus.STARTED for row in snapshot.admissions),
        generation=snapshot.session.generation,
        epoch=store.epoch,
    )
