"""What would this shell command really do? Pure: it reads no file, starts nothing and waits for nothing.

`judge` reads a command line the way bash would (`parse`), follows it with what is known about variables and directories
(`walk`, `scope`, `expand`), looks through everything that carries another command (`checks`), and compares each program, its
options and its paths with what is known to be harmless (`tables`, `paths`). What is not known asks.
"""

from __future__ import annotations

from placet.actors.guard.display import Shown, shown
from placet.actors.guard.judge import judge
from placet.actors.guard.policy import Policy
from placet.actors.guard.rules import Rule
from placet.actors.guard.verdict import ExactRule, Judgement, Reason, Verdict

__all__ = ["ExactRule", "Judgement", "Policy", "Reason", "Rule", "Shown", "Verdict", "judge", "shown"]
