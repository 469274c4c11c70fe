"""What each event does to the tables. A rebuild from the log alone gives the same rows, so nothing here reads a clock or a setting
that `Place` does not carry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placet.actors.protocol import events as e
from placet.actors.store import project_admissions as admissions
from placet.actors.store import project_approvals as approvals
from placet.actors.store import project_responses as responses
from placet.actors.store import project_turns as turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.actors.store.place import Place

PROJECTIONS: dict[type[e.Event], Callable[[Place, Any], None]] = {
    e.SessionOpened: admissions.session_opened,
    e.SessionChanged: admissions.session_changed,
    e.AdmissionAccepted: admissions.accepted,
    e.RunNamed: admissions.run_named,
    e.ResponseFiled: responses.filed,
    e.ResponseForgotten: responses.forgotten,
    e.AdmissionClaimed: admissions.claimed,
    e.AdmissionResumed: admissions.resumed,
    e.AdmissionLost: admissions.lost,
    e.StopRequested: admissions.stop_requested,
    e.AdmissionSettled: admissions.settled,
    e.TextAppended: turns.fence,
    e.ThoughtAppended: turns.fence,
    e.AnswerRestarted: turns.fence,
    e.ToolStarted: turns.tool_started,
    e.ToolProgressed: turns.fence,
    e.ToolEnded: turns.tool_ended,
    e.SteeringReceived: turns.steering_received,
    e.SteeringTaken: turns.steering_taken,
    e.StepEnded: turns.step_ended,
    e.MessageKept: turns.message_kept,
    e.ApprovalOpened: approvals.opened,
    e.ApprovalGranted: approvals.granted,
    e.ApprovalExpiring: approvals.expiring,
    e.ApprovalExtended: approvals.extended,
    e.ApprovalDecided: approvals.decided,
    e.ApprovalClosed: approvals.closed,
    e.RuleAdded: approvals.rule_added,
    e.RuleRevoked: approvals.rule_revoked,
    e.DecisionRecorded: approvals.decision_recorded,
}


def project(place: Place, event: e.Event) -> None:
    """Bring the tables up to date with one event.

    Raises:
        CorruptTransition: the event does not fit what is stored.
    """
    PROJECTIONS[type(event)](place, event)
