"""The session's core against its promises, by a state machine that does whatever may happen in any order.

The model knows nothing of the code: it counts. At most one admission is started; they start in the order in which they came; a
generation only rises; a decision is used once; every prompt ends exactly once; what has ended never changes; what a turn was told
is read once, or becomes an input, unless the turn was stopped.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    precondition,
    rule,
)

from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import ALL_CHOICES, CLARIFY, ApprovalStatus, Choice, Prompt
from placet.actors.protocol.conversation import ChatMessage, Part, TurnInput, TurnResult
from placet.actors.protocol.errors import Conflict, InvalidInput, PlacetError, TooMany
from placet.actors.protocol.limits import Limits
from placet.actors.protocol.records import AdmissionStatus
from placet.actors.session import admissions, prompts
from placet.actors.session.core import Context, Plan
from placet.actors.session.state import Session, apply

LIMITS = Limits(queued_per_session=4, approval_warning_s=10)
INPUT = TurnInput(content=ChatMessage("user", (Part("text", "hi"),)))


def prompt(
    request_id: str,
    admission_id: str,
    now: float,
    wait_s: float | None,
    options: tuple[str, ...] | None = None,
) -> Prompt:
    return Prompt(
        kind="approval" if options is None else CLARIFY,
        options=options or (),
        request_id=request_id,
        admission_id=admission_id,
        step=f"approval:{request_id}:1",
        tool="terminal",
        command="rm x",
        display="rm x",
        description="it deletes",
        pattern_key="rm",
        choices=ALL_CHOICES if options is None else (),
        rules={"session": "rm x, in this session", "always": "rm x, always"},
        rule_key="k",
        digest=f"digest of {request_id}",
        warnings=(),
        directory="/w",
        created_at=now,
        expires_at=None if wait_s is None else now + wait_s,
    )


class SessionMachine(RuleBasedStateMachine):
    admitted = Bundle("admitted")
    asked = Bundle("asked")

    def __init__(self) -> None:
        super().__init__()
        self.session = Session("s")
        self.now = 1000.0
        self.room = True
        self.counter = 0
        self.order: list[str] = []
        self.started: list[str] = []
        self.generations: list[int] = []
        self.settled: dict[str, e.Outcome] = {}
        self.prompt_ends: dict[str, int] = {}
        self.opened: dict[str, str] = {}
        self.rules_made: list[str] = []
        self.audited: dict[str, int] = {}
        self.told: dict[str, list[str]] = {}
        self.read: dict[str, list[str]] = {}
        self.inputs: list[str] = []

    # What the actor does with a plan

    def carry_out(self, plan: Plan) -> object:
        for event in plan.events:
            self.session = apply(self.session, event, self.now)
            self.note(event)
        for event in plan.server:
            if isinstance(event, e.DecisionRecorded):
                self.audited[event.request_id] = self.audited.get(event.request_id, 0) + 1
            elif isinstance(event, e.RuleAdded):
                self.rules_made.append(event.rule.request_id)
        return plan.answer

    def note(self, event: e.Event) -> None:
        match event:
            case e.AdmissionAccepted():
                self.order.append(event.admission_id)
                self.inputs.append(event.input.content.text)
            case e.SteeringReceived():
                self.told.setdefault(event.admission_id, []).append(event.text)
            case e.SteeringTaken():
                self.read.setdefault(event.admission_id, []).extend(event.texts)
            case e.AdmissionClaimed():
                self.started.append(event.admission_id)
                self.generations.append(event.generation)
            case e.AdmissionResumed():
                self.generations.append(event.generation)
            case e.AdmissionSettled():
                assert event.admission_id not in self.settled, "ended twice"
                self.settled[event.admission_id] = event.outcome
            case e.ApprovalDecided() | e.ApprovalClosed():
                self.prompt_ends[event.request_id] = self.prompt_ends.get(event.request_id, 0) + 1
            case _:
                pass

    def context(self) -> Context:
        return Context(now=self.now, limits=LIMITS, may_start=self.room)

    def new_id(self, kind: str) -> str:
        self.counter += 1
        return f"{kind}{self.counter}"

    # What may happen

    @rule(target=admitted, on_busy=st.sampled_from(list(c.OnBusy)))
    def admit(self, on_busy: c.OnBusy) -> object:
        busy = bool(self.session.queue)
        waiting = sum(a.status is AdmissionStatus.QUEUED for a in self.session.queue)
        command = c.Admit(
            principal="api",
            surface="chat",
            run_id=self.new_id("run"),
            input=INPUT,
            opens=e.SessionOpened(principal="api"),
            on_busy=on_busy,
        )
        try:
            return self.carry_out(admissions.admit(self.session, command, self.context()))
        except TooMany as error:
            assert (error.code, waiting) == ("queue_full", 4)
        except Conflict as error:
            assert (error.code, on_busy) == ("session_busy", c.OnBusy.REJECT)
            assert busy
        return multiple()

    @rule(room=st.booleans())
    def change_room(self, room: bool) -> None:
        self.room = room

    @rule()
    def proceed(self) -> None:
        self.carry_out(admissions.proceed(self.session, c.Proceed(), self.context()))

    @precondition(lambda self: self.session.running is not None)
    @rule(target=asked, wait_s=st.sampled_from([None, 5.0, 60.0]))
    def ask(self, wait_s: float | None) -> object:
        running = self.session.running
        assert running is not None
        assert running.generation is not None
        asked = prompt(self.new_id("prompt"), running.admission_id, self.now, wait_s)
        command = c.OpenApproval(generation=running.generation, prompt=asked)
        answer = self.carry_out(prompts.open_approval(self.session, command, self.context(), rule=None))
        if running.stopping:
            assert not isinstance(answer, prompts.Waits), "a stopping turn asks nobody"
            return multiple()
        assert answer == prompts.Waits(asked.request_id)
        self.opened[asked.request_id] = running.admission_id
        return asked.request_id

    @precondition(lambda self: self.session.running is not None)
    @rule(target=asked, options=st.sampled_from([(), ("left", "right")]))
    def ask_in_words(self, options: tuple[str, ...]) -> object:
        running = self.session.running
        assert running is not None
        assert running.generation is not None
        question = prompt(self.new_id("question"), running.admission_id, self.now, None, options)
        command = c.OpenApproval(generation=running.generation, prompt=question)
        answer = self.carry_out(prompts.open_approval(self.session, command, self.context(), rule=None))
        if running.stopping:
            return multiple()
        assert answer == prompts.Waits(question.request_id)
        self.opened[question.request_id] = running.admission_id
        return question.request_id

    @rule(request_id=asked, answer=st.sampled_from(["left", "up"]), off=st.sampled_from([None, 0, 1]))
    def clarify(self, request_id: str, answer: str, off: int | None) -> None:
        row = self.session.prompts.get(request_id)
        current = row.generation if row is not None else 0
        command = c.Clarify(
            admission_id=self.opened[request_id],
            request_id=request_id,
            generation=None if off is None else current + off,
            answer=answer,
            by="ann",
            origin="test",
        )
        ends_before = self.prompt_ends.get(request_id, 0)
        try:
            result = self.carry_out(prompts.clarify(self.session, command, self.context()))
        except (Conflict, InvalidInput):
            assert self.prompt_ends.get(request_id, 0) == ends_before
            return
        assert row is not None
        assert (row.prompt.kind, off in (None, 0)) == (CLARIFY, True)
        assert answer in (row.prompt.options or (answer,))
        assert result.approval.answer == answer
        assert result.fresh == (row.status is ApprovalStatus.OPEN)

    @rule(request_id=asked, seconds=st.sampled_from([1.0, 500.0, 10.0**7]))
    def extend(self, request_id: str, seconds: float) -> None:
        row = self.session.prompts.get(request_id)
        command = c.Extend(
            admission_id=self.opened[request_id], request_id=request_id, seconds=seconds, by="ann"
        )
        try:
            after = self.carry_out(prompts.extend(self.session, command, self.context()))
        except InvalidInput:
            assert seconds == 10.0**7
            return
        except Conflict:
            return
        assert row is not None
        assert row.status is ApprovalStatus.OPEN
        assert row.prompt.expires_at is not None
        assert after.prompt.expires_at == row.prompt.expires_at + seconds
        assert not after.warned

    @rule(admission_id=admitted)
    def steer(self, admission_id: str) -> None:
        running = self.session.running
        free = (
            running is not None
            and running.admission_id == admission_id
            and not running.stopping
            and not self.session.open_prompts
        )
        command = c.Steer(admission_id=admission_id, text=self.new_id("word"), by="ann")
        try:
            self.carry_out(admissions.steer(self.session, command, self.context()))
        except Conflict as error:
            assert (error.code, free) == ("run_not_accepting_steer", False)
            return
        assert free

    @precondition(lambda self: self.session.running is not None)
    @rule(count=st.integers(1, 3))
    def read_steering(self, count: int) -> None:
        running = self.session.running
        assert running is not None
        assert running.generation is not None
        texts = running.steering[:count]
        taken = e.SteeringTaken(
            admission_id=running.admission_id,
            generation=running.generation,
            step=self.new_id("step"),
            texts=texts,
        )
        command = c.Record(admission_id=running.admission_id, generation=running.generation, outputs=(taken,))
        self.carry_out(admissions.record(self.session, command, self.context()))

    @rule(request_id=asked, choice=st.sampled_from(list(Choice)), off=st.sampled_from([None, 0, 1, -1]))
    def decide(self, request_id: str, choice: Choice, off: int | None) -> None:
        admission_id = self.opened[request_id]
        row = self.session.prompts.get(request_id)
        current = row.generation if row is not None else 0
        command = c.Decide(
            admission_id=admission_id,
            request_id=request_id,
            generation=None if off is None else current + off,
            digest=None,
            choice=choice,
            reason="",
            by="ann",
            origin="test",
        )
        ends_before = self.prompt_ends.get(request_id, 0)
        try:
            answer = self.carry_out(prompts.decide(self.session, command, self.context()))
        except (Conflict, InvalidInput) as error:
            assert self.prompt_ends.get(request_id, 0) == ends_before
            if row is not None and row.status is ApprovalStatus.OPEN and row.prompt.kind == CLARIFY:
                assert error.code == "approval_not_pending", "a question is no request for consent"
            elif off in (1, -1) and row is not None and row.status is ApprovalStatus.OPEN:
                assert error.code == "stale_generation"
            return
        assert row is not None
        if answer.fresh:
            assert row.status is ApprovalStatus.OPEN
            assert choice in ALL_CHOICES
            assert off in (None, 0)
        else:
            assert row.choice == choice.value, "a repeated answer is only the same answer"

    @rule(request_id=asked)
    def remind(self, request_id: str) -> None:
        row = self.session.prompts.get(request_id)
        was_open = row is not None and row.status is ApprovalStatus.OPEN
        self.carry_out(prompts.prompt_due(self.session, c.PromptDue(request_id=request_id), self.context()))
        after = self.session.prompts.get(request_id)
        if was_open and row is not None and row.prompt.expires_at is not None:
            assert after is not None
            assert (after.status is ApprovalStatus.EXPIRED) == (self.now >= row.prompt.expires_at)

    @rule(seconds=st.sampled_from([1.0, 20.0, 100.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: self.session.running is not None)
    @rule(
        outcome=st.sampled_from([e.Outcome.COMPLETED, e.Outcome.FAILED]),
        off=st.sampled_from([0, 1, -1]),
        reads=st.integers(0, 2),
    )
    def end_turn(self, outcome: e.Outcome, off: int, reads: int) -> None:
        running = self.session.running
        assert running is not None
        assert running.generation is not None
        texts = running.steering[:reads]
        taken = e.SteeringTaken(
            admission_id=running.admission_id,
            generation=running.generation + off,
            step=f"steering::end {self.counter}",
            texts=texts,
        )
        command = c.EndTurn(
            admission_id=running.admission_id,
            generation=running.generation + off,
            outcome=outcome,
            result=TurnResult(text="t"),
            outputs=(taken,) if texts else (),
        )
        try:
            self.carry_out(admissions.end_turn(self.session, command, self.context()))
        except Conflict as error:
            assert (error.code, off != 0) == ("stale_generation", True)
            return
        assert off == 0
        assert self.settled[running.admission_id] is (e.Outcome.CANCELLED if running.stopping else outcome)

    @rule(admission_id=admitted)
    def stop(self, admission_id: str) -> None:
        before = self.session.admission(admission_id)
        try:
            self.carry_out(
                admissions.stop(self.session, c.Stop(admission_id=admission_id, by="ann"), self.context())
            )
        except Conflict as error:
            assert error.code == "unknown_execution"
            assert before is not None
            assert before.status is AdmissionStatus.UNKNOWN
            return
        after = self.session.admission(admission_id)
        if before is not None and before.status is AdmissionStatus.QUEUED:
            assert self.settled[admission_id] is e.Outcome.CANCELLED
        elif before is not None:
            assert after is not None
            assert after.stopping
            assert not [r for r in self.session.prompts_of(admission_id) if r.status is ApprovalStatus.OPEN]

    @rule(replayable=st.booleans(), interrupt=st.booleans())
    def crash(self, replayable: bool, interrupt: bool) -> None:
        running = self.session.running
        recovery = c.Recovery(replayable=replayable, interrupt=interrupt)
        self.carry_out(admissions.recover(self.session, recovery, self.context()))
        if running is None:
            return
        after = self.session.admission(running.admission_id)
        if running.stopping:
            assert self.settled[running.admission_id] is e.Outcome.CANCELLED
        elif replayable:
            assert after is not None
            assert after.generation is not None
            assert running.generation is not None
            assert after.generation > running.generation
        elif interrupt:
            assert self.settled[running.admission_id] is e.Outcome.INTERRUPTED
        else:
            assert after is not None
            assert after.status is AdmissionStatus.UNKNOWN

    @rule(admission_id=consumes(admitted), off=st.sampled_from([0, 1]))
    def resolve_unknown(self, admission_id: str, off: int) -> None:
        before = self.session.admission(admission_id)
        generation = (before.generation or 0) + off if before is not None else 1
        command = c.ResolveUnknown(admission_id=admission_id, generation=generation, by="ann")
        try:
            self.carry_out(admissions.resolve_unknown(self.session, command, self.context()))
        except PlacetError as error:
            assert error.code == "stale_generation"
            return
        assert before is not None
        assert (before.status, off) == (AdmissionStatus.UNKNOWN, 0)
        assert self.settled[admission_id] is e.Outcome.INTERRUPTED

    # What always holds

    @invariant()
    def one_runs_at_a_time_and_only_the_head(self) -> None:
        at_work = [a for a in self.session.queue if a.status is not AdmissionStatus.QUEUED]
        assert len(at_work) <= 1
        assert not at_work or at_work[0] is self.session.queue[0]

    @invariant()
    def they_start_in_the_order_in_which_they_came(self) -> None:
        assert self.started == sorted(self.started, key=self.order.index)
        assert len(set(self.started)) == len(self.started), "nothing is started twice"

    @invariant()
    def generations_only_rise(self) -> None:
        assert self.generations == sorted(set(self.generations))

    @invariant()
    def prompts_end_once_and_are_audited_once(self) -> None:
        assert all(ends == 1 for ends in self.prompt_ends.values())
        assert self.audited == self.prompt_ends

    @invariant()
    def a_prompt_is_open_exactly_until_it_ends(self) -> None:
        for request_id, admission_id in self.opened.items():
            row = self.session.prompts.get(request_id)
            if row is None:
                assert admission_id in self.settled
                assert request_id in self.prompt_ends
            else:
                assert (row.status is ApprovalStatus.OPEN) == (request_id not in self.prompt_ends)

    @invariant()
    def what_a_turn_was_told_is_read_once_or_becomes_an_input(self) -> None:
        for admission_id, told in self.told.items():
            read = self.read.get(admission_id, [])
            assert told[: len(read)] == read
            unread = told[len(read) :]
            outcome = self.settled.get(admission_id)
            if outcome is None:
                admission = self.session.admission(admission_id)
                assert admission is not None
                assert list(admission.steering) == unread
            else:
                made = [text for text in self.inputs if set(text.split("\n\n")) & set(told)]
                becomes_input = unread and outcome is not e.Outcome.CANCELLED
                assert made == (["\n\n".join(unread)] if becomes_input else [])

    @invariant()
    def rules_come_from_decisions_only(self) -> None:
        assert set(self.rules_made) <= set(self.prompt_ends)
        assert len(set(self.rules_made)) == len(self.rules_made)


TestSession = SessionMachine.TestCase
TestSession.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)


def test_what_a_turn_reads_in_its_last_words_becomes_no_input() -> None:
    machine = SessionMachine()
    admitted = str(machine.admit(on_busy=c.OnBusy.QUEUE))
    machine.steer(admission_id=admitted)
    machine.end_turn(outcome=e.Outcome.COMPLETED, off=0, reads=1)
    machine.what_a_turn_was_told_is_read_once_or_becomes_an_input()
    assert admitted in machine.settled
    assert machine.session.running is None
