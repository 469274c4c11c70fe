"""`placet approvals`: what waits for a person, over all sessions."""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import click
import msgspec

from placet.http.cli.dialogue import Dialogue
from placet.http.cli.json_lines import JsonLines
from placet.http.cli.live import Live
from placet.http.cli.options import Door, as_json, asks_server, at_most
from placet.http.cli.output import print_json, print_table, print_text
from placet.http.cli.prompt import show_prompt, summary
from placet.http.cli.terminal import open_terminal
from placet.http.cli.times import ago, countdown, left
from placet.http.client import Prompt, decide, path_word
from placet.http.client import answer as send_answer

if TYPE_CHECKING:
    from placet.http.cli.exits import Exit
    from placet.http.client import Client

_STATUSES = ("open", "approved", "denied", "expired", "cancelled", "answered")
_WIDTH = 100


@click.group()
def approvals() -> None:
    """List, watch and answer what waits for a person, over all sessions that you may see.

    \b
    Examples:
        placet approvals list
        placet approvals watch
        placet approvals show 3f2c...
        placet approvals approve 3f2c...
        placet approvals deny 3f2c... --reason 'not on a Friday'
        placet approvals list --json | jq -r '.data[].request_id'
    """


@approvals.command("list")
@click.option("--status", type=click.Choice(_STATUSES), default="open", show_default=True, help="Which.")
@at_most
@as_json
@asks_server
def list_approvals(door: Door, status: str, most: int, as_json: bool) -> None:
    """List prompts: those that wait, if nothing else is said."""

    async def ask(client: Client) -> dict[str, Any]:
        return await client.listing("/v1/approvals", most=most, id_field="request_id", status=status)

    found = door.run(ask)
    if as_json:
        print_json(found)
        return
    rows = [_row(prompt, time.time()) for prompt in msgspec.convert(found["data"], list[Prompt])]
    nothing = "Nothing waits." if status == "open" else "There is none."
    print_table(["ID", "ASKED", "STATUS", "SESSION", "WHAT"], rows, nothing)


@approvals.command()
@as_json
@asks_server
def watch(door: Door, as_json: bool) -> None:
    """Follow all prompts as they come and end; on a terminal, answer them in place. Ctrl-C ends it.

    With --json it prints each event's object on a line, and asks nothing.
    """
    terminal = open_terminal(os.environ, asks=not as_json)
    face = JsonLines() if as_json else Dialogue(asks=terminal.asks, stops=False)

    async def follow(client: Client) -> Exit:
        return await Live(client, face, terminal, time.time).follow("/v1/approvals/events")

    sys.exit(door.run(follow))


@approvals.command()
@click.argument("request_id")
@as_json
@asks_server
def show(door: Door, request_id: str, as_json: bool) -> None:
    """Show a prompt: what would run, where, why, and how it stands."""
    found = door.run(partial(_read, request_id=request_id))
    if as_json:
        print_json(found)
    else:
        _print_prompt(msgspec.convert(found, Prompt), time.time())


@approvals.command()
@click.argument("request_id")
@click.option(
    "--once", "choice", flag_value="once", default=True, help="This time only, as without an option."
)
@click.option("--session", "choice", flag_value="session", help="Also from now on, in its session.")
@click.option(
    "--always", "choice", flag_value="always", help="Also from now on, in all sessions of its owner."
)
@click.option("--retry", "choice", flag_value="retry", help="Run once more what nobody knows the outcome of.")
@as_json
@asks_server
def approve(door: Door, request_id: str, choice: str, as_json: bool) -> None:
    """Say yes: to this as it stands now, and to nothing else."""
    _print_decision(door.run(partial(_decide, request_id=request_id, choice=choice)), as_json=as_json)


@approvals.command()
@click.argument("request_id")
@click.option("--reason", default="", help="What the agent is told.")
@click.option("--failed", is_flag=True, help="Take as failed what nobody knows the outcome of.")
@as_json
@asks_server
def deny(door: Door, request_id: str, reason: str, failed: bool, as_json: bool) -> None:
    """Say no."""
    choice = "failed" if failed else "deny"
    work = partial(_decide, request_id=request_id, choice=choice, reason=reason)
    _print_decision(door.run(work), as_json=as_json)


@approvals.command()
@click.argument("request_id")
@click.argument("text")
@as_json
@asks_server
def answer(door: Door, request_id: str, text: str, as_json: bool) -> None:
    """Answer a question of an agent with TEXT."""

    async def ask(client: Client) -> dict[str, Any]:
        prompt = msgspec.convert(await _read(client, request_id), Prompt)
        return await send_answer(client, prompt, text)

    _print_decision(door.run(ask), as_json=as_json)


async def _read(client: Client, request_id: str) -> dict[str, Any]:
    return await client.ask("GET", f"/v1/approvals/{path_word(request_id)}")


async def _decide(client: Client, request_id: str, choice: str, reason: str = "") -> dict[str, Any]:
    prompt = msgspec.convert(await _read(client, request_id), Prompt)
    return await decide(client, prompt, choice, reason)


def _row(prompt: Prompt, now: float) -> list[str]:
    state = left(prompt.expires_at, now) if prompt.status == "open" else prompt.status
    return [prompt.request_id, ago(prompt.created_at, now), state, prompt.session_id, summary(prompt, 500)]


def _print_decision(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    before = "had been answered before: " if found["status"] == "already_resolved" else ""
    print_text(f"{found['request_id']}: {before}{found.get('choice', 'answered')}, by {found['decided_by']}")


def _print_prompt(prompt: Prompt, now: float) -> None:
    for said in show_prompt(prompt, _WIDTH):
        click.echo(said.text)
    print_text(f"  {'asked':<10}{ago(prompt.created_at, now)}, by {prompt.run_id} in {prompt.session_id}")
    print_text(f"  {'status':<10}{_state(prompt, now)}")


def _state(prompt: Prompt, now: float) -> str:
    if prompt.status == "open":
        return f"open, {countdown(prompt.expires_at, now)}"
    if prompt.decided_by is None or prompt.decided_at is None:
        return prompt.status
    word = prompt.decision or prompt.answer or ""
    reason = f": {prompt.reason}" if prompt.reason else ""
    return f"{prompt.status} ({word}) by {prompt.decided_by}, {ago(prompt.decided_at, now)}{reason}"
