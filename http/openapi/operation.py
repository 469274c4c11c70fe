"""The words that an operation is described in."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from placet.http.openapi.routing import Route

JSON: Final = "application/json"
EVENT_STREAM: Final = "text/event-stream"


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a request says beside its body.

    Attributes:
        name: what it is called.
        place: where it stands.
        description: what it means.
        type: what it may be. In a query or header it comes as text.
    """

    name: str
    place: Literal["path", "query", "header"]
    description: str
    type: Any = str


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
        parameters: what a request says beside its body.
        body: the type of the request's JSON; `None` if the body is not read.
        answers: the good answers.
        errors: the codes of its own that it may refuse with; `errors.CODES` explains them.
        public: whether it needs no key.
        uses: further types, which a schema of its own refers to.
        submits: whether it gives the server work, and so is refused while the server drains or is full.
    """

    name: str
    method: str
    path: str
    tag: str
    summary: str
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    body: Any = None
    answers: tuple[Answer, ...]
    errors: tuple[str, ...] = ()
    uses: tuple[Any, ...] = ()
    public: bool = False
    submits: bool = False

    @property
    def route(self) -> Route:
        """Where it is found."""
        return Route(self.method, self.path)

    @property
    def types(self) -> list[Any]:
        """Every type that it uses."""
        found = [*self.uses, *(parameter.type for parameter in self.parameters)]
        found += [] if self.body is None else [self.body]
        for answer in self.answers:
            found += [] if answer.body is None else [answer.body]
            found += [] if answer.stream is None else [kind for _, kind in answer.stream.events]
        return found
