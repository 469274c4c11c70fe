"""What a webhook is sent: the record of what happened, in its format."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus
from placet.http import views
from placet.http.hooks.settings import HookEvent
from placet.http.hooks.texts import TEXTS
from placet.http.strict_json import dump_ascii

if TYPE_CHECKING:
    from placet.actors.store import Store
    from placet.http.hooks.links import Links
    from placet.http.hooks.notices import Notice
    from placet.http.hooks.settings import WebhookConfig

_CALLS: Final = frozenset({HookEvent.OPENED, HookEvent.EXPIRING})
"""What calls somebody to a prompt, and so is told only while the prompt waits."""

_OF_RUN: Final = (
    "object",
    "run_id",
    "session_id",
    "admission_id",
    "execution_generation",
    "surface",
    "status",
    "model",
    "created_at",
    "updated_at",
    "finish_reason",
    "usage",
)
"""What is told of a run, with the code of its error. Not what it said: nobody has looked through that for what must stay inside."""


class Message(msgspec.Struct, frozen=True):
    """Something to send.

    Attributes:
        message_id: the same each time that it is sent.
        headers: those of its format.
        body: its bytes.
    """

    message_id: str
    headers: dict[str, str]
    body: bytes


class Composer:
    """Puts notices into words, as things stand when they are sent.

    Args:
        store: where things stand.
        links: makes the links.
    """

    def __init__(self, store: Store, links: Links) -> None:
        self._store = store
        self._links = links
        self._secret = hmac.digest(store.digest_key, b"webhook id", "sha256")

    def message_id(self, notice: Notice) -> str:
        """The id of a notice's message, which no other server's message has."""
        return f"msg_{hmac.new(self._secret, notice.identity.encode(), 'sha256').hexdigest()[:32]}"

    async def compose(self, hook: WebhookConfig, notice: Notice) -> Message | None:
        """What to send; `None` if there is nothing to tell any more.

        Nobody is called to a prompt that has ended, or to one that has another generation by now and is told of under that.

        Args:
            hook: whom to tell.
            notice: what happened.

        Raises:
            StoreUnavailable: the disk refuses.
        """
        data = await (self._run(notice) if notice.kind is HookEvent.ENDED else self._prompt(hook, notice))
        if data is None:
            return None
        if hook.format == "json":
            happened = datetime.fromtimestamp(notice.at, UTC).isoformat().replace("+00:00", "Z")
            body = dump_ascii({"type": notice.kind.value, "timestamp": happened, "data": data})
            return Message(self.message_id(notice), {"Content-Type": "application/json"}, body)
        headers, body = TEXTS[hook.format](notice.kind, data)
        return Message(self.message_id(notice), headers, body)

    async def _run(self, notice: Notice) -> dict[str, Any] | None:
        record = await self._store.run(notice.run_id)
        if record is None:
            return None
        shown = views.run(record)
        error = shown["error"] and {"code": shown["error"]["code"]}
        return {name: shown[name] for name in _OF_RUN} | {"error": error}

    async def _prompt(self, hook: WebhookConfig, notice: Notice) -> dict[str, Any] | None:
        row = await self._store.approval(notice.request_id)
        if row is None or (notice.kind in _CALLS and row.status is not ApprovalStatus.OPEN):
            return None
        if notice.kind is HookEvent.OPENED and row.generation != notice.generation:
            return None
        record = views.approval_record(row, notice.run_id)
        del record["answer"]  # of a question; it may be a secret
        if notice.kind in _CALLS:
            link, expires_at = self._links.make(hook.name, row) or (None, None)
            record |= {"answer_link": link, "answer_link_expires_at": expires_at}
        return record
