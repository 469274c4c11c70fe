"""Sessions and the ledger: what their events do to the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from placet.actors.protocol.conversation import ChatMessage, Part, TurnResult
from placet.actors.protocol.events import (
    AdmissionAccepted,
    AdmissionClaimed,
    AdmissionLost,
    AdmissionResumed,
    AdmissionSettled,
    Outcome,
    RunNamed,
    SessionChanged,
    SessionOpened,
    StopRequested,
)
from placet.actors.store import key_uses
from placet.actors.store.codec import to_json

if TYPE_CHECKING:
    from placet.actors.store.place import Place

_ENDED = {
    Outcome.FAILED: "failed",
    Outcome.INTERRUPTED: "was interrupted",
    Outcome.REJECTED: "was rejected",
    Outcome.CANCELLED: "was cancelled",
}


def session_opened(place: Place, event: SessionOpened) -> None:
    """A new row of `sessions`."""
    place.change(
        "INSERT INTO sessions (session_id, principal_id, source, ephemeral, title, system_prompt, head_seq, created_at,"
        " last_active, parent_session_id, inherited_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        place.stream,
        event.principal,
        event.source,
        event.ephemeral,
        event.title,
        event.system_prompt,
        place.seq,
        place.at,
        place.at,
        event.parent,
        to_json(event.inherited),
    )
    key_uses.record(place, event.use)


def session_changed(place: Place, event: SessionChanged) -> None:
    """The row's own fields, as far as the event sets them."""
    changes = {
        name: value for name in event.__struct_fields__ if (value := getattr(event, name)) is not UNSET
    }
    if "end_reason" in changes:
        changes["ended_at"] = None if changes["end_reason"] is None else place.at
    columns = "".join(f", {name} = ?" for name in changes)
    place.change(
        f"UPDATE sessions SET runtime_revision = runtime_revision + 1{columns} WHERE session_id = ?",
        *changes.values(),
        place.stream,
    )


def accepted(place: Place, event: AdmissionAccepted) -> None:
    """A queued row of the ledger, the user's message, and the key if one was sent."""
    place.change(
        "INSERT INTO session_admissions (seq, admission_id, request_id, principal_id, target_session_id, lineage_json,"
        " payload_json, payload_digest, status, owner_epoch, surface, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?)",
        place.position,
        event.admission_id,
        event.admission_id,
        event.principal,
        place.stream,
        to_json([place.stream]),
        to_json(event.input),
        event.fingerprint,
        place.epoch,
        event.surface,
        place.at,
        place.at,
    )
    add_message(place, event.admission_id, event.input.content)
    if event.key is not None:
        _take_key(place, event, event.key)


def _take_key(place: Place, event: AdmissionAccepted, key: str) -> None:
    # One whose time is over gives way.
    place.change(
        "INSERT INTO idempotency_keys (principal, family, key, fingerprint, admission_id) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint, admission_id = excluded.admission_id,"
        " expires_at = NULL WHERE expires_at <= ?",
        event.principal,
        event.surface,
        key,
        event.fingerprint,
        event.admission_id,
        place.at,
    )


def run_named(place: Place, event: RunNamed) -> None:
    """A public id that resolves for as long as the admission is kept."""
    place.change(
        "INSERT INTO run_aliases (run_id, position, admission_id, surface, created_at) VALUES (?, ?, ?, ?, ?)",
        event.run_id,
        place.position,
        event.admission_id,
        event.surface,
        place.at,
    )


def claimed(place: Place, event: AdmissionClaimed) -> None:
    """Queued to started, under a generation that the session has never had."""
    _raise_generation(place, event.generation)
    place.change(
        "UPDATE session_admissions SET status = 'started', generation = ?, owner_epoch = ?, updated_at = ?"
        " WHERE admission_id = ? AND target_session_id = ? AND status = 'queued'",
        event.generation,
        place.epoch,
        place.at,
        event.admission_id,
        place.stream,
    )


def resumed(place: Place, event: AdmissionResumed) -> None:
    """Still started, under a new generation, which its open prompts take over."""
    _raise_generation(place, event.generation)
    place.change(
        "UPDATE session_admissions SET generation = ?, owner_epoch = ?, updated_at = ?"
        " WHERE admission_id = ? AND target_session_id = ? AND status = 'started'",
        event.generation,
        place.epoch,
        place.at,
        event.admission_id,
        place.stream,
    )
    place.conn.execute(
        "UPDATE approvals SET generation = ? WHERE admission_id = ? AND status = 'open'",
        (event.generation, event.admission_id),
    )


def lost(place: Place, event: AdmissionLost) -> None:
    """Started to unknown."""
    place.change(
        "UPDATE session_admissions SET status = 'unknown', updated_at = ?"
        " WHERE admission_id = ? AND target_session_id = ? AND status = 'started' AND generation = ?",
        place.at,
        event.admission_id,
        place.stream,
        event.generation,
    )


def stop_requested(place: Place, event: StopRequested) -> None:
    """A mark on the started row."""
    place.change(
        "UPDATE session_admissions SET stopping = 1, updated_at = ?"
        " WHERE admission_id = ? AND target_session_id = ? AND status = 'started' AND generation = ?",
        place.at,
        event.admission_id,
        place.stream,
        event.generation,
    )


def settled(place: Place, event: AdmissionSettled) -> None:
    """The row's end, the assistant's message if the turn ever started, and the last day of the key."""
    place.change(
        "UPDATE session_admissions SET status = 'terminal', outcome = ?, result_json = ?, updated_at = ?"
        " WHERE admission_id = ? AND target_session_id = ? AND status != 'terminal' AND generation IS ?",
        event.outcome.value,
        to_json(event.result),
        place.at,
        event.admission_id,
        place.stream,
        event.generation,
    )
    place.change(
        "UPDATE sessions SET runtime_revision = runtime_revision + 1 WHERE session_id = ?", place.stream
    )
    place.conn.execute(
        "UPDATE idempotency_keys SET expires_at = ? WHERE admission_id = ?",
        (place.at + place.key_life_s, event.admission_id),
    )
    if event.generation is not None:
        add_message(place, event.admission_id, answer(event.outcome, event.result))


def answer(outcome: Outcome, result: TurnResult) -> ChatMessage:
    """The message that ends a turn: what of its text no earlier message holds and, if it did not complete, a note that says so."""
    text = result.text[result.kept :].lstrip("\n") if result.kept else result.text
    if outcome is Outcome.COMPLETED:
        return ChatMessage("assistant", (Part("text", text),))
    reason = f": {result.error}" if result.error else ""
    note = Part("text", f"[This turn {_ENDED[outcome]}{reason}]")
    said = (Part("text", text),) if text else ()
    return ChatMessage("assistant", (*said, note))


def _raise_generation(place: Place, generation: int) -> None:
    place.change(
        "UPDATE sessions SET runtime_generation = ? WHERE session_id = ? AND runtime_generation < ?",
        generation,
        place.stream,
        generation,
    )


def add_message(place: Place, admission_id: str, message: ChatMessage) -> None:
    """One more message of the conversation, in the order of the ledger."""
    place.change(
        "INSERT INTO messages (ledger_seq, position, message_json)"
        " SELECT seq, ?, ? FROM session_admissions WHERE admission_id = ?",
        place.position,
        to_json(message),
        admission_id,
    )
