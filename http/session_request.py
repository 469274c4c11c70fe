"""What is asked of a session itself: to be made, to be changed."""

from __future__ import annotations

import secrets
from typing import Any, Final

from placet.actors.protocol.errors import InvalidInput
from placet.actors.protocol.events import SessionChanged, SessionOpened
from placet.actors.protocol.ids import check_session_id
from placet.http.fields import check_field

TITLE_MAX: Final = 100
"""Characters of a title: one line in a list."""

END_REASON_MAX: Final = 64
"""Characters of a reason to end: a word."""

_FLAGS = ("archived", "pinned", "hidden", "unread")
_CHANGEABLE = frozenset({"title", "end_reason", *_FLAGS})


def new_session_id(body: dict[str, Any]) -> str:
    """The id that a body asks for, or a new one.

    Raises:
        InvalidInput: `invalid_session_id`.
    """
    given = check_field(body, "id", str) or check_field(body, "session_id", str)
    return check_session_id(given or f"api_{secrets.token_hex(8)}", param="id")


def parse_opening(body: dict[str, Any], principal: str) -> SessionOpened:
    """A session as the body of its making describes it.

    Args:
        body: the JSON object.
        principal: who will own it.

    Raises:
        InvalidInput: `invalid_title`, or `invalid_params` with the field in `param`.
    """
    return SessionOpened(
        principal=principal,
        source=check_field(body, "source", str) or "api_server",
        title=parse_title(body),
        system_prompt=check_field(body, "system_prompt", str),
    )


def parse_title(body: dict[str, Any]) -> str | None:
    """The title in a body, `None` if there is none.

    Raises:
        InvalidInput: `invalid_title`: no string, or more than `TITLE_MAX` characters.
    """
    title = body.get("title")
    if title is None:
        return None
    if not isinstance(title, str) or len(title) > TITLE_MAX:
        raise InvalidInput(
            f"A title is a string of at most {TITLE_MAX} characters.", code="invalid_title", param="title"
        )
    return title


def parse_change(body: dict[str, Any]) -> SessionChanged:
    """What is to be changed. Null takes a title or a reason to end away; a flag is true or false.

    Raises:
        InvalidInput: `unsupported_session_field`, `invalid_session_field`, or `invalid_title`.
    """
    unknown = set(body) - _CHANGEABLE
    if unknown:
        names = ", ".join(sorted(_CHANGEABLE))
        raise InvalidInput(
            f"Of a session one can change: {names}.", code="unsupported_session_field", param=min(unknown)
        )
    for name in _FLAGS:
        if name in body and not isinstance(body[name], bool):
            raise _invalid_field(f"`{name}` is true or false.", name)
    changes = {name: body[name] for name in _FLAGS if name in body}
    if "title" in body:
        changes["title"] = parse_title(body)
    if "end_reason" in body:
        changes["end_reason"] = _end_reason(body["end_reason"])
    if not changes:
        raise _invalid_field("There is nothing to change.", None)
    return SessionChanged(**changes)


def _end_reason(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= END_REASON_MAX:
        raise _invalid_field(
            f"`end_reason` is a string of 1 to {END_REASON_MAX} characters, or null.", "end_reason"
        )
    return value


def _invalid_field(message: str, param: str | None) -> InvalidInput:
    return InvalidInput(message, code="invalid_session_field", param=param)
