"""`/api/sessions` as things: made, listed, changed, forked, read and deleted."""

from __future__ import annotations

import pytest
import trio

from placet.actors.agents import Turn
from tests.http.routes.house import APPROVER_KEY, CLIENT_KEY, Client, serving


async def remembers(turn: Turn) -> str:
    return "|".join(message.text for message in (*turn.history, turn.content))


async def waits(turn: Turn) -> None:
    await trio.sleep_forever()


async def asks(turn: Turn) -> str:
    decision = await turn.request_approval(command="rm x", description="it deletes")
    return str(decision.choice)


async def make(client: Client, session_id: str, **more: object) -> dict:
    made = await client.post("/api/sessions", {"id": session_id, **more})
    assert made.status == 201
    return made.json["session"]


async def say(client: Client, session_id: str, text: str, **headers: str) -> dict:
    answer = await client.post(f"/api/sessions/{session_id}/chat", {"message": text}, **headers)
    assert answer.status == 200, answer.json
    return answer.json


async def ids(client: Client, query: str = "") -> list[str]:
    return [item["id"] for item in (await client.get(f"/api/sessions{query}")).json["data"]]


async def test_sessions_are_listed_by_page_title_and_owner(autojump_clock) -> None:
    async with serving(remembers) as client:
        carl = client.as_(CLIENT_KEY)
        for name in "abc":
            await make(client, name, title=f"title {name}")
            await trio.sleep(1)
        await make(carl, "his")
        await client.post("/v1/runs", {"input": "in a session that nobody named"})
        assert await ids(client) == ["his", "c", "b", "a"]
        assert await ids(client.as_(APPROVER_KEY)) == ["his", "c", "b", "a"]
        assert await ids(carl) == ["his"]
        assert await ids(client, "?title=title%20b") == ["b"]
        assert await ids(client, "?limit=1&offset=2") == ["b"]
        assert await ids(client, "?after=c") == ["b", "a"]
        page = (await client.get("/api/sessions?limit=2")).json
        assert (page["object"], page["limit"], page["offset"], page["has_more"]) == ("list", 2, 0, True)
        for query in ("limit=0", "limit=201", "offset=-1", "limit=x"):
            assert (await client.get(f"/api/sessions?{query}")).verdict == (400, "invalid_pagination")


async def test_a_session_tells_what_is_in_it(autojump_clock) -> None:
    async with serving(remembers) as client:
        await make(client, "s", system_prompt="secret", title="t")
        await say(client, "s", "first   words\nof it")
        session = (await client.get("/api/sessions/s")).json["session"]
        assert (session["message_count"], session["preview"]) == (2, "first words of it")
        assert (session["has_system_prompt"], session["user_id"]) == (True, "api")
        assert "secret" not in str(session)
        assert (await client.get("/api/sessions/none")).verdict == (404, "session_not_found")
        assert (await client.as_(CLIENT_KEY).get("/api/sessions/s")).verdict == (404, "session_not_found")


async def test_fields_are_changed_and_stay_changed(autojump_clock) -> None:
    async with serving(remembers) as client:
        made = await make(client, "s", title="before")
        assert (made["pinned"], made["archived"], made["hidden"], made["end_reason"]) == (
            False,
            False,
            False,
            None,
        )

        async def patch(**changes: object) -> dict:
            return (await client.call("PATCH", "/api/sessions/s", changes)).json["session"]

        changed = await patch(title="after", pinned=True, archived=True, unread=True, end_reason="done")
        read = (await client.get("/api/sessions/s")).json["session"]
        assert changed == read
        assert (read["title"], read["pinned"], read["archived"], read["unread"]) == (
            "after",
            True,
            True,
            True,
        )
        assert (read["end_reason"], read["ended_at"] is not None) == ("done", True)
        assert read["revision"] == made["revision"] + 1
        again = await patch(title=None, end_reason=None, pinned=False)
        assert (again["title"], again["end_reason"], again["ended_at"], again["pinned"]) == (
            None,
            None,
            None,
            False,
        )
        assert again["archived"], "what was not named is as it was"
        await patch(hidden=True, title="t")
        assert await ids(client) == []
        assert await ids(client, "?title=t") == []
        assert await ids(client, "?title=t&include_hidden=true") == ["s"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"source": "x"}, "unsupported_session_field"),
        ({"pinned": 1}, "invalid_session_field"),
        ({"archived": "true"}, "invalid_session_field"),
        ({"hidden": None}, "invalid_session_field"),
        ({"end_reason": ""}, "invalid_session_field"),
        ({"title": 5}, "invalid_title"),
        ({"title": "x" * 101}, "invalid_title"),
        ({}, "invalid_session_field"),
    ],
)
async def test_what_cannot_be_changed(body, code, autojump_clock) -> None:
    async with serving(remembers) as client:
        made = await make(client, "s")
        assert (await client.call("PATCH", "/api/sessions/s", body)).verdict == (400, code)
        assert (await client.get("/api/sessions/s")).json["session"] == made


