"""Parameters that several operations share."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from placet.actors.protocol.commands import OnBusy
from placet.actors.protocol.ids import SESSION_ID_MAX
from placet.http.dialect import Dialect
from placet.http.openapi.operation import Parameter
from placet.http.paging import PAGE_DEFAULT, PAGE_MAX

_SAFE = r"(?!_)(?!.*\.\.)(?![A-Za-z]:)[!-.0-\[\]-~]+"

SessionId = Annotated[
    str,
    msgspec.Meta(pattern=f"^{_SAFE}$", max_length=SESSION_ID_MAX, examples=["notes", "api-0123456789abcdef"]),
]
"""Safe as a segment of a path. Letters beyond ASCII are taken as well; in a URL or header they are encoded."""

NewSessionId = Annotated[
    str, msgspec.Meta(pattern=f"^({_SAFE})?$", max_length=SESSION_ID_MAX, examples=["notes"])
]
"""The same, or nothing."""

_Key = Annotated[str, msgspec.Meta(pattern="^[!-~]{1,255}$", examples=["5f1c7a0e-retry-me"])]
_SessionKey = Annotated[str, msgspec.Meta(max_length=256)]
_Limit = Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX, extra_json_schema={"default": PAGE_DEFAULT})]
Place = Annotated[int, msgspec.Meta(ge=0, le=10**18 - 1)]

RUN: Final = Parameter(name="run_id", place="path", description="Any id that a run was ever given.")
PROMPT: Final = Parameter(name="request_id", place="path", description="The prompt.")
SESSION: Final = Parameter(name="session_id", place="path", description="The session.", type=SessionId)
ADMISSION: Final = Parameter(name="admission_id", place="path", description="The input.")

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
    type=_SessionKey,
)
IDEMPOTENCY_KEY: Final = Parameter(
    name="Idempotency-Key",
    place="header",
    description="An exact retry under the same key joins the work that the first request was given, also after a restart.",
    type=_Key,
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
    type=Place,
)
AFTER_EVENT: Final = Parameter(
    name="after",
    place="query",
    description="The same as `Last-Event-ID`, for a reader that cannot set headers. The header wins.",
    type=Place,
)
LIMIT: Final = Parameter(
    name="limit", place="query", description="How many items the page has at most.", type=_Limit
)
AFTER_ITEM: Final = Parameter(
    name="after", place="query", description="The id of the last item of the page before."
)

ID_HEADERS: Final = ("X-Hermes-Session-Id", "X-Session-Id", "X-Hermes-Session-Key", "Idempotency-Replayed")
"""Headers of a response that say whose answer it is."""
