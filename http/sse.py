"""Server-sent events: frames, and the response body that sends them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

import trio
from quart import Response
from quart.wrappers.response import ResponseBody

from placet.actors.protocol.errors import Draining, PlacetError
from placet.actors.protocol.events import ApprovalOpened, Recorded
from placet.actors.protocol.faults import Point, reach
from placet.http.follow import Ended, Over
from placet.http.strict_json import dump_ascii

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from types import TracebackType

Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)
Item_contra = TypeVar("Item_contra", contravariant=True)

KEEPALIVE: Final = b": keepalive\n\n"
OPEN: Final = b": open\n\n"
CLOSED: Final = b": stream closed\n\n"
"""The first and the last bytes of a log's stream: a client sees at once that it is connected, and that it was not cut."""

WRITE_BYTES: Final = 64 * 1024
"""What goes out in one write. More does not get cheaper, and a slow reader should not hold much."""


def frame(data: bytes, *, event: str | None = None, event_id: int | None = None) -> bytes:
    """One frame. `data` is JSON with every control character and non-ASCII letter escaped, so it is one line to any reader."""
    head = b"" if event is None else b"event: %s\n" % event.encode()
    tail = b"" if event_id is None else b"id: %d\n" % event_id
    return b"%sdata: %s\n%s\n" % (head, data, tail)


def json_frame(data: dict[str, Any], *, event: str | None = None, event_id: int | None = None) -> bytes:
    """A frame of one object."""
    return frame(dump_ascii(data), event=event, event_id=event_id)


class Source(Protocol[Item_co]):
    """Where a stream's events come from, each once and in order."""

    @property
    def is_behind(self) -> bool:
        """Whether what comes next is the past."""
        ...

    async def receive(self) -> Sequence[Item_co]:
        """What comes next. Raises `Ended` if the server drains, `Over` if nothing will come any more."""
        ...

    async def past(self) -> Sequence[Item_co]:
        """A page of the past, perhaps an empty one."""
        ...

    def close(self) -> None:
        """Leave. Idempotent and synchronous."""


class Renderer(Protocol[Item_contra]):
    """Turns what is recorded into the frames of one stream. Pure: no waiting, no I/O.

    Attributes:
        done: whether the stream has said its last.
    """

    done: bool

    def opening(self) -> bytes:
        """The first frames."""
        ...

    def catch_up(self, item: Item_contra) -> None:
        """Take in an event of the past, for `caught_up`."""
        ...

    def caught_up(self) -> bytes:
        """The frames that bring a joiner to the present."""
        ...

    def render(self, item: Item_contra) -> bytes:
        """The frames of one new event; empty if the stream does not show it."""
        ...

    def failed(self, error: PlacetError) -> bytes:
        """The last frames of a stream that cannot go on."""
        ...


class EventBody(ResponseBody, Generic[Item]):
    """A response body of server-sent events: the opening, the past, then what happens.

    It is iterated over write by write, or speaks for itself, with a sign of life in silence. Everything that already waits goes out
    in one write. Leaving, however it happens, ends only this reader's subscription.

    Args:
        renderer: makes the frames.
        follower: where the events come from; `None` if the renderer has said everything with its opening.
        heartbeat_s: seconds of silence after which a comment is sent.
        replays: whether the past is shown event by event; else it is folded into a few frames.
        farewell: the very last bytes, however the stream ends.
    """

    def __init__(
        self,
        renderer: Renderer[Item],
        follower: Source[Item] | None,
        heartbeat_s: float,
        *,
        replays: bool = False,
        farewell: bytes = b"",
    ) -> None:
        self._renderer = renderer
        self._follower = follower
        self._heartbeat_s = heartbeat_s
        self._farewell = farewell
        self._joins = not replays and follower is not None and follower.is_behind
        self._held: list[Item] = []  # no deque: even an empty one takes 760 bytes
        self._opened = False
        self._asked = False

    async def __aenter__(self) -> EventBody[Item]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # A client that leaves between the handler's return and the first write never enters the body (a rule of Python).
        self.close()

    def close(self) -> None:
        """Stop following. Idempotent."""
        if self._follower is not None:
            self._follower.close()

    def __aiter__(self) -> EventBody[Item]:
        return self

    async def speak(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        """Say everything, and a comment whenever nothing was said for `heartbeat_s` seconds. Leaves the body as iteration does.

        One scope waits for many events: a scope for each would be a fifth of what an event costs. Its deadline is only looked at
        when it comes, and moved by what was said meanwhile.

        Args:
            write: sends bytes. Cancelled, it has sent them all the same.
        """
        spoke, over = trio.current_time(), False
        while not over:
            with trio.CancelScope(deadline=spoke + self._heartbeat_s) as silence:
                async for data in self:
                    await write(data)
                    spoke = trio.current_time()
                over = True
            if silence.cancelled_caught and trio.current_time() >= spoke + self._heartbeat_s:
                await write(KEEPALIVE)
                spoke = trio.current_time()

    async def __anext__(self) -> bytes:
        """The next write: at least one frame or comment. The one before it has gone out. Cancelled, nothing is lost."""
        if self._asked:
            self._asked = False
            reach(Point.PROMPT_SHOWN)
        if not self._opened:
            self._opened = True
            return (
                self._renderer.opening() or KEEPALIVE
            )  # the response's head goes out with it, so there must be something
        if self._renderer.done or self._follower is None:
            return self._end()
        try:
            return await self._next(self._follower)
        except Over:
            self._renderer.done = True
            return self._end()
        except Ended:
            return self._renderer.failed(draining())
        except PlacetError as error:
            return self._renderer.failed(error)

    def _end(self) -> bytes:
        farewell, self._farewell = self._farewell, b""
        if not farewell:
            raise StopAsyncIteration
        return farewell

    async def _next(self, follower: Source[Item]) -> bytes:
        if self._joins:
            return await self._join(follower)
        while True:  # noqa: ASYNC913 - without anything at hand it waits
            if not self._held:
                self._held.extend(await follower.receive())
            frames = self._render_held()
            if frames:
                return frames

    def _render_held(self) -> bytes:
        """One write's worth of what is at hand. The rest waits for the next: a silent reader holds no more than that in frames."""
        frames: list[bytes] = []
        size = 0
        while self._held and size < WRITE_BYTES:
            item = self._held.pop(0)
            frames.append(self._renderer.render(item))
            size += len(frames[-1])
            self._asked = self._asked or _asks(item)
        return b"".join(frames)

    async def _join(self, follower: Source[Item]) -> bytes:
        while follower.is_behind:
            for item in await follower.past():
                self._renderer.catch_up(item)
        self._joins = False
        return self._renderer.caught_up()


def _asks(item: object) -> bool:
    return isinstance(item, Recorded) and isinstance(item.event, ApprovalOpened)


def draining() -> Draining:
    """What whoever still waits is told when the server shuts down."""
    return Draining("The server is shutting down. Send the request again in a moment.", retry_after_s=1.0)


def event_response(body: EventBody[Any], headers: dict[str, str]) -> Response:
    """The response that streams a body, for as long as it takes a person to decide."""
    response = Response(body, content_type="text/event-stream; charset=utf-8")
    response.timeout = None  # the framework's own would cut a stream that waits for a human
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    response.headers.update(headers)
    return response
