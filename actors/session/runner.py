"""Runs one turn: a child task of the session's actor that talks back through the actor's inbox."""

from __future__ import annotations

import enum
import logging
from typing import TYPE_CHECKING, Final

import trio
from msgspec.structs import replace

from placet.actors.agents import run_agent
from placet.actors.protocol.commands import EndTurn, Parked
from placet.actors.protocol.conversation import TurnInput, TurnResult
from placet.actors.protocol.errors import PlacetError, StoreUnavailable
from placet.actors.protocol.events import Outcome
from placet.actors.session.journal import Journal
from placet.actors.session.speech import Speech
from placet.actors.session.stopwatch import Stopwatch
from placet.actors.session.turn import Claimed, SessionTurn

if TYPE_CHECKING:
    from placet.actors.protocol.events import Output
    from placet.actors.runtime import ActorContext
    from placet.actors.session.room import Place
    from placet.actors.session.services import Services

logger: Final = logging.getLogger("placet.session")

# A disk that was full may have room a moment later; nothing else of the session can go on before the end is recorded.
RETRY_FIRST_S: Final = 0.5
RETRY_MOST_S: Final = 5.0

NONE_LEFT: Final[frozenset[str]] = frozenset()
"""What every session shares that nothing was left of: an empty set of its own would be a fifth of a kilobyte for each."""


class Ending(enum.Enum):
    """Why a turn is made to end before its agent is done."""

    STOPPED = "run_cancelled"
    DRAINED = "server_stopping"
    PARKED = "parked"


_WORDS = {
    Ending.STOPPED: (Outcome.CANCELLED, "The run was stopped."),
    Ending.DRAINED: (Outcome.INTERRUPTED, "The server was stopped while this ran. It was not run again."),
}


class Flight:
    """A turn that runs, as the actor and the runner share it.

    Args:
        claimed: which turn.
        place: its place among the turns that run.
        resumed: whether it was begun before a crash.
        asked: its input, if the actor still has it from the admission.
        steering: what it was told before a crash and has not read.
        left: the marks of its tool calls of which something ran on after a crash, and was ended.
    """

    __slots__ = ("asked", "claimed", "ending", "left", "place", "resumed", "scope", "steering", "turn")

    def __init__(
        self,
        claimed: Claimed,
        place: Place,
        *,
        resumed: bool,
        asked: TurnInput | None = None,
        steering: tuple[str, ...] = (),
        left: frozenset[str] = NONE_LEFT,
    ) -> None:
        self.claimed = claimed
        self.place = place
        self.resumed = resumed
        self.asked = asked
        self.steering = list(steering)
        self.left = left
        self.turn: SessionTurn | None = None
        self.scope = trio.CancelScope()
        self.ending: Ending | None = None

    def end(self, ending: Ending) -> None:
        """Make the turn end. The first reason stays."""
        if self.ending is None:
            self.ending = ending
            self.scope.cancel()


async def run_turn(context: ActorContext, services: Services, flight: Flight) -> None:
    """Run the agent and report how it ended. What the agent raises is a failed turn, never an error of this task.

    Cancelled from outside, with the actor, nothing is reported: the next activation finds the turn begun and not ended.
    """
    try:
        end = await _fly(context, services, flight)
        if end is None:
            await context.tell(Parked())
        else:
            await _report(context, end)
    finally:
        flight.place.give()


async def _fly(context: ActorContext, services: Services, flight: Flight) -> EndTurn | None:
    """How the turn ended; `None` if it was parked. All that it said is on disk by then or in what is returned, however it ended."""
    failure: PlacetError | None = None
    last: tuple[Output, ...] = ()
    with flight.scope:
        failure = await _work(context, services, flight)
    if flight.turn is not None:
        try:
            if flight.ending is Ending.PARKED:
                await flight.turn.outbox.flush()
            last = await flight.turn.outbox.take_back()
        except PlacetError as error:
            failure = failure or error
    if flight.ending is Ending.PARKED:
        return None
    outcome, failure = _ended(services, flight, failure)
    return EndTurn(
        admission_id=flight.claimed.admission_id,
        generation=flight.claimed.generation,
        outcome=outcome,
        result=_result(flight.turn, failure),
        outputs=last,
    )


def _ended(
    services: Services, flight: Flight, failure: PlacetError | None
) -> tuple[Outcome, PlacetError | None]:
    if flight.ending is not None:
        outcome, words = _WORDS[flight.ending]
        return outcome, PlacetError(words, code=flight.ending.value)
    if flight.scope.cancelled_caught:
        limit_s = services.limits.turn_timeout_s
        failure = PlacetError(f"The turn worked for more than {limit_s:g} s.", code="turn_timed_out")
    return Outcome.COMPLETED if failure is None else Outcome.FAILED, failure


def _result(turn: SessionTurn | None, failure: PlacetError | None) -> TurnResult:
    result = TurnResult()
    if turn is not None:
        result = TurnResult(
            text=turn.speech.heard, kept=turn.kept, finish_reason=turn.finish_reason, usage=turn.usage
        )
    return result if failure is None else _failed(result, failure)


def _failed(result: TurnResult, failure: PlacetError) -> TurnResult:
    return replace(result, error_code=failure.code, error=failure.message)


async def _report(context: ActorContext, end: EndTurn) -> None:
    pause_s = RETRY_FIRST_S
    while True:  # noqa: ASYNC913 - the actor is waited for
        try:
            return await context.ask(end)
        except StoreUnavailable:
            logger.warning(
                "the end of %s cannot be recorded; trying again in %g s", end.admission_id, pause_s
            )
            await trio.sleep(pause_s)
            pause_s = min(2 * pause_s, RETRY_MOST_S)
        except PlacetError as error:
            if not end.outputs:
                raise
            # What it did last cannot be recorded: it is too large, or no JSON.
            end = replace(end, outcome=Outcome.FAILED, result=_failed(end.result, error), outputs=())


async def _work(context: ActorContext, services: Services, flight: Flight) -> PlacetError | None:
    """Run the agent. Returns how it failed, if it did."""
    try:
        turn = flight.turn = await _prepare(context, services, flight)
        text = await run_agent(services.agent, turn, flight.place.lend_thread())
        if text:
            await turn.say(text)
        await turn.end_speech()
        turn.journal.check_all_visited()
    except PlacetError as error:
        return error
    except Exception:  # the agent boundary: whatever an agent raises fails its turn and nothing else
        logger.exception("the agent failed in %s", flight.claimed.session_id)
        return PlacetError("The agent raised an error; the server's log tells more.", code="agent_failed")
    return None


async def _prepare(context: ActorContext, services: Services, flight: Flight) -> SessionTurn:
    asked, journal, speech = flight.asked, Journal(), Speech()
    history = None if asked is None else asked.history
    if asked is None or history is None or flight.resumed:
        past = await services.store.turn_past(flight.claimed.admission_id, resumed=flight.resumed)
        assert past is not None
        asked, history = past.input, past.history
        # Not those about a lost tool: each is about one start, and whether there is one to ask about the journal knows.
        asked_before = [row.prompt.step for row in past.asked if row.prompt.kind != "outcome_unknown"]
        journal, speech = Journal(past.journal, asked_before), Speech(*past.said)
    stopwatch = Stopwatch(flight.scope, services.limits.turn_timeout_s)
    turn = SessionTurn(context, services, flight.claimed, asked, history, journal, speech, stopwatch)
    turn.steering, turn.left = flight.steering, flight.left
    return turn
