"""The corpus shows every program in the tables at work: harmless, and dangerous if it can be."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec
import pytest

from placet.actors.guard.arguments import Arg
from placet.actors.guard.call import NO_FEED, Feed
from placet.actors.guard.judging import resolved
from placet.actors.guard.parse import parse
from placet.actors.guard.paths import Places
from placet.actors.guard.policy import Policy
from placet.actors.guard.programs import Program
from placet.actors.guard.scan import Unparsed
from placet.actors.guard.scope import Scope
from placet.actors.guard.tables import CATALOGUE
from placet.actors.guard.verdict import Verdict
from placet.actors.guard.walk import Walker
from tests.guard import effects

PROGRAMS = sorted({name[0] for name in CATALOGUE.rows})

INFORMATION = frozenset({"--help", "--version", "-h", "-v", "-vV", "-V", "-VV", "-version", "-help"})
"""Arguments that show nothing of a program but that it is known."""


class Shown(msgspec.Struct):
    """How the corpus' lines show a program.

    Args:
        at_work: in a `run` line, with more than information asked of it.
        informed: in a `run` line, with nothing but information asked of it.
        dangerous: in another line, where its own call is a reason to ask.
    """

    at_work: bool = False
    informed: bool = False
    dangerous: bool = False


class Recorder(Walker):
    """A walker that notes of every program which runs whether its own call, with what that carries, gave a reason.

    Args:
        line: the line of the corpus that is walked.
    """

    def __init__(self, line: effects.Line) -> None:
        policy = Policy(protected=line.rules.get("protected", ()), home="/home/dev")
        super().__init__(policy, Places(policy.home, line.directory, policy.protected), line.directory)
        self.calls: list[tuple[str, tuple[str, ...], bool]] = []
        self.asked = 0

    def ask(self, code: str, what: str, part: str, verdict: Verdict = Verdict.ASK) -> None:
        """Give a reason, and count it, even if the line has given the same before."""
        self.asked += 1
        super().ask(code, what, part, verdict)

    def run(self, argv: Sequence[Arg], scope: Scope, source: str, feed: Feed = NO_FEED) -> None:
        """Judge a program, and note how that went."""
        before = self.asked
        super().run(argv, scope, source, feed)
        name, implied = resolved(argv[0].text)
        words = tuple(arg.text for arg in (*implied, *argv[1:]))
        self.calls.append((name, words, self.asked > before))


def calls(line: effects.Line) -> list[tuple[str, tuple[str, ...], bool]]:
    """Every program that runs in a line, its arguments, and whether its call gave a reason."""
    recorder = Recorder(line)
    scope = Scope(recorder.policy.home, (line.directory,))
    try:
        script = parse(line.command)
    except Unparsed:
        return []
    scope.learn(script)
    recorder.walk(script, scope)
    return recorder.calls


def shown_by(lines: Iterable[effects.Line]) -> dict[str, Shown]:
    """How programs are shown by lines; what only an operator's rule decides shows nothing."""
    result: dict[str, Shown] = defaultdict(Shown)
    for line in lines:
        if line.rules.keys() <= {"protected"}:
            for name, words, reason in calls(line):
                if line.verdict != "run":
                    result[name].dangerous |= reason
                elif len(words) == 1 and words[0] in INFORMATION:
                    result[name].informed = True
                else:
                    result[name].at_work = True
    return result


def rows_of(name: str) -> list[Program]:
    """A program's row and those of its subcommands."""
    rows = {row: program for row, program in CATALOGUE.rows.items() if row[0] == name}
    own = rows[name,]
    return rows_of(own.argument.split()[0]) if own.mode == "as" else list(rows.values())


def works_harmlessly(row: Program) -> bool:
    """Whether a row knows a use that nobody is asked about, besides information."""
    aside = any(flag.mark in {"~", "="} and name not in INFORMATION for name, flag in row.flags.items())
    code = row.argument if row.mode == "ask" else row.argument.partition(" ")[2]
    return (
        aside
        or row.mode not in {"ask", "wrap", "menu", "sub"}
        or (row.mode == "wrap" and code in {"", "elsewhere"})
    )


def harmless_in_every_form(row: Program) -> bool:
    """Whether a row says that nothing a program is given matters: its operands are words, and so are its options' values."""
    plain = all(flag.mark != "<" and not flag.matters for flag in row.flags.values())
    return row.mode in {"run", "enters"} and plain and not row.closed


def uninformative(row: Program) -> bool:
    """Whether a row says that a program takes a question for its version as something else."""
    return any(flag.code for name, flag in row.flags.items() if name == "--version")


def lacking(name: str, shown: Shown) -> list[str]:
    """What is not shown of a program."""
    rows = rows_of(name)
    lacks = []
    if any(map(works_harmlessly, rows)):
        if not shown.at_work:
            lacks.append("harmless line")
    elif not (shown.at_work or shown.informed or uninformative(rows[0])):
        lacks.append("line that asks for information")
    if not (shown.dangerous or all(map(harmless_in_every_form, rows))):
        lacks.append("dangerous line")
    return lacks


def test_every_program_is_shown() -> None:
    """A program stands in the corpus as the tables know it; a row that says `run` and no more is harmless in every form."""
    shown = shown_by(effects.corpus())

    assert [f"{name} has no {lack}" for name in PROGRAMS for lack in lacking(name, shown[name])] == []


@pytest.mark.parametrize(
    ("name", "command", "verdict", "lacks"),
    [
        ("true", "true", "run", []),
        ("rm", "echo rm", "run", ["line that asks for information", "dangerous line"]),
        ("rm", "rm --version", "run", ["dangerous line"]),
        ("rm", "ls; rm x", "ask", ["line that asks for information"]),
        ("ls", "ls; rm x", "ask", ["harmless line", "dangerous line"]),
        ("find", "find . -exec rm {} +", "ask", ["harmless line"]),
        ("sudo", "sudo ls", "ask", ["line that asks for information"]),
        ("docker", "docker --version", "run", ["harmless line", "dangerous line"]),
        ("podman", "podman ps", "run", ["dangerous line"]),
        ("tclsh", "tclsh x.tcl", "ask", []),
    ],
)
def test_what_a_line_shows(name: str, command: str, verdict: str, lacks: list[str]) -> None:
    """A word is no program at work, information is no use, and a neighbour's danger is not one's own."""
    shown = shown_by([effects.Line("k", verdict, command)])

    assert lacking(name, shown[name]) == lacks
