"""`/v1/approvals`: the inbox, its stream, rules, extension, the audit."""

from __future__ import annotations

import pytest
import trio

from placet.actors.agents import Turn
from placet.actors.protocol.limits import Limits
from placet.actors.store import Store
from tests.http.routes.house import APPROVER_KEY, CLIENT_KEY, Client, Stream, serving


async def asks(turn: Turn) -> str:
    decision = await turn.request_approval(command=f"rm {turn.input}", description="it deletes")
    return f"{decision.choice or decision.outcome.value}: {decision.reason} by {decision.decided_by}"


async def ask(client: Client, text: str = "x", session_id: str | None = None) -> dict:
    """A run that waits for a person; its prompt."""
    named = {} if session_id is None else {"session_id": session_id}
    run_id = (await client.post("/v1/runs", {"input": text, **named})).json["run_id"]
    stream = await client.stream("GET", f"/v1/runs/{run_id}/events")
    prompt = (await stream.until("approval.request"))[-1].json
    stream.close()
    return prompt


async def output(client: Client, run_id: str) -> str:
    stream = await client.stream("GET", f"/v1/runs/{run_id}/events")
    return (await stream.rest())[-1].json["output"]


async def inbox(client: Client, query: str = "", **headers: str) -> Stream:
    return await client.stream("GET", f"/v1/approvals/events{query}", **headers)


async def test_a_new_viewer_finds_what_is_open_and_then_all_that_happens(autojump_clock) -> None:
    async with serving(asks) as client:
        first = await ask(client, "a", "s")
        stream = await inbox(client.as_(APPROVER_KEY))
        opening = await stream.until("inbox.ready")
        assert [event.json["request_id"] for event in opening[:-1]] == [first["request_id"]]
        assert opening[-1].json["open"] == 1
        second = await ask(client.as_(CLIENT_KEY), "b")
        shown = (await stream.until("approval.request"))[-1]
        assert (shown.json["request_id"], shown.json["run_id"]) == (second["request_id"], second["run_id"])
        await client.post(f"/v1/approvals/{first['request_id']}/decision", {"choice": "deny", "reason": "no"})
        told = (await stream.until("approval.responded"))[-1].json
        assert (told["request_id"], told["choice"], told["session_id"]) == (first["request_id"], "deny", "s")
        assert await output(client, first["run_id"]) == "deny: no by api"


async def test_a_client_sees_its_own_prompts_only(autojump_clock) -> None:
    async with serving(asks) as client:
        carl = client.as_(CLIENT_KEY)
        stream = await inbox(carl)
        assert [event.name for event in await stream.until("inbox.ready")] == ["inbox.ready"]
        await ask(client, "a")
        his = await ask(carl, "b")
        assert (await stream.read()).json["request_id"] == his["request_id"]
        assert [item["request_id"] for item in (await carl.get("/v1/approvals")).json["data"]] == [
            his["request_id"]
        ]


async def test_the_inbox_resumes_at_each_position(autojump_clock) -> None:
    async with serving(asks) as client:
        stream = await inbox(client)
        start = (await stream.until("inbox.ready"))[-1].id
        for text in "abc":
            prompt = await ask(client, text, text)
            await client.post(f"/v1/approvals/{prompt['request_id']}/decision", {"choice": "once"})
        live = [await stream.read() for _ in range(6)]
        ids = [start, *(event.id for event in live)]
        for place, headers in [(ids[k], {"Last_Event_ID": ids[k]}) for k in range(6)] + [(ids[2], {})]:
            again = await inbox(client, "" if headers else f"?after={place}", **headers)
            missed = ids[ids.index(place) + 1 :]
            assert [(await again.read()).id for _ in missed] == missed
        replayed = await (await inbox(client, f"?after={start}")).read()
        assert (replayed.name, replayed.json["status"]) == ("approval.request", "approved")
        beyond = await client.get("/v1/approvals/events", Last_Event_ID=str(int(ids[-1]) + 1000))
        assert beyond.verdict == (400, "invalid_last_event_id")


