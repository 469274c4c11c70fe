"""`/v1/responses`: asking, reading, resuming, stopping, deleting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from tests.http.responses.frames import ENDS, numbers
from tests.http.routes.house import APPROVER_KEY, CLIENT_KEY, Client, Stream, serving

if TYPE_CHECKING:
    from placet.actors.agents import Turn
    from tests.helpers import Event

STREAM: dict[str, Any] = {"input": "hi", "stream": True}


async def echoes(turn: Turn) -> str:
    await turn.think("what did they say?")
    await turn.say("you said ")
    return turn.input


async def asks(turn: Turn) -> str:
    await turn.say("may I? ")
    decision = await turn.request_approval(command="rm -rf x", description="it deletes")
    return f"{decision.choice}: {decision.reason}"


async def raises(turn: Turn) -> str:
    await turn.say("half")
    raise RuntimeError("secret")


async def waits(turn: Turn) -> None:
    await turn.say("first ")
    await trio.sleep_forever()


async def opened(client: Client, **more: Any) -> Stream:
    return await client.stream("POST", "/v1/responses", STREAM, **more)


async def resumed(client: Client, run_id: str, after: int | None = None) -> Stream:
    place = "" if after is None else f"&starting_after={after}"
    return await client.stream("GET", f"/v1/responses/{run_id}?stream=true{place}")


def run_id_of(events: list[Event]) -> str:
    found: str = events[0].json["response"]["id"]
    return found


def text_of(response: dict[str, Any]) -> str:
    messages = [item for item in response["output"] if item["type"] == "message"]
    return "".join(message["content"][0]["text"] for message in messages)


async def test_the_answer_the_stream_and_what_is_read_later_agree(autojump_clock) -> None:
    async with serving(echoes) as client:
        events = await (await opened(client)).rest()
        streamed = events[-1].json["response"]
        assert (events[-1].name, text_of(streamed)) == ("response.completed", "you said hi")
        assert [item["type"] for item in streamed["output"]] == ["reasoning", "message"]
        run_id = run_id_of(events)
        assert (len(run_id), run_id[:5]) == (33, "resp_")
        read = await client.get(f"/v1/responses/{run_id}")
        assert (read.status, read.json) == (200, streamed)
        whole = await client.post("/v1/responses", {"input": "hi", "metadata": {"a": "b"}, "model": "m"})
        assert (whole.status, text_of(whole.json)) == (200, "you said hi")
        assert (whole.json["metadata"], whole.json["model"]) == ({"a": "b"}, "m")
        assert whole.headers["x-hermes-session-id"] == whole.json["placet"]["session_id"]
        run = await client.get(f"/v1/runs/{whole.json['id']}")
        assert (run.json["status"], run.json["output"]) == ("completed", "you said hi")


async def test_a_prompt_is_decided_by_the_response_id_as_by_any_run_id(autojump_clock) -> None:
    async with serving(asks) as client:
        stream = await opened(client)
        (prompt,) = (
            event.json for event in await stream.until("approval.request") if event.name == "approval.request"
        )
        run = await client.get(f"/v1/runs/{prompt['run_id']}")
        assert (run.json["status"], run.json["run_id"]) == ("waiting_for_approval", prompt["run_id"])
        waiting = await client.get(f"/v1/responses/{prompt['run_id']}")
        assert [item["type"] for item in waiting.json["output"]] == ["message", "mcp_approval_request"]
        assert waiting.json["status"] == "in_progress"
        decision = {"choice": "deny", "reason": "no", "request_id": prompt["request_id"]}
        answer = await client.as_(APPROVER_KEY).post(f"/v1/runs/{prompt['run_id']}/approval", decision)
        assert (answer.status, answer.json["status"]) == (200, "resolved")
        end = (await stream.rest())[-1].json["response"]
        assert text_of(end) == "may I? deny: no"


@pytest.mark.parametrize("dialect", ["event", "chunk", "none"])
async def test_the_dialect_says_how_a_prompt_is_shown(autojump_clock, dialect: str) -> None:
    async with serving(asks) as client:
        stream = await opened(client, X_Placet_Approvals=dialect)
        await trio.testing.wait_all_tasks_blocked()
        (prompt,) = (await client.get("/v1/approvals?status=open")).json["data"]
        await client.post(f"/v1/approvals/{prompt['request_id']}/decision", {"choice": "once"})
        events = await stream.rest()
        end = events[-1].json["response"]
        shown = any(event.name == "approval.request" for event in events)
        kinds = [item["type"] for item in end["output"]]
        assert (shown, "mcp_approval_request" in kinds) == (dialect == "event", dialect != "none")
        assert text_of(end) == "may I? once: "
        assert numbers(events) == list(range(len(numbers(events))))
        read = await client.get(f"/v1/responses/{end['id']}", X_Placet_Approvals=dialect)
        assert read.json == end


async def test_a_client_library_is_not_shown_what_would_break_it(autojump_clock) -> None:
    async with serving(asks) as client:
        stream = await opened(client, User_Agent="OpenAI/Python 3.57.0")
        events = await stream.until("response.output_item.done")
        events += await stream.until("response.output_item.done")
        assert all(event.name.startswith("response.") for event in events)
        assert events[-1].json["item"]["placet"]["approval"]["command"] == "rm -rf x"
        stream.close()


async def test_an_exact_retry_gets_identical_frames_while_it_runs_and_after(autojump_clock) -> None:
    async with serving(asks) as client:
        key = {"Idempotency_Key": "k"}
        first, second = await opened(client, **key), await opened(client, **key)
        seen = [await stream.until("approval.request") for stream in (first, second)]
        assert seen[0] == seen[1]
        assert ("idempotency-replayed" in first.headers, "idempotency-replayed" in second.headers) == (
            False,
            True,
        )
        first.close()
        await client.post(f"/v1/runs/{run_id_of(seen[0])}/approval", {"choice": "once"})
        whole = seen[1] + await second.rest()
        assert await (await opened(client, **key)).rest() == whole
        assert await (await resumed(client, run_id_of(whole))).rest() == whole
        stored = await client.post("/v1/responses", {"input": "hi"}, **key)
        assert stored.json == whole[-1].json["response"]
        assert stored.headers["idempotency-replayed"] == "true"
        other = await client.post("/v1/responses", {"input": "ho"}, **key)
        assert other.verdict == (409, "idempotency_key_conflict")
        assert len((await client.get("/v1/runs")).json["data"]) == 1


async def test_a_stream_is_resumed_after_any_number(autojump_clock) -> None:
    async with serving(asks) as client:
        live = await opened(client)
        seen = await live.until("approval.request")
        run_id = run_id_of(seen)
        again = await resumed(client, run_id, 4)
        await client.post(f"/v1/runs/{run_id}/approval", {"choice": "once"})
        whole = seen + await live.rest()
        assert await again.rest() == [e for e in whole if e.json.get("sequence_number", 5) > 4]
        last = numbers(whole)[-1]
        for after in (0, 1, last - 1):
            rest = await (await resumed(client, run_id, after)).rest()
            assert numbers(rest) == list(range(after + 1, last + 1))
        assert await (await resumed(client, run_id, last)).rest() == []
        for word in (str(last + 1), "x", "-1", "9" * 30):
            refused = await client.get(f"/v1/responses/{run_id}?stream=true&starting_after={word}")
            assert refused.verdict == (400, "invalid_starting_after")
        assert (await client.get(f"/v1/responses/{run_id}?stream=maybe")).verdict == (400, "invalid_params")


async def test_who_leaves_ends_nothing(autojump_clock) -> None:
    async with serving(asks) as client:
        stream = await opened(client)
        run_id = run_id_of(await stream.until("approval.request"))
        stream.close()
        await client.post(f"/v1/runs/{run_id}/approval", {"choice": "once"})
        assert (await (await resumed(client, run_id)).rest())[-1].name == "response.completed"


async def test_in_the_background_it_is_answered_at_once(autojump_clock) -> None:
    async with serving(asks) as client:
        begun = await client.post("/v1/responses", {"input": "hi", "background": True})
        assert (begun.status, begun.json["background"]) == (200, True)
        assert begun.json["status"] in ("queued", "in_progress")
        path = f"/v1/responses/{begun.json['id']}"
        stream = await client.stream("GET", f"{path}?stream=true")
        await stream.until("approval.request")
        await client.post(f"/v1/runs/{begun.json['id']}/approval", {"choice": "once"})
        await stream.rest()
        assert (await client.get(path)).json["status"] == "completed"


async def test_what_waits_its_turn_is_queued(autojump_clock) -> None:
    async with serving(waits) as client:
        bodies = [{"input": "hi", "background": True, "conversation": "c"}] * 2
        first, second = [(await client.post("/v1/responses", body)).json for body in bodies]
        assert (await client.get(f"/v1/responses/{second['id']}")).json["status"] == "queued"
        stopped = await client.post(f"/v1/responses/{second['id']}/cancel")
        assert (stopped.status, stopped.json["status"]) == (200, "cancelled")
        assert (await client.post(f"/v1/responses/{first['id']}/cancel")).json["status"] == "cancelled"


async def test_a_stop_ends_the_stream_with_its_own_event(autojump_clock) -> None:
    async with serving(waits) as client:
        stream = await opened(client)
        run_id = run_id_of(await stream.until("response.output_text.delta"))
        stopped = await client.post(f"/v1/responses/{run_id}/cancel")
        assert (stopped.json["status"], text_of(stopped.json)) == ("cancelled", "first ")
        events = await stream.rest()
        assert [event.name for event in events if event.name in ENDS] == ["response.cancelled"]
        again = await client.post(f"/v1/responses/{run_id}/cancel")
        assert (again.status, again.json["status"]) == (200, "cancelled")


async def test_an_agent_that_raises_has_failed_and_keeps_its_secrets(autojump_clock, caplog) -> None:
    async with serving(raises) as client:
        failed = await client.post("/v1/responses", {"input": "hi"})
        assert (failed.status, failed.json["status"]) == (200, "failed")
        assert failed.json["error"]["code"] == "agent_failed"
        assert "secret" not in str(failed.json)
        assert text_of(failed.json) == "half"
        assert (await (await opened(client)).rest())[-1].name == "response.failed"


async def test_what_was_not_stored_or_was_deleted_is_not_there(autojump_clock) -> None:
    async with serving(echoes) as client:
        kept, not_kept = [
            (await client.post("/v1/responses", {"input": "hi", "store": store})).json["id"]
            for store in (True, False)
        ]
        deleted = await client.call("DELETE", f"/v1/responses/{kept}")
        assert deleted.json == {"id": kept, "object": "response", "deleted": True}
        for run_id in (kept, not_kept, "resp_unknown"):
            path = f"/v1/responses/{run_id}"
            assert (await client.get(path)).verdict == (404, "response_not_found")
            assert (await client.call("DELETE", path)).verdict == (404, "response_not_found")
            assert (await client.post(f"{path}/cancel")).verdict == (404, "response_not_found")
            going_on = await client.post("/v1/responses", {"input": "x", "previous_response_id": run_id})
            assert going_on.verdict == (404, "response_not_found")
        assert (await client.get(f"/v1/runs/{kept}")).json["output"] == "you said hi"


async def test_others_cannot_see_it_and_who_only_decides_cannot_end_it(autojump_clock) -> None:
    async with serving(echoes) as client:
        run_id = (await client.post("/v1/responses", {"input": "hi"})).json["id"]
        path, stranger, approver = f"/v1/responses/{run_id}", client.as_(CLIENT_KEY), client.as_(APPROVER_KEY)
        assert (await stranger.get(path)).verdict == (404, "response_not_found")
        assert (await approver.get(path)).status == 200
        assert (await approver.call("DELETE", path)).verdict == (403, "role_required")
        assert (await approver.post(f"{path}/cancel")).verdict == (403, "role_required")
        going_on = {"input": "x", "previous_response_id": run_id}
        assert (await approver.post("/v1/responses", going_on)).verdict == (404, "response_not_found")
        assert (await client.as_("no-key").get(path)).verdict == (401, "gateway_auth_failed")


async def test_a_bad_request_admits_nothing(autojump_clock) -> None:
    async with serving(echoes) as client:
        for body in ({}, {"input": 42}, {"input": "x", "previous_response_id": "p", "conversation": "c"}):
            assert (await client.post("/v1/responses", body)).status == 400
        assert (await client.get("/v1/runs")).json["data"] == []
