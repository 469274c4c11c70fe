"""The client against the scripted model: what it makes of good streams and bad ones, and when it asks again."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
import trio

from placet.actors.agents.model.client import (
    ATTEMPTS,
    RETRY_AFTER_MOST_S,
    ModelClient,
)
from placet.actors.agents.model.events import EVENT_BYTES
from placet.actors.agents.model.settings import ModelConfig
from placet.actors.agents.model.stream import ModelFailed
from placet.actors.agents.model.transport.pool import SILENCE_S
from placet.actors.protocol.conversation import ToolCall, Usage
from tests.fakemodel import FakeModel, Reply, calls, fake_model, says
from tests.fakemodel.memory import in_memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from placet.actors.agents.model.wire import Answer, Delta

CONFIG = ModelConfig(name="fake", base_url="http://model.example/v1/", api_key="sk-secret-key")
REQUEST: dict[str, Any] = {"model": "fake", "messages": [], "stream_options": {"include_usage": True}}
ERROR = {"error": {"message": "the inner workings"}}


class Ear:
    """Asks, and keeps what it was told meanwhile."""

    def __init__(self, client: ModelClient, config: ModelConfig = CONFIG) -> None:
        self.text = ""
        self.thoughts = ""
        self._client = client
        self._config = config

    async def ask(self, taken: frozenset[str] = frozenset()) -> Answer:
        return await self._client.complete(self._config, REQUEST, self._hear, taken)

    async def _hear(self, delta: Delta) -> None:
        await trio.lowlevel.checkpoint()
        self.text += delta.content or ""
        self.thoughts += delta.reasoning_content or ""


@asynccontextmanager
async def listening(*replies: Reply, **network: Any) -> AsyncIterator[tuple[Ear, FakeModel]]:
    model = FakeModel(*replies)
    async with in_memory(model, **network) as http:
        yield Ear(ModelClient(http)), model


async def refused(*replies: Reply) -> tuple[str, str]:
    """The code with which asking fails, and the text that was heard before."""
    async with listening(*replies) as (ear, _):
        with pytest.raises(ModelFailed) as failed:
            await ear.ask()
        assert "inner workings" not in failed.value.message
        return failed.value.code, ear.text


async def test_an_answer_comes_piece_by_piece_and_whole() -> None:
    reply = Reply(steps=({"think": "hm"}, {"text": ["hel", "lo"]}), usage=(7, 3))
    async with listening(reply) as (ear, model):
        answer = await ear.ask()
    assert (ear.thoughts, ear.text, answer.text) == ("hm", "hello", "hello")
    assert (answer.finish_reason, answer.calls, answer.usage) == ("stop", (), Usage(7, 3))
    assert model.requests == [{**REQUEST, "stream": True}]
    assert model.headers[0]["authorization"] == "Bearer sk-secret-key"


async def test_calls_come_in_the_models_order_with_whole_arguments() -> None:
    wanted = calls(("a", {"x": 1}), ("b", {}), text="I will")
    async with listening(wanted) as (ear, _):
        answer = await ear.ask()
    assert answer.calls == (ToolCall("c1", "a", '{"x": 1}'), ToolCall("c2", "b", "{}"))
    assert (answer.text, answer.finish_reason) == ("I will", "tool_calls")


TEXT = "a\u2028b\u2029c\u0085d ✅ \r\n e"


@pytest.mark.parametrize("split", [0, 1, 7])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("odd", [False, True])
async def test_the_stream_may_be_cut_and_written_in_any_way(split: int, newline: str, odd: bool) -> None:
    manner: dict[str, Any] = {"split": split, "newline": newline, "bom": odd, "comments": odd}
    async with listening(Reply(steps=({"text": [TEXT, "z"]},), **manner)) as (ear, _):
        assert (await ear.ask()).text == TEXT + "z"
    assert ear.text == TEXT + "z"


async def test_data_in_several_lines_is_one_event() -> None:
    lines = 'data: {"choices": [{"delta":\ndata: {"content": "one"}}]}\n\n'
    async with listening(Reply(steps=({"raw": lines},))) as (ear, _):
        assert (await ear.ask()).text == "one"


BAD = {
    "no finish reason": (Reply(steps=({"text": "half"},), finish=None), "model_incomplete"),
    "neither that nor [DONE]": (
        Reply(steps=({"text": "half"},), finish=None, done=False),
        "model_incomplete",
    ),
    "cut": (Reply(steps=({"text": "half"}, {"cut": True})), "model_unreachable"),
    "an error object": (Reply(steps=({"text": "half"}, {"error": ERROR["error"]})), "model_failed"),
    "no JSON": (Reply(steps=({"text": "half"}, {"raw": "data: {oops\n\n"})), "model_malformed"),
    "no chunk": (Reply(steps=({"text": "half"}, {"data": {"choices": 5}})), "model_malformed"),
    "a surrogate": (
        Reply(steps=({"text": "half"}, {"raw": 'data: {"choices":[{"delta":{"content":"\\ud800"}}]}\n\n'})),
        "model_malformed",
    ),
    "a call filtered": (
        Reply(steps=({"text": "half"}, {"call": {"name": "a", "arguments": "{"}}), finish="content_filter"),
        "model_cut",
    ),
    "a call cut short": (
        Reply(steps=({"text": "half"}, {"call": {"name": "a", "arguments": "{"}}), finish="length"),
        "model_cut",
    ),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
async def test_half_an_answer_is_a_failure_and_is_not_asked_again(bad: tuple[Reply, str]) -> None:
    reply, code = bad
    assert await refused(reply, says("whole")) == (code, "half")


async def test_an_event_without_end_is_not_read_for_ever() -> None:
    endless = Reply(steps=({"text": "half"}, {"raw": "data: " + "x" * (EVENT_BYTES + 1)}))
    assert await refused(endless, says("whole")) == ("model_malformed", "half")


async def test_a_cut_by_length_is_an_answer() -> None:
    async with listening(says("as far as it goes", finish="length")) as (ear, _):
        assert (await ear.ask()).finish_reason == "length"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refusal_is_final(status: int) -> None:
    assert await refused(Reply(status=status, body=ERROR), says("late")) == ("model_refused", "")


async def test_a_conversation_that_is_too_long_has_its_own_code() -> None:
    body = {"error": {"code": "context_length_exceeded", "message": "the inner workings"}}
    assert await refused(Reply(status=400, body=body)) == ("context_exceeded", "")


async def test_what_is_no_event_stream_is_no_answer() -> None:
    reply = says("hm", headers={"Content-Type": "text/html"})
    assert await refused(reply, says("late")) == ("model_malformed", "")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_what_may_pass_is_asked_again_after_a_pause(
    autojump_clock: trio.testing.MockClock, status: int
) -> None:
    fails = Reply(status=status, body=ERROR)
    async with listening(fails, fails, says("at last")) as (ear, model):
        assert (await ear.ask()).text == "at last"
    assert len(model.requests) == 3
    assert 0.75 <= trio.current_time() <= 1.5


async def test_it_gives_up(autojump_clock: trio.testing.MockClock) -> None:
    assert await refused(*[Reply(status=503, body=ERROR)] * ATTEMPTS, says("late")) == (
        "model_overloaded",
        "",
    )


@pytest.mark.parametrize(
    ("said", "waits_s"),
    [("20", 20.0), ("100000", RETRY_AFTER_MOST_S), ("Thu, 01 Jan 2099 00:00:00 GMT", RETRY_AFTER_MOST_S)],
)
async def test_retry_after_is_honoured_within_reason(
    autojump_clock: trio.testing.MockClock, said: str, waits_s: float
) -> None:
    busy = Reply(status=429, body=ERROR, headers={"Retry-After": said})
    async with listening(busy, says("at last")) as (ear, _):
        await ear.ask()
    assert trio.current_time() == pytest.approx(waits_s)


@pytest.mark.parametrize(
    "said", ["0", "-5", "soon", "nan", "inf", "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00"]
)
async def test_a_retry_after_that_says_nothing_changes_nothing(
    autojump_clock: trio.testing.MockClock, said: str
) -> None:
    busy = Reply(status=429, body=ERROR, headers={"Retry-After": said})
    async with listening(busy, says("at last")) as (ear, _):
        await ear.ask()
    assert 0.25 <= trio.current_time() <= 0.5


async def test_a_connection_that_cannot_be_made_is_tried_again(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with listening(says("at last"), refusals=2) as (ear, _):
        assert (await ear.ask()).text == "at last"


async def test_a_connection_lost_before_the_first_token_is_made_again(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with listening(Reply(steps=({"cut": True},)), says("at last")) as (ear, model):
        assert (await ear.ask()).text == "at last"
    assert len(model.requests) == 2


async def test_a_silent_model_is_given_up(autojump_clock: trio.testing.MockClock) -> None:
    async with listening(Reply(steps=({"wait": True},)), says("late")) as (ear, model):
        with pytest.raises(ModelFailed) as failed:
            await ear.ask()
        assert failed.value.code == "model_unreachable"
        assert trio.current_time() == pytest.approx(SILENCE_S)
        assert len(model.requests) == 1


async def test_call_ids_that_are_missing_or_taken_are_replaced() -> None:
    reply = Reply(
        steps=(
            {"call": {"name": "a", "arguments": {}, "id": "c1"}},
            {"call": {"name": "b", "arguments": {}, "id": "c2"}},
            {"data": {"choices": [{"delta": {"tool_calls": [{"index": 2, "function": {"name": "c"}}]}}]}},
        )
    )
    async with listening(reply) as (ear, _):
        answer = await ear.ask(taken=frozenset({"c1"}))
    first, second, third = (call.id for call in answer.calls)
    assert second == "c2"
    assert first.startswith("call_")
    assert third.startswith("call_")
    assert len({first, second, third, "c1"}) == 4


async def test_calls_without_index_and_with_whole_arguments() -> None:
    pieces = [
        {"id": "x", "function": {"name": "a", "arguments": {"n": 1}}},
        {"id": "y", "function": {"name": "b"}},
    ]
    data = {"choices": [{"delta": {"tool_calls": pieces}}]}
    async with listening(Reply(steps=({"data": data},))) as (ear, _):
        answer = await ear.ask()
    assert answer.calls == (ToolCall("x", "a", '{"n":1}'), ToolCall("y", "b", "{}"))


async def test_a_cancelled_call_closes_its_connection() -> None:
    async with listening(Reply(steps=({"text": "half"}, {"wait": True}))) as (ear, model):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ear.ask)
            await trio.testing.wait_all_tasks_blocked()
            assert ear.text == "half"
            nursery.cancel_scope.cancel()
        model.go_on()
        await trio.testing.wait_all_tasks_blocked()
        assert model.failed == 1


@pytest.mark.slow
async def test_a_reset_after_the_first_token_is_a_failure() -> None:
    """Over a real socket: memory knows no resets."""
    async with fake_model(Reply(steps=({"text": "half"}, {"wait": True}, {"reset": True}))) as model:
        client = ModelClient()
        ear = Ear(client, ModelConfig(name="fake", base_url=model.url))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_when_heard, ear, model)
            with pytest.raises(ModelFailed) as failed:
                await ear.ask()
        await client.aclose()
    assert (failed.value.code, ear.text) == ("model_unreachable", "half")
    assert "authorization" not in model.headers[0]


async def _when_heard(ear: Ear, model: FakeModel) -> None:
    while ear.text != "half":  # noqa: ASYNC110 - the bytes come over a socket
        await trio.lowlevel.checkpoint()
    model.go_on()


@pytest.mark.parametrize("key", ["sk-secret\n", "sk-\u2713"])
async def test_a_key_that_cannot_be_sent_is_not_tried_twice_and_not_shown(
    key: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with listening(says("late")) as (ear, model):
        ear._config = ModelConfig(name="fake", base_url="http://model.example/v1", api_key=key)
        with pytest.raises(ModelFailed) as failed:
            await ear.ask()
    assert failed.value.code == "model_unreachable"
    assert model.requests == []
    assert "sk-" not in caplog.text


def test_a_key_is_never_shown() -> None:
    assert "sk-secret-key" not in f"{CONFIG!r} {CONFIG}"
