"""The agent against the scripted model: a turn without a session, on a clock that jumps."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import trio

from placet.actors.agents import AgentSettings, ModelConfig, load_agent
from placet.actors.agents.mcp import Bench
from placet.actors.agents.model.agent import ModelAgent
from placet.actors.agents.model.client import ModelClient
from placet.actors.agents.model.messages import NO_RESULT, opening
from placet.actors.agents.model.stream import ModelFailed
from placet.actors.agents.tools import tool
from placet.actors.protocol.conversation import ChatMessage, Part, Settings, ToolCall, Usage
from placet.actors.protocol.errors import PlacetError, StartRefused
from tests.agents.model.turns import TalkedTo as FakeTurn
from tests.fakemodel import FakeModel, Reply, calls, says
from tests.fakemodel.memory import in_memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CONFIG = ModelConfig(name="fake", base_url="http://model.example/v1")
SETTINGS = AgentSettings(models=(CONFIG,), tools=(__name__,))


@tool
async def nap(seconds: float) -> str:
    """Sleep."""
    await trio.sleep(seconds)
    return f"slept {seconds:g}"


@tool
async def broken() -> None:
    """Find the disk full."""
    raise PlacetError("The disk is full.", code="storage_unavailable")


@asynccontextmanager
async def agent_of(
    *replies: Reply, settings: AgentSettings = SETTINGS, **changes: Any
) -> AsyncIterator[tuple[ModelAgent, FakeModel]]:
    model = FakeModel(*replies)
    async with in_memory(model) as http:
        yield ModelAgent(msgspec.structs.replace(settings, **changes), ModelClient(http)), model


def results(request: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["tool_call_id"], each["content"]) for each in request["messages"] if each["role"] == "tool"]


async def test_a_text_is_said_while_it_comes_and_journaled_whole() -> None:
    reply = Reply(steps=({"think": "hm"}, {"text": ["hel", "lo"]}))
    async with agent_of(reply) as (agent, model):
        turn = FakeTurn("hi", workspace="/w")
        assert await agent(turn) is None
    assert turn.kinds() == ["think", "say", "say", "step", "count"]
    assert turn.said == "hello"
    assert turn.events[-1] == ("count", Usage(10, 5))
    system, user = model.requests[0]["messages"]
    assert "/w" in system["content"]
    assert user == {"role": "user", "content": "hi"}


async def test_calls_run_at_once_and_their_results_go_back_in_order(
    autojump_clock: trio.testing.MockClock,
) -> None:
    three = calls(*(("nap", {"seconds": seconds}) for seconds in (3, 1, 2)), text="Wait.")
    async with agent_of(three, says("done")) as (agent, model):
        turn = FakeTurn()
        await agent(turn)
        assert trio.current_time() == 3
    assert turn.said == "Wait.\n\ndone"
    assert results(model.requests[1]) == [("c1", "slept 3"), ("c2", "slept 1"), ("c3", "slept 2")]
    called = model.requests[1]["messages"][-4]
    assert (called["role"], called["content"]) == ("assistant", "Wait.")
    assert [call["id"] for call in called["tool_calls"]] == ["c1", "c2", "c3"]


async def test_calls_that_say_the_same_run_one_after_the_other(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with agent_of(calls(*[("nap", {"seconds": 2})] * 3), says("done")) as (agent, model):
        await agent(FakeTurn())
        assert trio.current_time() == 2
    assert [call_id for call_id, _ in results(model.requests[1])] == ["c1", "c2", "c3"]


async def test_what_is_wrong_with_a_call_the_model_is_told() -> None:
    wrong = calls(("sing", {}), ("nap", {"seconds": "x"}))
    wrong = msgspec.structs.replace(
        wrong, steps=(*wrong.steps, {"call": {"name": "nap", "arguments": "{oops", "id": "c3"}})
    )
    async with agent_of(wrong, says("sorry")) as (agent, model):
        await agent(FakeTurn())
    told = [text for _, text in results(model.requests[1])]
    assert told[0].startswith("There is no tool 'sing'. There are: ")
    assert told[1].startswith("These arguments are not right")
    assert told[2].startswith("The arguments are no JSON object")


async def test_an_error_of_ours_in_one_call_ends_the_turn_as_itself() -> None:
    async with agent_of(calls(("broken", {}), ("nap", {"seconds": 1e6}))) as (agent, _):
        with pytest.raises(PlacetError) as failed:
            await agent(FakeTurn())
    assert failed.value.code == "storage_unavailable"


async def test_a_finished_step_is_not_asked_for_again_and_is_said_again() -> None:
    before = {"text": "I remember.", "usage": {"prompt_tokens": 3, "completion_tokens": 2}}
    async with agent_of() as (agent, model):
        turn = FakeTurn(steps=(before,))
        await agent(turn)
    assert model.requests == []
    assert turn.said == "I remember."
    assert turn.events[-1] == ("count", Usage(3, 2))


async def test_what_was_thought_before_a_crash_is_thought_again_before_what_was_said() -> None:
    async with agent_of() as (agent, _):
        turn = FakeTurn(steps=({"text": "Yes.", "reasoning": "hm"},))
        await agent(turn)
    assert turn.events[1:3] == [("think", "hm"), ("say", "Yes.")]


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_an_answer_that_was_cut_says_so_and_is_no_failure(reason: str) -> None:
    async with agent_of(says("half of it", finish=reason)) as (agent, _):
        turn = FakeTurn()
        await agent(turn)
    assert (turn.said, turn.finish_reason) == ("half of it", reason)


async def test_calls_and_results_are_kept_in_the_order_in_which_the_model_has_them() -> None:
    two = calls(("nap", {"seconds": 0}), ("sing", {}), text="Wait.")
    async with agent_of(two, says("done")) as (agent, model):
        turn = FakeTurn("hi")
        turn.steering.append("Go on.")
        await agent(turn)
    assert opening("", turn.kept, turn.content)[:-1] == model.requests[1]["messages"][2:]
    assert [message.role for message in turn.kept] == ["user", "assistant", "tool", "tool"]


async def test_a_call_whose_turn_ended_before_it_did_has_a_result_that_says_so() -> None:
    here, lost = ToolCall("t1", "see", "{}"), ToolCall("t2", "touch", "{}")
    said = ChatMessage("user", (Part("text", "go on"),))
    history = (
        ChatMessage("assistant", tool_calls=(here, lost)),
        ChatMessage("tool", (Part("text", "a cat"),), tool_call_id="t1"),
    )
    messages = opening("", (*history, said, *history), said)
    for part in (messages[:4], messages[4:]):
        assert [message["role"] for message in part] == ["assistant", "tool", "tool", "user"]
        assert part[2] == {"role": "tool", "content": NO_RESULT, "tool_call_id": "t2", "name": "touch"}


async def test_call_ids_are_used_once_in_a_conversation() -> None:
    """Some servers count them anew in every answer, and some refuse a conversation in which one stands twice."""
    once = calls(("nap", {"seconds": 0}))
    async with agent_of(once, once, says("done"), once, says("done")) as (agent, model):
        turn, later = FakeTurn(), FakeTurn()
        await agent(turn)
        later.history = tuple(turn.kept)
        await agent(later)
    ids = [call_id for call_id, _ in results(model.requests[4])]
    assert ids[0] == "c1"
    assert len(set(ids)) == 3


async def test_what_people_say_meanwhile_is_heard_at_the_next_step() -> None:
    turn = FakeTurn()

    @tool
    async def distract() -> str:
        """Be spoken to."""
        turn.steering.append("Hurry up.")
        return "done"

    async with agent_of(calls(("distract", {})), says("ok")) as (agent, model):
        agent._bench = Bench({"distract": distract}, ())
        await agent(turn)
    assert [message["role"] for message in model.requests[1]["messages"]][-3:] == [
        "assistant",
        "tool",
        "user",
    ]
    assert model.requests[1]["messages"][-1]["content"] == "Hurry up."


async def test_a_model_may_ask_a_person() -> None:
    asks = calls(
        ("ask_user", {"question": "Which?", "choices": ["a", "b"]}), ("ask_user", {"question": "Why?"})
    )
    async with agent_of(asks, says("ok"), tools=("builtin",)) as (agent, model):
        turn = FakeTurn()
        turn.replies = ["b", None]
        await agent(turn)
    assert sorted(event for event in turn.events if event[0] == "question") == [
        ("question", "Which?", ("a", "b")),
        ("question", "Why?", ()),
    ]
    assert sorted(text for _, text in results(model.requests[1])) == ["Nobody answered in time.", "b"]


async def test_steps_are_limited() -> None:
    again = calls(("nap", {"seconds": 0}))
    async with agent_of(*[again] * 5, turn_steps=3) as (agent, model):
        with pytest.raises(PlacetError) as failed:
            await agent(FakeTurn())
    assert failed.value.code == "too_many_steps"
    assert len(model.requests) == 3


async def test_tokens_are_limited() -> None:
    again = calls(("nap", {"seconds": 0}), usage=(90, 10))
    async with agent_of(again, again, again, says("done"), turn_tokens=200) as (agent, model):
        turn = FakeTurn()
        with pytest.raises(PlacetError) as failed:
            await agent(turn)
    assert failed.value.code == "too_many_tokens"
    assert len(model.requests) == 2
    assert turn.kinds().count("count") == 2


async def test_a_failed_model_fails_the_turn() -> None:
    async with agent_of(Reply(steps=({"text": "half"},), finish=None)) as (agent, _):
        turn = FakeTurn()
        with pytest.raises(ModelFailed):
            await agent(turn)
    assert turn.kinds() == ["say"]


async def test_settings_of_the_client_are_passed_on() -> None:
    settings = Settings(
        model="placet",
        temperature=0.2,
        top_p=0.9,
        max_tokens=5,
        max_completion_tokens=6,
        stop=("x",),
        seed=1,
        response_format={"type": "json_object"},
        reasoning_effort="low",
        presence_penalty=0.1,
        frequency_penalty=0.2,
        user="u",
        metadata={"a": "b"},
    )
    async with agent_of(says("ok")) as (agent, model):
        turn = FakeTurn()
        turn.settings = settings
        await agent(turn)
    sent = model.requests[0]
    expected = {name: value for name, value in msgspec.to_builtins(settings).items() if name != "model"}
    assert {name: sent[name] for name in expected} == {**expected, "stop": ["x"]}
    assert sent["model"] == "fake"


async def test_the_name_of_a_model_selects_it() -> None:
    other = ModelConfig(
        name="large", base_url="http://other.example/v1", model="provider/large-2", api_key="k" * 20
    )
    async with agent_of(says("ok"), says("ok"), models=(CONFIG, other)) as (agent, model):
        for wanted in ("large", "anything"):
            turn = FakeTurn()
            turn.settings = Settings(model=wanted)
            await agent(turn)
    assert [request["model"] for request in model.requests] == ["provider/large-2", "fake"]
    assert model.headers[0]["host"] == "other.example"
    assert "authorization" not in model.headers[1]


async def test_system_text_and_history_reach_the_model_whole() -> None:
    history = (
        ChatMessage(
            "user", (Part("text", text="look"), Part("image", url="data:image/png;base64,x", detail="low"))
        ),
        ChatMessage("assistant", tool_calls=(ToolCall("t1", "see", '{"a": 1}'),)),
        ChatMessage("tool", (Part("text", text="a cat"),), tool_call_id="t1"),
        ChatMessage("tool", tool_call_id="t2", name="see"),
        ChatMessage("assistant", (Part("text", text="a"), Part("text", text="b"))),
    )
    async with agent_of(says("ok")) as (agent, model):
        turn = FakeTurn("and now?")
        turn.history, turn.system = history, "Be brief."
        await agent(turn)
    system, *rest = model.requests[0]["messages"]
    assert system["role"] == "system"
    assert system["content"].endswith("\n\nBe brief.")
    image = {"url": "data:image/png;base64,x", "detail": "low"}
    call = {"id": "t1", "type": "function", "function": {"name": "see", "arguments": '{"a": 1}'}}
    assert rest == [
        {
            "role": "user",
            "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": image}],
        },
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "a cat", "tool_call_id": "t1"},
        {"role": "tool", "content": "", "tool_call_id": "t2", "name": "see"},
        {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "user", "content": "and now?"},
    ]


async def test_a_model_gives_work_to_others_and_is_told_what_came_of_it() -> None:
    large = ModelConfig(name="large", base_url="http://other.example/v1")
    three = calls(
        ("delegate", {"agent": "demo", "input": "say it"}),
        ("delegate", {"agent": "nobody", "input": "x"}),
        text="Let us see.",
    )
    models, delegates = (CONFIG, large), ("demo", "large")
    async with agent_of(three, says("done"), models=models, delegates=delegates) as (agent, model):
        turn = FakeTurn("go")
        await agent(turn)
    assert [event for event in turn.events if event[0] == "delegate"] == [
        ("delegate", "demo", "say it", "c1")
    ]
    told = dict(results(model.requests[1]))
    assert told["c2"] == "There is no agent 'nobody'. There are: demo, large."
    offered = model.requests[0]["tools"][-1]["function"]
    assert offered["parameters"]["properties"]["agent"]["enum"] == ["demo", "large"]
    assert "- demo: Answer one input, line by line." in offered["description"]


def test_what_cannot_be_run_again_cannot_be_delegated_to() -> None:
    settings = msgspec.structs.replace(SETTINGS, delegates=("tests.system.agents.script:opaque",))
    with pytest.raises(StartRefused, match="must be marked replayable"):
        load_agent("openai", settings)


async def test_tools_are_offered_or_not_at_all() -> None:
    async with agent_of(says("ok")) as (agent, model):
        await agent(FakeTurn())
    assert [each["function"]["name"] for each in model.requests[0]["tools"]] == ["nap", "broken"]
    async with agent_of(says("ok"), tools=()) as (agent, model):
        await agent(FakeTurn())
    assert "tools" not in model.requests[0]


def test_the_agent_is_replayable_and_async() -> None:
    agent = load_agent("openai", SETTINGS)
    assert (agent.name, agent.blocking, agent.replayable) == ("openai", False, True)


async def test_its_lifespan_ends_its_connections() -> None:
    agent = load_agent("openai", SETTINGS)
    async with agent.lifespan():
        pass
    with pytest.raises(RuntimeError, match="closed"):
        await agent.function(FakeTurn())


def test_without_a_model_the_server_does_not_start() -> None:
    with pytest.raises(StartRefused, match="PLACET_MODEL_BASE_URL"):
        load_agent("openai")
