"""What `--agent` takes, and what it says of the rest."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from placet.actors.agents.demo import demo
from placet.actors.agents.loading import load_agent
from placet.actors.protocol.errors import StartRefused

if TYPE_CHECKING:
    from pathlib import Path

MODULE = '''
import functools

from placet.actors.agents import replayable

number = 3

@replayable
async def awaits(turn):
    """Async."""

def blocks(turn):
    """Plain."""

def with_more(turn, tries=3, *rest, key=None):
    """One argument is enough."""

async def _greets(greeting, turn):
    """For a partial."""

partial = functools.partial(_greets, "hello")

class Awaits:
    async def __call__(self, turn):
        """Async object."""

class Blocks:
    @replayable
    def __call__(self, turn):
        """Plain object."""

    @replayable
    async def method(self, turn):
        """Async method."""

awaiting, blocking = Awaits(), Blocks()

def takes_nothing():
    """Too few."""

def takes_two(turn, other):
    """Too many."""

def takes_key(turn, *, key):
    """Never given."""

def yields(turn):
    yield "a"

async def yields_too(turn):
    yield "a"
'''


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, empty and not yet on the path; what is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.setattr(sys, "modules", sys.modules.copy())
    return tmp_path


@pytest.fixture
def mine(here: Path) -> str:
    (here / "my_agents.py").write_text(MODULE)
    return "my_agents"


def refusal(spec: str) -> str:
    with pytest.raises(StartRefused) as caught:
        load_agent(spec)
    return caught.value.message


def test_the_demo_agent_is_built_in() -> None:
    agent = load_agent("demo")
    assert (agent.name, agent.function, agent.blocking, agent.replayable) == ("demo", demo, False, True)


@pytest.mark.parametrize(
    ("name", "blocking", "replayable"),
    [
        ("awaits", False, True),
        ("blocks", True, False),
        ("with_more", True, False),
        ("partial", False, False),
        ("awaiting", False, False),
        ("blocking", True, True),
        ("blocking.method", False, True),
    ],
)
def test_what_can_run_a_turn_is_found_in_the_current_directory(
    mine: str, name: str, blocking: bool, replayable: bool
) -> None:
    agent = load_agent(f"{mine}:{name}")
    assert (agent.name, agent.blocking, agent.replayable) == (f"{mine}:{name}", blocking, replayable)
    assert callable(agent.function)


def test_a_module_of_a_package_is_found(here: Path) -> None:
    (here / "my_package").mkdir()
    (here / "my_package" / "inner.py").write_text("def agent(turn): ...")
    assert load_agent("my_package.inner:agent").blocking


@pytest.mark.parametrize("spec", ["", ":", "my_agents", "my_agents:", ":blocks"])
def test_an_unknown_word_says_what_there_is(spec: str) -> None:
    assert refusal(spec) == (
        f"There is no agent {spec!r}. Built in: demo, openai. Your own is named as package.module:function."
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nothing", "does not exist: my_agents has no 'nothing'"),
        ("blocking.nothing", "does not exist: my_agents has no 'blocking.nothing'"),
        ("number", "is a int; name a function or a callable object"),
        ("Awaits", "is a class; name a function or an object of the class"),
        ("takes_nothing", "must be callable with one argument, the turn; it takes ()"),
        ("takes_two", "must be callable with one argument, the turn; it takes (turn, other)"),
        ("takes_key", "must be callable with one argument, the turn; it takes (turn, *, key)"),
        ("yields", "yields; call turn.say(text) instead"),
        ("yields_too", "yields; call turn.say(text) instead"),
    ],
)
def test_what_cannot_run_a_turn_is_refused_with_advice(mine: str, name: str, why: str) -> None:
    assert refusal(f"{mine}:{name}") == f"The agent 'my_agents:{name}' {why}."


def test_a_missing_module_is_named(here: Path) -> None:
    assert "There is no module 'missing_thing'" in refusal("missing_thing.inner:agent")
    (here / "half").mkdir()
    assert "There is no module 'half.inner'" in refusal("half.inner:agent")


def test_a_missing_dependency_is_not_taken_for_a_missing_module(here: Path) -> None:
    (here / "needy.py").write_text("import missing_thing")
    assert refusal("needy:agent") == "The module 'needy' needs 'missing_thing', which is not installed."


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(2)", "SystemExit: 2"),
        ("def", "SyntaxError"),
    ],
)
def test_an_import_that_fails_names_the_module_and_the_error(here: Path, body: str, error: str) -> None:
    (here / "broken.py").write_text(body)
    message = refusal("broken:agent")
    assert message.startswith(f"The module 'broken' cannot be imported: {error}")
