"""What a request asks of the model: the fields that are honoured, and those that cannot be."""

from __future__ import annotations

from typing import Annotated, Any, cast

import msgspec

from placet.actors.protocol.conversation import Settings
from placet.actors.protocol.errors import InvalidInput
from placet.http.fields import check_field

MODEL_CHARACTERS_MAX = 256
"""It is echoed in every chunk."""

_STOP_MAX = 16
"""Four times what the best known API takes; the model may take fewer."""

_RESPONSE_FORMATS = ("text", "json_object", "json_schema")

_Penalty = Annotated[float, msgspec.Meta(ge=-2, le=2)]
_Tokens = Annotated[int, msgspec.Meta(ge=1)]
_Word = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
_Stops = Annotated[tuple[Annotated[str, msgspec.Meta(min_length=1)], ...], msgspec.Meta(max_length=_STOP_MAX)]

_HONOURED: dict[str, Any] = {
    "model": Annotated[str, msgspec.Meta(max_length=MODEL_CHARACTERS_MAX)],
    "temperature": Annotated[float, msgspec.Meta(ge=0, le=2)],
    "top_p": Annotated[float, msgspec.Meta(ge=0, le=1)],
    "max_tokens": _Tokens,
    "max_completion_tokens": _Tokens,
    "seed": Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)],
    "response_format": dict[str, Any],
    "reasoning_effort": _Word,
    "presence_penalty": _Penalty,
    "frequency_penalty": _Penalty,
    "user": str,
    "metadata": dict[str, Any],
}


def parse_settings(body: dict[str, Any]) -> Settings:
    """The honoured settings of a request; null is the same as missing, and fields that are not known are ignored.

    Raises:
        InvalidInput: `invalid_params` for a wrong type or a value out of range; `unsupported_parameter` for what would change
            the answer and cannot be done: more than one choice, log probabilities, a forced choice of the client's tools.
    """
    _refuse_unsupported(body)
    values = {name: check_field(body, name, kind) for name, kind in _HONOURED.items()}
    _check_response_format(values["response_format"])
    return Settings(**values, stop=_stop(body))


def _stop(body: dict[str, Any]) -> tuple[str, ...] | None:
    stop = body.get("stop")
    if isinstance(stop, str):
        return cast("tuple[str, ...]", check_field({"stop": [stop]}, "stop", _Stops))
    return cast("tuple[str, ...] | None", check_field(body, "stop", _Stops)) or None


def _check_response_format(response_format: dict[str, Any] | None) -> None:
    if response_format is not None and response_format.get("type") not in _RESPONSE_FORMATS:
        words = ", ".join(_RESPONSE_FORMATS)
        raise InvalidInput(f"The type of `response_format` is one of {words}.", param="response_format.type")


def _refuse_unsupported(body: dict[str, Any]) -> None:
    choices = check_field(body, "n", _Tokens)
    if choices is not None and choices > 1:
        raise _unsupported("n", "There is one answer to a request.")
    if check_field(body, "logprobs", bool):
        raise _unsupported("logprobs", "Log probabilities are not given.")
    check_field(body, "tools", list[dict[str, Any]])
    for name in ("tool_choice", "function_call"):
        if body.get(name) not in (None, "none", "auto"):
            raise _unsupported(name, "Tools run on the server; a client can neither bring nor force one.")


def _unsupported(name: str, why: str) -> InvalidInput:
    return InvalidInput(f"`{name}` cannot be honoured. {why}", code="unsupported_parameter", param=name)
