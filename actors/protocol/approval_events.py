"""What happens to prompts, rules and the audit chain, in the past tense."""

from __future__ import annotations

import msgspec

from placet.actors.protocol.approvals import ROOT, ApprovalStatus, Choice, Prompt, Rule
from placet.actors.protocol.keys import KeyUse


class ApprovalOpened(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A person is asked. Recorded before anyone is shown it."""

    generation: int
    prompt: Prompt


class ApprovalGranted(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A rule answered in a person's place; nobody was asked."""

    generation: int
    prompt: Prompt
    rule_id: str


class ApprovalExpiring(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A prompt is about to expire."""

    admission_id: str
    request_id: str
    expires_at: float


class ApprovalExtended(msgspec.Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """A prompt waits longer than it was to.

    Attributes:
        expires_at: until when, Unix seconds.
        by: the principal who asked for it.
        use: the key under which it was asked for.
    """

    admission_id: str
    request_id: str
    expires_at: float
    by: str
    use: KeyUse | None = None


class ApprovalDecided(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A person answered.

    Attributes:
        choice: the answer.
        status: approved or denied.
        by: the principal who answered.
        origin: from where, such as `http 127.0.0.1`.
        reason: free text.
        rule_id: the rule that this answer made, if it is to be remembered.
    """

    admission_id: str
    request_id: str
    choice: Choice
    status: ApprovalStatus
    by: str
    origin: str
    reason: str
    rule_id: str | None


class ApprovalClosed(msgspec.Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """A prompt ended without a decision: expired, cancelled with the turn that asked, or a question that was answered.

    Attributes:
        status: how it ended.
        cause: why, empty for an answer.
        kind: the prompt's.
        answer: what was answered to a question.
        by: who ended it, `placet` unless it was answered.
        origin: from where it was answered.
    """

    admission_id: str
    request_id: str
    status: ApprovalStatus
    cause: str
    kind: str = "approval"
    answer: str | None = None
    by: str = "placet"
    origin: str = ""


class RuleAdded(msgspec.Struct, frozen=True, tag=True):
    """On the server's stream: an approval is remembered."""

    rule: Rule


class RuleRevoked(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """On the server's stream: a rule no longer holds."""

    rule_id: str
    by: str


class DecisionRecorded(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """On the server's stream: one link of the audit chain.

    Attributes:
        digest: binds the action that was decided.
        command: its masked text.
        choice: `None` where nobody chose.
        by: a principal, `rule:<id>`, or `placet` for an expiry or a cancellation.
        path: which agent of the turn asked.
    """

    request_id: str
    admission_id: str
    session_id: str
    generation: int
    tool: str
    command: str
    digest: str
    choice: Choice | None
    status: ApprovalStatus
    by: str
    origin: str
    reason: str
    rule_id: str | None
    path: str = ROOT
