"""What the guard says of a command."""

from __future__ import annotations

import enum

from msgspec import Struct

from placet.actors.guard.display import shown


class Verdict(enum.Enum):
    """Run it, ask a person, or refuse it. Ordered: the strictest part of a command decides."""

    RUN = "run"
    ASK = "ask"
    DENY = "deny"

    def stricter(self, other: Verdict) -> Verdict:
        """The stricter of two verdicts: deny over ask over run.

        Args:
            other: the verdict to compare with.
        """
        return max(self, other, key=_ORDER.index)


_ORDER = (Verdict.RUN, Verdict.ASK, Verdict.DENY)
CHOICES = ("once", "session", "always", "deny")


class Reason(Struct, frozen=True):
    """Why a command does not simply run.

    Args:
        code: the stable word for the kind of reason, such as `deletes` or `system_path`.
        text: the reason in a sentence, for a person.
        part: the piece of the command that it comes from, secrets masked.
        verdict: what this reason alone would lead to.
    """

    code: str
    text: str
    part: str
    verdict: Verdict = Verdict.ASK


class ExactRule(Struct, frozen=True):
    """The rule that the choices `session` and `always` create: this command in this directory, nothing else.

    A rule for a compound line covers the line as a whole and none of its parts.

    Args:
        command: the command, byte for byte.
        directory: the absolute directory in which it may run.
    """

    command: str
    directory: str

    @property
    def meaning(self) -> str:
        """What the rule covers, in a sentence that hides secrets and shows what is invisible."""
        return f"allow exactly {shown(self.command).display!r} in exactly {self.directory!r}"

    def matches(self, command: str, directory: str) -> bool:
        """Whether the rule covers this very command in this very directory.

        Args:
            command: the command that is about to run.
            directory: the directory in which it would start.
        """
        return command == self.command and directory == self.directory


class Judgement(Struct, frozen=True):
    """The guard's verdict on one command, with what a person needs to decide.

    Args:
        verdict: run, ask or deny.
        reasons: why it is not `run`, in the order of the command; empty for `run`.
        display: the command with secrets masked and everything invisible escaped.
        masked: the command with secrets masked.
        warnings: what `display` had to make visible, a sentence each.
        files: paths whose content decides what the command does; relative ones are meant from the directory.
        choices: what a person may answer; empty for `run` and `deny`.
        rule: the rule that `session` or `always` would create; None where there is no choice.
    """

    verdict: Verdict
    reasons: tuple[Reason, ...]
    display: str
    masked: str
    warnings: tuple[str, ...]
    files: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    rule: ExactRule | None = None
