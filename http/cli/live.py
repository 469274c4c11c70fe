"""Runs a dialogue: the stream, the keys, the signals and the clock on one side, the terminal and the server on the other."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Final, Protocol

import trio

from placet.actors.protocol.errors import PlacetError
from placet.http.cli.dialogue import Back, Effect, Happening, Interrupted, Keys, Lost, Send, Sent, Stop
from placet.http.cli.exits import Exit
from placet.http.cli.question import Answer, Decision
from placet.http.cli.text import Said, Tone, one_line
from placet.http.client import Following, Refused, answer, decide

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.http.cli.terminal import Terminal
    from placet.http.client import Arrived, Client

TICK_S: Final = 0.25
"""How often the last line is looked at: often enough for a clock that shows seconds."""

STOP_S: Final = 3.0
"""How long leaving waits for a stop that was asked for before."""

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCONT)
"""Those that would end the process in any other way would leave the terminal without its echo."""


class Face(Protocol):
    """What is shown and done; a `Dialogue`, or what takes its place where programs read."""

    ended: Exit | None

    def on(self, happening: Happening, now: float, width: int) -> list[Effect]:
        """What is to be done about what happened."""
        ...

    def footer(self, now: float, width: int) -> str | None:
        """The last line of the screen."""
        ...


class Live:
    """One stream on one screen, until the dialogue has ended.

    Everything that happens goes through `_take`, at once and whole, so the dialogue never sees two things at a time.

    Args:
        client: of the server.
        face: the dialogue.
        terminal: where it is shown.
        now: Unix seconds.
        run_id: the run that Ctrl-C stops, if one is followed.
    """

    def __init__(
        self, client: Client, face: Face, terminal: Terminal, now: Callable[[], float], run_id: str = ""
    ) -> None:
        self._client = client
        self._face = face
        self._terminal = terminal
        self._now = now
        self._run_id = run_id
        self._nursery: trio.Nursery | None = None
        self._failed: PlacetError | None = None

    async def follow(self, path: str) -> Exit:
        """Follow the stream at `path` to the end. Always a checkpoint; cancelled, the terminal is as it was before.

        Raises:
            Refused: the server will not serve the stream.
            NotReached: it could not be reached for too long.
        """
        with self._terminal.key_by_key(), trio.open_signal_receiver(*_SIGNALS) as signals:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._read_stream, path)
                nursery.start_soon(self._read_keys)
                nursery.start_soon(self._tick)
                async for number in signals:
                    self._signal(number)
        if self._failed is not None and self._face.ended is None:
            raise self._failed
        return Exit.LEFT if self._face.ended is None else self._face.ended

    def arrived(self, event: Arrived) -> bool:
        """The stream brought an event."""
        self._take(event)
        return self._face.ended is not None

    def lost(self, why: str) -> None:
        """The connection is gone."""
        self._take(Lost(why))

    def back(self) -> None:
        """There is a connection again."""
        self._take(Back())

    def _take(self, happening: Happening) -> None:
        for effect in self._face.on(happening, self._now(), self._terminal.width):
            self._do(effect)
        self._draw()
        if self._face.ended is not None or self._terminal.is_gone:
            self._end()

    def _draw(self) -> None:
        if self._terminal.asks:
            self._terminal.footer(self._face.footer(self._now(), self._terminal.width))

    def _do(self, effect: Effect) -> None:
        assert self._nursery is not None
        match effect:
            case Said():
                self._terminal.say(effect)
            case Send():
                self._nursery.start_soon(self._send, effect)
            case Stop():
                self._nursery.start_soon(self._stop)

    def _signal(self, number: int) -> None:
        if number == signal.SIGCONT:  # the shell has set the terminal to its own liking meanwhile
            self._terminal.take_keys()
        elif number == signal.SIGINT:
            self._take(Interrupted())
        else:
            self._end()

    async def _read_stream(self, path: str) -> None:
        try:
            await Following(self._client, path, self).run()
        except PlacetError as error:
            self._failed = error
            self._end()

    async def _read_keys(self) -> None:
        while True:
            if text := await self._terminal.typed():
                self._take(Keys(text))

    async def _tick(self) -> None:
        while True:
            await trio.sleep(TICK_S)
            self._draw()

    async def _send(self, send: Send) -> None:
        prompt, outcome, error = send.prompt, send.outcome, None
        try:
            if isinstance(outcome, Decision):
                await decide(self._client, prompt, outcome.choice, outcome.reason)
            elif isinstance(outcome, Answer):
                await answer(self._client, prompt, outcome.text)
        except PlacetError as refused:
            error = refused
        self._take(Sent(prompt, error))

    async def _stop(self) -> None:
        try:
            with trio.move_on_after(STOP_S, shield=True):  # also when a second Ctrl-C follows at once
                await self._client.ask("POST", f"/v1/runs/{self._run_id}/stop")
        except PlacetError as error:
            if not (isinstance(error, Refused) and error.status == 409):  # it has ended by itself
                self._terminal.say(Said(f"It could not be stopped: {one_line(error.message, 300)}", Tone.BAD))

    def _end(self) -> None:
        assert self._nursery is not None
        self._nursery.cancel_scope.cancel()