async def test_only_owners_and_operators_change_a_session(autojump_clock) -> None:
    async with serving(remembers) as client:
        await make(client, "s")
        anna = client.as_(APPROVER_KEY)
        for method, path in (
            ("PATCH", "/api/sessions/s"),
            ("DELETE", "/api/sessions/s"),
            ("POST", "/api/sessions/s/fork"),
        ):
            assert (await anna.call(method, path, {"pinned": True})).verdict == (403, "role_required")
            assert (await client.as_(CLIENT_KEY).call(method, path, {})).verdict == (404, "session_not_found")
        await make(client.as_(CLIENT_KEY), "his")
        assert (await client.call("PATCH", "/api/sessions/his", {"pinned": True})).status == 200


async def test_messages_are_paged_from_either_end_in_their_order(autojump_clock) -> None:
    async def echoes(turn: Turn) -> str:
        return f"re {turn.input}"

    async with serving(echoes) as client:
        await make(client, "s")
        for text in "abc":
            await say(client, "s", text)

        async def page(query: str) -> tuple[list[str], bool]:
            found = (await client.get(f"/api/sessions/s/messages{query}")).json
            assert found["pagination"]["returned"] == len(found["data"])
            return [item["content"] for item in found["data"]], found["has_more"]

        every = ["a", "re a", "b", "re b", "c", "re c"]
        assert await page("") == (every, False)
        assert await page("?order=oldest&limit=2") == (every[:2], True)
        assert await page("?order=oldest&limit=2&offset=4") == (every[4:], False)
        assert await page("?limit=2") == (every[-2:], True)
        assert await page("?limit=2&offset=4") == (every[:2], False)
        data = (await client.get("/api/sessions/s/messages")).json["data"]
        assert [item["role"] for item in data[:2]] == ["user", "assistant"]
        assert len({item["id"] for item in data}) == 6
        for query in ("?limit=501", "?offset=x", "?order=newest"):
            assert (await client.get(f"/api/sessions/s/messages{query}")).verdict == (
                400,
                "invalid_pagination",
            )


async def test_a_fork_has_the_conversation_and_lives_on_its_own(autojump_clock) -> None:
    async with serving(remembers) as client:
        await make(client, "s", title="t")
        await say(client, "s", "a")
        forked = await client.post("/api/sessions/s/fork", {"id": "f"})
        assert (forked.status, forked.json["session"]["parent_session_id"]) == (201, "s")
        assert forked.json["session"]["title"] == "t"
        assert (await client.get("/api/sessions/s")).json["session"]["end_reason"] == "branched"
        assert (await say(client, "f", "b"))["message"]["content"] == "a|a|b"
        assert (await say(client, "s", "c"))["message"]["content"] == "a|a|c"
        await client.call("DELETE", "/api/sessions/s")
        found = (await client.get("/api/sessions/f/messages")).json["data"]
        assert [item["content"] for item in found] == ["a", "a", "b", "a|a|b"]
        assert sorted(await ids(client)) == ["f"]
        second = await client.post("/api/sessions/f/fork", {"title": "grandchild"})
        child = second.json["session"]["id"]
        assert (await say(client, child, "d"))["message"]["content"] == "a|a|b|a|a|b|d"


async def test_a_fork_that_fails_leaves_its_parent_alone(autojump_clock) -> None:
    async with serving(remembers) as client:
        await make(client, "s")
        await make(client, "taken")
        assert (await client.post("/api/sessions/s/fork", {"id": "taken"})).verdict == (409, "session_exists")
        assert (await client.post("/api/sessions/s/fork", {"id": "../x"})).verdict == (
            400,
            "invalid_session_id",
        )
        assert (await client.get("/api/sessions/s")).json["session"]["end_reason"] is None


async def test_a_session_at_work_is_not_deleted(autojump_clock) -> None:
    async with serving(waits) as client:
        run_id = (await client.post("/v1/runs", {"input": "a", "session_id": "s"})).json["run_id"]
        assert (await client.call("DELETE", "/api/sessions/s")).verdict == (409, "session_active_turn")
        await client.post(f"/v1/runs/{run_id}/stop")
        await (await client.stream("GET", f"/v1/runs/{run_id}/events")).rest()
        assert (await client.call("DELETE", "/api/sessions/s")).json["deleted"] is True
        assert (await client.call("DELETE", "/api/sessions/s")).verdict == (404, "session_not_found")
        assert (await client.get(f"/v1/runs/{run_id}")).verdict == (404, "run_not_found")


