"""The shape of the repository: what lies where, and that imports point down."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# From the top. A higher one may import any lower one.
LAYERS = ("http", "session", "agents", "store", "guard", "runtime", "protocol")
ONLY_PROTOCOL_BELOW = {"runtime", "guard"}
FOREIGN = {"quart", "quart_trio", "hypercorn", "werkzeug", "click"}
"""What the domain must not know."""

SOURCES = sorted([*ROOT.glob("actors/**/*.py"), *ROOT.glob("http/**/*.py")])


def layer(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return "http" if parts[0] == "http" else parts[1]


def imported(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names.append(node.module or "")
    return names


def layer_of_import(name: str) -> str | None:
    parts = name.split(".")
    if parts[0] != "placet" or len(parts) < 2:
        return None
    return "http" if parts[1] == "http" else parts[2] if len(parts) > 2 else None


def test_the_http_folder_is_no_package() -> None:
    assert not (ROOT / "http" / "__init__.py").exists(), "it would hide the standard library's http"


@pytest.mark.parametrize(("name", "target"), [("actors", "../actors"), ("http", "../http")])
def test_the_face_links_to_the_code(name: str, target: str) -> None:
    assert os.readlink(ROOT / "placet" / name) == target


def test_the_standard_library_is_found_from_the_root() -> None:
    code = "import http.client, http.server, placet.http.app; print(http.client.__file__)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert str(ROOT / "http") not in found.stdout


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    own = layer(path)
    for name in imported(path):
        assert name.split(".")[0] not in {"actors", "asyncio"}, f"{name} in {path}"
        if own != "http":
            assert name.split(".")[0] not in FOREIGN, f"{name}: the domain knows nothing of the wire"
        other = layer_of_import(name)
        if other is None or other == own:
            continue
        assert LAYERS.index(other) > LAYERS.index(own), f"{path} imports up: {name}"
        assert own not in ONLY_PROTOCOL_BELOW or other == "protocol", f"{path} imports {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_is_named_as_one_of_the_standard_library(path: Path) -> None:
    own = path.relative_to(ROOT)
    if len(own.parts) == 2:  # at the top of http/ it could hide the library's own
        assert path.stem not in sys.stdlib_module_names


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_sql_stays_in_the_store(path: Path) -> None:
    if layer(path) != "store":
        words = ("SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM")
        tree = ast.parse(path.read_text())
        texts = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        assert not [text for text in texts if text.startswith(words)], f"{path} speaks SQL"


def calls_of(path: Path, names: set[str]) -> set[str]:
    """What of `x.ask(...)` and the like stands in a file, as `x.ask`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            found.add(ast.unparse(node.func).removeprefix("self."))
    return found


ASKS_ITS_OWN_ACTOR = {"turn.py", "runner.py"}
ASKS_SESSIONS = {"sessions.py"}
DOORS_TO_ACTORS = {"registry", "_registry", "sessions", "_sessions", "context", "_context"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_asks_go_one_way(path: Path) -> None:
    """Trap T10: http asks sessions, a turn asks its own session's actor, and nothing asks up; so no asks form a circle."""
    asks = calls_of(path, {"ask"})
    if layer(path) in {"http", "runtime"}:
        return
    if layer(path) == "session" and path.name in ASKS_ITS_OWN_ACTOR:
        assert asks <= {"_context.ask", "context.ask"}
    elif layer(path) == "session" and path.name in ASKS_SESSIONS:
        assert asks <= {"ask", "registry.ask"}
    else:
        assert not {ask for ask in asks if ask.split(".")[0] in DOORS_TO_ACTORS}, f"{path} asks an actor"
