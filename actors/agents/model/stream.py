"""From the chunks of a stream to one message. Pure.

Half an answer must never pass for a whole one: a stream that ends without a finish reason, carries an error object or cannot be
read is a failure, whatever text came before it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from placet.actors.agents.model.wire import Answer, CallDelta, Chunk, Delta
from placet.actors.protocol.conversation import ToolCall, Usage
from placet.actors.protocol.errors import PlacetError
from placet.actors.protocol.ids import new_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from placet.actors.protocol.conversation import FinishReason

DONE = "[DONE]"
"""The last `data:` of a stream, which is no JSON."""

CALLS_MAX = 128
"""Tool calls of one message. Providers allow about as many tools; more are a model gone wrong."""

CUT: Mapping[str, FinishReason] = MappingProxyType({"length": "length", "content_filter": "content_filter"})
"""The finish reasons of an answer that does not end where the model would have ended it."""

_decoder = msgspec.json.Decoder(Chunk)


class ModelFailed(PlacetError):
    """The model gave no whole answer. The message tells a client that much and no internals; the log has the rest.

    Codes: `model_unreachable`, `model_overloaded`, `model_refused`, `context_exceeded` before an answer began;
    `model_failed`, `model_incomplete`, `model_malformed`, `model_cut` after.
    """

    default_code = "model_failed"


class Assembly:
    """A message as it comes in.

    Args:
        taken: call ids of earlier messages. A model that uses one again, or none, is given another: the journal and
            the result's message find a call by its id.
    """

    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        self._taken = taken
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._finish_reason: str | None = None
        self._usage = Usage()
        self.done = False
        self.begun = False

    def add(self, data: str) -> Delta:
        """Take the data of one event.

        Returns:
            What is new in it.

        Raises:
            ModelFailed: it is an error object, or no chunk at all.
        """
        if data.strip() == DONE:
            self.done = True
            return Delta()
        try:
            chunk = _decoder.decode(data)
        except (msgspec.DecodeError, UnicodeEncodeError) as error:
            raise ModelFailed("The model's answer cannot be read.", code="model_malformed") from error
        if chunk.error is not None:
            raise ModelFailed("The model reported an error instead of an answer.")
        if chunk.usage is not None:
            self._usage = Usage(chunk.usage.prompt_tokens or 0, chunk.usage.completion_tokens or 0)
        if not chunk.choices:
            return Delta()
        self._finish_reason = chunk.choices[0].finish_reason or self._finish_reason
        return self._take(chunk.choices[0].delta or Delta())

    def _take(self, delta: Delta) -> Delta:
        self._text.append(delta.content or "")
        self._reasoning.append(delta.thought)
        for piece in delta.tool_calls or ():
            self._call(piece).add(piece)
        if delta.content or delta.thought or delta.tool_calls:
            self.begun = True
        return delta

    def _call(self, piece: CallDelta) -> _Call:
        """Of which call it is a piece."""
        known = self._by_index.get(piece.index) if piece.index is not None else None
        if known is None and piece.index is None and not piece.id and self._calls:
            known = self._calls[-1]
        if known is not None and not (piece.id and known.id and piece.id != known.id):
            return known
        if len(self._calls) == CALLS_MAX:
            raise ModelFailed(f"The model calls more than {CALLS_MAX} tools at once.", code="model_malformed")
        call = _Call()
        self._calls.append(call)
        if piece.index is not None:
            self._by_index[piece.index] = call
        return call

    def answer(self) -> Answer:
        """The whole message, once the stream has ended.

        Raises:
            ModelFailed: it is not whole.
        """
        reason = self._finish_reason
        if reason is None:
            raise ModelFailed("The model's answer broke off.", code="model_incomplete")
        if reason in CUT and self._calls:
            raise ModelFailed("The model's answer was cut inside a tool call.", code="model_cut")
        return Answer(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            calls=self._named_calls(),
            finish_reason=reason,
            usage=self._usage,
        )

    def _named_calls(self) -> tuple[ToolCall, ...]:
        taken = set(self._taken)
        calls: list[ToolCall] = []
        for call in self._calls:
            call_id = call.id if call.id and call.id not in taken else f"call_{new_id()[:24]}"
            taken.add(call_id)
            calls.append(ToolCall(id=call_id, name=call.name, arguments=call.arguments()))
        return tuple(calls)


class _Call:
    """One tool call as it comes in."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self._arguments: list[str] = []

    def add(self, piece: CallDelta) -> None:
        self.id = self.id or piece.id or ""
        if piece.function is None:
            return
        self.name = self.name or piece.function.name or ""
        arguments: Any = piece.function.arguments
        if isinstance(arguments, dict):  # whole, from servers that do not stream calls
            arguments = msgspec.json.encode(arguments).decode()
        self._arguments.append(arguments or "")

    def arguments(self) -> str:
        return "".join(self._arguments).strip() or "{}"
