"""`placet doctor` and `placet backup` on real data directories: healthy, of unknown outcome, damaged; and a copy that serves."""

from __future__ import annotations

import json
import shutil
import stat
from typing import TYPE_CHECKING

import apsw
import pytest

from tests.cli.calling import TALKER, ask_json, call
from tests.cli.test_commands import asked, begin
from tests.system.server import SCRIPT, script, serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]


def placed(directory: Path) -> tuple[str, str]:
    return "--data-dir", str(directory)


async def checked(server: Server, *arguments: str) -> tuple[int, set[str]]:
    """The exit status of a checkup, and the codes of what is not fine."""
    result = await call(server, "doctor", *placed(server.folder / "data"), "--json", *arguments)
    found = json.loads(result.stdout)
    assert found["status"] == ["fine", "findings", "damaged"][result.exit_code]
    return result.exit_code, {finding["code"] for finding in found["findings"] if finding["severity"]}


async def _closes_what_others_may_read(server: Server) -> None:
    places = {server.folder / "data": 0o700, server.database: 0o600}
    for place, mode in places.items():
        place.chmod(mode | 0o044)
    assert await checked(server) == (1, {"open_to_others"})
    assert await checked(server, "--repair", "--yes") == (0, set())
    assert {place: stat.S_IMODE(place.stat().st_mode) for place in places} == places


async def test_a_healthy_directory_is_fine_and_a_copy_of_it_serves(tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "data" / "placet.db"
    copy.parent.mkdir(parents=True, mode=0o700)
    async with serving(tmp_path, TALKER) as server:
        await server.run_becomes(await begin(server, "hello"), "completed")
        await call(server, "approvals", "approve", await asked(server, script({"ask": "rm x"}), "t"))
        assert await checked(server) == (0, set())
        data = placed(server.folder / "data")
        text = (await call(server, "doctor", *data)).stdout
        assert "✓ The audit chain holds, decisions 1.\n" in text
        assert f"is well (process {server.pid})" in text
        assert await checked(server, "--url", "http://127.0.0.1:1") == (1, {"server_silent"})
        await _closes_what_others_may_read(server)

        made = await ask_json(server, "backup", str(copy), *data)
        assert made == {
            "object": "backup",
            "path": str(copy),
            "size_bytes": copy.stat().st_size,
            "verified": True,
        }
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        again = await call(server, "backup", str(copy), *data)
        assert (again.exit_code, again.stdout) == (1, "")
        assert "[target_exists]\n        Nothing was overwritten." in again.stderr
        assert (await call(server, "backup", str(tmp_path / "no" / "x"), *data)).exit_code == 2
        assert (await call(server, "backup", str(tmp_path / "y"), *placed(tmp_path))).exit_code == 1
        assert not (tmp_path / "y").exists()

    async with serving(tmp_path / "copy", TALKER) as second:
        assert {row["id"] for row in (await ask_json(second, "sessions", "list"))["data"]} == {"s", "t"}
        approved = (await ask_json(second, "approvals", "list", "--status", "approved"))["data"]
        assert [(row["display"], row["decided_by"]) for row in approved] == [("rm x", "api")]
        assert await checked(second) == (0, set())


async def test_runs_of_unknown_outcome_are_named_and_settled(tmp_path: Path) -> None:
    async with serving(tmp_path, SCRIPT) as server:
        run_id, other = [await begin(server, script({"wait_for": "never"}), name) for name in ("s", "t")]
        waiting = await begin(server, "after it", "s")
        await server.run_becomes(run_id, "running")
        await server.run_becomes(other, "running")
        await server.kill()
        assert await checked(server) == (0, set()), "nobody has looked at what ran yet"
        await server.restart()
        assert await checked(server) == (1, {"unknown_run"})
        data = placed(server.folder / "data")
        told = (await call(server, "doctor", *data)).stdout
        assert f"! Nobody knows how far run {run_id} came; its session s waits" in told
        assert f"    placet runs resolve-unknown {run_id}\n" in told

        settled = await call(server, "runs", "resolve-unknown", other, "--yes")
        assert settled.stdout == f"{other}: interrupted\n"
        unknown = (await ask_json(server, "runs", "list", "--status", "unknown"))["data"]
        assert [row["run_id"] for row in unknown] == [run_id]
        assert (await call(server, "doctor", *data, "--repair")).exit_code == 2, "nobody can be asked"
        assert await checked(server, "--repair", "--yes") == (0, set())
        await server.run_becomes(run_id, "interrupted")
        await server.run_becomes(waiting, "completed")


async def test_what_is_damaged_is_said_to_be(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server:
        for number in range(3):
            name = await asked(server, script({"ask": f"rm {number}"}, {"say": "x" * 20_000}), f"s{number}")
            await call(server, "approvals", "approve", name)
        await server.stop()
        data, whole = server.folder / "data", tmp_path / "whole.db"
        shutil.copy(data / "placet.db", whole)

        connection = apsw.Connection(str(data / "placet.db"))
        for (trigger,) in list(connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")):
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute("UPDATE decisions SET record = replace(record, 'rm 1', 'ls 1') WHERE number = 2")
        connection.close()
        assert await checked(server) == (2, {"broken_audit"})
        assert (
            "✗ The audit chain does not hold: decision 2, "
            in (await call(server, "doctor", *placed(data))).stdout
        )

        damaged = bytearray(whole.read_bytes())
        damaged[len(damaged) // 2 : len(damaged) // 2 + 8192] = b"\xff" * 8192
        (data / "placet.db").write_bytes(damaged)
        assert (await checked(server))[0] == 2
        (data / "placet.db").write_bytes(b"no database" * 1000)
        assert await checked(server) == (2, {"unreadable"})
        (data / "placet.db").unlink()
        assert await checked(server) == (1, {"no_database"})
