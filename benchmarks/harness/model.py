"""The model that every agent asks: it costs next to nothing, and knows when it said what.

An OpenAI-compatible server inside the driver's process. A turn is known by a mark in its text, `turn-17`, so that what the driver
sees of the turn can be set against what the model saw.
"""

from __future__ import annotations

import json
import re
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

import trio

from benchmarks.harness.client import Connection, Lost

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_MARK = re.compile(rb"turn-(\d+)")
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_NOTHING = b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
WORD = "word "


_turns = count(1)


def next_turn() -> int:
    """A number that no turn has had, in any benchmark."""
    return next(_turns)


def mark(number: int) -> str:
    """The text of a turn."""
    return f"turn-{number} please"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _event(delta: object, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-model", "object": "chat.completion.chunk", "created": 1, "model": "parrot"}
    return b"data: %s\n\n" % json.dumps({**head, "choices": [choice]}).encode()


def _usage(completion: int) -> bytes:
    usage = {"prompt_tokens": 10, "completion_tokens": completion, "total_tokens": completion + 10}
    return (
        b"data: %s\n\n"
        % json.dumps({"object": "chat.completion.chunk", "choices": [], "usage": usage}).encode()
    )


_OPENING = _event({"role": "assistant", "content": ""})
_DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True)
class Answer:
    """How the model answers.

    Attributes:
        tokens: of the answer.
        pause_s: before each token; 0 sends the whole answer in one write.
        word: each token's text.
        command: what the terminal is called with first; empty for no call.
        held: whether nothing is said before `Model.release`.
        silent: whether, after its tokens, it neither says more nor ends.
    """

    tokens: int = 16
    pause_s: float = 0.0
    word: str = WORD
    command: str = ""
    held: bool = False
    silent: bool = False


@dataclass
class Call:
    """What the model saw of one call, in seconds of trio's clock."""

    received_s: float
    first_s: float = 0.0
    last_s: float = 0.0
    closed_s: float = 0.0
    spoke: trio.Event = field(default_factory=trio.Event)
    closed: trio.Event = field(default_factory=trio.Event)

    @property
    def own_s(self) -> float:
        """The time that the model took."""
        return self.last_s - self.received_s


class Model:
    """What is set here counts for the calls that come then.

    Attributes:
        answer: how it answers.
        calls: the latest call of each turn, by the turn's number.
        port: where it listens.
    """

    def __init__(self) -> None:
        self.answer = Answer()
        self.calls: dict[int, Call] = {}
        self.port = 0
        self._released = trio.Event()
        self._asked = trio.lowlevel.ParkingLot()

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def asked(self, number: int) -> Call:
        """Wait until it was asked in that turn, and take the call away."""
        while number not in self.calls:
            await self._asked.park()
        return self.calls.pop(number)

    def release(self) -> None:
        """Let every held answer begin, and hold those that come later."""
        self._released.set()
        self._released = trio.Event()

    async def serve(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Listen on the loopback address until cancelled."""
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._serve_one, [listener])

    async def _serve_one(self, stream: trio.SocketStream) -> None:
        with suppress(Lost, trio.BrokenResourceError):
            async with Connection(stream) as connection:
                while True:
                    await self._answer(connection)

    async def _answer(self, connection: Connection) -> None:
        head = (await connection.until(b"\r\n\r\n")).lower()
        if not head.startswith(b"post") or b"/chat/completions" not in head:
            await connection.send(_NOTHING)
            return
        start = head.index(b"content-length:") + 15
        body = await connection.exactly(int(head[start : head.index(b"\r\n", start)]))
        call, answer = Call(trio.current_time()), self.answer
        if marks := _MARK.findall(body):
            self.calls[int(marks[-1])] = call
            self._asked.unpark_all()
        if answer.command and b'"role":"tool"' not in body.replace(b" ", b""):
            await connection.send(_HEAD + _chunk(_called(answer.command)) + _chunk(b""))
            return
        if answer.held:
            await self._released.wait()
        try:
            await _say(connection, answer, call, usage=b"include_usage" in body)
        except (Lost, trio.BrokenResourceError):
            call.closed_s = trio.current_time()
            call.closed.set()
            raise


def _called(command: str) -> bytes:
    function = {"name": "terminal", "arguments": json.dumps({"command": command})}
    call = {"index": 0, "id": "call_1", "type": "function", "function": function}
    return _OPENING + _event({"tool_calls": [call]}) + _event({}, "tool_calls") + _usage(5) + _DONE


async def _say(connection: Connection, answer: Answer, call: Call, *, usage: bool) -> None:
    closing = b"" if answer.silent else _event({}, "stop") + (_usage(answer.tokens) if usage else b"") + _DONE
    end = b"" if answer.silent else _chunk(b"")
    token = _event({"content": answer.word})
    if answer.pause_s:
        await connection.send(_HEAD + _chunk(_OPENING))
        for number in range(answer.tokens):
            await trio.sleep(answer.pause_s)
            if number == 0:
                call.first_s = trio.current_time()
            await connection.send(_chunk(token))
        call.last_s = trio.current_time()
        await connection.send(_chunk(closing) + end if closing else b"")
    else:
        call.first_s = call.last_s = trio.current_time()
        await connection.send(_HEAD + _chunk(_OPENING + token * answer.tokens + closing) + end)
    call.spoke.set()
    if answer.silent:
        await connection.until(b"\0never")


@asynccontextmanager
async def open_model() -> AsyncIterator[Model]:
    """A model that listens while the block runs."""
    model = Model()
    async with trio.open_nursery() as nursery:
        await nursery.start(model.serve)
        yield model
        nursery.cancel_scope.cancel()
