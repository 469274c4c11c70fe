"""The guard against a corpus whose verdicts come from what programs do, not from its tables."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec
import pytest

from placet.actors.guard import Policy, Verdict, judge

CORPUS = Path(__file__).parent / "corpus"
HOME = "/home/dev"

# What the corpus' world holds besides plain files: links, which only a caller can follow.
LINKS = {"/work/etc-link": "/etc", "/work/rc-link": "/home/dev/.bashrc"}


class Line(msgspec.Struct):
    """One line of the corpus."""

    kind: str
    verdict: str
    command: str
    directory: str = "/work"
    rules: dict[str, list[str]] = {}


def follow(path: str) -> str:
    """The place where a path of the corpus' world really leads."""
    for link, target in LINKS.items():
        if path == link or path.startswith(link + "/"):
            return target + path[len(link) :]
    return path


@cache
def policy_of(rules: str) -> Policy:
    given: Mapping[str, list[str]] = msgspec.json.decode(rules, type=dict[str, list[str]])
    return Policy(**given, home=HOME, resolve=follow)  # type: ignore[arg-type]


def wrong(line: Line) -> str | None:
    """What is wrong with the guard's verdict on a line."""
    rules = msgspec.json.encode(line.rules).decode()
    judgement = judge(line.command, line.directory, policy_of(rules))
    expected = Verdict(line.verdict)
    right = judgement.verdict is expected or (expected is Verdict.ASK and judgement.verdict is Verdict.DENY)
    if right:
        return None
    return f"{line.command!r}: {judgement.verdict.value}, not {line.verdict}; {judgement.reasons}"


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_kind(path: Path) -> None:
    """Every line of the kind gets its verdict."""
    lines = [msgspec.json.decode(text, type=Line) for text in path.read_bytes().splitlines()]

    assert [complaint for line in lines if (complaint := wrong(line))] == []


def test_a_run_line_offers_nothing() -> None:
    """What runs needs no choice, no reason and no rule."""
    judgement = judge("ls", "/work")

    assert (judgement.choices, judgement.reasons, judgement.rule) == ((), (), None)
