"""The console: its page, its sign-in, its stream. Described."""

from typing import Any, Final, Literal

from placet.http.config import Role
from placet.http.openapi.approvals import INBOX
from placet.http.openapi.log import LOG
from placet.http.openapi.operation import Answer, Operation, Stream
from placet.http.openapi.server import HealthDetails
from placet.http.record import Record
from placet.http.requests.console import LAST_CURSOR, Following, SignIn

TAG: Final = "Console"

_COOKIE: Final = (
    "The cookie stands for the key on every other route too, for requests of the console's own page only: those that say in "
    "`Origin`, `Sec-Fetch-Site` or the header `X-Placet-Console` that they come from there."
)


class ConsoleSession(Record, frozen=True, kw_only=True):
    """Who sits at the console.

    Attributes:
        may_decide: whether they may answer prompts.
        decides_own: whether they may answer what they submitted themselves.
        sign_in_required: whether this server has keys.
        expires_at: until when the sign-in holds, Unix seconds; null where a key was sent, or none is needed.
        now: the server's clock, Unix seconds.
        heartbeat_s: seconds after which a silent stream shows a sign of life.
        confined: whether the terminal's commands are confined to the workspace.
    """

    object: Literal["console.session"]
    principal: str
    role: Role
    may_decide: bool
    decides_own: bool
    sign_in_required: bool
    expires_at: float | None
    now: float
    heartbeat_s: float
    confined: bool
    version: str


class ConsoleSessionEnded(Record, frozen=True, kw_only=True):
    """This browser is signed out."""

    object: Literal["console.session.deleted"]
    deleted: Literal[True]


class ConsoleServer(HealthDetails, frozen=True, kw_only=True):
    """How the server is, with its actors one by one."""

    object: Literal["console.server"]
    actors: dict[str, Any]


class ListsChanged(Record, frozen=True, kw_only=True):
    """What lists show is another now: sessions, runs, rules."""

    event: Literal["lists.changed"]


class SessionDeleted(Record, frozen=True, kw_only=True):
    """The session that the stream carries was deleted. The stream goes on without it."""

    event: Literal["session.deleted"]


_EVENTS: Final = Stream(
    events=(
        *INBOX.events,
        *LOG.events,
        ("lists.changed", ListsChanged),
        ("session.deleted", SessionDeleted),
    )
)

OPERATIONS: Final = (
    Operation(
        name="console",
        method="GET",
        path="/",
        tag=TAG,
        summary="The console: a page on which people decide.",
        answers=(Answer(description="The page.", media="text/html"),),
        public=True,
    ),
    Operation(
        name="console_file",
        method="GET",
        path="/console/{file}",
        tag=TAG,
        summary="A file of that page.",
        answers=(Answer(description="The file.", media="text/javascript"),),
        errors=("file_not_found",),
        public=True,
    ),
    Operation(
        name="console_sign_in",
        method="POST",
        path="/v1/console/session",
        tag=TAG,
        summary="Sign in: show a key once and get a cookie.",
        description=_COOKIE,
        body=SignIn,
        answers=(Answer(description="The cookie is set.", body=ConsoleSession, headers=("Set-Cookie",)),),
        errors=("gateway_auth_failed", "sign_in_slowed"),
        public=True,
    ),
    Operation(
        name="console_who",
        method="GET",
        path="/v1/console/session",
        tag=TAG,
        summary="Say who is signed in.",
        answers=(Answer(description="Who it is.", body=ConsoleSession),),
    ),
    Operation(
        name="console_sign_out",
        method="DELETE",
        path="/v1/console/session",
        tag=TAG,
        summary="Sign this browser out. Other copies of its cookie hold until they expire, or the key is changed.",
        answers=(Answer(description="The cookie is gone.", body=ConsoleSessionEnded),),
        public=True,
    ),
    Operation(
        name="console_events",
        method="GET",
        path="/v1/console/events",
        tag=TAG,
        summary="Follow the inbox, what lists show, and one session, on one stream.",
        description=(
            "Events are those of `/v1/approvals/events` and, with a `seq`, those of the session's log. An id is the place in both, "
            "such as `1204.88`."
        ),
        headers=(LAST_CURSOR,),
        query=Following,
        answers=(Answer(description="All of it, live.", stream=_EVENTS),),
        errors=("session_not_found", "invalid_session_id", "invalid_last_event_id"),
    ),
    Operation(
        name="console_server",
        method="GET",
        path="/v1/console/server",
        tag=TAG,
        summary="Look into the server: its store, its actors, its streams.",
        answers=(Answer(description="How it is now.", body=ConsoleServer),),
        errors=("role_required",),
    ),
)
