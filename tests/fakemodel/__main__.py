"""`python -m tests.fakemodel [--port 0] [SCRIPT]`: the scripted model by hand.

Without a script it is a parrot with a terminal: of a message that begins with `$ ` it runs the rest, anything else it repeats.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

import trio

from tests.fakemodel.script import Reply, calls, parse, says
from tests.fakemodel.server import FakeModel


def parrot(request: dict[str, Any]) -> Reply:
    """What it answers without a script."""
    last = request["messages"][-1]
    content = last["content"] or ""
    text = content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)
    if last["role"] == "tool":
        return says(f"The terminal says:\n{text}")
    if text.startswith("$ "):
        return calls(("terminal", {"command": text[2:]}), text="I will run that.")
    return says(text or "Say something.")


async def serve(model: FakeModel, port: int) -> None:
    """Serve until interrupted, and say where."""
    async with trio.open_nursery() as nursery:
        await nursery.start(lambda task_status: model.serve(port=port, task_status=task_status))
        print(f"fakemodel: listening on {model.url}", flush=True)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakemodel", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument(
        "script", nargs="?", type=Path, help="a JSON list of replies; see tests/fakemodel/script.py"
    )
    asked = parser.parse_args()
    replies = parse(asked.script.read_bytes()) if asked.script else (parrot,)
    with suppress(KeyboardInterrupt):
        trio.run(serve, FakeModel(*replies), asked.port)


if __name__ == "__main__":
    main()
