"""What a client reads of the server's records: the fields that a person is shown, and those that an answer must name."""

from __future__ import annotations

import msgspec

CLARIFY = "clarify"
"""The kind of a prompt that is answered in words."""

OPEN = "open"
"""The status of a prompt that waits."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A question to a person: may this run, or what is meant.

    Attributes:
        request_id: its identity.
        run_id: who asks.
        execution_generation: what an answer must name; it rises when the server was restarted.
        kind: `approval`, `outcome_unknown`, or `clarify`.
        status: `open`, or how it ended.
        display: what would run, every misleading character escaped.
        question: what is asked, of a `clarify`.
        choices: the words that may be answered; of a `clarify` the answers to choose from, none if any text is one.
        rules: for each choice that would be remembered, the rule that it would create.
        digest: binds the action as it was shown.
        path: which agent of the run asks; `root` is the run's own.
        expires_at: Unix seconds, `None` if it waits for ever.
        decided_by: who answered, where that is known.
        decision: the choice that was made.
    """

    request_id: str
    run_id: str
    execution_generation: int
    session_id: str = ""
    kind: str = "approval"
    status: str = OPEN
    tool: str = ""
    display: str = ""
    question: str = ""
    description: str = ""
    directory: str = ""
    choices: tuple[str, ...] = ()
    rules: dict[str, str] = {}
    digest: str | None = None
    warnings: tuple[str, ...] = ()
    path: str = "root"
    created_at: float = 0.0
    expires_at: float | None = None
    decision: str | None = None
    answer: str | None = None
    decided_by: str | None = None
    decided_at: float | None = None
    reason: str | None = None

    @property
    def is_question(self) -> bool:
        """Whether it is answered in words."""
        return self.kind == CLARIFY


class RunError(msgspec.Struct, frozen=True):
    """Why a run has no good end."""

    message: str
    code: str | None = None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it stands. `created_at` and `updated_at` are Unix seconds."""

    run_id: str
    status: str
    session_id: str
    admission_id: str
    execution_generation: int | None = None
    created_at: float = 0.0
    updated_at: float = 0.0
    output: str | None = None
    error: RunError | None = None
    approvals: tuple[Prompt, ...] = ()


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session. `started_at` and `last_active` are Unix seconds; `preview` is how its first message begins."""

    id: str
    user_id: str
    source: str = ""
    title: str | None = None
    preview: str | None = None
    message_count: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    started_at: float = 0.0
    last_active: float = 0.0


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A remembered approval. `created_at` is in Unix seconds."""

    id: str
    scope: str
    principal: str
    text: str
    session_id: str | None = None
    created_by: str = ""
    created_at: float = 0.0
