"""What is sent to answer a prompt, or to let it wait longer."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from placet.actors.protocol.approvals import Choice
from placet.actors.protocol.errors import InvalidInput
from placet.http.requests.declared import Body

REASON_MAX: Final = 4000
"""Characters of a reason: a paragraph for the agent, not a document."""

_ALIASES: Final = {"approve": "once", "approved": "once", "allow": "once"}
_Word = Annotated[
    str, msgspec.Meta(extra_json_schema={"enum": [*(choice.value for choice in Choice), *_ALIASES]})
]


class ChoiceRequest(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A choice, where it is known of which prompt.

    Attributes:
        choice: one that the prompt offers; `approve`, `approved` and `allow` mean `once`.
        reason: for the agent and the audit.
    """

    choice: _Word
    reason: Annotated[str, msgspec.Meta(max_length=REASON_MAX)] | None = None

    @property
    def chosen(self) -> Choice:
        """The choice, under whichever of its names it came.

        Raises:
            InvalidInput: `invalid_choice`.
        """
        word = self.choice.strip().lower()
        try:
            return Choice(_ALIASES.get(word, word))
        except ValueError:
            offered = ", ".join(choice.value for choice in Choice)
            raise InvalidInput(
                f"`choice` is one of {offered}.", code="invalid_choice", param="choice"
            ) from None


class DecisionRequest(ChoiceRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer to a prompt. What it names beside the choice is checked, so that nobody decides what they did not see.

    Attributes:
        request_id: the prompt. Without it the run's only prompt is meant.
        execution_generation: the generation under which it was shown.
        digest: the digest that was shown.
    """

    request_id: str | None = None
    execution_generation: int | None = None
    digest: str | None = None


class Extension(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much longer a prompt is to wait.

    Attributes:
        seconds: from when it would have expired.
    """

    seconds: Annotated[float, msgspec.Meta(gt=0)]