async def test_what_a_deleted_session_had_answered_is_answered_still(autojump_clock) -> None:
    turns: list[str] = []

    async def counts(turn: Turn) -> str:
        turns.append(turn.input)
        return f"answer {len(turns)}"

    async with serving(counts) as client:
        await make(client, "s")
        first = await say(client, "s", "a", Idempotency_Key="k")
        await client.call("DELETE", "/api/sessions/s")
        for _ in "before and after the id is taken again":
            again = await say(client, "s", "a", Idempotency_Key="k")
            assert (again["message"], again["run_id"]) == (first["message"], first["run_id"])
        changed = await client.post("/api/sessions/s/chat", {"message": "b"}, Idempotency_Key="k")
        assert changed.verdict == (409, "idempotency_key_conflict")
        unseen = await client.post("/api/sessions/s/chat", {"message": "b"}, Idempotency_Key="new")
        assert unseen.verdict == (404, "session_not_found")
        await make(client, "s")
        assert (await say(client, "s", "a", Idempotency_Key="k"))["message"] == first["message"]
        assert turns == ["a"]
        await trio.sleep(25 * 3600)
        await client.sessions.store.tidy(
            now=client.sessions.services.now(), limits=client.sessions.services.limits
        )
        assert (await say(client, "s", "a", Idempotency_Key="k"))["message"]["content"] == "answer 2"


async def test_a_run_of_a_deleted_session_is_not_run_again_by_a_retry(autojump_clock) -> None:
    async with serving(remembers) as client:
        body = {"input": "a", "session_id": "s"}
        first = (await client.post("/v1/runs", body, Idempotency_Key="k")).json
        await (await client.stream("GET", f"/v1/runs/{first['run_id']}/events")).rest()
        for _ in "before and after it is deleted":
            again = await client.post("/v1/runs", body, Idempotency_Key="k")
            assert again.status == 202
            assert again.json == first | {"status": "completed", "replayed": True}
            await client.call("DELETE", "/api/sessions/s")


async def test_a_session_of_the_same_id_begins_with_nothing(autojump_clock) -> None:
    async with serving(asks) as client:
        for life in range(2):
            await make(client, "s")
            run_id = (await client.post("/v1/runs", {"input": "a", "session_id": "s"})).json["run_id"]
            stream = await client.stream("GET", f"/v1/runs/{run_id}/events")
            await stream.until("approval.request")  # also in the second life: the grant of the first is gone
            await client.post(f"/v1/runs/{run_id}/approval", {"choice": "session"})
            await stream.rest()
            assert len((await client.get("/v1/approvals/rules")).json["data"]) == 1
            assert len((await client.get("/api/sessions/s/messages")).json["data"]) == 2
            await client.call("DELETE", "/api/sessions/s")
            assert (await client.get("/v1/approvals/rules")).json["data"] == []
            assert len((await client.get("/v1/audit")).json["data"]) == life + 1, "decisions are kept"


async def test_a_place_in_a_deleted_session_is_none_in_the_one_that_took_its_id(autojump_clock) -> None:
    async with serving(remembers) as client:
        await make(client, "s")
        await say(client, "s", "the first life")
        seen = await (await client.stream("GET", "/api/sessions/s/events")).until("run.completed")
        places = [event.id for event in seen if event.id]
        await client.call("DELETE", "/api/sessions/s")
        await make(client, "s")
        await say(client, "s", "the second life")
        whole = await (await client.stream("GET", "/api/sessions/s/events")).until("run.completed")
        assert min(int(event.id) for event in whole if event.id) > int(places[-1])
        for place in places:
            resumed = await client.stream("GET", "/api/sessions/s/events", Last_Event_ID=place)
            first, *rest = await resumed.until("run.completed")
            assert first.name == "replay.truncated", "what followed there is gone, and the reader is told"
            assert [event.id for event in rest] == [event.id for event in whole]


async def test_who_watched_a_session_that_is_deleted_is_let_go(autojump_clock) -> None:
    async with serving(remembers) as client:
        await make(client, "s")
        viewer = await client.stream("GET", "/api/sessions/s/events")
        await viewer.until("session.created")
        await client.call("DELETE", "/api/sessions/s")
        assert await viewer.rest() == []
        assert viewer.parser.comments == ["open", "stream closed"]
