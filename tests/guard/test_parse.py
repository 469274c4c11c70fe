"""The reader of shell commands, compared with bash itself where bash can tell."""

import shutil
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from placet.actors.guard.expand import expand
from placet.actors.guard.parse import parse
from placet.actors.guard.scan import Unparsed
from placet.actors.guard.scope import Scope
from placet.actors.guard.syntax import Simple

PIECES = [
    "a",
    "-x",
    "'b c'",
    '"d e"',
    "$'f\\x41'",
    "\\g",
    "\\\n",
    "''",
    '""',
    "{h,i}",
    "{1..3}",
    "=",
    "#",
    "~/",
    "é",
    '"\\$j"',
    "'\"'",
    ",",
    "}",
]


def words(text: str) -> list[str]:
    """The words that a literal command becomes, as the guard reads it."""
    node = parse(text).nodes[0]
    assert isinstance(node, Simple)
    return [arg.text for word in node.words for arg in expand(word, Scope("/home/dev", ("/",)), {})]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.thread
@given(
    st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), min_size=1, max_size=25)
)
@settings(max_examples=40, deadline=None)
def test_words_are_what_bash_makes_of_them(given_words: list[str]) -> None:
    """Quote removal, braces, escapes and `~` give bash's own words."""
    line = "printf '%s\\0' x " + " ".join(word.lstrip("#") or "x" for word in given_words)
    home = {"HOME": "/home/dev", "LC_ALL": "C.UTF-8"}
    said = subprocess.run(["bash", "-c", line], capture_output=True, check=False, env=home, timeout=30)
    assume(
        said.returncode == 0
    )  # a word may begin a comment whose line end makes a second command of the rest

    assert words(line)[2:] == said.stdout.decode().split("\0")[:-1]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.thread
@pytest.mark.parametrize(
    "text",
    [
        "if then fi", "for do done", "(ls", "ls)", "ls |", "| ls", "ls &&", "&& ls", "ls ;; ls", "{ ls", "case x in", "echo 'a",
        'echo "a', "echo `a", "echo $(a", "echo ${a", "f() ", "while do", "ls > ", "ls <<", "[[ a", "((1", "a=(1", "( )", "{ }",
        "if ls; then fi; done", "! | ls", "do ls", "x() y",
    ],
)  # fmt: skip
def test_what_bash_refuses_is_refused(text: str) -> None:
    """A text that bash does not accept is not read as something that would run."""
    assert subprocess.run(["bash", "-nc", text], capture_output=True, check=False, timeout=30).returncode != 0
    with pytest.raises(Unparsed):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "$[1+1]",
        "echo @(a|b)",
        "ec\\\nho $\\\n(rm x)",
        "echo $na\\\nme",
        "echo \0",
        "echo \\",
        "cat <<EOF\nx",
        "echo \"${x:-'a'}\"",
    ],
)
def test_what_could_be_misread_is_refused(text: str) -> None:
    """Where reading like bash is uncertain the reader does not guess."""
    with pytest.raises(Unparsed):
        parse(text)
