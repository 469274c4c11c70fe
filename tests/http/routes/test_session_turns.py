"""Talking to a session, in one piece, in a stream, and as a viewer of all that happens in it."""

from __future__ import annotations

from placet.actors.agents import Turn
from tests.http.routes.house import CLIENT_KEY, Client, serving

CHAT = "/api/sessions/s/chat"


async def echoes(turn: Turn) -> str:
    return f"you said {turn.input}"


async def asks(turn: Turn) -> str:
    await turn.say("may I? ")
    decision = await turn.request_approval(command="rm x", description="it deletes")
    await turn.say("so: ")
    return str(decision.choice)


async def breaks(turn: Turn) -> None:
    raise RuntimeError("inside")


async def make(client: Client) -> None:
    await client.post("/api/sessions", {"id": "s"})


async def test_a_session_answers_in_one_piece(autojump_clock) -> None:
    async with serving(echoes) as client:
        await make(client)
        answer = await client.post(CHAT, {"message": "hi"}, Idempotency_Key="k")
        assert (answer.status, answer.json["object"]) == (200, "hermes.session.chat.completion")
        assert answer.json["message"] == {"role": "assistant", "content": "you said hi"}
        assert answer.headers["x-hermes-session-id"] == "s"
        again = await client.post(CHAT, {"message": "hi"}, Idempotency_Key="k")
        assert (again.json["message"], again.headers["idempotency-replayed"]) == (
            answer.json["message"],
            "true",
        )
        assert (await client.post(CHAT, {})).verdict == (400, "missing_message")
        assert (await client.post("/api/sessions/t/chat", {"message": "x"})).verdict == (
            404,
            "session_not_found",
        )
        assert (await client.as_(CLIENT_KEY).post(CHAT, {"message": "x"})).verdict == (
            404,
            "session_not_found",
        )


async def test_a_failed_turn_is_a_failed_answer(autojump_clock) -> None:
    async with serving(breaks) as client:
        await make(client)
        assert (await client.post(CHAT, {"message": "hi"})).verdict == (502, "agent_failed")


async def test_a_stream_resumes_at_each_id_while_it_runs_and_afterwards(autojump_clock) -> None:
    async with serving(asks) as client:
        await make(client)

        async def stream(**headers: str):
            return await client.stream(
                "POST", f"{CHAT}/stream", {"message": "hi"}, Idempotency_Key="k", **headers
            )

        live = await stream()
        seen = await live.until("approval.request")
        waiting = await stream(Last_Event_ID=seen[-2].id)
        shown = (await waiting.until("approval.request"))[-1].json
        assert shown["request_id"] == seen[-1].json["request_id"]
        assert shown["status"] == "open"
        await client.post(f"/v1/runs/{seen[-1].json['run_id']}/approval", {"choice": "once"})
        seen += await live.rest()
        assert seen[-1].name == "done"
        told = [(event.name, event.json["seq"]) for event in seen]
        for place in {event.id for event in seen if event.id}:
            again = await (await stream(Last_Event_ID=place)).rest()
            missed = [item for item in told if item[1] > int(place)]
            assert [(event.name, event.json["seq"]) for event in again] == missed
        assert [event.json["seq"] for event in await waiting.rest()] == [
            seq for _, seq in told if seq > shown["seq"]
        ]


async def test_to_resume_one_must_say_what(autojump_clock) -> None:
    async with serving(asks) as client:
        await make(client)
        path, body = f"{CHAT}/stream", {"message": "hi"}
        refused = await client.call("POST", path, body, Last_Event_ID="3")
        assert refused.verdict == (400, "invalid_last_event_id")
        assert (await client.get("/v1/runs")).json["data"] == [], "nothing was begun"
        (await client.stream("POST", path, body, Idempotency_Key="k")).close()
        for place in ("x", "100000"):
            refused = await client.call("POST", path, body, Idempotency_Key="k", Last_Event_ID=place)
            assert refused.verdict == (400, "invalid_last_event_id")


async def test_a_viewer_sees_all_that_happens_in_a_session_and_resumes_anywhere(autojump_clock) -> None:
    async with serving(asks) as client:
        await make(client)
        viewer = await client.stream("GET", "/api/sessions/s/events")
        runs = [
            (await client.post("/v1/runs", {"input": text, "session_id": "s"})).json["run_id"]
            for text in "ab"
        ]
        whole = []
        for run_id, choice in zip(runs, ("once", "deny"), strict=True):
            whole += await viewer.until("approval.request")
            assert whole[-1].json["run_id"] == run_id
            await client.post(f"/v1/runs/{run_id}/approval", {"choice": choice})
            whole += await viewer.until("run.completed")
            assert (whole[-1].json["run_id"], whole[-1].json["output"]) == (run_id, f"may I? so: {choice}")
        await client.call("PATCH", "/api/sessions/s", {"title": "t"})
        whole += await viewer.until("session.updated")
        assert whole[-1].json["title"] == "t"
        for cut, event in enumerate(whole, start=1):
            late = await client.stream("GET", f"/api/sessions/s/events?after={event.id}")
            assert [(await late.read()).id for _ in whole[cut:]] == [item.id for item in whole[cut:]]
            late.close()
        late = await client.stream("GET", "/api/sessions/s/events")
        replayed = await late.until("session.updated")
        statuses = [event.json["status"] for event in replayed if event.name == "approval.request"]
        assert statuses == ["approved", "denied"]
        assert {event.json["run_id"] for event in replayed if event.name == "message.delta"} == set(runs)
        assert (await client.as_(CLIENT_KEY).get("/api/sessions/s/events")).verdict == (
            404,
            "session_not_found",
        )
        beyond = await client.get("/api/sessions/s/events", Last_Event_ID="100000")
        assert beyond.verdict == (400, "invalid_last_event_id")


async def test_a_viewer_that_comes_late_is_shown_what_is_open(autojump_clock) -> None:
    async with serving(asks) as client:
        await make(client)
        run_id = (await client.post("/v1/runs", {"input": "a", "session_id": "s"})).json["run_id"]
        first = await client.stream("GET", "/api/sessions/s/events")
        prompt = (await first.until("approval.request"))[-1]
        after = await client.stream("GET", "/api/sessions/s/events", Last_Event_ID=str(int(prompt.id) - 1))
        shown = await after.read()
        assert (shown.name, shown.json["status"], shown.json["run_id"]) == (
            "approval.request",
            "open",
            run_id,
        )
        await after.listen(35)
        assert after.parser.comments == ["open", "keepalive", "keepalive", "keepalive"]
