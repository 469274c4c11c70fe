"""The shapes of messages and of their parts, as clients write them. `chat_messages` and `chat_content` read them."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from placet.http.record import Record

PARTS_MAX: Final = 1000
"""Parts of one message. Clients that split text send tens."""

_Url = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(https?://[^\s/?#]\S*|data:image/[^\s,]+,\S+)$",
        examples=["https://example.org/cat.png", "data:image/png;base64,iVBORw0KGgo="],
    ),
]
Text = Annotated[str, msgspec.Meta(pattern=r"\S", examples=["Say hello.", "$ rm -f hello.txt"])]
"""What a person says. The agent `demo` runs lines that begin with `$ `."""

_Detail = Literal["auto", "low", "high", "original"]
_Name = Annotated[str, msgspec.Meta(min_length=1)]


class Image(Record, frozen=True, kw_only=True):
    """Where an image is.

    Attributes:
        url: its address, or itself as data.
        detail: how closely the model should look.
    """

    url: _Url
    detail: _Detail | None = None


class TextPart(Record, frozen=True, kw_only=True, tag_field="type", tag="text"):
    """A piece of text."""

    text: str


class InputTextPart(TextPart, frozen=True, kw_only=True, tag_field="type", tag="input_text"):
    """A piece of text under the name that responses have for it."""


class OutputTextPart(TextPart, frozen=True, kw_only=True, tag_field="type", tag="output_text"):
    """A piece of an earlier answer."""


class ImagePart(Record, frozen=True, kw_only=True, tag_field="type", tag="image_url"):
    """An image. The detail may also stand beside an address that is a plain string."""

    image_url: _Url | Image
    detail: _Detail | None = None


class InputImagePart(ImagePart, frozen=True, kw_only=True, tag_field="type", tag="input_image"):
    """An image under the name that responses have for it."""


TextParts = Annotated[
    list[str | TextPart | InputTextPart | OutputTextPart], msgspec.Meta(max_length=PARTS_MAX)
]
Parts = Annotated[
    list[str | TextPart | InputTextPart | OutputTextPart | ImagePart | InputImagePart],
    msgspec.Meta(max_length=PARTS_MAX),
]


PARTS: Final[tuple[type[Record], ...]] = (TextPart, InputTextPart, OutputTextPart, ImagePart, InputImagePart)


class Function(Record, frozen=True, kw_only=True):
    """Which tool was called, and how.

    Attributes:
        name: of the tool.
        arguments: JSON, as text.
    """

    name: _Name
    arguments: str


class ToolCall(Record, frozen=True, kw_only=True):
    """A call of a tool in an earlier answer."""

    id: _Name
    function: Function
    type: Literal["function"] = "function"


class SystemMessage(Record, frozen=True, kw_only=True, tag_field="role", tag="system"):
    """What the agent is to go by."""

    content: str | TextParts
    name: str | None = None


class DeveloperMessage(SystemMessage, frozen=True, kw_only=True, tag_field="role", tag="developer"):
    """The same as a system message."""


class UserMessage(Record, frozen=True, kw_only=True, tag_field="role", tag="user"):
    """What a person says. The message that is to be answered must say something."""

    content: str | Parts
    name: str | None = None


class AssistantMessage(Record, frozen=True, kw_only=True, tag_field="role", tag="assistant"):
    """An earlier answer."""

    content: str | Parts | None = None
    tool_calls: list[ToolCall] | None = None
    name: str | None = None


class ToolMessage(Record, frozen=True, kw_only=True, tag_field="role", tag="tool"):
    """What a tool gave."""

    tool_call_id: _Name
    content: str | Parts | None = None
    name: str | None = None


Message = SystemMessage | DeveloperMessage | UserMessage | AssistantMessage | ToolMessage
MESSAGES: Final[tuple[type[Record], ...]] = (
    SystemMessage,
    DeveloperMessage,
    UserMessage,
    AssistantMessage,
    ToolMessage,
)
