"""The same for people: the bodies that chat rooms and telephones take. What an agent wrote must stay text in them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from placet.actors.guard import shown
from placet.http.hooks.settings import HookEvent
from placet.http.strict_json import dump_ascii

if TYPE_CHECKING:
    from collections.abc import Callable

    Data = dict[str, Any]
    Text = tuple[dict[str, str], bytes]

SHOWN_CHARACTERS: Final = 600
"""Of a command. With what stands around it a text stays under 4096 bytes even if each character takes four: past that ntfy makes
a file of it. The card shows all."""

LINE_CHARACTERS: Final = 160
"""Of what else an agent wrote, such as why it asks."""

_TITLES: Final = {
    HookEvent.OPENED: "May this run?",
    HookEvent.EXPIRING: "Nobody has answered yet",
    HookEvent.DECIDED: "Answered",
    HookEvent.ENDED: "A run has ended",
}
_ENDED_AS: Final = {
    "approved": "Approved",
    "denied": "Denied",
    "expired": "Expired: it was not run",
    "cancelled": "Withdrawn: nobody needs an answer any more",
    "answered": "Answered",
}
_PRIORITY: Final = {
    HookEvent.OPENED: "high",
    HookEvent.EXPIRING: "urgent",
    HookEvent.DECIDED: "low",
    HookEvent.ENDED: "low",
}


def _slack(kind: HookEvent, data: Data) -> Text:
    """The JSON of an incoming webhook, with everything in `text`, which Slack and all that imitate it show.

    Addresses in it are not to be unfurled: that would be one more machine that opens the link.
    """
    lines = [f"*{_title(kind, data)}*", *([_fenced(_what(data))] if _what(data) else [])]
    lines += [_escaped(line) for line in _around(kind, data)]
    if data.get("answer_link"):
        lines.append(
            f"<{data['answer_link']}|Look at it and decide> (until {_clock(data['answer_link_expires_at'])})"
        )
    body = {"text": "\n".join(lines), "unfurl_links": False, "unfurl_media": False}
    return {"Content-Type": "application/json"}, dump_ascii(body)


def _ntfy(kind: HookEvent, data: Data) -> Text:
    """A message for a topic; what a telephone does with it stands in headers, which hold no word of an agent's."""
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "Title": _title(kind, data),
        "Priority": _PRIORITY[kind],
    }
    link = data.get("answer_link")
    if link:
        headers |= {"Click": link, "Actions": f"view, Look at it and decide, {link}"}
    return headers, "\n".join(part for part in (_what(data), *_around(kind, data)) if part).encode()


TEXTS: Final[dict[str, Callable[[HookEvent, Data], Text]]] = {"slack": _slack, "ntfy": _ntfy}
"""By format: the headers and the body that tell of something, made of the data that `json` would carry."""


def _title(kind: HookEvent, data: Data) -> str:
    if kind is HookEvent.OPENED and "question" in data:
        return "A question for you"
    if kind is HookEvent.ENDED:
        return f"A run has ended: {data['status']}"
    return _ENDED_AS[data["status"]] if kind is HookEvent.DECIDED else _TITLES[kind]


def _what(data: Data) -> str:
    """What would run, or what is asked; as much of it as a text should hold."""
    return _cut(data.get("display") or data.get("question") or "", SHOWN_CHARACTERS)


def _around(kind: HookEvent, data: Data) -> list[str]:
    """What else is to be said, a line each."""
    if kind is HookEvent.ENDED:
        return [f"{data['run_id']} in session {_line(data['session_id'])}"]
    if kind is HookEvent.DECIDED:
        return [f"by {data['decided_by'] or 'placet'}"]
    lines = [_line(data.get("description", ""))]
    lines += [f"in {_line(data['directory'])}"] if data.get("directory") else []
    lines += ["Careful: this text could mislead you. Look at the card."] if data.get("warnings") else []
    lines += [f"asked by {data['requested_by']}"]
    lines += [f"waits until {_clock(data['expires_at'])}"] if data["expires_at"] is not None else []
    return [line for line in lines if line]


def _line(text: str) -> str:
    """One line with nothing in it that hides or reorders what stands there."""
    return _cut(" ".join(shown(text).display.split()), LINE_CHARACTERS)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more characters)"


def _clock(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M UTC")


def _escaped(text: str) -> str:
    """The three characters by which Slack knows links, mentions and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _fenced(text: str) -> str:
    """Between fences, which the text itself cannot close."""
    return f"```\n{_escaped(text).replace('```', '` ` `')}\n```"
