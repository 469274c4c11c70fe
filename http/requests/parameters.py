"""What a request says in its path and its headers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from placet.actors.protocol.commands import OnBusy
from placet.actors.protocol.errors import InvalidInput
from placet.actors.protocol.ids import SESSION_ID_MAX, check_session_id
from placet.http.dialect import Dialect
from placet.http.requests.declared import Form, read_words, refused_as

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers

SAFE = r"(?!_)(?!.*\.\.)(?![A-Za-z]:)[!-.0-\[\]-~]+"

SessionId = Annotated[
    str,
    msgspec.Meta(pattern=f"^{SAFE}$", max_length=SESSION_ID_MAX, examples=["notes", "api-0123456789abcdef"]),
]
"""Safe as a segment of a path. Letters beyond ASCII are taken as well; in a URL or header they are encoded."""


class SessionName(Form[str]):
    """The id of a session, in a body."""

    shows = SessionId

    @staticmethod
    def parse(value: object, param: str) -> str:
        """The id, if it is safe."""
        if not isinstance(value, str):
            raise InvalidInput(f"`{param}` must be a string.", param=param)
        return check_session_id(value, param=param)


Key = Annotated[
    str,
    msgspec.Meta(pattern="^[!-~]{1,255}$", examples=["5f1c7a0e-retry-me"]),
    refused_as(
        "invalid_idempotency_key", "An Idempotency-Key is one line of 1 to 255 visible ASCII characters."
    ),
]
_NO_EVENT: Final = (
    "This is not the id of an event of this stream. Resume with an id that it sent, or without one."
)
Place = Annotated[int, msgspec.Meta(ge=0, le=10**18 - 1)]
EventId = Annotated[Place, refused_as("invalid_last_event_id", _NO_EVENT)]


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a request says in its path, its query or a header.

    Attributes:
        name: what it is called.
        place: where it stands.
        description: what it means.
        type: what it may be; all three places give text.
        default: what it is if it is not said.
    """

    name: str
    place: Literal["path", "query", "header"]
    description: str
    type: Any = str
    default: Any = None


def read_header(headers: Headers, parameter: Parameter) -> Any:
    """The value of a header, `None` if it is not sent.

    Args:
        headers: of the request.
        parameter: the header.

    Raises:
        InvalidInput: it is not of its type, or sent twice; with the code that stands at the type.
    """
    words = headers.getlist(parameter.name)
    return read_words(parameter.type, words, parameter.name) if words else None


PATH: Final = {
    "run_id": Parameter(name="run_id", place="path", description="Any id that a run was ever given."),
    "request_id": Parameter(name="request_id", place="path", description="The prompt."),
    "session_id": Parameter(name="session_id", place="path", description="The session.", type=SessionId),
    "admission_id": Parameter(name="admission_id", place="path", description="The input."),
    "rule_id": Parameter(name="rule_id", place="path", description="The rule."),
    "token": Parameter(name="token", place="path", description="What an answer link says."),
    "file": Parameter(name="file", place="path", description="A file of the console's page."),
}
"""The variables of paths by their names."""

SESSION_HEADERS: Final = (
    Parameter(
        name="X-Hermes-Session-Id",
        place="header",
        description="The session to work in; it is made if there is none. Its stored history then counts, not the body's.",
        type=SessionId,
    ),
    Parameter(
        name="X-Session-Id", place="header", description="The same, under its plain name.", type=SessionId
    ),
)
SESSION_KEY: Final = Parameter(
    name="X-Hermes-Session-Key",
    place="header",
    description="Echoed in the answer, otherwise unused.",
    type=Annotated[str, msgspec.Meta(max_length=256)],
)
IDEMPOTENCY_KEY: Final = Parameter(
    name="Idempotency-Key",
    place="header",
    description="An exact retry under the same key joins the work that the first request was given, also after a restart.",
    type=Key,
)
ON_BUSY: Final = Parameter(
    name="X-Placet-On-Busy",
    place="header",
    description="What to do if the session is at work; `placet.on_busy` in the body wins.",
    type=OnBusy,
)
DIALECT: Final = Parameter(
    name="X-Placet-Approvals",
    place="header",
    description="How prompts and the progress of tools are shown in the stream; `placet.approvals` in the body wins.",
    type=Dialect,
)
LAST_EVENT_ID: Final = Parameter(
    name="Last-Event-ID",
    place="header",
    description="The id of the newest event that the reader has: the stream goes on after it.",
    type=EventId,
)


def unknown_place(param: str = LAST_EVENT_ID.name) -> InvalidInput:
    """The error for an id that no event of this stream has had."""
    return InvalidInput(_NO_EVENT, code="invalid_last_event_id", param=param)
