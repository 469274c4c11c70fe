"""What people say to a turn that runs: unasked (steer), and asked (clarify)."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.agents import Turn
from placet.actors.store import Store
from tests.http.routes.house import APPROVER_KEY, CLIENT_KEY, Client, serving


class Listener:
    """An agent that reads what it is told each time it is nudged, until it is told to stop."""

    def __init__(self) -> None:
        self.nudges = trio.Semaphore(0)
        self.heard: list[tuple[str, ...]] = []

    async def __call__(self, turn: Turn) -> str:
        if turn.input != "listen":
            return f"as an input: {turn.input}"
        while self.heard[-1:] != [("enough",)]:
            await self.nudges.acquire()
            self.heard.append(turn.take_steering())
        return f"heard {self.heard}"


async def start(client: Client, text: str, **more: object) -> str:
    return str((await client.post("/v1/runs", {"input": text, "session_id": "s", **more})).json["run_id"])


async def end(client: Client, run_id: str) -> dict:
    return (await (await client.stream("GET", f"/v1/runs/{run_id}/events")).rest())[-1].json


async def steer(client: Client, run_id: str, text: str) -> None:
    answer = await client.post(f"/v1/runs/{run_id}/steer", {"input": text})
    assert answer.json == {"object": "hermes.run.steer", "run_id": run_id, "accepted": True}


async def test_an_agent_reads_what_it_is_told_once_and_in_order(autojump_clock) -> None:
    agent = Listener()
    async with serving(agent) as client:
        run_id = await start(client, "listen")
        stream = await client.stream("GET", f"/v1/runs/{run_id}/events")
        for text in ("left", "right"):
            await steer(client, run_id, text)
            told = (await stream.until("run.steered"))[-1].json
            assert (told["text"], told["by"], told["accepted"]) == (text, "api", True)
        for _ in range(2):
            agent.nudges.release()
            await wait_all_tasks_blocked()
        await steer(client, run_id, "enough")
        agent.nudges.release()
        assert (await end(client, run_id))["event"] == "run.completed"
        assert agent.heard == [("left", "right"), (), ("enough",)]
        assert len((await client.get("/v1/runs")).json["data"]) == 1, "nothing is left over"


async def test_what_was_never_read_becomes_the_next_input(autojump_clock) -> None:
    gate = trio.Event()

    async def deaf(turn: Turn) -> str:
        await gate.wait()
        return f"{turn.input} after {len(turn.history)}"

    async with serving(deaf) as client:
        run_id, waiting = await start(client, "a"), await start(client, "b")
        await steer(client, run_id, "one")
        await steer(client, run_id, "two")
        gate.set()
        assert (await end(client, run_id))["output"] == "a after 0"
        assert (await end(client, waiting))["output"] == "b after 2"
        runs = (await client.get("/v1/runs?session_id=s")).json["data"]
        assert [run["run_id"] for run in runs[1:]] == [waiting, run_id]
        assert (await end(client, runs[0]["run_id"]))["output"] == "one\n\ntwo after 4"


async def test_a_stop_stops_also_what_was_said(autojump_clock) -> None:
    async def deaf(turn: Turn) -> None:
        await trio.sleep_forever()

    async with serving(deaf) as client:
        run_id = await start(client, "a")
        await steer(client, run_id, "one")
        await client.post(f"/v1/runs/{run_id}/stop")
        assert (await end(client, run_id))["event"] == "run.cancelled"
        assert len((await client.get("/v1/runs")).json["data"]) == 1


async def test_only_a_run_that_runs_and_nothing_else_can_be_told_something(autojump_clock) -> None:
    async def asks(turn: Turn) -> None:
        await turn.request_approval(command="rm x", description="it deletes")

    async with serving(asks) as client:
        run_id, queued = await start(client, "a"), await start(client, "b")
        await (await client.stream("GET", f"/v1/runs/{run_id}/events")).until("approval.request")

        async def told(run: str, body: dict | None = None) -> tuple[int, str]:
            return (await client.post(f"/v1/runs/{run}/steer", body or {"text": "x"})).verdict

        refusal = (409, "run_not_accepting_steer")
        assert await told(run_id) == refusal, "it waits for a person"
        assert await told(queued) == refusal
        await client.post(f"/v1/runs/{run_id}/approval", {"choice": "once"})
        await end(client, run_id)
        assert await told(run_id) == refusal, "it has ended"
        for body in (
            {"x": 1},
            {"text": ""},
            {"text": 5},
            {"text": "a", "input": "b"},
            {"text": "x" * 65_537},
        ):
            assert await told(run_id, body) == (400, "invalid_steer_input")
        path = f"/v1/runs/{queued}/steer"
        assert (await client.as_(CLIENT_KEY).post(path, {"text": "x"})).verdict == (404, "run_not_found")
        assert (await client.as_(APPROVER_KEY).post(path, {"text": "x"})).verdict == (403, "role_required")


async def test_a_turn_does_not_listen_for_ever_without_bound(autojump_clock) -> None:
    async def deaf(turn: Turn) -> None:
        await trio.sleep_forever()

    async with serving(deaf) as client:
        run_id = await start(client, "a")
        for number in range(32):
            await steer(client, run_id, str(number))
        refused = await client.post(f"/v1/runs/{run_id}/steer", {"text": "one more"})
        assert refused.verdict == (409, "steer_not_accepted")


async def test_after_a_crash_the_turn_hears_the_same_at_the_same_place(autojump_clock) -> None:
    heard: list[list[tuple[str, ...]]] = []
    nudge = trio.Semaphore(0)

    async def steps(turn: Turn) -> str:
        mine: list[tuple[str, ...]] = []
        heard.append(mine)
        for number in range(3):
            mine.append(turn.take_steering())

            async def work(told: tuple[str, ...] = mine[-1]) -> str:
                await nudge.acquire()
                return f"{told}"

            await turn.step(f"work {number}", work)
        return str(mine)

    store = Store.inline()
    async with serving(steps, store=store, replayable=True) as client:
        run_id = await start(client, "a")
        await wait_all_tasks_blocked()
        await steer(client, run_id, "one")
        nudge.release()
        await wait_all_tasks_blocked()
        assert heard == [[(), ("one",)]]
        await steer(client, run_id, "two")
    async with serving(steps, store=store, replayable=True) as client:
        await client.sessions.recover()
        await wait_all_tasks_blocked()
        assert heard[1] == [(), ("one",)], "nothing new before the agent is where it was"
        nudge.release()
        nudge.release()
        assert (await end(client, run_id))["output"] == str([(), ("one",), ("two",)])


async def clarifies(turn: Turn) -> str:
    answer = await turn.ask("Which way?", ("left", "right"), timeout_s=100)
    return f"went {answer}"


async def question_of(client: Client, run_id: str) -> dict:
    stream = await client.stream("GET", f"/v1/runs/{run_id}/events")
    asked = (await stream.until("clarify.request"))[-1].json
    stream.close()
    return asked


def answer_to(asked: dict, answer: object, **more: object) -> dict:
    named = {"request_id": asked["request_id"], "execution_generation": asked["execution_generation"]}
    return {**named, "answer": answer, **more}


async def test_a_question_is_shown_answered_and_settled(autojump_clock) -> None:
    async with serving(clarifies) as client:
        run_id = await start(client, "a")
        stream = await client.stream("GET", f"/v1/runs/{run_id}/events")
        asked = (await stream.until("clarify.request"))[-1].json
        assert (asked["question"], asked["choices"], asked["status"]) == (
            "Which way?",
            ["left", "right"],
            "open",
        )
        run = (await client.get(f"/v1/runs/{run_id}")).json
        assert (run["status"], run["approval"]) == ("waiting_for_approval", None)
        assert [item["request_id"] for item in run["pending_controls"]] == [asked["request_id"]]
        path = f"/v1/runs/{run_id}/clarify"
        done = await client.post(path, answer_to(asked, "left"))
        assert (done.json["status"], done.json["answer"], done.json["decided_by"]) == (
            "resolved",
            "left",
            "api",
        )
        events = await stream.rest()
        settled = next(event.json for event in events if event.name == "clarify.settled")
        assert (settled["answer"], settled["status"], settled["decided_by"]) == ("left", "answered", "api")
        assert events[-1].json["output"] == "went left"
        assert (await client.post(path, answer_to(asked, "left"))).verdict == (409, "already_resolved")
        audit = (await client.get("/v1/audit")).json["data"]
        assert [(link["status"], link["by"], link["reason"]) for link in audit] == [("answered", "api", "")]
        again = await (await client.stream("GET", f"/v1/runs/{run_id}/events")).rest()
        assert [event.json["status"] for event in again if event.name == "clarify.request"] == ["answered"]


async def test_what_is_no_answer(autojump_clock) -> None:
    async with serving(clarifies) as client:
        run_id = await start(client, "a")
        asked, path = await question_of(client, run_id), f"/v1/runs/{run_id}/clarify"
        generation = asked["execution_generation"]
        for body, verdict in (
            ({}, (400, "invalid_params")),
            ({"answer": "left"}, (400, "invalid_params")),
            (answer_to(asked, 5), (400, "invalid_params")),
            (answer_to(asked, "left", more=1), (400, "invalid_params")),
            (answer_to(asked, "left", execution_generation=True), (400, "invalid_params")),
            (answer_to(asked, "back"), (400, "invalid_answer")),
            (answer_to(asked, "left", execution_generation=generation + 1), (409, "stale_generation")),
            (answer_to(asked, "left", request_id="other"), (409, "approval_not_pending")),
        ):
            assert (await client.post(path, body)).verdict == verdict, body
        decide = {"request_id": asked["request_id"], "choice": "once"}
        for choice in (decide, {"choice": "once"}):
            refused = await client.post(f"/v1/runs/{run_id}/approval", choice)
            assert refused.verdict == (409, "approval_not_pending"), "a question is no request for consent"
        assert (await client.as_(CLIENT_KEY).post(path, answer_to(asked, "left"))).verdict == (
            404,
            "run_not_found",
        )
        assert (await end(client, run_id))["output"] == "went None", "nobody answered in time"
        assert (await client.post(path, answer_to(asked, "left"))).verdict == (409, "approval_expired")


async def test_a_client_answers_the_questions_of_its_own_runs(autojump_clock) -> None:
    async with serving(clarifies) as client:
        carl = client.as_(CLIENT_KEY)
        run_id = await start(carl, "a")
        asked = await question_of(carl, run_id)
        assert (await carl.post(f"/v1/runs/{run_id}/clarify", answer_to(asked, "right"))).status == 200
        assert (await end(carl, run_id))["output"] == "went right"


async def test_a_question_outlives_a_crash(autojump_clock) -> None:
    store = Store.inline()
    async with serving(clarifies, store=store, replayable=True) as client:
        run_id = await start(client, "a")
        before = await question_of(client, run_id)
    async with serving(clarifies, store=store, replayable=True) as client:
        await client.sessions.recover()
        after = await question_of(client, run_id)
        assert after["request_id"] == before["request_id"]
        assert after["execution_generation"] == before["execution_generation"] + 1
        path = f"/v1/runs/{run_id}/clarify"
        assert (await client.post(path, answer_to(before, "left"))).verdict == (409, "stale_generation")
        assert (await client.post(path, answer_to(after, "left"))).status == 200
        assert (await end(client, run_id))["output"] == "went left"


@pytest.mark.parametrize("dialect", ["event", "chunk", "none"])
async def test_a_question_is_shown_in_each_dialect_of_chat(dialect, autojump_clock) -> None:
    async with serving(clarifies) as client:
        body = {
            "stream": True,
            "messages": [{"role": "user", "content": "a"}],
            "placet": {"approvals": dialect},
        }
        stream = await client.stream("POST", "/v1/chat/completions", body)
        inbox = await client.stream("GET", "/v1/approvals/events")
        asked = (await inbox.until("clarify.request"))[-1].json
        await client.post(f"/v1/runs/{asked['run_id']}/clarify", answer_to(asked, "left"))
        events = await stream.rest()
        named = [event.name for event in events if event.name != "message"]
        chunks = [event.json for event in events if event.name == "message" and event.data != "[DONE]"]
        inside = [list(chunk["placet"]) for chunk in chunks if "placet" in chunk]
        assert named == (["clarify.request", "clarify.settled"] if dialect == "event" else [])
        assert inside == ([["clarify"], ["clarify_ended"]] if dialect == "chunk" else [])
        assert events[-1].data == "[DONE]"


async def test_a_question_is_shown_on_the_session_stream(autojump_clock) -> None:
    async with serving(clarifies) as client:
        await client.post("/api/sessions", {"id": "s"})
        stream = await client.stream("POST", "/api/sessions/s/chat/stream", {"message": "a"})
        asked = (await stream.until("clarify.request"))[-1].json
        await client.post(f"/v1/runs/{asked['run_id']}/clarify", answer_to(asked, "left"))
        assert "clarify.settled" in [event.name for event in await stream.rest()]
