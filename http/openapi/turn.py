"""What every request for a turn may say beside what it asks: settings, and how it wants to be served."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from placet.actors.protocol.commands import OnBusy
from placet.http.chat_settings import MODEL_CHARACTERS_MAX
from placet.http.dialect import Dialect
from placet.http.openapi.records import Record

_Penalty = Annotated[float, msgspec.Meta(ge=-2, le=2)]
_Tokens = Annotated[int, msgspec.Meta(ge=1)]
_Seed = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_Stop = Annotated[str, msgspec.Meta(min_length=1)]
_One = Annotated[int, msgspec.Meta(ge=1, le=1)]
_No = Annotated[bool, msgspec.Meta(extra_json_schema={"const": False})]


class Placet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a request wants to be served. It is no part of what the request means.

    Attributes:
        approvals: how prompts and the progress of tools are shown in the stream.
        on_busy: what to do if the session is at work.
    """

    approvals: Dialect | None = None
    on_busy: OnBusy | None = None


class StreamOptions(Record, frozen=True, kw_only=True):
    """How a stream is to be.

    Attributes:
        include_usage: whether it ends with a usage chunk.
    """

    include_usage: bool | None = None


class ResponseFormat(Record, frozen=True, kw_only=True):
    """The form that the model is to answer in; further fields are handed to it as they are."""

    type: Literal["text", "json_object", "json_schema"]


class Settings(Record, frozen=True, kw_only=True):
    """What a request asks of the model. All of it is handed on; what cannot be honoured is refused, not ignored.

    Attributes:
        model: any name is taken and echoed; that of a configured model selects it.
        n: there is one answer to a request.
        logprobs: log probabilities are not given.
        tools: taken and not used: tools run on the server.
        tool_choice: a client can force no tool.
        function_call: the same, under its old name.
    """

    model: Annotated[str, msgspec.Meta(max_length=MODEL_CHARACTERS_MAX)] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    stop: _Stop | Annotated[list[_Stop], msgspec.Meta(max_length=16)] | None = None
    seed: _Seed | None = None
    response_format: ResponseFormat | None = None
    reasoning_effort: Annotated[str, msgspec.Meta(min_length=1, max_length=64)] | None = None
    presence_penalty: _Penalty | None = None
    frequency_penalty: _Penalty | None = None
    user: str | None = None
    metadata: dict[str, Any] | None = None
    n: _One | None = None
    logprobs: _No | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: Literal["none", "auto"] | None = None
    function_call: Literal["none", "auto"] | None = None
    placet: Placet | None = None


class ChatSettings(Settings, frozen=True, kw_only=True):
    """The same with the limits of an answer in the words of chat completions."""

    max_tokens: _Tokens | None = None
    max_completion_tokens: _Tokens | None = None
