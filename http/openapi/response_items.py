"""The items of a response's output, described."""

from typing import Any, Literal

from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.http.openapi.records import ApprovalRequest
from placet.http.record import Record


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
