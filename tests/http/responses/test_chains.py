"""What a response goes on from: chains that may branch, and conversations by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import trio

from placet.actors.protocol.limits import Limits
from tests.http.routes.house import CLIENT_KEY, Client, serving

if TYPE_CHECKING:
    from placet.actors.agents import Turn


async def remembers(turn: Turn) -> str:
    """Answers with all that it was given: history, system text, input."""
    heard = [f"{message.role[0]}:{message.text}" for message in turn.history]
    return json.dumps([[line if len(line) < 9 else "…" for line in heard], turn.system, turn.input])


async def ask(client: Client, text: Any, **more: Any) -> tuple[str, list[str], str]:
    """The response's id, and the history and the system text that its agent saw."""
    headers = more.pop("headers", {})
    answer = await client.post("/v1/responses", {"input": text, **more}, **headers)
    assert answer.status == 200, answer
    history, system, _ = json.loads(answer.json["output"][0]["content"][0]["text"])
    return answer.json["id"], history, system


async def test_a_chain_keeps_its_session_and_each_message_once(autojump_clock) -> None:
    async with serving(remembers) as client:
        first, history, _ = await ask(client, "1")
        assert history == []
        second, history, _ = await ask(client, "2", previous_response_id=first)
        assert history == ["u:1", "…"]
        _, history, _ = await ask(client, "3", previous_response_id=second)
        assert history == ["u:1", "…", "u:2", "…"]
        runs = (await client.get("/v1/runs")).json["data"]
        assert len({run["session_id"] for run in runs}) == 1


async def test_branches_do_not_see_each_other(autojump_clock) -> None:
    async with serving(remembers) as client:
        root, _, _ = await ask(client, "1")
        left, _, _ = await ask(client, "2", previous_response_id=root)
        _, history, _ = await ask(client, "3", previous_response_id=root)
        assert history == ["u:1", "…"]
        _, history, _ = await ask(client, "4", previous_response_id=left)
        assert history == ["u:1", "…", "u:2", "…"]


async def test_what_stands_before_the_last_message_is_part_of_the_chain(autojump_clock) -> None:
    async with serving(remembers) as client:
        first, history, _ = await ask(client, ["a", "1"])
        assert history == ["u:a"]
        second, history, _ = await ask(client, ["b", "2"], previous_response_id=first)
        assert history == ["u:a", "u:1", "…", "u:b"]
        _, history, _ = await ask(client, "3", previous_response_id=second)
        assert history == ["u:a", "u:1", "…", "u:b", "u:2", "…"]


async def test_a_history_in_the_body_wins_over_the_chain(autojump_clock) -> None:
    async with serving(remembers) as client:
        first, _, _ = await ask(client, "1")
        brought = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]
        second, history, _ = await ask(client, "2", previous_response_id=first, conversation_history=brought)
        assert history == ["u:x", "a:y"]
        _, history, _ = await ask(client, "3", previous_response_id=second)
        assert history == ["u:x", "a:y", "u:2", "…"]


async def test_instructions_hold_until_others_are_given(autojump_clock) -> None:
    async with serving(remembers) as client:
        first, _, system = await ask(client, "1", instructions="be brief")
        assert system == "be brief"
        given = [{"role": "system", "content": "now"}, "2"]
        second, _, system = await ask(client, given, previous_response_id=first)
        assert system == "be brief\nnow"
        third, _, system = await ask(client, "3", previous_response_id=second)
        assert system == "be brief"
        _, _, system = await ask(client, "4", previous_response_id=third, instructions="be long")
        assert system == "be long"


async def test_truncation_keeps_the_newest_hundred(autojump_clock) -> None:
    async with serving(remembers) as client:
        first, _, _ = await ask(client, [*map(str, range(150)), "now"])
        _, history, _ = await ask(client, "x", previous_response_id=first)
        assert (len(history), history[0]) == (152, "u:0")
        _, history, _ = await ask(client, "x", previous_response_id=first, truncation="auto")
        assert (len(history), history[-2]) == (100, "u:now")


async def test_a_conversation_is_made_gone_on_with_and_kept_apart(autojump_clock) -> None:
    async with serving(remembers) as client:
        _, history, _ = await ask(client, "1", conversation="a", instructions="brief")
        assert history == []
        _, history, system = await ask(client, "2", conversation="a")
        assert (history, system) == (["u:1", "…"], "brief")
        for stranger, name in ((client, "b"), (client.as_(CLIENT_KEY), "a")):
            _, history, system = await ask(stranger, "3", conversation=name)
            assert (history, system) == ([], "")
        _, history, _ = await ask(client, ["b", "4"], conversation={"id": "a"})
        assert history == ["u:1", "…", "u:2", "…", "u:b"]
        _, history, _ = await ask(client, "5", conversation="a")
        assert history[4:6] == ["u:b", "u:4"]


async def test_what_is_not_stored_is_no_part_of_its_conversation(autojump_clock) -> None:
    async with serving(remembers) as client:
        await ask(client, "1", conversation="a")
        await ask(client, "2", conversation="a", store=False)
        _, history, _ = await ask(client, "3", conversation="a")
        assert history == ["u:1", "…"]


async def test_responses_of_a_conversation_that_arrive_together_follow_one_another(autojump_clock) -> None:
    async with serving(remembers) as client:
        answers: list[list[str]] = []

        async def one(text: str) -> None:
            answers.append((await ask(client, text, conversation="a"))[1])

        async with trio.open_nursery() as nursery:
            for text in ("1", "2", "3"):
                nursery.start_soon(one, text)
        assert sorted(map(len, answers)) == [0, 2, 4]


async def test_a_retry_is_no_conflict_although_its_conversation_went_on(autojump_clock) -> None:
    async with serving(remembers) as client:
        key = {"Idempotency_Key": "k"}
        first = await ask(client, "1", conversation="a", headers=key)
        await ask(client, "2", conversation="a")
        assert await ask(client, "1", conversation="a", headers=key) == first
        chained = await ask(client, "3", previous_response_id=first[0], headers={"Idempotency_Key": "l"})
        again = await ask(client, "3", previous_response_id=first[0], headers={"Idempotency_Key": "l"})
        assert again == chained


async def test_a_session_that_the_headers_name_has_the_history(autojump_clock) -> None:
    async with serving(remembers) as client:
        headers = {"X_Hermes_Session_Id": "mine"}
        first, history, _ = await ask(client, ["a", "1"], headers=headers)
        assert history == []
        _, history, _ = await ask(client, "2", headers=headers)
        assert history == ["u:1", "…"]
        _, history, _ = await ask(client, "3", previous_response_id=first, headers=headers)
        assert history == ["u:1", "…"]
        other = await client.post(
            "/v1/responses", {"input": "4", "previous_response_id": first}, X_Hermes_Session_Id="other"
        )
        assert other.verdict == (400, "invalid_session_id")


async def test_what_goes_on_from_a_running_response_waits_for_its_answer(autojump_clock) -> None:
    async def slow(turn: Turn) -> str:
        await trio.sleep(60)
        return await remembers(turn)

    async with serving(slow, limits=Limits(turn_timeout_s=1e6)) as client:
        begun = await client.post("/v1/responses", {"input": "1", "background": True})
        _, history, _ = await ask(client, "2", previous_response_id=begun.json["id"])
        assert history == ["u:1", "…"]
