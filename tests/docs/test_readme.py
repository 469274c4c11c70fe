"""The README's blocks do what they say: its requests in a shell, its agents under a server, its actor by itself."""

from __future__ import annotations

import runpy
import sys
from typing import TYPE_CHECKING

import pytest
import trio

from placet.actors.agents import load_agent
from tests.docs.fronts import need
from tests.docs.pages import Page
from tests.helpers import PATIENCE_S
from tests.system.server import CommandServer, serving

if TYPE_CHECKING:
    from pathlib import Path

README = Page("README.md")


@pytest.mark.server
@pytest.mark.slow
async def test_the_first_request_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two terminals: the first stops at the prompt, the second says yes, the first goes on to its end."""
    need("curl", "curl")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    async with serving(tmp_path, "demo", key="unused-0123456789-key", kind=OwnKeyServer) as server:
        ask, answer = (
            block.text.replace(":8642", f":{server.port}")
            for block in README.blocks("sh")
            if block.text.startswith("curl")
        )
        first = await trio.lowlevel.open_process(["bash", "-c", ask], stdout=-1, stderr=-3)
        assert first.stdout is not None
        seen = b""
        with trio.fail_after(PATIENCE_S):
            while b"event: approval.request" not in seen:
                received = await first.stdout.receive_some()
                assert received, seen
                seen += received
            second = await trio.run_process(["bash", "-c", answer], capture_stdout=True)
            assert b'"status":"resolved"' in second.stdout
            while received := await first.stdout.receive_some():
                seen += received
            await first.wait()
        await first.stdout.aclose()
    assert b"removed 'hello.txt'" in seen
    assert seen.endswith(b"data: [DONE]\n\n")


class OwnKeyServer(CommandServer):
    """A server as `make serve` starts it: with the key and the data directory that it makes itself."""

    def arguments(self) -> list[str]:
        return ["serve", "--port", str(self.port), "--workspace", str(self.work)]

    def environment(self) -> dict[str, str]:
        environment = super().environment()
        del environment["PLACET_API_KEY"]
        return environment

    @property
    def api(self):
        key = self.folder / ".local/share/placet/api_key"
        return type(super().api)(self.port, key.read_text().strip(), self.patience_s)


def test_the_agents_can_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = (block for block in README.blocks("python") if "my_agents.py" in block.text)
    (tmp_path / "my_agents.py").write_text(block.text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    careful, simple = load_agent("my_agents:careful"), load_agent("my_agents:simple")
    sys.modules.pop("my_agents")
    assert (careful.replayable, careful.blocking) == (True, False)
    assert (simple.replayable, simple.blocking) == (False, True)


def test_the_actor_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = (block for block in README.blocks("python") if "open_registry" in block.text)
    (tmp_path / "counter.py").write_text(block.text)
    runpy.run_path(str(tmp_path / "counter.py"), run_name="__main__")
    assert capsys.readouterr().out == "7\n"
