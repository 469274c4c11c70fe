"""`/v1/runs`, described."""

from typing import Final, Literal

from placet.http.openapi.approvals import DECISION_ERRORS, ApprovalDecision
from placet.http.openapi.codes import OF_MESSAGES, OF_ONCE
from placet.http.openapi.log import LOG
from placet.http.openapi.operation import WHOSE_WORK, Answer, Operation
from placet.http.openapi.records import Run, RunControl
from placet.http.openapi.run_controls import ClarifyAnswer, SteerAccepted
from placet.http.record import Record
from placet.http.requests import parameters as p
from placet.http.requests.decisions import DecisionRequest
from placet.http.requests.queries import RunsPage, Since
from placet.http.run_controls import AnswerRequest, Resolution, Steering
from placet.http.run_request import RunRequest

TAG: Final = "Runs"


class RunStarted(Record, frozen=True, kw_only=True):
    """The work was taken.

    Attributes:
        status: `started`, or for a retry where the run stands.
        ahead: how many inputs of the session come before it.
        replayed: whether an earlier request with the same `Idempotency-Key` had brought it.
    """

    object: Literal["hermes.run"]
    run_id: str
    session_id: str
    status: str
    ahead: int
    replayed: bool


class RunList(Record, frozen=True, kw_only=True):
    """A page of runs, newest first."""

    object: Literal["list"]
    data: list[Run]
    has_more: bool


_CONTROL_ERRORS: Final = ("run_not_found", "role_required", "session_not_found")

OPERATIONS: Final = (
    Operation(
        name="runs",
        method="POST",
        path="/v1/runs",
        tag=TAG,
        summary="Submit work and do not wait for it.",
        headers=(*p.SESSION_HEADERS, p.SESSION_KEY, p.IDEMPOTENCY_KEY, p.ON_BUSY),
        body=RunRequest,
        answers=(Answer(description="It was taken.", status=202, body=RunStarted, headers=WHOSE_WORK),),
        errors=(
            *OF_MESSAGES,
            "missing_input",
            "response_not_found",
        ),
        submits=True,
    ),
    Operation(
        name="run_list",
        method="GET",
        path="/v1/runs",
        tag=TAG,
        summary="List the runs that you may see.",
        query=RunsPage,
        answers=(Answer(description="A page.", body=RunList),),
        errors=("invalid_params", "invalid_pagination"),
    ),
    Operation(
        name="run_status",
        method="GET",
        path="/v1/runs/{run_id}",
        tag=TAG,
        summary="Say where a run stands.",
        description="Every id that was ever given out is found, also after a restart.",
        answers=(Answer(description="The run.", body=Run),),
        errors=("run_not_found",),
    ),
    Operation(
        name="run_events",
        method="GET",
        path="/v1/runs/{run_id}/events",
        tag=TAG,
        summary="Follow a run from any place in its log.",
        description="Each event comes once and in order. The stream of a run that has ended replays it and ends.",
        headers=(p.LAST_EVENT_ID,),
        query=Since,
        answers=(Answer(description="The log, live.", stream=LOG, headers=WHOSE_WORK),),
        errors=("run_not_found", "invalid_last_event_id", "invalid_session_key", "session_header_forbidden"),
    ),
    Operation(
        name="run_approval",
        method="POST",
        path="/v1/runs/{run_id}/approval",
        tag=TAG,
        summary="Decide a prompt of a run.",
        description="The first decision wins. It is recorded with who, when and from where before this is answered.",
        body=DecisionRequest,
        answers=(Answer(description="The decision holds.", body=ApprovalDecision),),
        errors=("run_not_found", "ambiguous_approval", *DECISION_ERRORS),
    ),
    Operation(
        name="run_clarify",
        method="POST",
        path="/v1/runs/{run_id}/clarify",
        tag=TAG,
        summary="Answer a question of a run.",
        body=AnswerRequest,
        answers=(Answer(description="The answer holds.", body=ClarifyAnswer),),
        errors=(
            "run_not_found",
            "invalid_answer",
            "approval_not_pending",
            "approval_expired",
            "already_resolved",
            "stale_generation",
            "session_not_found",
        ),
    ),
    Operation(
        name="run_steer",
        method="POST",
        path="/v1/runs/{run_id}/steer",
        tag=TAG,
        summary="Tell a run something while it runs.",
        headers=(p.SESSION_KEY, p.IDEMPOTENCY_KEY),
        body=Steering,
        answers=(Answer(description="It will read it.", body=SteerAccepted, headers=WHOSE_WORK),),
        errors=(
            *_CONTROL_ERRORS,
            *OF_ONCE,
            "invalid_steer_input",
            "run_not_accepting_steer",
            "steer_not_accepted",
        ),
    ),
    Operation(
        name="run_stop",
        method="POST",
        path="/v1/runs/{run_id}/stop",
        tag=TAG,
        summary="Take a run out of the queue, or stop its turn.",
        answers=(Answer(description="It ends, or has ended before.", body=RunControl),),
        errors=(*_CONTROL_ERRORS, "unknown_execution"),
    ),
    Operation(
        name="run_unknown_resolution",
        method="POST",
        path="/v1/runs/{run_id}/resolve-unknown",
        tag=TAG,
        summary="Settle a run whose server was lost while it ran, so that its session goes on.",
        body=Resolution,
        answers=(Answer(description="It is settled as interrupted.", body=RunControl),),
        errors=(*_CONTROL_ERRORS, "not_found", "stale_generation"),
    ),
)
