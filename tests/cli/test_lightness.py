"""What only prints a word does not load the libraries of a server or a client."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = ("trio", "quart", "httpx2", "hypercorn", "apsw", "msgspec")


@pytest.mark.parametrize(
    ("arguments", "environ"),
    [
        (["--version"], {}),
        (["--help"], {}),
        ([], {"_PLACET_COMPLETE": "fish_complete", "COMP_WORDS": "placet ap", "COMP_CWORD": "ap"}),
    ],
)
def test_nothing_heavy_is_loaded(arguments: list[str], environ: dict[str, str]) -> None:
    code = (
        "import sys\n"
        "from placet.http.cli import main\n"
        "try: main(sys.argv[1:], prog_name='placet')\n"
        f"finally: assert not {{*{HEAVY}}} & {{*sys.modules}}, sys.modules.keys()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environ,
        check=True,
    )
    assert done.stdout
    if environ:
        assert "approvals" in done.stdout
