"""What a running turn records: its journal, and the fence around all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.store import key_uses
from placet.actors.store.batch import CorruptTransition
from placet.actors.store.project_admissions import add_message

if TYPE_CHECKING:
    from placet.actors.protocol.events import (
        MessageKept,
        Output,
        SteeringReceived,
        SteeringTaken,
        StepEnded,
        ToolEnded,
        ToolStarted,
    )
    from placet.actors.store.place import Place


def fence(place: Place, event: Output) -> None:
    """Nothing but the check that this very turn is running: text and progress live in the log alone.

    Raises:
        CorruptTransition: the admission is not started under the event's generation.
    """
    row = place.conn.execute(
        "SELECT 1 FROM session_admissions"
        " WHERE admission_id = ? AND target_session_id = ? AND status = 'started' AND generation = ?",
        (event.admission_id, place.stream, event.generation),
    ).fetchone()
    if row is None:
        raise CorruptTransition(
            f"Admission {event.admission_id} is not running under generation {event.generation}."
        )


def tool_started(place: Place, event: ToolStarted) -> None:
    """A step that has begun. One whose outcome was unknown may begin again; one that ended may not."""
    fence(place, event)
    place.change(
        "INSERT INTO steps (admission_id, step, call_id, started) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (admission_id, step) DO UPDATE SET call_id = excluded.call_id, started = excluded.started"
        " WHERE ended IS NULL",
        event.admission_id,
        event.step,
        event.call_id,
        place.position,
    )


def tool_ended(place: Place, event: ToolEnded) -> None:
    """The begun step's end. Its result stays where it is, in the event."""
    fence(place, event)
    place.change(
        "UPDATE steps SET ended = ?, failed = ?"
        " WHERE admission_id = ? AND step = ? AND call_id = ? AND ended IS NULL",
        place.position,
        event.failed,
        event.admission_id,
        event.step,
        event.call_id,
    )


def steering_received(place: Place, event: SteeringReceived) -> None:
    """One more text for the running turn to read."""
    place.change(
        "UPDATE session_admissions SET steering_json = json_insert(steering_json, '$[#]', ?), updated_at = ?"
        " WHERE admission_id = ? AND target_session_id = ? AND status = 'started' AND generation = ?",
        event.text,
        place.at,
        event.admission_id,
        place.stream,
        event.generation,
    )
    key_uses.record(place, event.use)


def steering_taken(place: Place, event: SteeringTaken) -> None:
    """The texts that were read leave the row; the reading is a step, so that a replay reads the same."""
    fence(place, event)
    place.change(
        "UPDATE session_admissions SET steering_json = (SELECT json_group_array(value) FROM json_each(steering_json)"
        " WHERE key >= ?) WHERE admission_id = ?",
        len(event.texts),
        event.admission_id,
    )
    place.change(
        "INSERT INTO steps (admission_id, step, started, ended) VALUES (?, ?, ?, ?)",
        event.admission_id,
        event.step,
        place.position,
        place.position,
    )


def message_kept(place: Place, event: MessageKept) -> None:
    """One more message of the conversation, which is a step too."""
    step_ended(place, event)
    add_message(place, event.admission_id, event.message)


def step_ended(place: Place, event: StepEnded | MessageKept) -> None:
    """A step that is known only by its end."""
    fence(place, event)
    place.change(
        "INSERT INTO steps (admission_id, step, started, ended) VALUES (?, ?, ?, ?)",
        event.admission_id,
        event.step,
        place.position,
        place.position,
    )
