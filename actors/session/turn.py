"""A turn of a session, as its agent sees it: everything the agent does goes to the session's actor through the inbox."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from placet.actors.guard import shown
from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import ALL_CHOICES, CLARIFY, ROOT, Action, Choice, Decision, Prompt
from placet.actors.protocol.commands import OpenApproval, Record
from placet.actors.protocol.conversation import ChatMessage, FinishReason, TurnInput, Usage
from placet.actors.protocol.ids import new_id
from placet.actors.session.journal import checked_result
from placet.actors.session.outbox import Outbox
from placet.actors.session.toolcall import SessionToolCall

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from placet.actors.agents import AnyAgent
    from placet.actors.runtime import ActorContext
    from placet.actors.session.journal import Journal
    from placet.actors.session.services import Services
    from placet.actors.session.speech import News, Speech
    from placet.actors.session.stopwatch import Stopwatch


class Claimed(msgspec.Struct, frozen=True):
    """Which turn it is: the admission, and the generation that fences all it does."""

    session_id: str
    admission_id: str
    generation: int


async def _record(context: ActorContext, claimed: Claimed, outputs: tuple[e.Output, ...]) -> None:
    """No method of the turn: what the turn holds must not hold it, or its history stays until the collector comes by."""
    await context.ask(
        Record(admission_id=claimed.admission_id, generation=claimed.generation, outputs=outputs)
    )


class SessionTurn:
    """Implements `placet.actors.agents.Turn` for one claim of one admission.

    Attributes:
        path: which agent of the turn this is.
        kept: how much of its text messages hold that the conversation has already, in characters.
        finish_reason: why its text ends where it does.
        usage: tokens of its model calls.
        steering: what it was told and has not read.
        left: the marks of its tool calls of which something still ran when the server was started again, and was ended.
    """

    path: str = ROOT

    def __init__(
        self,
        context: ActorContext,
        services: Services,
        claimed: Claimed,
        asked: TurnInput,
        history: tuple[ChatMessage, ...],
        journal: Journal,
        speech: Speech,
        stopwatch: Stopwatch,
    ) -> None:
        self.context = context
        self.services = services
        self.claimed = claimed
        self.asked = asked
        self.input = asked.content.text
        self.content = asked.content
        self.history = history
        self.system = asked.system
        self.settings = asked.settings
        self.session_id = claimed.session_id
        self.admission_id = claimed.admission_id
        self.generation = claimed.generation
        self.surroundings = services.surroundings
        self.stopwatch = stopwatch
        self.journal = journal
        self.outbox = Outbox(
            context.start_soon, partial(_record, context, claimed), services.limits.event_bytes
        )
        self.speech = speech
        self.kept = journal.kept
        self.finish_reason: FinishReason = "stop"
        self.usage = Usage()
        self.steering: list[str] = []
        self.left: frozenset[str] = frozenset()

    async def say(self, text: str) -> None:
        """Add to the answer."""
        await self._add(self.speech.say(text))

    async def think(self, text: str) -> None:
        """Add to the reasoning."""
        await self._add(self.speech.think(text))

    async def end_speech(self) -> None:
        """The agent is done: what it said before a crash and did not say again no longer counts."""
        await self._add(self.speech.end())

    async def _add(self, news: News) -> None:
        ids: Any = {"admission_id": self.admission_id, "generation": self.generation}
        if news.restarted:
            self.outbox.put(e.AnswerRestarted(**ids))
        if news.thought:
            await self.outbox.add(e.ThoughtAppended(text=news.thought, **ids))
        if news.text:
            await self.outbox.add(e.TextAppended(text=news.text, **ids))
        if not (news.thought or news.text):
            await trio.lowlevel.checkpoint()

    def cut(self, reason: FinishReason) -> None:
        """Say why the answer ends where it does."""
        self.finish_reason = reason

    async def keep(self, message: ChatMessage) -> None:
        """Put a message into the conversation, before the last."""
        step = self.journal.visit("message", message.role, None)
        self.kept = len(self.speech.text)
        if self.journal.find(step) is None:
            await self.outbox.add(
                e.MessageKept(
                    admission_id=self.admission_id,
                    generation=self.generation,
                    step=step,
                    message=message,
                    said=self.kept,
                )
            )

    def tool(self, name: str, arguments: Mapping[str, Any], *, call_id: str | None = None) -> SessionToolCall:
        """Run a tool inside this block."""
        step = self.journal.visit("tool", name, dict(arguments), call_id=call_id)
        known = self.journal.find(step)
        if known is not None and known.call_id is not None:
            call_id = known.call_id
        return SessionToolCall(self, step, call_id or "call_" + new_id()[:24], name, arguments, known)

    async def request_approval(
        self,
        *,
        command: str,
        description: str,
        pattern_key: str = "",
        tool: str = "terminal",
        arguments: Mapping[str, Any] | None = None,
        directory: str | None = None,
        files: Mapping[str, str] | None = None,
        choices: tuple[Choice, ...] = ALL_CHOICES,
        timeout_s: float | None = None,
        call_id: str | None = None,
    ) -> Decision:
        """Ask a person whether an action may run."""
        action = Action(
            tool=tool,
            command=command if arguments is None else None,
            arguments=None if arguments is None else dict(arguments),
            directory=self.surroundings.workspace if directory is None else directory,
            files=dict(files or {}),
        )
        return await self.ask_person(
            action,
            command,
            description,
            pattern_key=pattern_key,
            choices=choices,
            timeout_s=timeout_s,
            call_id=call_id,
        )

    async def ask_person(
        self,
        action: Action,
        text: str,
        description: str,
        *,
        kind: str = "approval",
        pattern_key: str = "",
        choices: tuple[Choice, ...] = ALL_CHOICES,
        options: tuple[str, ...] = (),
        timeout_s: float | None = None,
        call_id: str | None = None,
    ) -> Decision:
        """Open a prompt for an action and wait until it ends. What the turn did before is on disk first."""
        key = self.services.store.digest_key
        now = self.services.now()
        wait_s = self.services.limits.approval_timeout_s if timeout_s is None else timeout_s
        visible = shown(text)
        rule_key = action.rule_key(key)
        prompt = Prompt(
            request_id=new_id(),
            admission_id=self.admission_id,
            step=self.journal.visit("approval", kind, rule_key, call_id=call_id),
            kind=kind,
            tool=action.tool,
            command=visible.masked,
            display=visible.display,
            description=shown(description).masked,
            pattern_key=pattern_key,
            choices=choices,
            rules=rules_of(action, visible.display, choices),
            rule_key=rule_key,
            digest=action.digest(key),
            warnings=visible.warnings,
            directory=action.directory,
            created_at=now,
            expires_at=now + wait_s if wait_s else None,
            options=options,
            path=self.path,
        )
        await self.outbox.flush()
        with self.stopwatch.paused():
            return await self.context.ask(OpenApproval(generation=self.generation, prompt=prompt))

    async def ask(
        self,
        question: str,
        choices: Sequence[str] = (),
        timeout_s: float | None = None,
        *,
        call_id: str | None = None,
    ) -> str | None:
        """Ask a person a question and wait for the answer."""
        options = tuple(choices)
        action = Action(tool=CLARIFY, arguments={"question": question, "options": options})
        decision = await self.ask_person(
            action,
            question,
            "",
            kind=CLARIFY,
            choices=(),
            options=options,
            timeout_s=timeout_s,
            call_id=call_id,
        )
        return decision.answer

    def take_steering(self) -> tuple[str, ...]:
        """What the turn was told since the last call; after a crash the same at the same place."""
        step = self.journal.visit_taking()
        known = self.journal.find(step)
        if known is not None:
            return tuple(known.result)
        if self.journal.is_replaying or not self.steering:
            return ()
        texts = tuple(self.steering)
        self.steering.clear()
        self.outbox.put(
            e.SteeringTaken(
                admission_id=self.admission_id, generation=self.generation, step=step, texts=texts
            )
        )
        return texts

    async def step(self, name: str, function: Callable[[], Awaitable[Any]], *, wait: bool = True) -> Any:
        """Run `function` once and journal its result."""
        step = self.journal.visit("step", name, None)
        known = self.journal.find(step)
        if known is not None and known.ended:
            return known.result
        result = checked_result(await function(), self.services.limits.step_result_bytes)
        await self.outbox.add(
            e.StepEnded(admission_id=self.admission_id, generation=self.generation, step=step, result=result)
        )
        if wait:
            await self.outbox.flush()
        return result

    async def delegate(self, agent: AnyAgent, text: str, *, call_id: str | None = None) -> str:
        """Run another agent inside this turn."""
        from placet.actors.session.child import delegate  # a child is a turn itself

        return await delegate(self, agent, text, call_id)

    def count(self, usage: Usage) -> None:
        """Add a model call's tokens."""
        self.usage = Usage(
            self.usage.prompt_tokens + usage.prompt_tokens,
            self.usage.completion_tokens + usage.completion_tokens,
        )


def rules_of(action: Action, display: str, choices: tuple[Choice, ...]) -> dict[str, str]:
    """For each choice that would be remembered, the exact rule that it would create, in words."""
    exact = f"{action.tool}: exactly `{display}` in {action.directory}"
    meanings = {
        Choice.SESSION: f"{exact}, in this session",
        Choice.ALWAYS: f"{exact}, in every session of yours",
    }
    return {choice.value: meanings[choice] for choice in choices if choice in meanings}
