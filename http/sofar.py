"""What a joiner needs to know of a turn that already runs."""

from __future__ import annotations

from msgspec.structs import replace

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.protocol.records import ApprovalRecord


class SoFar:
    """A turn's past, folded: text and reasoning since the answer last started over, and the prompts that are still open.

    Args:
        session_id: whose turn it is.
        principal: who submitted it.
    """

    def __init__(self, session_id: str, principal: str) -> None:
        self._session_id = session_id
        self._principal = principal
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._prompts: dict[str, ApprovalRecord] = {}

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self._text)

    @property
    def thoughts(self) -> str:
        """The reasoning so far."""
        return "".join(self._thoughts)

    @property
    def prompts(self) -> list[ApprovalRecord]:
        """What waits for a person, oldest first."""
        return list(self._prompts.values())

    def add(self, event: e.Event) -> None:
        """Take in the next event."""
        match event:
            case e.TextAppended():
                self._text.append(event.text)
            case e.ThoughtAppended():
                self._thoughts.append(event.text)
            case e.AnswerRestarted():
                self._text.clear()
                self._thoughts.clear()
            case e.ApprovalOpened():
                self._prompts[event.prompt.request_id] = self.opened(event)
            case e.AdmissionResumed():
                self._prompts = {
                    key: replace(row, generation=event.generation) for key, row in self._prompts.items()
                }
            case e.ApprovalDecided() | e.ApprovalClosed():
                self._prompts.pop(event.request_id, None)
            case _:
                pass

    def opened(self, event: e.ApprovalOpened) -> ApprovalRecord:
        """The record of a prompt that was just opened."""
        return ApprovalRecord(
            prompt=event.prompt,
            session_id=self._session_id,
            principal=self._principal,
            generation=event.generation,
            status=ApprovalStatus.OPEN,
        )
