"""`placet sessions`: what was talked about, and with whom."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click
import msgspec

from placet.http.cli.options import Door, as_json, asks_server, at_most, confirm, yes
from placet.http.cli.output import print_json, print_table, print_text
from placet.http.cli.times import ago
from placet.http.client import Session, path_word

if TYPE_CHECKING:
    from placet.http.client import Client


@click.group()
def sessions() -> None:
    """List, read and delete sessions.

    \b
    Examples:
        placet sessions list
        placet sessions show chat-1f0a9c2b4d3e
        placet sessions delete chat-1f0a9c2b4d3e --yes
    """


@sessions.command("list")
@at_most
@as_json
@asks_server
def list_sessions(door: Door, most: int, as_json: bool) -> None:
    """List sessions, the last active first."""

    async def ask(client: Client) -> dict[str, Any]:
        return await client.listing("/api/sessions", most=most, id_field="id")

    found = door.run(ask)
    if as_json:
        print_json(found)
        return
    rows = [_row(session, time.time()) for session in msgspec.convert(found["data"], list[Session])]
    print_table(["ID", "ACTIVE", "MESSAGES", "OF", "ABOUT"], rows, "There is no session.")


@sessions.command()
@click.argument("session_id")
@click.option(
    "--messages", type=click.IntRange(0, 500), default=20, show_default=True, help="The last so many."
)
@as_json
@asks_server
def show(door: Door, session_id: str, messages: int, as_json: bool) -> None:
    """Show a session and its last messages."""

    async def ask(client: Client) -> dict[str, Any]:
        path = f"/api/sessions/{path_word(session_id)}"
        found = await client.ask("GET", path)
        said: list[Any] = []
        if messages:
            said = (await client.ask("GET", f"{path}/messages?limit={messages}"))["data"]
        return {**found, "messages": said}

    found = door.run(ask)
    if as_json:
        print_json(found)
        return
    session = msgspec.convert(found["session"], Session)
    print_text(
        f"{session.id}  {session.title or ''}".rstrip() + "\n"
        f"  {session.message_count} messages, {session.input_tokens + session.output_tokens} tokens,"
        f" of {session.user_id}, last active {ago(session.last_active, time.time())}"
    )
    for message in found["messages"]:
        content = message["content"]
        print_text(f"\n{message['role']}:\n{content if isinstance(content, str) else '(not only text)'}")


@sessions.command()
@click.argument("session_ids", nargs=-1, required=True)
@yes
@as_json
@asks_server
def delete(door: Door, session_ids: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Delete sessions with all that was said in them. What was decided in them stays in the audit."""
    confirm(f"Delete {', '.join(session_ids)} for good?", yes=yes)
    for session_id in session_ids:
        found = door.request("DELETE", f"/api/sessions/{path_word(session_id)}")
        if as_json:
            print_json(found)
        else:
            print_text(f"{session_id}: deleted")


def _row(session: Session, now: float) -> list[str]:
    about = session.title or session.preview or ""
    return [session.id, ago(session.last_active, now), str(session.message_count), session.user_id, about]
