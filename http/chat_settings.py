"""What a request asks of the model: the settings that are honoured, and those that cannot be."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, cast

import msgspec

from placet.actors.protocol.conversation import Settings
from placet.actors.protocol.errors import InvalidInput
from placet.http.record import Record
from placet.http.requests.declared import Body, Form, only, refused_as

MODEL_CHARACTERS_MAX: Final = 256
"""It is echoed in every chunk."""

_STOP_MAX: Final = 16
"""Four times what the best known API takes; the model may take fewer."""

_ON_SERVER: Final = "Tools run on the server; a client can neither bring nor force one."

_NO_LOGPROBS: Final = only(False, why="Log probabilities are not given.")  # noqa: FBT003 - a value, not a switch

Tokens = Annotated[int, msgspec.Meta(ge=1)]
Effort = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
_Penalty = Annotated[float, msgspec.Meta(ge=-2, le=2)]
_Stop = Annotated[str, msgspec.Meta(min_length=1)]
_Tool = Annotated[Literal["none", "auto"], refused_as("unsupported_parameter", _ON_SERVER)]


class ResponseFormat(Record, frozen=True, kw_only=True):
    """The form that the model is to answer in; further fields are handed to it as they are."""

    type: Literal["text", "json_object", "json_schema"]


class Format(Form[dict[str, Any]]):
    """A format of the answer, kept whole."""

    shows: ClassVar[Any] = ResponseFormat

    @staticmethod
    def parse(value: object, param: str) -> dict[str, Any]:
        """All of its fields."""
        place = param if not isinstance(value, dict) else f"{param}.type"
        try:
            msgspec.convert(value, ResponseFormat)
        except msgspec.ValidationError as error:
            raise InvalidInput(f"`{place}`: {error}.", param=place) from None
        return cast("dict[str, Any]", value)


class ModelSettings(Body, frozen=True, kw_only=True):
    """What a request asks of the model. All of it is handed on; what cannot be honoured is refused, not ignored.

    Attributes:
        model: any name is taken and echoed; that of a configured model selects it.
        n: there is one answer to a request.
        logprobs: log probabilities are not given.
        tools: taken and not used: tools run on the server.
        tool_choice: a client can force no tool.
        function_call: the same, under its old name.
    """

    n: Annotated[int, msgspec.Meta(ge=1), only(1, why="There is one answer to a request.")] | None = None
    logprobs: Annotated[bool, _NO_LOGPROBS] | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: _Tool | None = None
    function_call: _Tool | None = None
    model: Annotated[str, msgspec.Meta(max_length=MODEL_CHARACTERS_MAX)] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    stop: _Stop | Annotated[list[_Stop], msgspec.Meta(max_length=_STOP_MAX)] | None = None
    seed: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | None = None
    response_format: Format | None = None
    reasoning_effort: Effort | None = None
    presence_penalty: _Penalty | None = None
    frequency_penalty: _Penalty | None = None
    user: str | None = None
    metadata: dict[str, Any] | None = None

    def for_model(self, **others: Any) -> Settings:
        """The settings in the words of the model's API.

        Args:
            others: settings that stand elsewhere in the request; they win.
        """
        stop = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ()) or None
        values = {name: getattr(self, name, None) for name in Settings.__struct_fields__}
        values |= {"stop": stop, "response_format": self.response_format and self.response_format.value}
        return Settings(**values | others)
