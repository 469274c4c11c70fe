"""What `placet chat` does with one message: submit it once, follow its run, ask what it asks."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import msgspec

from placet.http.cli.dialogue import Dialogue
from placet.http.cli.exits import Exit
from placet.http.cli.json_lines import JsonLines
from placet.http.cli.live import Live
from placet.http.cli.text import Said, Tone, escaped
from placet.http.client import Refused, path_word

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.http.cli.terminal import Terminal
    from placet.http.client import Client

_LAST_MESSAGES = 4
"""Shown of a session that is taken up again: enough to remember what it was about."""

_LINES = 8


class _Submitted(msgspec.Struct, frozen=True):
    run_id: str
    ahead: int = 0


class Talk:
    """One session, talked to from one terminal.

    Args:
        session_id: the session; `None` begins a new one.
        terminal: where it is shown.
        now: Unix seconds.
        as_json: whether events are printed as they are.
    """

    def __init__(
        self, session_id: str | None, terminal: Terminal, now: Callable[[], float], *, as_json: bool
    ) -> None:
        self.session_id = session_id or f"chat-{secrets.token_hex(6)}"
        self._is_new = session_id is None
        self._terminal = terminal
        self._now = now
        self._as_json = as_json

    async def say(self, client: Client, text: str) -> Exit:
        """Send a message and follow what comes of it, to its end or until the person leaves.

        Raises:
            Refused: the server takes no message, as `NotReached` if it cannot be asked; said again, the message is new.
        """
        body = {"input": text.encode(errors="replace").decode(), "session_id": self.session_id}
        found = await client.submit("/v1/runs", body, f"chat-{secrets.token_hex(16)}")
        submitted = msgspec.convert(found, _Submitted)
        if submitted.ahead:
            self._note(f"Waiting behind {submitted.ahead} in this session.")
        return await self._follow(client, submitted.run_id)

    async def take_up(self, client: Client) -> Exit:
        """Show how the session stood, and follow what still runs or waits in it.

        Raises:
            Refused: as for `say`, as is `NotReached`.
        """
        if self._is_new:
            return Exit.OK
        place = f"/api/sessions/{path_word(self.session_id)}"
        try:
            await client.ask("GET", place)
        except Refused as refused:
            if refused.code != "session_not_found":
                raise
            self._note(f"There is no session {self.session_id} yet; it begins with what you say.")
            return Exit.OK
        await self._show_last(client, place)
        status = Exit.OK
        queue = await client.ask("GET", f"{place}/queue")
        for item in queue["data"]:
            self._note(f"› {item['input']}")
            status = await self._follow(client, item["run_id"])
            if status is Exit.LEFT:
                break
        return status

    def leaving(self) -> None:
        """Say how to come back."""
        self._note(f"Come back with: placet chat --session {self.session_id}")

    async def _follow(self, client: Client, run_id: str) -> Exit:
        face = JsonLines() if self._as_json else Dialogue(asks=self._terminal.asks, stops=True)
        live = Live(client, face, self._terminal, self._now, run_id)
        status = await live.follow(f"/v1/runs/{run_id}/events")
        if self._terminal.asks:
            self._note("")
        if status is Exit.LEFT:
            self._note(f"Left. `placet runs show {run_id}` says how it stands.")
        return status

    async def _show_last(self, client: Client, place: str) -> None:
        page = await client.ask("GET", f"{place}/messages?limit={_LAST_MESSAGES}")
        for message in page["data"]:
            mark = "› " if message["role"] == "user" else ""
            content = message["content"]
            lines = (content if isinstance(content, str) else "(not only text)").rstrip().split("\n")
            more = ["…"] if len(lines) > _LINES else []
            self._note(mark + "\n".join([*lines[:_LINES], *more]))

    def _note(self, text: str) -> None:
        if not self._as_json:
            self._terminal.say(Said(escaped(text), Tone.DIM))
