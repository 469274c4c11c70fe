"""`placet runs`: what runs and ran, stopping it, settling what nobody knows the outcome of."""

from __future__ import annotations

import time
from functools import partial
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click
import msgspec

from placet.http.cli.options import Door, as_json, asks_server, at_most, confirm, yes
from placet.http.cli.output import print_json, print_table, print_text
from placet.http.cli.prompt import how_to_decide, summary
from placet.http.cli.text import one_line
from placet.http.cli.times import ago
from placet.http.client import Run, path_word, settle

if TYPE_CHECKING:
    from placet.http.client import Client

_STATUSES = (
    *("queued", "running", "waiting_for_approval", "stopping", "unknown"),
    *("completed", "failed", "cancelled", "interrupted", "rejected"),
)
_WIDTH = 100


@click.group()
def runs() -> None:
    """List, read, stop and settle runs: what was asked of an agent, one by one.

    \b
    Examples:
        placet runs list --status unknown
        placet runs show run_5a0c...
        placet runs stop run_5a0c...
        placet runs resolve-unknown run_5a0c...
    """


@runs.command("list")
@click.option("--status", type=click.Choice(_STATUSES), help="Only those.")
@click.option("--session", "session_id", help="Only those of this session.")
@at_most
@as_json
@asks_server
def list_runs(door: Door, status: str | None, session_id: str | None, most: int, as_json: bool) -> None:
    """List runs, the newest first."""

    async def ask(client: Client) -> dict[str, Any]:
        return await client.listing(
            "/v1/runs", most=most, id_field="run_id", status=status, session_id=session_id
        )

    found = door.run(ask)
    if as_json:
        print_json(found)
        return
    now = time.time()
    kept = msgspec.convert(found["data"], list[Run])
    rows = [[run.run_id, run.status, ago(run.created_at, now), run.session_id] for run in kept]
    print_table(["ID", "STATUS", "BEGAN", "SESSION"], rows, "There is no run.")


@runs.command()
@click.argument("run_id")
@as_json
@asks_server
def show(door: Door, run_id: str, as_json: bool) -> None:
    """Show a run: how it stands, what it asked, what it said."""
    found = door.request("GET", f"/v1/runs/{path_word(run_id)}")
    if as_json:
        print_json(found)
        return
    run, now = msgspec.convert(found, Run), time.time()
    print_text(f"{run.run_id}  {run.status}\n  session {run.session_id}, began {ago(run.created_at, now)}")
    for prompt in run.approvals:
        print_text(f"  ? {prompt.status}: {summary(prompt, _WIDTH)}")
        if prompt.status == "open":
            print_text(indent(how_to_decide(prompt), "    "))
    if run.error is not None:
        print_text(f"  {one_line(run.error.message, 500)} [{run.error.code}]")
    if run.output:
        print_text(f"\n{run.output.rstrip()}")


@runs.command()
@click.argument("run_id")
@as_json
@asks_server
def stop(door: Door, run_id: str, as_json: bool) -> None:
    """Stop a run. What it had done stays done."""
    _print_control(door.request("POST", f"/v1/runs/{path_word(run_id)}/stop"), as_json=as_json)


@runs.command("resolve-unknown")
@click.argument("run_id")
@yes
@as_json
@asks_server
def resolve_unknown(door: Door, run_id: str, yes: bool, as_json: bool) -> None:
    """Settle a run of which nobody knows how far it came, so that its session goes on.

    It counts as interrupted from then on. Look first at what it had done: nothing of it is done again, or taken back.
    """
    confirm(f"Settle {run_id} as interrupted?", yes=yes)
    _print_control(door.run(partial(settle, run_id=run_id)), as_json=as_json)


def _print_control(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
    else:
        print_text(f"{found['run_id']}: {found['outcome'] or found['status']}")
