"""The past of a session for a viewer that was away: from the log, so at any age and also from before a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from placet.actors.store import admission_of
from placet.http.follow import PAGE
from placet.http.ws.frames import EventLog, replay_epoch

if TYPE_CHECKING:
    from placet.actors.protocol.records import SessionSnapshot
    from placet.actors.store import Store

ANSWER_BYTES: Final = 512 * 1024
"""An answer ends after the event that passes this. Half of what common clients take as one message."""


async def events_since(
    store: Store, snapshot: SessionSnapshot, last: int, epoch: str | None
) -> dict[str, Any]:
    """A page of what was recorded after an event: as many frames as fit one answer.

    `last_sequence` is how far it goes; asked again from there until that is `latest_seq`, the viewer has everything once and in
    order. `truncated` says that deltas after its place were merged with some before it, so that the next whole message counts.

    Args:
        store: where the log is.
        snapshot: the session, read before.
        last: the newest event that the viewer has.
        epoch: the `replay_epoch` that the number is from; `None` if the viewer does not say.

    Raises:
        StoreUnavailable: the log cannot be read.
    """
    record = snapshot.session
    current, head = replay_epoch(record), record.head_seq
    if last > head or epoch not in (None, current):
        return _answer([], head, head, current, truncated=True, snapshot_required=True)
    page = await store.events(record.session_id, after=last, up_to=head, limit=PAGE)
    asked = {row.prompt.request_id: row for row in await store.approvals_since(record.session_id, after=last)}
    asked |= {row.prompt.request_id: row for row in snapshot.approvals}
    admissions = {admission_of(item.event) for item in page} - {None}
    runs = await store.first_runs(tuple(str(admission_id) for admission_id in admissions))
    log = EventLog(record, asked.values(), head, runs, store.epoch)
    frames: list[msgspec.Raw] = []
    reached, size = head, 0
    for place, item in enumerate(page):
        encoded = log.render(item)
        frames += map(msgspec.Raw, encoded)
        size += sum(map(len, encoded))
        is_last = place == len(page) - 1
        if size > ANSWER_BYTES or (is_last and len(page) == PAGE):
            reached = item.seq
            break
    truncated = await store.truncated(record.session_id, after=last)
    return _answer(frames, reached, head, current, truncated=truncated, snapshot_required=False)


def _answer(
    frames: list[msgspec.Raw],
    reached: int,
    head: int,
    epoch: str,
    *,
    truncated: bool,
    snapshot_required: bool,
) -> dict[str, Any]:
    return {
        "events": frames,
        "count": len(frames),
        "last_sequence": reached,
        "latest_seq": head,
        "has_more": reached < head,
        "epoch": epoch,
        "replay_epoch": epoch,
        "truncated": truncated,
        "snapshot_required": snapshot_required,
    }
