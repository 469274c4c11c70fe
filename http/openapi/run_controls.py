"""What a run that runs is told, described."""

from typing import Annotated, Any, Literal

import msgspec

from placet.http.openapi.records import Record
from placet.http.run_controls import TEXT_MAX

_Text = {"type": "string", "pattern": r"\S", "maxLength": TEXT_MAX}

Steering = Annotated[
    Any,
    msgspec.Meta(
        description="What the run is to read at its next step, under exactly one of three names.",
        extra_json_schema={
            "type": "object",
            "oneOf": [
                {"properties": {name: _Text}, "required": [name], "additionalProperties": False}
                for name in ("input", "message", "text")
            ],
        },
    ),
]


class SteerAccepted(Record, frozen=True, kw_only=True):
    """The run will read it."""

    object: Literal["hermes.run.steer"]
    run_id: str
    accepted: Literal[True]


class AnswerRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer to a question.

    Attributes:
        answer: in words; one of the question's choices if it has any.
    """

    request_id: str
    execution_generation: int
    answer: Annotated[str, msgspec.Meta(max_length=TEXT_MAX)]


class ClarifyAnswer(Record, frozen=True, kw_only=True):
    """An answer that holds.

    Attributes:
        status: `already_resolved` if the same had been answered before.
        decided_at: Unix seconds.
    """

    object: Literal["clarify.answer"]
    run_id: str
    request_id: str
    prompt_id: str
    answer: str
    status: Literal["resolved", "already_resolved"]
    decided_by: str
    decided_at: float


class Resolution(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which lost execution is meant."""

    admission_id: str
    execution_generation: int
