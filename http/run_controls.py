"""What is asked of a run that runs: to read something, to be answered, to be settled."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import UNSET, UnsetType

from placet.http.requests.declared import Body, Rules, refused_as

TEXT_MAX: Final = 65_536
"""Characters of an answer, or of what a run is told: a long letter. What is longer is a request of its own."""

_CODE: Final = "invalid_steer_input"
_Text = Annotated[
    str,
    msgspec.Meta(pattern=r"\S", max_length=TEXT_MAX),
    refused_as(_CODE, f"It must be a text of at most {TEXT_MAX} characters."),
]


class Steering(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the run is to read at its next step, under exactly one of three names."""

    rules: ClassVar[Rules] = Rules(least=1, most=1, count_code=_CODE, unknown_code=_CODE)

    input: _Text | UnsetType = UNSET
    message: _Text | UnsetType = UNSET
    text: _Text | UnsetType = UNSET

    @property
    def said(self) -> str:
        """The text, under whichever name it came."""
        return next(text for text in (self.input, self.message, self.text) if text is not UNSET)


class AnswerRequest(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer to a question.

    Attributes:
        answer: in words; one of the question's choices if it has any.
    """

    request_id: str
    execution_generation: int
    answer: Annotated[str, msgspec.Meta(max_length=TEXT_MAX)]


class Resolution(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which lost execution is meant."""

    admission_id: str
    execution_generation: int
