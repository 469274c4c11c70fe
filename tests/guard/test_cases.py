"""Known bypasses and known false alarms, one command a line."""

import json
from pathlib import Path

import pytest

from placet.actors.guard import Policy, Verdict, judge

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases.jsonl").read_text().splitlines()]
PLAIN = Policy(home="/home/dev")
NO_SUDO = Policy(deny=["sudo"], home="/home/dev")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['case']}-{case['command'][:40]!r}")
def test_case(case: dict[str, str]) -> None:
    """The verdict is the known one; a denial by the operator's rule offers no choice."""
    policy = NO_SUDO if case["verdict"] == "deny" else PLAIN

    judgement = judge(case["command"], "/home/dev/work", policy)

    assert judgement.verdict.value == case["verdict"], judgement.reasons
    assert bool(judgement.choices) == (judgement.verdict is Verdict.ASK)
    assert bool(judgement.reasons) == (judgement.verdict is not Verdict.RUN)


def test_all_cases_are_here() -> None:
    """Nobody loses a case by accident."""
    assert len(CASES) == 131
