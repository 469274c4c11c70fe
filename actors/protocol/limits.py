"""Every bound and time-out of Placet with its reason. Each is a setting: `PLACET_` and the name in capitals, or the config file."""

from __future__ import annotations

from typing import Annotated

import msgspec

Positive = Annotated[int, msgspec.Meta(gt=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
SecondsOrNever = Annotated[float, msgspec.Meta(ge=0)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bounds in force.

    Attributes:
        approval_timeout_s: how long a prompt waits for a person; 0 waits for ever. An hour: people take lunch.
        approval_warning_s: how long before its expiry a prompt warns. A minute: enough to unlock a phone.
        turn_timeout_s: machine time of one turn, waiting for a person not counted. Half an hour: a long build.
        terminal_timeout_s: one command of the terminal tool.
        drain_grace_s: how long running turns may go on after SIGTERM. Supervisors kill after 10 s by habit.
        running_turns: turns that run at once, those that wait for a person not counted; past it 429.
        queued_per_session: inputs that wait in one session; past it 429. Two screens: past that the client is stuck.
        agent_threads: blocking agents at once, each a thread, also while it waits for a person.
        event_bytes: one event of the log. SQLite pages and stream readers both suffer from larger ones.
        step_result_bytes: a journaled step's result; a larger one fails the step as `result_too_large`.
        tool_output_bytes: kept of a tool's output at its head and again at its tail; what is cut is said.
        subscriber_events: events that a stream may lag behind before it is cut; it resumes from the store.
        subscriber_bytes: the same in bytes.
        ephemeral_after_s: age at which a session that no header named is deleted, counted from its last settled input.
        idempotency_after_s: how long after its end a request answers its `Idempotency-Key`.
        merge_after_s: age at which text deltas are merged into the final message.
        recovery_parallel: sessions activated at once after a restart.
    """

    approval_timeout_s: SecondsOrNever = 3600.0
    approval_warning_s: SecondsOrNever = 60.0
    turn_timeout_s: Seconds = 1800.0
    terminal_timeout_s: Seconds = 600.0
    drain_grace_s: SecondsOrNever = 5.0
    running_turns: Positive = 64
    queued_per_session: Positive = 32
    agent_threads: Positive = 256
    event_bytes: Positive = 256 * 1024
    step_result_bytes: Positive = 1024 * 1024
    tool_output_bytes: Positive = 64 * 1024
    subscriber_events: Positive = 256
    subscriber_bytes: Positive = 1024 * 1024
    ephemeral_after_s: Seconds = 24 * 3600.0
    idempotency_after_s: Seconds = 24 * 3600.0
    merge_after_s: Seconds = 24 * 3600.0
    recovery_parallel: Positive = 32
