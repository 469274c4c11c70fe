"""What every session of a server shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from placet.actors.protocol.commands import Recovery
from placet.actors.session.alarm import Alarm
from placet.actors.session.bell import Bell
from placet.actors.session.room import Room
from placet.actors.session.underway import Underway

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.actors.agents import Agent, Surroundings
    from placet.actors.protocol.limits import Limits
    from placet.actors.store import Store


@dataclass
class Services:
    """The house that sessions live in.

    Attributes:
        store: where everything is recorded.
        agent: what runs the turns.
        surroundings: where turns work.
        limits: the bounds in force.
        now: the wall clock, Unix seconds.
        recovery: how lost turns are taken up.
        alarm: reminds of prompts that are due.
        room: places for running turns, and threads for blocking agents.
        inbox: rung when something happened to a prompt in any session.
        lists: rung when a session was made, changed or moved on, or a rule was revoked: what lists show is another then.
        streams: how many streams watch sessions now.
        unborn: ids made just now, at random, of sessions of which the store can know nothing.
        underway: where the runs are that have not ended.
        draining: whether the server stops, so that nothing more may start.
    """

    store: Store
    agent: Agent
    surroundings: Surroundings
    limits: Limits
    now: Callable[[], float]
    recovery: Recovery = field(init=False)
    alarm: Alarm = field(init=False)
    interrupt_lost: bool = False
    room: Room = field(init=False)
    inbox: Bell = field(default_factory=Bell)
    lists: Bell = field(default_factory=Bell)
    streams: int = 0
    underway: Underway = field(default_factory=Underway)
    unborn: set[str] = field(default_factory=set[str])
    draining: bool = False

    def __post_init__(self) -> None:
        self.recovery = Recovery(replayable=self.agent.replayable, interrupt=self.interrupt_lost)
        self.alarm = Alarm(self.now)
        self.room = Room(self.limits.running_turns, self.limits.agent_threads, blocking=self.agent.blocking)
