"""The items of a response's input and output, described."""

from typing import Annotated, Any, Final, Literal

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.http.openapi.messages import PARTS, Parts
from placet.http.openapi.records import ApprovalRequest, Record
from placet.http.openapi.schemas import refer
from placet.http.responses.given import ITEMS_MAX

_Id = Annotated[str, msgspec.Meta(min_length=1)]


class InputMessage(Record, frozen=True, kw_only=True):
    """A message. Its `type` is `message` or missing; without a role it is the user's."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | Parts | None = None


class InputFunctionCall(Record, frozen=True, kw_only=True, tag_field="type", tag="function_call"):
    """A call of a tool in an earlier output. It joins the assistant's message before it."""

    call_id: _Id
    name: _Id
    arguments: str


class InputFunctionCallOutput(
    Record, frozen=True, kw_only=True, tag_field="type", tag="function_call_output"
):
    """What that tool gave."""

    call_id: _Id
    output: str | Parts


class InputThought(Record, frozen=True, kw_only=True, tag_field="type", tag="reasoning"):
    """Reasoning of an earlier output; it is skipped."""


INPUTS: Final = (InputMessage, InputFunctionCall, InputFunctionCallOutput, InputThought, *PARTS)

Input = Annotated[
    Any,
    msgspec.Meta(
        extra_json_schema={
            "anyOf": [
                {"type": "string", "pattern": r"\S", "examples": ["$ rm -f hello.txt"]},
                {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": ITEMS_MAX,
                    "items": {"anyOf": [{"type": "string"}, *map(refer, INPUTS)]},
                },
            ]
        }
    ),
]
"""Text, or items of which the last is answered. A type cannot say it: a message need not tell that it is one."""


class TextOfAnswer(Record, frozen=True, kw_only=True, tag_field="type", tag="output_text"):
    """The text of an answer."""

    text: str
    annotations: list[Any]
    logprobs: list[Any]


class TextOfThought(Record, frozen=True, kw_only=True, tag_field="type", tag="summary_text"):
    """The text of a thought."""

    text: str


class TextOfTool(Record, frozen=True, kw_only=True, tag_field="type", tag="input_text"):
    """The text of a tool's output."""

    text: str


class OutputMessage(Record, frozen=True, kw_only=True, tag_field="type", tag="message"):
    """What the agent said."""

    id: str
    status: str
    role: Literal["assistant"]
    content: list[TextOfAnswer]


class OutputThought(Record, frozen=True, kw_only=True, tag_field="type", tag="reasoning"):
    """What the agent thought."""

    id: str
    status: str
    summary: list[TextOfThought]


class OutputFunctionCall(Record, frozen=True, kw_only=True, tag_field="type", tag="function_call"):
    """A tool that the server ran. It is never the client's to run."""

    id: str
    status: str
    name: str
    arguments: str
    call_id: str


class OutputFunctionCallOutput(
    Record, frozen=True, kw_only=True, tag_field="type", tag="function_call_output"
):
    """What the tool gave: text, and in streams a list with it."""

    id: str
    status: str
    call_id: str
    output: str | list[TextOfTool]


class PromptBeside(Record, frozen=True, kw_only=True):
    """The whole prompt."""

    approval: ApprovalRequest


class OutputPrompt(Record, frozen=True, kw_only=True, tag_field="type", tag="mcp_approval_request"):
    """A prompt, in a form that clients know. It is not answered by an item of input but by its `request_id`."""

    id: str
    server_label: Literal["placet"]
    name: str
    arguments: str
    placet: PromptBeside


class PromptEndBeside(Record, frozen=True, kw_only=True):
    """How the prompt ended."""

    request_id: str
    status: ApprovalStatus
    choice: Choice | None


class OutputPromptEnd(Record, frozen=True, kw_only=True, tag_field="type", tag="mcp_approval_response"):
    """The end of a prompt. What expired or was cancelled is not approved either.

    Attributes:
        approval_request_id: the item of the prompt.
    """

    id: str
    approval_request_id: str
    approve: bool
    reason: str | None
    placet: PromptEndBeside


OutputItem = (
    OutputMessage
    | OutputThought
    | OutputFunctionCall
    | OutputFunctionCallOutput
    | OutputPrompt
    | OutputPromptEnd
)
OutputPart = TextOfAnswer | TextOfThought
