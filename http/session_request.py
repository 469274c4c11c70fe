"""What is asked of a session itself: to be made, to be changed, to be gone on with in another."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

import msgspec
from msgspec import UNSET, UnsetType

from placet.actors.protocol.events import SessionChanged, SessionOpened
from placet.actors.protocol.ids import SESSION_ID_MAX
from placet.http.requests.declared import Body, Form, Rules, also, refused_as
from placet.http.requests.parameters import SAFE, SessionName

if TYPE_CHECKING:
    from placet.actors.protocol.keys import KeyUse

TITLE_MAX: Final = 100
"""Characters of a title: one line in a list."""

END_REASON_MAX: Final = 64
"""Characters of a reason to end: a word."""

_Title = Annotated[
    str,
    msgspec.Meta(max_length=TITLE_MAX),
    refused_as("invalid_title", f"A title is a string of at most {TITLE_MAX} characters."),
]
_Reason = Annotated[
    str, msgspec.Meta(min_length=1, max_length=END_REASON_MAX), refused_as("invalid_session_field")
]
_Flag = Annotated[bool, refused_as("invalid_session_field")]


class NewSessionName(Form[str]):
    """The id of a session that is to be made."""

    shows: ClassVar = Annotated[
        str, msgspec.Meta(pattern=f"^({SAFE})?$", max_length=SESSION_ID_MAX, examples=["notes"])
    ]

    @staticmethod
    def parse(value: object, param: str) -> str:
        """The id; empty for any."""
        return "" if value == "" else SessionName.parse(value, param)


class SessionRequest(Body, frozen=True, kw_only=True):
    """A session to be made.

    Attributes:
        id: its name; without one it gets one.
        source: a word for who made it.
    """

    id: Annotated[NewSessionName, also("session_id")] | None = None
    title: _Title | None = None
    source: str | None = None
    system_prompt: str | None = None

    def opened_by(self, principal: str, use: KeyUse | None) -> SessionOpened:
        """The session as it begins.

        Args:
            principal: who will own it.
            use: the key under which it is asked for.
        """
        return SessionOpened(
            principal=principal,
            source=self.source or "api_server",
            title=self.title,
            system_prompt=self.system_prompt,
            use=use,
        )


class Fork(Body, frozen=True, kw_only=True):
    """What the new session is called.

    Attributes:
        id: its name; without one it gets one.
        title: without one it has its parent's.
    """

    id: Annotated[NewSessionName, also("session_id")] | None = None
    title: _Title | None = None


class SessionChange(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be changed; at least one thing. Null takes a title or a reason to end away."""

    rules: ClassVar[Rules] = Rules(
        least=1, count_code="invalid_session_field", unknown_code="unsupported_session_field"
    )

    title: _Title | UnsetType | None = UNSET
    end_reason: _Reason | UnsetType | None = UNSET
    archived: _Flag | UnsetType = UNSET
    pinned: _Flag | UnsetType = UNSET
    hidden: _Flag | UnsetType = UNSET
    unread: _Flag | UnsetType = UNSET

    @property
    def event(self) -> SessionChanged:
        """The change as it is recorded."""
        changes = {name: getattr(self, name) for name in self.__struct_fields__}
        return SessionChanged(**{name: value for name, value in changes.items() if value is not UNSET})


def new_session_id(asked: SessionRequest | Fork) -> str:
    """The id that a body asks for, or a new one."""
    return (asked.id.value if asked.id else "") or f"api_{secrets.token_hex(8)}"
