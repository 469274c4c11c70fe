"""A request for a response: what it asks, what it goes on from, how it wants to be served."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from placet.actors.protocol.errors import InvalidInput
from placet.actors.protocol.filing import TRUNCATED_TO
from placet.http.chat_messages import History
from placet.http.chat_request import ChatRequest, Served, turn_of
from placet.http.chat_settings import Effort, Format, Tokens
from placet.http.record import Record
from placet.http.requests.declared import Body
from placet.http.responses.given import Input

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers

    from placet.actors.protocol.conversation import Settings

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]


class ConversationName(Body, frozen=True, kw_only=True):
    """A conversation by its name."""

    id: _Name | None = None


class TextFormat(Record, frozen=True, kw_only=True):
    """The form that the model is to answer in; a schema stands beside its type."""

    type: Literal["text", "json_object", "json_schema"]


class FlatFormat(Format):
    """A format of the answer that describes a schema beside its type, not one level down as in a chat completion."""

    shows = TextFormat

    @staticmethod
    def parse(value: object, param: str) -> dict[str, Any]:
        """The format as chat completions nest it."""
        described = Format.parse(value, param)
        if described["type"] != "json_schema":
            return described
        schema = {name: part for name, part in described.items() if name != "type"}
        return {"type": "json_schema", "json_schema": schema}


class TextSettings(Body, frozen=True, kw_only=True):
    """How the text is to be."""

    format: FlatFormat | None = None


class Reasoning(Body, frozen=True, kw_only=True):
    """How hard the model is to think."""

    effort: Effort | None = None


class ResponseRequest(Served, frozen=True, kw_only=True):
    """What is asked, and what it goes on from.

    Attributes:
        input: what is asked: text, or items of which the last is answered.
        instructions: what the agent is to go by; without them those of the response before hold.
        previous_response_id: the response that this one goes on from.
        conversation: the conversation that this one goes on with, by a name of the client's; not together with a previous response.
        conversation_history: what was said before, in place of what is stored.
        store: whether the response can be read later.
        background: whether the answer is not waited for; then it must be stored.
        truncation: `auto` keeps the newest part of a long history.
    """

    input: Input
    instructions: str | None = None
    previous_response_id: _Name | None = None
    conversation: _Name | ConversationName | None = None
    conversation_history: History | None = None
    store: bool | None = None
    background: bool | None = None
    truncation: Literal["auto", "disabled"] | None = None
    max_output_tokens: Tokens | None = None
    reasoning: Reasoning | None = None
    text: TextSettings | None = None

    def for_model(self, **others: Any) -> Settings:
        """The settings in the words of the model's API. Some are called otherwise here than in a chat completion, and then win."""
        others["max_completion_tokens"] = self.max_output_tokens
        if self.reasoning is not None and self.reasoning.effort is not None:
            others["reasoning_effort"] = self.reasoning.effort
        if self.text is not None and self.text.format is not None:
            others["response_format"] = self.text.format.value
        return super().for_model(**others)


class AskedResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a response, read.

    Attributes:
        chat: what it asks; its history is what the request itself says came before.
        brings_history: whether that history is the whole of it, so that nothing that is stored counts.
        instructions: its own, if it has any; else those of what it goes on from hold.
        previous: the response that it goes on from.
        conversation: the conversation that it goes on with.
        stored: whether the response can be read later.
        background: whether its client does not wait for the end.
        truncates: whether only the newest part of a long history counts.
    """

    chat: ChatRequest
    brings_history: bool
    instructions: str | None
    previous: str | None
    conversation: str | None
    stored: bool
    background: bool
    truncates: bool

    def fingerprint(self, session_id: str | None) -> str:
        """What two requests share if and only if they mean the same: SHA-256 in hex.

        A conversation counts by its name, not by where it stands: that moves on, and a retry stays the same.

        Args:
            session_id: the session that the client named, if it named one.
        """
        meaning = {
            "v": 1,
            "kind": "responses",
            "session_id": session_id,
            "input": msgspec.to_builtins(self.chat.input),
            "goes_on_from": [self.previous, self.conversation, self.brings_history],
            "instructions": self.instructions,
            "stored": self.stored,
            "truncates": self.truncates,
        }
        return hashlib.sha256(msgspec.json.encode(meaning, order="deterministic")).hexdigest()


def response_of(asked: ResponseRequest, headers: Headers) -> AskedResponse:
    """The request for a response in its body.

    Args:
        asked: the body.
        headers: of the request, for what to do if the session is busy.

    Raises:
        InvalidInput: two fields do not go together, or as `chat_of`.
    """
    said, background, stored = asked.input.value, asked.background or False, asked.store is not False
    earlier, earlier_system = asked.conversation_history.value if asked.conversation_history else ((), "")
    truncates = asked.truncation == "auto"
    history = (*earlier, *said.history)
    if background and not stored:
        raise InvalidInput(
            "What runs in the background must be stored, or nobody could read it.", param="store"
        )
    chat = turn_of(
        asked,
        headers,
        content=said.content,
        history=history[-TRUNCATED_TO:] if truncates else history,
        system="\n".join(text for text in (earlier_system, said.system) if text),
    )
    return AskedResponse(
        chat=chat,
        brings_history=asked.conversation_history is not None,
        instructions=asked.instructions,
        previous=asked.previous_response_id,
        conversation=_conversation(asked),
        stored=stored,
        background=background,
        truncates=truncates,
    )


def _conversation(asked: ResponseRequest) -> str | None:
    named = asked.conversation
    name = named.id if isinstance(named, ConversationName) else named
    if name is not None and asked.previous_response_id is not None:
        raise InvalidInput(
            "A response goes on from `previous_response_id` or with a `conversation`, not both.",
            param="conversation",
        )
    return name
