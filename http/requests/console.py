"""What the console's page sends."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from placet.http.requests.declared import Body, Query, refused_as
from placet.http.requests.parameters import Parameter, SessionId

KEY_MAX: Final = 4096
"""Characters of a key that is looked at: far above any."""

_Cursor = Annotated[
    str,
    msgspec.Meta(pattern=r"^[0-9]{1,18}(\.[0-9]{1,18})?$", examples=["1204.88"]),
    refused_as(
        "invalid_last_event_id",
        "This is not the id of an event of this stream. Resume with an id that it sent, or without one.",
    ),
]


LAST_CURSOR: Final = Parameter(
    name="Last-Event-ID",
    place="header",
    description="The id of the last event that the page has: the stream goes on after it. It wins over `after`.",
    type=_Cursor,
)


class SignIn(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key, to be signed in with.

    Attributes:
        key: the server's, or a principal's.
    """

    key: Annotated[str, msgspec.Meta(min_length=1, max_length=KEY_MAX)]


class Following(Query, frozen=True, kw_only=True):
    """What the console's stream is to carry, and from where it goes on.

    Attributes:
        session: the session whose log it carries besides the inbox.
        after: the id of the last event that the page has.
    """

    session: Annotated[SessionId, refused_as("invalid_session_id")] | None = None
    after: _Cursor | None = None
