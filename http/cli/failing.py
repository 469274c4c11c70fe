"""How a command fails: one line on standard error that says what to do next, and a status."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar, TypeVarTuple

import click
import trio

from placet.actors.protocol.errors import InvalidInput, PlacetError, StartRefused
from placet.http.cli.exits import Exit
from placet.http.cli.text import escaped
from placet.http.client import NotReached

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_NEXT: Final = {
    "not_reached": "Is it running? `placet serve` starts one here; --url or PLACET_URL names another.",
    "gateway_auth_failed": "Give its key by --key-file or PLACET_API_KEY; a server keeps its own in DATA_DIR/api_key.",
    "role_required": "This key may not do that. Use the key of an approver or operator.",
    "approval_not_found": "`placet approvals list` shows what waits.",
    "approval_not_pending": "`placet approvals show ID` says how it ended.",
    "already_resolved": "`placet approvals show ID` says by whom.",
    "stale_generation": "The server was restarted meanwhile. Look at the prompt and answer again.",
    "run_not_found": "`placet runs list` shows them.",
    "rule_not_found": "`placet rules list` shows them.",
    "session_not_found": "`placet sessions list` shows them.",
    "session_active_turn": "`placet runs list --session ID` shows what runs; `placet runs stop ID` ends it.",
    "queue_full": "Wait until the session has worked off some of its queue.",
    "no_placet_server": "Something else seems to listen there.",
    "target_exists": "Nothing was overwritten.",
}
"""What to do next, by the error's code."""


def tell(error: PlacetError) -> Exit:
    """Say on standard error what went wrong and what to do; the status to end with."""
    advice = f"\n        {_NEXT[error.code]}" if error.code in _NEXT else ""
    click.echo(f"placet: {escaped(error.message)} [{escaped(error.code)}]{advice}", err=True)
    kinds: dict[type[Exception], Exit] = {
        NotReached: Exit.NOT_REACHED,
        InvalidInput: Exit.USAGE,
        StartRefused: Exit.CONFIG,
    }
    return next((status for kind, status in kinds.items() if isinstance(error, kind)), Exit.REFUSED)


@contextmanager
def failing() -> Generator[None, None, None]:
    """End the process as `tell` says when the block raises an error of Placet's; 130 on Ctrl-C."""
    try:
        yield
    except PlacetError as error:
        sys.exit(tell(error))
    except KeyboardInterrupt:
        sys.exit(Exit.LEFT)


def run(work: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
    """`trio.run`, from which Ctrl-C comes as it is, also when it hit a task deep inside a library.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        ExceptionGroup: what else was raised in tasks, as from `trio.run`.
    """
    try:
        return trio.run(work, *args)
    except* KeyboardInterrupt:
        pass
    raise KeyboardInterrupt
