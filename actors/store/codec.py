"""Events and rows as text and back, with large images held apart in `blobs`."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from placet.actors.protocol.errors import InvalidInput, TooLarge
from placet.actors.protocol.events import (
    AdmissionAccepted,
    ApprovalGranted,
    ApprovalOpened,
    Event,
    ServerEvent,
    StepEnded,
    TextAppended,
    ThoughtAppended,
    ToolEnded,
    ToolProgressed,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.actors.protocol.conversation import ChatMessage, TurnInput
    from placet.actors.protocol.limits import Limits
    from placet.actors.store.sql import Connection

INLINE_URL_CHARACTERS = 4096
"""Longer image URLs lie in `blobs`: one page, so that a ledger row without images stays small and a repeated image is kept once."""

ENVELOPE_BYTES = 4096
"""What an event may have around a journaled result: ids, the step's key, the JSON itself."""

_BLOB = "placet-blob:"
# Types are compared, here and below, because a struct's `isinstance` takes the way of abstract classes: eight times as long.
_RESULTS = frozenset[type[Event]]({StepEnded, ToolEnded})
_PIECES = frozenset[type[Event]]({TextAppended, ThoughtAppended, ToolProgressed})
_OF_SERVER = frozenset[type[Event]](get_args(ServerEvent))
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_encoder = msgspec.json.Encoder(order="sorted")


class Encoded(msgspec.Struct, frozen=True):
    """An event ready to be written.

    Attributes:
        event: as it was given.
        lean: the same with its large images replaced by references.
        admission_id: the admission that it belongs to, if any.
        body: `lean` as JSON.
        blobs: what was replaced, by sha256.
    """

    event: Event
    lean: Event
    admission_id: str | None
    body: str
    blobs: dict[str, str]


def to_json(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces."""
    return _encoder.encode(value).decode()


def encode(event: Event, limits: Limits) -> Encoded:
    """The event as it is written.

    Raises:
        InvalidInput: `not_json`, as some text has lone surrogates or a result is no JSON value.
        TooLarge: `event_too_large`, or `result_too_large` for a step's or a tool's result.
    """
    blobs: dict[str, str] = {}
    lean: Event = event
    if type(event) is AdmissionAccepted:
        lean = msgspec.structs.replace(event, input=_map_urls(event.input, lambda url: _stow(url, blobs)))
    try:
        body = msgspec.json.encode(lean)
    except (TypeError, UnicodeEncodeError) as error:
        raise InvalidInput(f"What is to be recorded has no JSON form: {error}.", code="not_json") from error
    _check_size(event, len(body), limits)
    return Encoded(event, lean, admission_of(event), body.decode(), blobs)


def _check_size(event: Event, size_bytes: int, limits: Limits) -> None:
    # What came in is bounded at the door, and what was said in pieces may be long as a whole.
    if size_bytes > limits.step_result_bytes + ENVELOPE_BYTES and type(event) in _RESULTS:
        raise TooLarge(
            f"The result is larger than {limits.step_result_bytes} bytes.", code="result_too_large"
        )
    if size_bytes > limits.event_bytes and type(event) in _PIECES:
        raise TooLarge(f"The event is larger than {limits.event_bytes} bytes.", code="event_too_large")


def decode_lean(body: str) -> Event:
    """An event as it was written, references and all."""
    return _decoder.decode(body)


def decode(conn: Connection, body: str) -> Event:
    """An event as it was given to the store."""
    event = _decoder.decode(body)
    if isinstance(event, AdmissionAccepted):
        return msgspec.structs.replace(event, input=restore(conn, event.input))
    return event


def restore(conn: Connection, turn_input: TurnInput) -> TurnInput:
    """The input with its images put back; the same object if it has none in `blobs`."""
    return _map_urls(turn_input, lambda url: _fetch(conn, url))


def restore_message(conn: Connection, message: ChatMessage) -> ChatMessage:
    """The message with its images put back."""
    return _map_message(message, lambda url: _fetch(conn, url))


def admission_of(event: Event) -> str | None:
    """The admission that a session's event belongs to, if any."""
    if type(event) is ApprovalOpened or type(event) is ApprovalGranted:
        return event.prompt.admission_id
    return None if type(event) in _OF_SERVER else getattr(event, "admission_id", None)


def _stow(url: str, blobs: dict[str, str]) -> str:
    # A URL that looks like one of our references is stowed too, so that a client cannot name another's blob.
    if len(url) <= INLINE_URL_CHARACTERS and not url.startswith(_BLOB):
        return url
    name = hashlib.sha256(url.encode()).hexdigest()
    blobs[name] = url
    return _BLOB + name


def _fetch(conn: Connection, url: str) -> str:
    if not url.startswith(_BLOB):
        return url
    row: Any = conn.execute("SELECT bytes FROM blobs WHERE sha256 = ?", (url.removeprefix(_BLOB),)).get
    return bytes(row).decode()


def _map_urls(turn_input: TurnInput, change: Callable[[str], str]) -> TurnInput:
    content = _map_message(turn_input.content, change)
    history = turn_input.history
    if history is not None:
        mapped = tuple(_map_message(message, change) for message in history)
        history = history if all(new is old for new, old in zip(mapped, history, strict=True)) else mapped
    if content is turn_input.content and history is turn_input.history:
        return turn_input
    return msgspec.structs.replace(turn_input, content=content, history=history)


def _map_message(message: ChatMessage, change: Callable[[str], str]) -> ChatMessage:
    urls = [change(part.url) if part.url else "" for part in message.content]
    if all(url == part.url for url, part in zip(urls, message.content, strict=True)):
        return message
    parts = zip(message.content, urls, strict=True)
    return msgspec.structs.replace(
        message, content=tuple(msgspec.structs.replace(part, url=url) for part, url in parts)
    )
