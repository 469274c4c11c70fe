"""What is asked of a run that runs: to read something, to be answered, to be settled."""

from __future__ import annotations

from typing import Any, Final

from placet.actors.protocol.commands import Clarify
from placet.actors.protocol.errors import InvalidInput

TEXT_MAX: Final = 65_536
"""Characters of an answer, or of what a run is told: a long letter. What is longer is a request of its own."""

_NAMES = ("input", "message", "text")


def parse_steering(body: dict[str, Any]) -> str:
    """What a run is told: exactly one of `input`, `message` and `text`, a string that says something.

    Raises:
        InvalidInput: `invalid_steer_input`.
    """
    given = [name for name in _NAMES if name in body]
    if len(given) != 1 or set(body) != set(given):
        raise InvalidInput("The body is exactly {input: string}.", code="invalid_steer_input", param="input")
    text = body[given[0]]
    if not isinstance(text, str) or not text.strip() or len(text) > TEXT_MAX:
        raise InvalidInput(
            f"It must be a text of at most {TEXT_MAX} characters.", code="invalid_steer_input", param=given[0]
        )
    return text


def parse_answer(body: dict[str, Any], admission_id: str, by: str, origin: str) -> Clarify:
    """The answer to a question of a run.

    Args:
        body: the JSON object: `request_id`, `execution_generation`, `answer`.
        admission_id: the run's.
        by: the principal who answers.
        origin: from where.

    Raises:
        InvalidInput: `invalid_params`.
    """
    request_id, generation, answer = (
        body.get(name) for name in ("request_id", "execution_generation", "answer")
    )
    exact = set(body) == {"request_id", "execution_generation", "answer"} and not isinstance(generation, bool)
    if not (
        exact and isinstance(request_id, str) and isinstance(generation, int) and isinstance(answer, str)
    ):
        raise InvalidInput(
            "The body is exactly {request_id: string, execution_generation: integer, answer: string}."
        )
    if len(answer) > TEXT_MAX:
        raise InvalidInput(f"An answer has at most {TEXT_MAX} characters.", param="answer")
    return Clarify(
        admission_id=admission_id,
        request_id=request_id,
        generation=generation,
        answer=answer,
        by=by,
        origin=origin,
    )


def parse_resolution(body: dict[str, Any]) -> tuple[str, int]:
    """The admission and the generation of a run of unknown outcome that is to be settled.

    Raises:
        InvalidInput: `invalid_params`.
    """
    named, generation = body.get("admission_id"), body.get("execution_generation")
    exact = set(body) == {"admission_id", "execution_generation"} and not isinstance(generation, bool)
    if not exact or not isinstance(named, str) or not isinstance(generation, int):
        raise InvalidInput("The body is exactly {admission_id: string, execution_generation: integer}.")
    return named, generation
