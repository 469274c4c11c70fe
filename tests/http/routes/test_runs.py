"""`/v1/runs`: submitting, listing, following from any place."""

from __future__ import annotations

from itertools import groupby

import pytest
import trio

from placet.actors.agents import Turn
from placet.actors.protocol.limits import Limits
from tests.http.routes.house import APPROVER_KEY, CLIENT_KEY, Client, serving


async def echoes(turn: Turn) -> str:
    await turn.say("you said ")
    return turn.input


async def asks(turn: Turn) -> str:
    await turn.say("may I? ")
    decision = await turn.request_approval(command="rm -rf x", description="it deletes")
    return f"{decision.choice}: {decision.reason}"


async def waits(turn: Turn) -> None:
    await trio.sleep_forever()


async def start(client: Client, text: object = "hi", **more: object) -> str:
    answer = await client.post("/v1/runs", {"input": text, **more})
    assert (answer.status, answer.json["status"], answer.json["replayed"]) == (202, "started", False)
    return str(answer.json["run_id"])


async def test_a_run_is_accepted_followed_to_its_end_and_read(autojump_clock) -> None:
    async with serving(echoes) as client:
        run_id = await start(client)
        assert run_id.startswith("run_")
        stream = await client.stream("GET", f"/v1/runs/{run_id}/events")
        events = await stream.rest()
        names = [name for name, _ in groupby(event.name for event in events)]
        assert names == ["run.queued", "run.started", "message.delta", "run.completed"]
        assert all(event.json["event"] == event.name for event in events)
        assert all((event.json["run_id"], str(event.json["seq"])) == (run_id, event.id) for event in events)
        assert events[-1].json["output"] == "you said hi"
        assert stream.parser.comments == ["open", "stream closed"]
        read = await client.get(f"/v1/runs/{run_id}")
        assert (read.json["status"], read.json["output"]) == ("completed", "you said hi")


async def test_each_way_to_ask_reaches_the_agent(autojump_clock) -> None:
    seen: list[tuple[str, list[str], str]] = []

    async def notes(turn: Turn) -> None:
        seen.append((turn.input, [message.text for message in turn.history], turn.system))

    async with serving(notes) as client:
        for body in (
            {"input": "plain"},
            {"input": [{"type": "input_text", "text": "part"}], "instructions": "be brief"},
            {"input": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, "last"]},
            {
                "input": [{"role": "system", "content": "inner"}, {"role": "user", "content": "now"}],
                "instructions": "outer",
                "conversation_history": [{"role": "user", "content": "before"}],
            },
        ):
            answer = await client.post("/v1/runs", body)
            await (await client.stream("GET", f"/v1/runs/{answer.json['run_id']}/events")).rest()
        assert seen == [
            ("plain", [], ""),
            ("part", [], "be brief"),
            ("last", ["a", "b"], ""),
            ("now", ["before"], "outer\ninner"),
        ]


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ({}, (400, "missing_input")),
        ({"input": []}, (400, "missing_input")),
        ({"input": 42}, (400, "invalid_content_part")),
        ({"input": "  "}, (400, "no_user_message")),
        ({"input": "x", "session_id": "../x"}, (400, "invalid_session_id")),
        ({"input": "x", "conversation_history": "no"}, (400, "invalid_message")),
        ({"input": "x", "previous_response_id": "resp_0"}, (404, "response_not_found")),
    ],
)
async def test_what_a_run_cannot_be_made_of(body, verdict, autojump_clock) -> None:
    async with serving(echoes) as client:
        assert (await client.post("/v1/runs", body)).verdict == verdict
        assert (await client.get("/v1/runs")).json["data"] == []


async def test_an_exact_retry_gets_the_same_run_even_when_the_server_is_full(autojump_clock) -> None:
    async with serving(waits, limits=Limits(running_turns=1)) as client:
        first = await client.post("/v1/runs", {"input": "a"}, Idempotency_Key="k")
        assert (await client.post("/v1/runs", {"input": "b"})).verdict == (429, "rate_limit_exceeded")
        again = await client.post("/v1/runs", {"input": "a"}, Idempotency_Key="k")
        assert (again.status, again.json["run_id"]) == (202, first.json["run_id"])
        assert (again.json["status"], again.json["replayed"]) == ("running", True)
        assert again.headers["idempotency-replayed"] == "true"
        other = await client.post("/v1/runs", {"input": "c"}, Idempotency_Key="k")
        assert other.verdict == (409, "idempotency_key_conflict")


async def test_a_run_goes_on_where_the_one_before_ended(autojump_clock) -> None:
    async def remembers(turn: Turn) -> str:
        return "|".join(message.text for message in (*turn.history, turn.content))

    async with serving(remembers) as client:
        first = await start(client, "a", session_id="s")
        await (await client.stream("GET", f"/v1/runs/{first}/events")).rest()
        second = await start(client, "b", previous_response_id=first)
        await (await client.stream("GET", f"/v1/runs/{second}/events")).rest()
        assert (await client.get(f"/v1/runs/{second}")).json["output"] == "a|a|b"
        clash = {"input": "c", "session_id": "t", "previous_response_id": first}
        assert (await client.post("/v1/runs", clash)).verdict == (400, "invalid_session_id")


