"""The words of an approval: what is asked, what was decided, what will be remembered."""

from __future__ import annotations

import hashlib
import hmac
from enum import Enum
from typing import Any

import msgspec


class Choice(Enum):
    """What a person may answer."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"
    DENY = "deny"
    RETRY = "retry"
    FAILED = "failed"


ALL_CHOICES = (Choice.ONCE, Choice.SESSION, Choice.ALWAYS, Choice.DENY)
"""What a prompt offers unless the agent or a rule says less."""

OUTCOME_UNKNOWN_CHOICES = (Choice.RETRY, Choice.FAILED)
"""What is offered about a tool that had started and not ended when the server died."""


class ApprovalStatus(Enum):
    """Where a prompt stands. Only `OPEN` ever changes, and only once."""

    OPEN = "open"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    ANSWERED = "answered"


STATUS_OF_CHOICE = {
    Choice.ONCE: ApprovalStatus.APPROVED,
    Choice.SESSION: ApprovalStatus.APPROVED,
    Choice.ALWAYS: ApprovalStatus.APPROVED,
    Choice.DENY: ApprovalStatus.DENIED,
    Choice.RETRY: ApprovalStatus.APPROVED,
    Choice.FAILED: ApprovalStatus.DENIED,
}


CLARIFY = "clarify"
"""The kind of a prompt that is a question, not a request for consent."""


ROOT = "root"
"""The path of a turn's own agent. The path of a child that it delegates to begins with it: `root/name#1`."""


class Action(msgspec.Struct, frozen=True):
    """What would run, whole and unmasked. It never leaves the process: prompts carry its masked text and its digest.

    Attributes:
        tool: the tool's name.
        command: the command line of a tool that has one, else `None`.
        arguments: the arguments of a tool that has no command line.
        directory: where it would run.
        files: sha256 by path of each file whose content decides what it does.
    """

    tool: str
    command: str | None = None
    arguments: dict[str, Any] | None = None
    directory: str = ""
    files: dict[str, str] = {}

    def digest(self, key: bytes) -> str:
        """What binds a decision to this very action: HMAC-SHA256 over its canonical JSON, in hex.

        Args:
            key: the data directory's own key, so that a masked secret cannot be guessed from the digest.
        """
        return _keyed_hash(
            key,
            {
                "v": 1,
                "tool": self.tool,
                "command": self.command,
                "arguments": self.arguments,
                "directory": self.directory,
                "files": self.files,
            },
        )

    def rule_key(self, key: bytes) -> str:
        """What an exact rule is found by: the same tool and command in the same directory, whatever its files hold by then."""
        return _keyed_hash(
            key,
            {
                "v": 1,
                "tool": self.tool,
                "command": self.command,
                "arguments": self.arguments,
                "directory": self.directory,
            },
        )


def _keyed_hash(key: bytes, value: object) -> str:
    canonical = msgspec.json.encode(msgspec.to_builtins(value), order="deterministic")
    return hmac.new(key, canonical, hashlib.sha256).hexdigest()


class Prompt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question to a person, with all that is shown of it. Nothing in it is secret.

    Attributes:
        request_id: its identity, the same after a restart.
        admission_id: the admission whose turn asks.
        step: the journal key of the step that asks, by which a replayed turn finds it again.
        kind: `approval`; `outcome_unknown` for a tool that had started and not ended; `clarify` for a question that is answered
            in words.
        tool: the tool's name.
        command: the action's text with secrets masked.
        display: the same with every control, bidirectional and invisible character escaped.
        description: why it asks.
        pattern_key: the agent's own word for the kind of danger.
        choices: what may be answered.
        rules: for each choice that would be remembered, the exact rule that it would create, as text.
        rule_key: what that rule would be found by.
        digest: binds the unmasked action.
        warnings: what was found in the text that could deceive a reader.
        directory: where it would run.
        created_at: Unix seconds.
        expires_at: Unix seconds, or `None` if it waits for ever.
        options: of a question, the answers to choose from; none if any text is an answer.
        path: which agent of the turn asks.
    """

    request_id: str
    admission_id: str
    step: str
    kind: str = "approval"
    tool: str
    command: str
    display: str
    description: str
    pattern_key: str
    choices: tuple[Choice, ...]
    rules: dict[str, str]
    rule_key: str
    digest: str
    warnings: tuple[str, ...]
    directory: str
    created_at: float
    expires_at: float | None
    options: tuple[str, ...] = ()
    path: str = ROOT


class Decision(msgspec.Struct, frozen=True):
    """What the asking agent learns.

    Attributes:
        choice: what was chosen, `None` if nobody chose.
        outcome: how the prompt ended. Expired is not denied, and neither is approved.
        reason: what the person gave as reason, if anything.
        decided_by: the principal, or `rule:<id>`.
        answer: what was answered to a question.
    """

    choice: str | None
    outcome: ApprovalStatus
    reason: str = ""
    decided_by: str = ""
    answer: str | None = None

    @property
    def approved(self) -> bool:
        """Whether the action may run."""
        return self.outcome is ApprovalStatus.APPROVED


class RuleScope(Enum):
    """How far a remembered approval reaches."""

    SESSION = "session"
    ALWAYS = "always"


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A remembered approval: exactly this command of this tool in this directory, for one principal.

    Attributes:
        rule_id: its identity.
        scope: in one session, or in every session of the principal.
        principal: whose turns it covers.
        session_id: the session that it holds in; where scope is always, the one that it came from.
        rule_key: what it is found by.
        text: its meaning, as it was shown before the person chose.
        request_id: the prompt that made it.
        created_by: the principal who chose.
        created_at: Unix seconds.
    """

    rule_id: str
    scope: RuleScope
    principal: str
    session_id: str
    rule_key: str
    text: str
    request_id: str
    created_by: str
    created_at: float
