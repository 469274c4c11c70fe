"""How records look on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import CLARIFY, ApprovalStatus
from placet.actors.protocol.events import Outcome
from placet.actors.protocol.records import (
    AdmissionRecord,
    AdmissionStatus,
    ApprovalRecord,
    RunRecord,
    SessionFacts,
    SessionRecord,
)

if TYPE_CHECKING:
    from placet.actors.protocol.answers import Stopped
    from placet.actors.protocol.conversation import Usage

_STATUS_OF_OUTCOME = {
    Outcome.COMPLETED: "completed",
    Outcome.FAILED: "failed",
    Outcome.CANCELLED: "cancelled",
    Outcome.INTERRUPTED: "interrupted",
    Outcome.REJECTED: "rejected",
}


def approval_request(row: ApprovalRecord, run_id: str) -> dict[str, Any]:
    """A prompt as every surface shows it; a question, which is no request for consent, as one.

    Args:
        row: the prompt.
        run_id: the id of the stream or run that shows it.
    """
    prompt = row.prompt
    if prompt.kind == CLARIFY:
        return _clarify_request(row, run_id)
    return {
        "event": "approval.request",
        "kind": prompt.kind,
        "run_id": run_id,
        "session_id": row.session_id,
        "request_id": prompt.request_id,
        "prompt_id": prompt.request_id,
        "execution_generation": row.generation,
        "tool": prompt.tool,
        "command": prompt.command,
        "display": prompt.display,
        "description": prompt.description,
        "pattern_key": prompt.pattern_key,
        "directory": prompt.directory,
        "path": prompt.path,
        "requested_by": row.principal,
        "choices": [choice.value for choice in prompt.choices],
        "rules": prompt.rules,
        "digest": prompt.digest,
        "warnings": list(prompt.warnings),
        "created_at": prompt.created_at,
        "expires_at": prompt.expires_at,
        "timestamp": prompt.created_at,
    }


def _clarify_request(row: ApprovalRecord, run_id: str) -> dict[str, Any]:
    prompt = row.prompt
    return {
        "event": "clarify.request",
        "kind": prompt.kind,
        "run_id": run_id,
        "session_id": row.session_id,
        "request_id": prompt.request_id,
        "prompt_id": prompt.request_id,
        "execution_generation": row.generation,
        "question": prompt.display,
        "path": prompt.path,
        "requested_by": row.principal,
        "choices": list(prompt.options),
        "multi_select": False,
        "created_at": prompt.created_at,
        "expires_at": prompt.expires_at,
        "timestamp": prompt.created_at,
    }


def approval_record(row: ApprovalRecord, run_id: str) -> dict[str, Any]:
    """A prompt in a list: what was asked, and how it stands."""
    return {
        "object": "approval",
        **approval_request(row, run_id),
        "status": row.status.value,
        "decision": row.choice,
        "answer": row.answer,
        "decided_by": row.decided_by,
        "decided_at": row.decided_at,
        "reason": row.reason,
    }


def approval_ended(
    row_id: str, run_id: str, status: ApprovalStatus, choice: str | None, by: str
) -> dict[str, Any]:
    """The end of a prompt, for those who were shown it."""
    return {
        "event": "approval.responded" if choice is not None else "approval.settled",
        "run_id": run_id,
        "request_id": row_id,
        "prompt_id": row_id,
        "status": status.value,
        "choice": choice,
        "decided_by": by,
    }


def approval_event(
    event: e.ApprovalExpiring | e.ApprovalExtended | e.ApprovalDecided | e.ApprovalClosed,
) -> dict[str, Any]:
    """What happened to a prompt, for those who watch a log."""
    record: dict[str, Any] = {"request_id": event.request_id, "prompt_id": event.request_id}
    match event:
        case e.ApprovalExpiring():
            return {"event": "approval.expiring", **record, "expires_at": event.expires_at}
        case e.ApprovalExtended():
            return {"event": "approval.extended", **record, "expires_at": event.expires_at, "by": event.by}
        case e.ApprovalDecided():
            made = {"status": event.status.value, "choice": event.choice.value, "resolved": 1}
            return {
                "event": "approval.responded",
                **record,
                **made,
                "decided_by": event.by,
                "reason": event.reason,
            }
        case e.ApprovalClosed() if event.kind == CLARIFY:
            ended = {"status": event.status.value, "answer": event.answer, "decided_by": event.by}
            return {"event": "clarify.settled", **record, **ended}
        case e.ApprovalClosed():
            ended = {
                "status": event.status.value,
                "choice": None,
                "decided_by": "placet",
                "reason": event.cause,
            }
            return {"event": "approval.settled", **record, **ended}


def approval_granted(event: e.ApprovalGranted) -> dict[str, Any]:
    """That a rule answered where a person would have been asked."""
    prompt = event.prompt
    return {
        "event": "approval.granted",
        "request_id": prompt.request_id,
        "prompt_id": prompt.request_id,
        "tool": prompt.tool,
        "command": prompt.command,
        "display": prompt.display,
        "path": prompt.path,
        "rule_id": event.rule_id,
    }


def decision(row: ApprovalRecord, run_id: str, *, fresh: bool) -> dict[str, Any]:
    """The answer to a decision that holds."""
    return {
        "object": "approval.decision",
        "run_id": run_id,
        "request_id": row.prompt.request_id,
        "prompt_id": row.prompt.request_id,
        "choice": row.choice,
        "status": "resolved" if fresh else "already_resolved",
        "resolved": 1,
        "decided_by": row.decided_by,
        "decided_at": row.decided_at,
    }


def answer(row: ApprovalRecord, run_id: str, *, fresh: bool) -> dict[str, Any]:
    """The answer to an answer that holds."""
    return {
        "object": "clarify.answer",
        "run_id": run_id,
        "request_id": row.prompt.request_id,
        "prompt_id": row.prompt.request_id,
        "answer": row.answer,
        "status": "resolved" if fresh else "already_resolved",
        "decided_by": row.decided_by,
        "decided_at": row.decided_at,
    }


def run_status(admission: AdmissionRecord, approvals: tuple[ApprovalRecord, ...]) -> str:
    """The word for where a run stands."""
    if admission.status is AdmissionStatus.TERMINAL:
        return _STATUS_OF_OUTCOME[admission.outcome or Outcome.INTERRUPTED]
    if admission.status is not AdmissionStatus.STARTED:
        return str(admission.status.value)
    if admission.stopping:
        return "stopping"
    waits = any(row.status is ApprovalStatus.OPEN for row in approvals)
    return "waiting_for_approval" if waits else "running"


def run(record: RunRecord) -> dict[str, Any]:
    """A run, under the id that was asked for."""
    admission, result = record.admission, record.admission.result
    waiting = [
        approval_request(row, record.run_id) for row in record.approvals if row.status is ApprovalStatus.OPEN
    ]
    return {
        "object": "hermes.run",
        "run_id": record.run_id,
        "status": run_status(admission, record.approvals),
        "session_id": admission.session_id,
        "admission_id": admission.admission_id,
        "execution_generation": admission.generation,
        "surface": record.surface,
        "model": admission.input.settings.model,
        "created_at": admission.created_at,
        "updated_at": admission.updated_at,
        "output": None if result is None else result.text,
        "finish_reason": None
        if admission.outcome is not Outcome.COMPLETED or result is None
        else result.finish_reason,
        "usage": None if result is None else usage(result.usage),
        "error": None
        if result is None or result.error is None
        else {"message": result.error, "code": result.error_code},
        "approval": next((item for item in waiting if item["event"] == "approval.request"), None),
        "pending_controls": waiting,
        "approvals": [approval_record(row, record.run_id) for row in record.approvals],
    }


def queued(admission: AdmissionRecord, run_id: str, place: int) -> dict[str, Any]:
    """An input that runs or waits.

    Args:
        admission: the input.
        run_id: its first public id.
        place: how many are before it.
    """
    return {
        "object": "hermes.session.queued",
        "admission_id": admission.admission_id,
        "run_id": run_id,
        "session_id": admission.session_id,
        "status": run_status(admission, ()),
        "ahead": place,
        "surface": admission.surface,
        "input": admission.input.content.text,
        "created_at": admission.created_at,
    }


def stopped(run_id: str, answer: Stopped) -> dict[str, Any]:
    """A run after a stop or a resolution."""
    admission = answer.admission
    return {
        "object": "hermes.run.control",
        "run_id": run_id,
        "session_id": admission.session_id,
        "admission_id": admission.admission_id,
        "execution_generation": admission.generation,
        "status": "stopping" if answer.stopping else run_status(admission, ()),
        "outcome": None if admission.outcome is None else admission.outcome.value,
    }


def usage(counted: Usage) -> dict[str, int]:
    """Tokens, in the words of chat completions."""
    return {
        "prompt_tokens": counted.prompt_tokens,
        "completion_tokens": counted.completion_tokens,
        "total_tokens": counted.prompt_tokens + counted.completion_tokens,
    }


def session(record: SessionRecord, facts: SessionFacts | None = None) -> dict[str, Any]:
    """A session, without its system prompt.

    Args:
        record: the session.
        facts: what is counted of it; left out if it was not.
    """
    counted = (
        {}
        if facts is None
        else {
            "message_count": facts.messages,
            "input_tokens": facts.prompt_tokens,
            "output_tokens": facts.completion_tokens,
            "preview": facts.first_words,
            "status": "idle" if facts.status is None else facts.status.value,
            "queued": facts.queued,
        }
    )
    return {
        "id": record.session_id,
        "source": record.source,
        "user_id": record.principal,
        "title": record.title,
        "started_at": record.created_at,
        "last_active": record.last_active,
        "ended_at": record.ended_at,
        "end_reason": record.end_reason,
        "parent_session_id": record.parent,
        **counted,
        "pinned": record.pinned,
        "archived": record.archived,
        "hidden": record.hidden,
        "unread": record.unread,
        "execution_generation": record.generation,
        "revision": record.revision,
        "has_system_prompt": record.system_prompt is not None,
    }
