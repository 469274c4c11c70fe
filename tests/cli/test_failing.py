"""How a command fails: one line that says what to do, a status that programs can tell apart, and never a traceback."""

from __future__ import annotations

import pytest
import trio

from placet.actors.protocol.errors import Conflict, InvalidInput, PlacetError, StartRefused
from placet.http.cli.exits import Exit
from placet.http.cli.failing import failing, run, tell
from placet.http.client import NotReached, Refused


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (NotReached("No answer."), Exit.NOT_REACHED, "placet serve"),
        (Refused(401, "No.", code="gateway_auth_failed", detail={}), Exit.REFUSED, "--key-file"),
        (InvalidInput("That is no address."), Exit.USAGE, "That is no address. [invalid_params]"),
        (StartRefused("Damaged."), Exit.CONFIG, "Damaged. [start_refused]"),
        (Conflict("It is there.", code="target_exists"), Exit.REFUSED, "Nothing was overwritten."),
        (Refused(500, "\x1b[2J", code="\x1b[2J", detail={}), Exit.REFUSED, "\\x1b[2J [\\x1b[2J]"),
    ],
)
def test_an_error_is_said_with_what_to_do(
    error: PlacetError, status: Exit, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tell(error) is status
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("placet: ")
    assert told in said.err


def test_ctrl_c_ends_it_without_a_traceback() -> None:
    """Also when it hits a task of a library: then trio wraps it in a group."""

    async def press() -> None:
        raise KeyboardInterrupt

    async def connect() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(press)

    with pytest.raises(SystemExit) as ended, failing():
        run(connect)
    assert ended.value.code == Exit.LEFT


def test_what_is_returned_and_raised_comes_through() -> None:
    async def give(value: int) -> int:
        return value

    async def refuse() -> None:
        raise Conflict("no")

    assert run(give, 5) == 5
    with pytest.raises(Conflict):
        run(refuse)
