"""The response object: what stands around the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from placet.actors.protocol.records import AdmissionStatus

if TYPE_CHECKING:
    from placet.actors.protocol.conversation import Usage
    from placet.actors.protocol.records import AdmissionRecord
    from placet.actors.protocol.responses import ResponseRecord
    from placet.http.responses.composition import End
    from placet.http.responses.items import Item

DEFAULT_MODEL: Final = "placet"
"""What a request that names no model is answered as."""


def envelope(
    record: ResponseRecord, status: str, output: list[Item], end: End | None = None
) -> dict[str, Any]:
    """A response as its clients see it. All but status, output and end is the request's, so it is the same in every frame.

    Args:
        record: the response.
        status: where it stands.
        output: its items.
        end: how it ended, if it has.
    """
    filing, settings = record.filing, record.admission.input.settings
    failed = end is not None and end.status == "failed"
    incomplete = end is not None and end.status == "incomplete"
    return {
        "id": record.run_id,
        "object": "response",
        "created_at": int(record.admission.created_at),
        "status": status,
        "background": filing.background,
        "error": {"code": end.code, "message": end.message} if end and failed else None,
        "incomplete_details": {"reason": end.code, "message": end.message} if end and incomplete else None,
        "instructions": filing.instructions or None,
        "max_output_tokens": settings.max_completion_tokens,
        "metadata": settings.metadata or {},
        "model": settings.model or DEFAULT_MODEL,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": filing.previous,
        "conversation": None if filing.conversation is None else {"id": filing.conversation},
        "reasoning": {"effort": settings.reasoning_effort, "summary": None},
        "store": filing.stored,
        "temperature": settings.temperature,
        "text": {"format": settings.response_format or {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": settings.top_p,
        "truncation": "auto" if filing.truncates else "disabled",
        "usage": None if end is None else _usage(end.usage),
        "placet": {"session_id": record.admission.session_id},
    }


def status_of(admission: AdmissionRecord, end: End | None) -> str:
    """Where a response stands.

    One that someone stopped is cancelled from then on: whatever its agent still does, its end will say so.

    Args:
        admission: its row, read before its events.
        end: how it ended by its events.
    """
    if end is not None:
        return end.status
    if admission.stopping:
        return "cancelled"
    return "queued" if admission.status is AdmissionStatus.QUEUED else "in_progress"


def _usage(counted: Usage) -> dict[str, Any]:
    return {
        "input_tokens": counted.prompt_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": counted.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": counted.prompt_tokens + counted.completion_tokens,
    }
