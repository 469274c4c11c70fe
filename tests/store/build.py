"""Short words for events and batches, and a scribe that knows the heads of the streams."""

from __future__ import annotations

import threading
from typing import Any

from placet.actors.protocol.approvals import ALL_CHOICES, ApprovalStatus, Choice, Prompt, Rule, RuleScope
from placet.actors.protocol.conversation import ChatMessage, Part, TurnInput, TurnResult
from placet.actors.protocol.events import (
    SERVER_STREAM,
    AdmissionAccepted,
    AdmissionClaimed,
    AdmissionSettled,
    ApprovalClosed,
    ApprovalDecided,
    ApprovalOpened,
    DecisionRecorded,
    Event,
    Outcome,
    Recorded,
    SessionOpened,
    TextAppended,
)
from placet.actors.store import Batch, Precondition, Store, StreamAppend


def user(text: str) -> ChatMessage:
    return ChatMessage("user", (Part("text", text),))


def opened(*, principal: str = "api", ephemeral: bool = False) -> SessionOpened:
    return SessionOpened(principal=principal, ephemeral=ephemeral)


def accepted(
    admission_id: str,
    *,
    text: str = "hi",
    key: str | None = None,
    principal: str = "api",
    surface: str = "chat",
) -> AdmissionAccepted:
    return AdmissionAccepted(
        admission_id=admission_id,
        principal=principal,
        surface=surface,
        input=TurnInput(user(text)),
        key=key,
        fingerprint=f"print-{text}",
    )


def claimed(admission_id: str, generation: int) -> AdmissionClaimed:
    return AdmissionClaimed(admission_id=admission_id, generation=generation)


def said(admission_id: str, generation: int, text: str) -> TextAppended:
    return TextAppended(admission_id=admission_id, generation=generation, text=text)


def settled(
    admission_id: str,
    generation: int | None,
    *,
    text: str = "ok",
    outcome: Outcome = Outcome.COMPLETED,
    error: str | None = None,
) -> AdmissionSettled:
    result = TurnResult(text, error_code=error and "agent_failed", error=error)
    return AdmissionSettled(admission_id=admission_id, generation=generation, outcome=outcome, result=result)


def prompt(request_id: str, admission_id: str) -> Prompt:
    return Prompt(
        request_id=request_id,
        admission_id=admission_id,
        step=f"approval:{request_id}",
        tool="terminal",
        command="rm -rf build",
        display="rm -rf build",
        description="deletes files",
        pattern_key="rm_rf",
        choices=ALL_CHOICES,
        rules={"always": "rm -rf build in /w"},
        rule_key="rule-key",
        digest="d" * 64,
        warnings=(),
        directory="/w",
        created_at=1.0,
        expires_at=3601.0,
    )


def asked(request_id: str, admission_id: str, generation: int) -> ApprovalOpened:
    return ApprovalOpened(generation=generation, prompt=prompt(request_id, admission_id))


def decided(request_id: str, admission_id: str, choice: Choice = Choice.ONCE) -> ApprovalDecided:
    return ApprovalDecided(
        admission_id=admission_id,
        request_id=request_id,
        choice=choice,
        status=ApprovalStatus.DENIED if choice is Choice.DENY else ApprovalStatus.APPROVED,
        by="alice",
        origin="http 127.0.0.1",
        reason="fine",
        rule_id=None,
    )


def closed(request_id: str, admission_id: str) -> ApprovalClosed:
    return ApprovalClosed(
        admission_id=admission_id,
        request_id=request_id,
        status=ApprovalStatus.EXPIRED,
        cause="nobody answered",
    )


def link(request_id: str, *, by: str = "alice") -> DecisionRecorded:
    return DecisionRecorded(
        request_id=request_id,
        admission_id="a",
        session_id="s",
        generation=1,
        tool="terminal",
        command="rm -rf build",
        digest="d" * 64,
        choice=Choice.ONCE,
        status=ApprovalStatus.APPROVED,
        by=by,
        origin="http 127.0.0.1",
        reason="",
        rule_id=None,
    )


def rule(
    rule_id: str, *, scope: RuleScope = RuleScope.ALWAYS, principal: str = "api", session_id: str = "s"
) -> Rule:
    return Rule(
        rule_id=rule_id,
        scope=scope,
        principal=principal,
        session_id=session_id,
        rule_key="rule-key",
        text="rm -rf build in /w",
        request_id="r",
        created_by="alice",
        created_at=1.0,
    )


class Scribe:
    """Writes to a store as a session does: it knows each stream's head."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.heads: dict[str, int] = {}

    async def write(
        self,
        stream: str,
        *events: Event,
        at: float = 1.0,
        requires: tuple[Precondition, ...] = (),
        relaxed: bool = False,
    ) -> tuple[Recorded, ...]:
        expected = None if stream == SERVER_STREAM else self.heads.get(stream, 0)
        recorded = await self.store.append(
            Batch((StreamAppend(stream, events, expected),), at, requires=requires, relaxed=relaxed)
        )
        self.heads[stream] = recorded[-1].seq
        return recorded

    async def running(self, session_id: str = "s", admission_id: str = "a", generation: int = 1) -> None:
        """A session whose first admission is started."""
        await self.write(session_id, opened(), accepted(admission_id), claimed(admission_id, generation))


class Gate:
    """A job that holds the writer's thread until it is opened, so that what follows waits and forms a group."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.release = threading.Event()

    def __call__(self, conn: Any) -> None:
        self.entered.set()
        self.release.wait()


async def said_so_far(store: Store, admission_id: str) -> tuple[str, str]:
    """The text and the reasoning of the turn since its answer last began anew."""
    past = await store.turn_past(admission_id, resumed=True)
    assert past is not None
    return past.said
