"""The words that an operation is described in."""

from __future__ import annotations

import re
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, Union, get_args

import msgspec

from placet.http.openapi.routing import Route
from placet.http.openapi.schemas import words_of
from placet.http.requests.declared import Body, Query, fields_of
from placet.http.requests.parameters import PATH, Parameter

if TYPE_CHECKING:
    from collections.abc import Iterator

JSON: Final = "application/json"
EVENT_STREAM: Final = "text/event-stream"

WHOSE: Final = ("X-Hermes-Session-Id", "X-Session-Id", "X-Hermes-Session-Key")
"""Headers of an answer that say whose it is."""

WHOSE_WORK: Final = (*WHOSE, "Idempotency-Replayed")
"""The same, and whether an earlier request had been given the work."""


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """A body of server-sent events.

    Attributes:
        events: names of events, each with the type of the JSON in its `data`. What comes without a name is called `message`; a
            name may stand more than once.
        last: the data of a last event that is no JSON, if there is one.
        ids: whether events carry an `id` by which a reader resumes.
    """

    events: tuple[tuple[str, Any], ...]
    last: str | None = None
    ids: bool = True


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A good answer.

    Attributes:
        description: when it comes and what it says.
        status: of the response.
        body: the type of its JSON; `None` if there is none.
        stream: its events, where it is or may be a stream.
        media: the media type of a body that is neither, as text.
        headers: the names of the headers that matter.
    """

    description: str
    status: int = 200
    body: Any = None
    stream: Stream | None = None
    media: str | None = None
    headers: tuple[str, ...] = ()


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a client can ask of the server.

    Attributes:
        name: a word for it, the same in the capabilities.
        method: in capitals.
        path: with variables in braces.
        tag: the surface that it belongs to.
        summary: what it does, in a line.
        description: what else a client must know.
        headers: those of a request that matter.
        query: the class that its query is read into; `None` if it is not read.
        body: the class that its body is read into; `None` if it is not read.
        answers: the good answers.
        errors: the codes of its own that it may refuse with; `errors.CODES` explains them.
        public: whether it needs no key.
        submits: whether it gives the server work, and so is refused while the server drains or is full.
    """

    name: str
    method: str
    path: str
    tag: str
    summary: str
    description: str = ""
    headers: tuple[Parameter, ...] = ()
    query: type[Query] | None = None
    body: type[Body] | None = None
    answers: tuple[Answer, ...]
    errors: tuple[str, ...] = ()
    public: bool = False
    submits: bool = False

    @property
    def route(self) -> Route:
        """Where it is found."""
        return Route(self.method, self.path)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a request says beside its body: the variables of the path, the query, the headers."""
        path = tuple(PATH[name] for name in re.findall(r"\{(\w+)\}", self.path))
        return (*path, *_of_query(self.query), *self.headers)

    @property
    def types(self) -> list[Any]:
        """Every type that it uses."""
        found = [parameter.type for parameter in self.parameters]
        found += [] if self.body is None else [self.body]
        for answer in self.answers:
            found += [] if answer.body is None else [answer.body]
            found += [] if answer.stream is None else [kind for _, kind in answer.stream.events]
        return found


def _of_query(kind: type[Query] | None) -> Iterator[Parameter]:
    if kind is None:
        return
    words = words_of(kind)
    for field in fields_of(kind):
        yield Parameter(
            name=field.name,
            place="query",
            description=words[field.name],
            type=_without_null(field.kind),
            default=field.default,
        )


def _without_null(kind: Any) -> Any:
    """The type of a parameter that is given: no word stands for null."""
    members = tuple(member for member in get_args(kind) if member is not NoneType)
    return Union[members] if NoneType in get_args(kind) else kind  # noqa: UP007 - made of a tuple
