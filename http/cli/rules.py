"""`placet rules`: the approvals that are remembered."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click
import msgspec

from placet.http.cli.options import Door, as_json, asks_server, at_most
from placet.http.cli.output import print_json, print_table, print_text
from placet.http.cli.times import ago
from placet.http.client import Rule, path_word

if TYPE_CHECKING:
    from placet.http.client import Client


@click.group()
def rules() -> None:
    """List and revoke remembered approvals: what an answer `session` or `always` left behind.

    \b
    Examples:
        placet rules list
        placet rules revoke 8d1e...
        placet rules list --json | jq -r '.data[].id' | xargs placet rules revoke
    """


@rules.command("list")
@at_most
@as_json
@asks_server
def list_rules(door: Door, most: int, as_json: bool) -> None:
    """List the rules that hold."""

    async def ask(client: Client) -> dict[str, Any]:
        return await client.listing("/v1/approvals/rules", most=most, id_field="id")

    found = door.run(ask)
    if as_json:
        print_json(found)
        return
    now = time.time()
    kept = msgspec.convert(found["data"], list[Rule])
    rows = [[rule.id, rule.scope, rule.principal, ago(rule.created_at, now), rule.text] for rule in kept]
    print_table(["ID", "FOR", "OF", "SINCE", "ALLOWS"], rows, "No approval is remembered.")


@rules.command()
@click.argument("rule_ids", nargs=-1, required=True)
@as_json
@asks_server
def revoke(door: Door, rule_ids: tuple[str, ...], as_json: bool) -> None:
    """Revoke rules. What they allowed asks again from now on."""
    for rule_id in rule_ids:
        found = door.request("DELETE", f"/v1/approvals/rules/{path_word(rule_id)}")
        if as_json:
            print_json(found)
        else:
            print_text(f"{rule_id}: revoked")
