"""What a request says in its query."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.protocol.records import RunStatus
from placet.http.requests.declared import Query, refused_as
from placet.http.requests.parameters import EventId, Place

PAGE_DEFAULT: Final = 50
PAGE_MAX: Final = 200
"""Items in one page; each may hold a long text."""

MESSAGES_MAX: Final = 500
"""Messages in one page: some hundred KiB of text."""

_FARTHEST: Final = 10**9 - 1
"""As far as a list can be paged: more than a database of this kind ever holds."""

NO_NUMBER: Final = (
    "No event of this response has had that number. Resume after one that it sent, or from the start."
)

_of_pages = refused_as("invalid_pagination")
_Words = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
_Offset = Annotated[int, msgspec.Meta(ge=0, le=_FARTHEST), _of_pages]


class Since(Query, frozen=True, kw_only=True):
    """From where a stream goes on, for a reader that cannot set headers.

    Attributes:
        after: the same as `Last-Event-ID`. The header wins.
        last_seq: another name for `after`, which wins.
    """

    after: EventId | None = None
    last_seq: EventId | None = None


class Page(Query, frozen=True, kw_only=True):
    """A page of a list.

    Attributes:
        limit: how many items the page has at most.
        after: the id of the last item of the page before.
    """

    limit: Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX), _of_pages] = PAGE_DEFAULT
    after: str | None = None


class RunsPage(Page, frozen=True, kw_only=True):
    """A page of runs.

    Attributes:
        status: only those that stand so.
        session_id: only those of this session.
    """

    status: RunStatus | None = None
    session_id: str | None = None


class ApprovalsPage(Page, frozen=True, kw_only=True):
    """A page of prompts.

    Attributes:
        status: only those that stand so.
    """

    status: ApprovalStatus | None = None


class AuditPage(Query, frozen=True, kw_only=True):
    """A page of the audit.

    Attributes:
        limit: how many items the page has at most.
        after: the position of the last decision of the page before.
        order: which come first.
        status: only those that ended so.
        q: only those whose command, reason, session or principal contains this, in any case.
    """

    limit: Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX), _of_pages] = PAGE_DEFAULT
    after: _Offset = 0
    order: Annotated[Literal["oldest", "latest"], _of_pages] = "oldest"
    status: ApprovalStatus | None = None
    q: _Words | None = None


class SessionsPage(Page, frozen=True, kw_only=True):
    """A page of sessions.

    Attributes:
        offset: how many items are passed over.
        source: only those of this source.
        title: only those of exactly this title.
        include_hidden: `true` or `1`: with a title, hidden ones too.
        q: only those whose title, id or messages contain this, in any case.
    """

    offset: _Offset = 0
    source: str | None = None
    title: str | None = None
    include_hidden: str | None = None
    q: _Words | None = None


class MessagesPage(Query, frozen=True, kw_only=True):
    """A page of a conversation.

    Attributes:
        limit: how many messages the page has at most.
        offset: how many items are passed over.
        order: from which end pages are counted. The messages of a page are oldest first.
    """

    limit: Annotated[int, msgspec.Meta(ge=1, le=MESSAGES_MAX), _of_pages] = MESSAGES_MAX
    offset: _Offset = 0
    order: Annotated[Literal["latest", "oldest"], _of_pages] = "latest"


class Reading(Query, frozen=True, kw_only=True):
    """How a response is read.

    Attributes:
        stream: whether to follow it.
        starting_after: the last `sequence_number` that the reader has: the stream goes on after it.
    """

    stream: Literal["true", "false"] = "false"
    starting_after: Annotated[Place, refused_as("invalid_starting_after", NO_NUMBER)] | None = None
