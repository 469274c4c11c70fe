"""Which admissions under way the public run ids name: what a person's answer needs to find its session without the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.events import AdmissionSettled, Event, RunNamed

if TYPE_CHECKING:
    from placet.actors.session.state import Session


class RunPlace(msgspec.Struct, frozen=True):
    """Where a run is.

    Attributes:
        session_id: its session.
        admission_id: the admission that it names.
        principal: who submitted that.
    """

    session_id: str
    admission_id: str
    principal: str


class Underway:
    """Run ids given since their session came up, of admissions that are not settled. Who is not here is looked up in the store."""

    def __init__(self) -> None:
        self._places: dict[str, RunPlace] = {}
        self._run_ids: dict[str, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def find(self, run_id: str) -> RunPlace | None:
        """Where the run is, if it is known here."""
        return self._places.get(run_id)

    def follow(self, session: Session, event: Event) -> None:
        """Take in what a session has recorded and applied."""
        match event:
            case RunNamed(run_id=run_id, admission_id=admission_id):
                admission = session.admission(admission_id)
                if admission is not None:
                    self._places[run_id] = RunPlace(session.session_id, admission_id, admission.principal)
                    self._run_ids[admission_id] = (*self._run_ids.get(admission_id, ()), run_id)
            case AdmissionSettled(admission_id=admission_id):
                self._forget(admission_id)
            case _:
                pass

    def leave(self, session: Session) -> None:
        """The session is not here any more."""
        for admission in session.queue:
            self._forget(admission.admission_id)

    def _forget(self, admission_id: str) -> None:
        for run_id in self._run_ids.pop(admission_id, ()):
            del self._places[run_id]