async def test_after_a_restart_a_waiting_prompt_appears_once_with_its_new_generation(autojump_clock) -> None:
    store = Store.inline()
    async with serving(asks, store=store, replayable=True) as client:
        prompt = await ask(client, "a", "s")
        place = (await (await inbox(client)).until("inbox.ready"))[-1].id
    async with serving(asks, store=store, replayable=True) as client:
        await client.sessions.recover()
        resumed = await (await inbox(client, Last_Event_ID=place)).read()
        assert resumed.json["request_id"] == prompt["request_id"]
        assert resumed.json["execution_generation"] == prompt["execution_generation"] + 1
        new = await (await inbox(client)).until("inbox.ready")
        assert [event.name for event in new] == ["approval.request", "inbox.ready"]
        run = await client.stream("GET", f"/v1/runs/{prompt['run_id']}/events")
        shown = (await run.until("run.resumed"))[:-1]
        requests = [event.json for event in shown if event.name == "approval.request"]
        assert [item["execution_generation"] for item in requests] == [resumed.json["execution_generation"]]


async def test_the_inbox_ends_when_the_server_drains(autojump_clock) -> None:
    async with serving(asks) as client:
        await ask(client)
        stream = await inbox(client)
        await stream.until("inbox.ready")
        hurry = trio.Event()
        hurry.set()
        await client.sessions.drain(hurry)
        events = await stream.rest()
        assert [event.name for event in events] == ["approval.settled", "error"]
        assert events[-1].json["code"] == "gateway_draining"


async def test_a_prompt_that_is_extended_waits_longer_and_warns_again(autojump_clock) -> None:
    limits = Limits(approval_timeout_s=100, approval_warning_s=10)
    async with serving(asks, limits=limits) as client:
        begun = trio.current_time()
        prompt = await ask(client)
        stream = await inbox(client)
        await stream.until("approval.expiring")
        path = f"/v1/approvals/{prompt['request_id']}/extend"
        extended = await client.post(path, {"seconds": 200})
        assert extended.json["expires_at"] == prompt["expires_at"] + 200
        told = (await stream.until("approval.extended"))[-1].json
        assert (told["expires_at"], told["by"]) == (prompt["expires_at"] + 200, "api")
        await stream.until("approval.expiring")
        assert trio.current_time() - begun == pytest.approx(290, abs=1)
        await stream.until("approval.settled")
        assert trio.current_time() - begun == pytest.approx(300, abs=1)
        assert (await client.post(path, {"seconds": 1})).verdict == (409, "approval_expired")


async def test_what_cannot_be_extended(autojump_clock) -> None:
    async with serving(asks) as client:
        prompt = await ask(client)
        path = f"/v1/approvals/{prompt['request_id']}/extend"
        for body in ({}, {"seconds": 0}, {"seconds": True}, {"seconds": "9"}, {"seconds": 10**7}, {"x": 1}):
            assert (await client.post(path, body)).verdict == (400, "invalid_params"), body
        assert (await client.as_(CLIENT_KEY).post(path, {"seconds": 1})).verdict == (
            404,
            "approval_not_found",
        )
        his = await ask(client.as_(CLIENT_KEY), "y")
        refused = await client.as_(CLIENT_KEY).post(
            f"/v1/approvals/{his['request_id']}/extend", {"seconds": 1}
        )
        assert refused.verdict == (403, "role_required")
        await client.post(f"/v1/approvals/{prompt['request_id']}/decision", {"choice": "once"})
        assert (await client.post(path, {"seconds": 1})).verdict == (409, "already_resolved")
    async with serving(asks, limits=Limits(approval_timeout_s=0)) as client:
        path = f"/v1/approvals/{(await ask(client))['request_id']}/extend"
        assert (await client.post(path, {"seconds": 1})).verdict == (409, "approval_never_expires")


