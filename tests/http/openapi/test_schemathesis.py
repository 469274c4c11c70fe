"""What is generated from the document, sent to a running server: it must answer everything as the document says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from tests.system.server import KEY, serving

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(3600)]

LONG = os.environ.get("PLACET_LONG") == "1"
"""Whether to take an hour and not a minute."""

PHASES = "examples,coverage,fuzzing,stateful" if LONG else "examples,fuzzing"
EXAMPLES = "50" if LONG else "2"
CONFIG = Path(__file__).with_name("schemathesis.toml")


async def test_every_operation_answers_as_it_is_described(tmp_path: Path) -> None:
    # Prompts that nobody answers expire at once, and streams end soon.
    settings = {"approval_timeout_s": 0.2, "heartbeat_s": 0.2}
    async with serving(tmp_path, "demo", **settings) as server:
        command = [
            *(str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(CONFIG), "run"),
            *(f"http://127.0.0.1:{server.port}/openapi.json", "--header", f"Authorization: Bearer {KEY}"),
            *("--phases", PHASES, "--max-examples", EXAMPLES, "--request-timeout", "15", "--no-color"),
        ]
        done = await trio.run_process(
            command, capture_stdout=True, stderr=subprocess.STDOUT, check=False, cwd=tmp_path
        )
        report = done.stdout.decode()
        assert done.returncode == 0, report
        document = (await server.api.ask("GET", "/openapi.json")).json
        others = sum(map(len, document["paths"].values())) - 1
        assert f"Tested: {others}\n" in report, "every operation but the one that gives the document"