async def test_lists_show_what_one_may_see_and_asks_for(autojump_clock) -> None:
    async with serving(asks) as client:
        mine = [await start(client, session_id="s"), await start(client, session_id="s")]
        carl = client.as_(CLIENT_KEY)
        his = await start(carl)
        await (await client.stream("GET", f"/v1/runs/{mine[0]}/events")).until("approval.request")
        await (await client.stream("GET", f"/v1/runs/{his}/events")).until("approval.request")

        async def ids(who: Client, query: str = "") -> list[str]:
            return [run["run_id"] for run in (await who.get(f"/v1/runs{query}")).json["data"]]

        assert await ids(client) == [his, mine[1], mine[0]]
        assert await ids(client.as_(APPROVER_KEY)) == [his, mine[1], mine[0]]
        assert await ids(carl) == [his]
        assert await ids(client, "?session_id=s") == [mine[1], mine[0]]
        assert await ids(client, "?status=queued") == [mine[1]]
        assert await ids(client, "?status=waiting_for_approval") == [his, mine[0]]
        assert await ids(client, "?status=running") == []
        page = (await client.get("/v1/runs?limit=2")).json
        assert (len(page["data"]), page["has_more"]) == (2, True)
        assert await ids(client, f"?after={mine[1]}") == [mine[0]]
        assert (await client.get("/v1/runs?status=odd")).verdict == (400, "invalid_params")
        assert (await client.get("/v1/runs?limit=0")).verdict == (400, "invalid_pagination")


async def test_a_stream_resumes_at_each_id_with_exactly_what_came_after(autojump_clock) -> None:
    async with serving(asks) as client:
        run_id = await start(client)
        live = await client.stream("GET", f"/v1/runs/{run_id}/events")
        await live.until("approval.request")
        await client.post(f"/v1/runs/{run_id}/approval", {"choice": "deny", "reason": "not today"})
        await live.rest()
        whole = await (await client.stream("GET", f"/v1/runs/{run_id}/events")).rest()
        assert [event.name for event in whole][-3:] == [
            "approval.responded",
            "message.delta",
            "run.completed",
        ]
        assert whole[-1].json["output"] == "may I? deny: not today"
        for cut, event in enumerate(whole, start=1):
            for place in ({"Last_Event_ID": event.id}, {}):
                path = f"/v1/runs/{run_id}/events" + ("" if place else f"?after={event.id}")
                stream = await client.stream("GET", path, **place)
                assert [item.id for item in await stream.rest()] == [item.id for item in whole[cut:]]
                assert stream.parser.comments == ["open", "stream closed"]


@pytest.mark.parametrize("place", ["x", "-1", "1.5", "9" * 19, "1000"])
async def test_an_id_that_no_event_had_is_refused(place, autojump_clock) -> None:
    async with serving(waits) as client:
        run_id = await start(client)
        refused = await client.get(f"/v1/runs/{run_id}/events", Last_Event_ID=place)
        assert refused.verdict == (400, "invalid_last_event_id")
        assert client.sessions.services.streams == 0


async def test_a_late_viewer_is_shown_an_open_prompt_once_and_a_closed_one_as_closed(autojump_clock) -> None:
    async with serving(asks) as client:
        run_id = await start(client)
        early = await client.stream("GET", f"/v1/runs/{run_id}/events")
        prompt = (await early.until("approval.request"))[-1].json
        late = await client.stream("GET", f"/v1/runs/{run_id}/events")
        shown = (await late.until("approval.request"))[-1].json
        assert shown == prompt
        assert shown["status"] == "open"
        await client.post(f"/v1/runs/{run_id}/approval", {"choice": "once"})
        assert [event.name for event in await late.rest()].count("approval.request") == 0
        after = await (await client.stream("GET", f"/v1/runs/{run_id}/events")).rest()
        requests = [event.json for event in after if event.name == "approval.request"]
        assert [request["status"] for request in requests] == ["approved"]


async def test_a_quiet_stream_shows_a_sign_of_life_and_leaving_harms_nobody(autojump_clock) -> None:
    async with serving(asks) as client:
        run_id = await start(client)
        leaver = await client.stream("GET", f"/v1/runs/{run_id}/events")
        stayer = await client.stream("GET", f"/v1/runs/{run_id}/events")
        await leaver.until("approval.request")
        await leaver.listen(35)
        assert leaver.parser.comments == ["open", "keepalive", "keepalive", "keepalive"]
        leaver.close()
        await client.post(f"/v1/runs/{run_id}/approval", {"choice": "once"})
        assert (await stayer.rest())[-1].name == "run.completed"


async def test_strangers_see_no_run(autojump_clock) -> None:
    async with serving(echoes) as client:
        run_id = await start(client)
        carl = client.as_(CLIENT_KEY)
        for path in (f"/v1/runs/{run_id}", f"/v1/runs/{run_id}/events"):
            assert (await carl.get(path)).verdict == (404, "run_not_found")
        assert (await client.as_("nobody's key at all").get("/v1/runs")).status == 401
