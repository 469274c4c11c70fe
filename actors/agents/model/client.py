"""Asking a model over streaming chat completions.

Before the first token a request may be made again: when the connection is lost, and when the server says 429 or 5xx. After it
never: what the model began is shown already.
"""

from __future__ import annotations

import logging
import random
import time
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import msgspec
import trio

from placet.actors.agents.model.events import Events, EventTooLong
from placet.actors.agents.model.stream import Assembly, ModelFailed
from placet.actors.agents.model.transport import (
    Lost,
    Pool,
    Response,
    Silent,
    Target,
    Unreachable,
    UnsupportedAddress,
)
from placet.actors.guard import shown
from placet.actors.protocol.faults import Point, reach
from placet.actors.protocol.retry_after import retry_after_s

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from placet.actors.agents.model.settings import JsonObject, ModelConfig
    from placet.actors.agents.model.wire import Answer, Delta

ATTEMPTS = 4
"""Requests for one answer, the first included: half a minute at the most, unless the server asks for more patience."""

BACKOFF_FIRST_S = 0.5
BACKOFF_MOST_S = 8.0

RETRY_AFTER_MOST_S = 60.0
"""The longest `Retry-After` that is honoured whole. Quotas that come back tomorrow are the client's to wait for."""

ERROR_BYTES = 4096
"""Read of a refusal's body, for the log and for the code in it."""

DRAIN_S = 1.0
"""How long the end of a stream is waited for after its last word, so that the connection can be used again."""

_TOO_LONG: Final = ("context_length_exceeded", "exceed_context_size", "maximum context length")
_MAY_HEAL: Final = frozenset({408, 425, 429})

logger: Final = logging.getLogger("placet.model")


class _Again(Exception):
    """The request failed in a way that may pass. `after_s`: when the server says it may be made again."""

    def __init__(self, failure: ModelFailed, after_s: float | None = None) -> None:
        self.failure = failure
        self.after_s = after_s


class ModelClient:
    """One pool of connections for all models of a server. `aclose` ends it.

    Args:
        pool: the pool to use instead of the usual one.
    """

    def __init__(self, pool: Pool | None = None) -> None:
        self._pool = pool or Pool()

    async def aclose(self) -> None:
        """Close every connection that is kept."""
        await self._pool.aclose()

    async def complete(
        self,
        model: ModelConfig,
        request: JsonObject,
        on_delta: Callable[[Delta], Awaitable[None]],
        taken: frozenset[str] = frozenset(),
    ) -> Answer:
        """One answer of a model. Always a checkpoint; cancellation closes the connection.

        Args:
            model: whom to ask.
            request: the body, without what makes it a stream.
            on_delta: is given each piece as it comes; it may wait.
            taken: call ids that earlier messages use.

        Raises:
            ModelFailed: there is none.
        """
        pause_s = BACKOFF_FIRST_S
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._attempt(model, request, on_delta, Assembly(taken))
            except _Again as again:
                if attempt == ATTEMPTS:
                    raise again.failure from again.failure.__cause__
                logger.info("asking %s again, attempt %d failed: %s", model.name, attempt, again.failure.code)
                wait_s = pause_s * random.uniform(0.5, 1.0)
                if again.after_s is not None:
                    wait_s = min(max(wait_s, again.after_s), RETRY_AFTER_MOST_S)
                await trio.sleep(wait_s)
                pause_s = min(2 * pause_s, BACKOFF_MOST_S)
        raise AssertionError("the last attempt returns or raises")

    async def _attempt(
        self,
        model: ModelConfig,
        request: JsonObject,
        on_delta: Callable[[Delta], Awaitable[None]],
        assembly: Assembly,
    ) -> Answer:
        try:
            target = _target(model.base_url)
            body = partial(msgspec.json.encode, {**request, "stream": True})
            async with self._pool.post(target, _headers(model, target), body) as response:
                if response.status != 200:
                    raise await _refusal(model, response)
                reach(Point.MODEL_CALL_BEGUN)
                _check_form(model, response)
                await _read(response, on_delta, assembly)
        except EventTooLong as error:
            logger.warning("%s sent an event without an end", model.name)
            raise ModelFailed("The model's answer cannot be read.", code="model_malformed") from error
        except (Lost, Silent, Unreachable, UnsupportedAddress) as error:
            logger.warning("the connection to %s failed: %s: %s", model.name, type(error).__name__, error)
            lost = ModelFailed("The connection to the model was lost.", code="model_unreachable")
            lost.__cause__ = error
            if assembly.begun or isinstance(error, Silent | UnsupportedAddress):
                raise lost from error
            raise _Again(lost) from error
        return assembly.answer()


@cache
def _target(base_url: str) -> Target:
    return Target.of(f"{base_url.rstrip('/')}/chat/completions")


def _check_form(model: ModelConfig, response: Response) -> None:
    kind = response.headers.get("content-type", "")
    coding = response.headers.get("content-encoding", "identity")
    if not kind.lower().startswith("text/event-stream") or coding.lower() != "identity":
        logger.warning("%s sent %s, %s: no stream", model.name, _excerpt(kind), _excerpt(coding))
        raise ModelFailed("The model's answer cannot be read.", code="model_malformed")


async def _read(response: Response, on_delta: Callable[[Delta], Awaitable[None]], assembly: Assembly) -> None:
    """Feed the events to the assembly, up to the stream's end."""
    events = Events()
    while not assembly.done and (piece := await response.receive()):
        for data in events.feed(piece):
            if not assembly.done:
                await on_delta(_added(assembly, data))
    with trio.move_on_after(DRAIN_S):  # noqa: ASYNC912 - what is here already is not waited for
        while await response.receive():
            pass


def _added(assembly: Assembly, data: str) -> Delta:
    try:
        return assembly.add(data)
    except ModelFailed:
        logger.warning("the stream is no answer: %s", _excerpt(data))
        raise


def _headers(model: ModelConfig, target: Target) -> list[tuple[str, str]]:
    headers = [
        ("Accept", "text/event-stream"),
        ("Accept-Encoding", "identity"),
        ("Cache-Control", "no-store"),
        ("Content-Type", "application/json"),
        ("User-Agent", "placet"),
    ]
    key = target.basic if model.api_key is None else f"Bearer {model.api_key}"
    return headers if key is None else [*headers, ("Authorization", key)]


async def _refusal(model: ModelConfig, response: Response) -> ModelFailed | _Again:
    """What a status other than 200 means. Its body goes to the log, not to clients."""
    status = response.status
    body = await _beginning(response)
    logger.warning("%s answered %d: %s", model.name, status, _excerpt(body))
    if status in _MAY_HEAL or status >= 500:
        failure = ModelFailed(
            f"The model's server is not able to answer now ({status}).", code="model_overloaded"
        )
        return _Again(failure, retry_after_s(response.headers.get("retry-after"), time.time()))
    if any(word in body for word in _TOO_LONG):
        return ModelFailed("The conversation is longer than the model can read.", code="context_exceeded")
    if status in (401, 403):
        return ModelFailed(
            f"The model's server does not accept this server's key ({status}).", code="model_refused"
        )
    return ModelFailed(f"The model's server refused the request ({status}).", code="model_refused")


async def _beginning(response: Response) -> str:
    """The first part of a body."""
    body = b""
    with trio.move_on_after(DRAIN_S):  # noqa: ASYNC912 - what is here already is not waited for
        while len(body) < ERROR_BYTES and (piece := await response.receive()):
            body += piece
    return body[:ERROR_BYTES].decode(errors="replace")


def _excerpt(text: Any) -> str:
    return shown(str(text)[:500]).display