async def test_rules_are_listed_and_revoked_and_then_it_is_asked_again(autojump_clock) -> None:
    async with serving(asks) as client:
        prompt = await ask(client, "a", "s")
        await client.post(f"/v1/approvals/{prompt['request_id']}/decision", {"choice": "always"})
        assert await output(client, prompt["run_id"]) == "always:  by api"
        rules = (await client.get("/v1/approvals/rules")).json["data"]
        assert [(rule["scope"], rule["text"]) for rule in rules] == [("always", prompt["rules"]["always"])]
        run_id = (await client.post("/v1/runs", {"input": "a"})).json["run_id"]
        events = await (await client.stream("GET", f"/v1/runs/{run_id}/events")).rest()
        granted = next(event.json for event in events if event.name == "approval.granted")
        assert granted["rule_id"] == rules[0]["id"], "nobody was asked, and the rule is named"
        path = f"/v1/approvals/rules/{rules[0]['id']}"
        used = (await client.get(path)).json
        assert used == rules[0] | {"uses": 1, "last_used_at": used["last_used_at"]}
        assert (rules[0]["uses"], rules[0]["last_used_at"] is None, used["last_used_at"] > 0) == (
            0,
            True,
            True,
        )
        carl, anna = client.as_(CLIENT_KEY), client.as_(APPROVER_KEY)
        assert (await carl.call("DELETE", path)).verdict == (404, "rule_not_found")
        assert (await anna.call("DELETE", path)).verdict == (403, "role_required")
        gone = await client.call("DELETE", path)
        assert (gone.status, gone.json["deleted"]) == (200, True)
        assert (await client.call("DELETE", path)).verdict == (404, "rule_not_found")
        assert (await client.get("/v1/approvals/rules")).json["data"] == []
        assert (await ask(client, "a"))["status"] == "open"


async def test_the_audit_is_paged_and_says_whether_it_holds(autojump_clock) -> None:
    async with serving(asks) as client:
        for text, choice in (("a", "once"), ("b", "deny"), ("c", "always")):
            prompt = await ask(client, text)
            body = {"choice": choice, "reason": text}
            await client.post(f"/v1/approvals/{prompt['request_id']}/decision", body)
        page = (await client.get("/v1/audit?limit=2")).json
        assert [(link["choice"], link["reason"], link["number"]) for link in page["data"]] == [
            ("once", "a", 1),
            ("deny", "b", 2),
        ]
        assert (page["has_more"], page["chain"]) == (True, {"verified": True, "broken_at": None})
        rest = (await client.get(f"/v1/audit?after={page['data'][-1]['position']}")).json
        assert [link["choice"] for link in rest["data"]] == ["always"]
        assert rest["data"][0]["prev_hash"] == page["data"][-1]["hash"]
        conn = client.sessions.store._writer.group.conn
        conn.execute("DROP TRIGGER decisions_are_final")
        conn.execute("UPDATE decisions SET record = replace(record, '\"deny\"', '\"once\"') WHERE number = 2")
        chain = (await client.get("/v1/audit")).json["chain"]
        assert (chain["verified"], chain["broken_at"]["number"]) == (False, 2)
        assert (await client.as_(CLIENT_KEY).get("/v1/audit")).verdict == (403, "role_required")


async def test_where_it_is_forbidden_nobody_decides_what_they_submitted(autojump_clock) -> None:
    async with serving(asks, approver_not_requester=True) as client:
        prompt = await ask(client)
        by_run = f"/v1/runs/{prompt['run_id']}/approval"
        by_prompt = f"/v1/approvals/{prompt['request_id']}/decision"
        for path in (by_run, by_prompt):
            assert (await client.post(path, {"choice": "once"})).verdict == (403, "self_approval_forbidden")
        decided = await client.as_(APPROVER_KEY).post(by_run, {"choice": "once"})
        assert (decided.status, decided.json["decided_by"]) == (200, "anna")
        assert await output(client, prompt["run_id"]) == "once:  by anna"
