"""The example of the package's docstring runs as it stands."""

from __future__ import annotations

import runpy
import textwrap
from typing import TYPE_CHECKING

import placet.actors.runtime

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_counter_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    doc = placet.actors.runtime.__doc__
    assert doc is not None
    lines = doc.splitlines()
    first = lines.index("    import trio")
    last = lines.index("    trio.run(main)")
    script = tmp_path / "counter.py"
    script.write_text(textwrap.dedent("\n".join(lines[first : last + 1])))
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out == "7\n"


def test_the_face_is_whole_and_sorted() -> None:
    names = placet.actors.runtime.__all__
    assert all(hasattr(placet.actors.runtime, name) for name in names)
    assert len(set(names)) == len(names)
