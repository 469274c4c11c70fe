"""`placet chat`: talk to a server from a terminal, and decide its prompts in place."""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from typing import TextIO

import click

from placet.actors.protocol.errors import PlacetError
from placet.http.cli.exits import Exit
from placet.http.cli.failing import tell
from placet.http.cli.lines import Lines
from placet.http.cli.options import Door, as_json, asks_server
from placet.http.cli.talk import Talk
from placet.http.cli.terminal import open_terminal


@click.command()
@click.argument("message", required=False)
@click.option("--session", "session_id", help="The session to go on with. [a new one]")
@as_json
@asks_server
def chat(door: Door, message: str | None, session_id: str | None, as_json: bool) -> None:
    """Talk to a server, and decide its prompts in place.

    With MESSAGE it says that and leaves with the answer; MESSAGE may be - for all of standard input. Without it, it reads
    messages line by line, from a terminal or a pipe.

    When something asks for your consent, you see what would run, where and why, and press one key: o once, s in this session,
    a always, d deny, q leave it open. Whoever answers first, here or elsewhere, has answered. Without a terminal prompts are left
    open, and it says how to decide them.

    While an answer comes, Ctrl-C stops the run, a second one leaves; Ctrl-D leaves and lets it go on. If the connection is lost,
    it comes back by itself and goes on where it was.

    \b
    Exit status: 0 done · 1 refused · 2 usage · 3 the run did not complete · 69 no server · 130 left.

    \b
    Examples:
        placet chat
        placet chat 'what is in this folder?'
        git diff | placet chat -
        placet chat --session chat-1f0a9c2b4d3e
        placet chat --json hello | jq -r 'select(.event == "message.delta").delta'
    """
    _take_any_bytes(sys.stdin)
    terminal = open_terminal(os.environ, asks=not as_json)
    talk = Talk(session_id, terminal, time.time, as_json=as_json)
    if message is not None:
        text = sys.stdin.read() if message == "-" else message
        sys.exit(door.run(partial(talk.say, text=text)))
    sys.exit(_lines(door, talk, people=terminal.asks))


def _lines(door: Door, talk: Talk, *, people: bool) -> Exit:
    """One message a line, to the end of the input; the status of the first that did not go well."""
    lines = Lines(os.environ)
    worst = status = door.run(talk.take_up)
    while status is not Exit.LEFT and (line := lines.next()) is not None:
        try:
            status = door.ask(partial(talk.say, text=line))
        except PlacetError as error:
            status = tell(error)
        except KeyboardInterrupt:
            status = Exit.LEFT
        worst = worst or status
        if not people and status in (Exit.REFUSED, Exit.NOT_REACHED):
            break  # what follows in the pipe builds on this
    if people:
        talk.leaving()
        return Exit.OK
    return worst


def _take_any_bytes(stream: TextIO) -> None:
    """What is no text in this locale becomes a mark; it should not end the talk."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
