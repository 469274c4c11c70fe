"""An `Idempotency-Key` on what admits nothing: steering, making and forking a session, letting a prompt wait longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from placet.http.openapi import OPERATIONS
from placet.http.requests.parameters import IDEMPOTENCY_KEY
from tests.http.routes.house import CLIENT_KEY, serving

if TYPE_CHECKING:
    from placet.actors.agents import Turn
    from tests.http.routes.house import Answer, Client


async def deaf(turn: Turn) -> None:
    await trio.sleep_forever()


async def asks(turn: Turn) -> None:
    await turn.request_approval(command="rm x", description="it deletes")


def replayed(answer: Answer) -> bool:
    assert answer.status < 300, answer.json
    return answer.headers.get("idempotency-replayed") == "true"


async def all_at_once(client: Client, path: str, body: dict, key: str) -> list[Answer]:
    answers: list[Answer] = []

    async def one() -> None:
        answers.append(await client.post(path, body, Idempotency_Key=key))

    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(one)
    return answers


async def test_a_run_is_told_something_once_also_when_it_has_ended(autojump_clock) -> None:
    async with serving(deaf) as client:
        run_id = (await client.post("/v1/runs", {"input": "a", "session_id": "s"})).json["run_id"]
        path = f"/v1/runs/{run_id}/steer"
        answers = await all_at_once(client, path, {"text": "left"}, "k")
        assert sorted(map(replayed, answers)) == [False, True, True, True, True]
        assert replayed(await client.post(path, {"message": "left"}, Idempotency_Key="k")), (
            "it means the same"
        )
        changed = await client.post(path, {"text": "right"}, Idempotency_Key="k")
        assert changed.verdict == (409, "idempotency_key_conflict")
        assert changed.headers["x-should-retry"] == "false"
        events = await client.sessions.store.events("s", after=0, up_to=100, limit=100)
        assert [type(item.event).__name__ for item in events].count("SteeringReceived") == 1
        await client.post(f"/v1/runs/{run_id}/stop")
        await (await client.stream("GET", f"/v1/runs/{run_id}/events")).rest()
        assert replayed(await client.post(path, {"text": "left"}, Idempotency_Key="k"))
        late = await client.post(path, {"text": "left"}, Idempotency_Key="other")
        assert late.verdict == (409, "run_not_accepting_steer"), "a refusal burns no key"


async def test_a_session_is_made_once(autojump_clock) -> None:
    async with serving(deaf) as client:
        answers = await all_at_once(client, "/api/sessions", {"title": "t"}, "k")
        assert sorted(map(replayed, answers)) == [False, True, True, True, True]
        (session_id,) = {answer.json["session"]["id"] for answer in answers}
        assert len((await client.get("/api/sessions")).json["data"]) == 1
        changed = await client.post("/api/sessions", {"title": "u"}, Idempotency_Key="k")
        assert changed.verdict == (409, "idempotency_key_conflict")
        his = await client.as_(CLIENT_KEY).post("/api/sessions", {"title": "u"}, Idempotency_Key="k")
        assert not replayed(his), "another's key is another key"
        await client.call("DELETE", f"/api/sessions/{session_id}")
        again = await client.post("/api/sessions", {"title": "t"}, Idempotency_Key="k")
        assert again.verdict == (404, "session_not_found"), "what came of it is gone; it is not made anew"


async def test_a_key_is_free_again_a_day_later(autojump_clock) -> None:
    async with serving(deaf) as client:
        first = await client.post("/api/sessions", {}, Idempotency_Key="k")
        await trio.sleep(25 * 3600)
        second = await client.post("/api/sessions", {"title": "t"}, Idempotency_Key="k")
        assert not replayed(second)
        assert second.json["session"]["id"] != first.json["session"]["id"]
        await trio.sleep(25 * 3600)
        services = client.sessions.services
        assert (await services.store.tidy(now=services.now(), limits=services.limits)).keys == 1


async def test_a_session_is_forked_once(autojump_clock) -> None:
    async with serving(deaf) as client:
        for name in ("a", "b"):
            await client.post("/api/sessions", {"id": name})
        first = await client.post("/api/sessions/a/fork", {}, Idempotency_Key="k")
        await client.call("PATCH", "/api/sessions/a", {"end_reason": None})
        again = await client.post("/api/sessions/a/fork", {}, Idempotency_Key="k")
        assert (replayed(first), replayed(again)) == (False, True)
        assert again.json == first.json
        assert (await client.get("/api/sessions/a")).json["session"]["end_reason"] is None, "it is left alone"
        other = await client.post("/api/sessions/b/fork", {}, Idempotency_Key="k")
        assert other.verdict == (409, "idempotency_key_conflict")


async def test_a_prompt_is_given_more_time_once(autojump_clock) -> None:
    async with serving(asks) as client:
        run_id = (await client.post("/v1/runs", {"input": "a"})).json["run_id"]
        stream = await client.stream("GET", f"/v1/runs/{run_id}/events")
        prompt = (await stream.until("approval.request"))[-1].json
        path = f"/v1/approvals/{prompt['request_id']}/extend"
        answers = await all_at_once(client, path, {"seconds": 60}, "k")
        assert sorted(map(replayed, answers)) == [False, True, True, True, True]
        assert {answer.json["expires_at"] for answer in answers} == {prompt["expires_at"] + 60}
        assert (await client.post(path, {"seconds": 61}, Idempotency_Key="k")).status == 409
        assert not replayed(await client.post(path, {"seconds": 60}, Idempotency_Key="other"))
        await client.post(f"/v1/runs/{run_id}/approval", {"choice": "once"})
        assert replayed(await client.post(path, {"seconds": 60}, Idempotency_Key="k")), (
            "also when it was decided"
        )


async def test_a_bad_key_is_refused(autojump_clock) -> None:
    async with serving(deaf) as client:
        refused = await client.post("/api/sessions", {}, Idempotency_Key="a key")
        assert refused.verdict == (400, "invalid_idempotency_key")


def test_every_post_takes_a_key_but_those_that_change_nothing_when_they_are_repeated() -> None:
    without = {
        operation.name
        for operation in OPERATIONS
        if operation.method == "POST" and IDEMPOTENCY_KEY not in operation.headers
    }
    answers = {"run_approval", "approval_decision", "run_clarify"}
    ends = {"run_stop", "response_cancel", "run_unknown_resolution"}
    not_for_scripts = {"viewer_ticket", "console_sign_in", "answer_decision"}
    assert without <= answers | ends | not_for_scripts
    assert answers | ends <= without
