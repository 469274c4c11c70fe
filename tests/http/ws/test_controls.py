"""Acting on a session: asking, deciding, stopping."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from placet.actors.agents import Turn
from placet.actors.protocol.approvals import Choice
from placet.actors.store import Store
from tests.http.ws.viewers import APPROVER_KEY, CLIENT_KEY, Remote, answering, open_hall


async def asks(turn: Turn) -> str:
    decision = await turn.request_approval(command=f"rm {turn.input}", description="it deletes")
    return f"{decision.choice}: {decision.reason}"


async def echoes(turn: Turn) -> str:
    return turn.input


async def waits(turn: Turn) -> None:
    await trio.sleep_forever()


async def test_a_prompt_is_decided_once_and_every_viewer_learns_it(autojump_clock) -> None:
    async with open_hall(asks) as hall:
        await hall.session()
        one, two = await hall.viewer(), await hall.viewer(key=APPROVER_KEY)
        run_id = await hall.ask("x")
        prompt, same = await one.prompt(), await two.prompt()
        assert prompt == same
        assert (prompt["run_id"], prompt["status"], prompt["command"]) == (run_id, "open", "rm x")
        late = await hall.viewer()
        assert (await late.call("session.resume", session_id="s"))["prompts"] == [prompt]
        answer = await two.respond(prompt, "deny", reason="not now")
        assert (answer["status"], answer["choice"], answer["decided_by"]) == ("resolved", "deny", "anna")
        for viewer in (one, two, late):
            settled = (await viewer.event("approval.settled"))["payload"]
            assert (settled["prompt_id"], settled["status"]) == (prompt["prompt_id"], "denied")
            assert (await viewer.event("message.complete"))["payload"]["text"] == "deny: not now"
        lost = await one.respond(prompt, "once")
        assert (lost["status"], lost["choice"], lost["decided_by"]) == ("already_resolved", "deny", "anna")
        assert (await late.call("session.resume", session_id="s"))["prompts"] == []


async def test_the_same_waiter_is_answered_over_http(autojump_clock) -> None:
    async with open_hall(asks) as hall:
        await hall.session()
        viewer = await hall.viewer()
        stream = await hall.http.stream("POST", "/api/sessions/s/chat/stream", {"message": "x"})
        shown = (await stream.until("approval.request"))[-1].json
        prompt = await viewer.prompt()
        assert prompt["prompt_id"] == shown["request_id"]
        assert prompt["digest"] == shown["digest"]
        answer = await hall.http.post(f"/v1/runs/{shown['run_id']}/approval", {"choice": "once"})
        assert answer.status == 200
        assert (await viewer.event("approval.settled"))["payload"]["choice"] == "once"
        assert (await stream.rest())[-1].name == "done"


async def test_the_same_waiter_is_answered_from_here_for_the_stream(autojump_clock) -> None:
    async with open_hall(asks) as hall:
        await hall.session()
        viewer = await hall.viewer()
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "x"}]}
        headers = {"X_Hermes_Session_Id": "s"}
        stream = await hall.http.stream("POST", "/v1/chat/completions", body, **headers)
        shown = (await stream.until("approval.request"))[-1].json
        await viewer.respond(await viewer.prompt(), "once", reason="fine")
        rest = await stream.rest()
        assert rest[-1].data == "[DONE]"
        assert any("once: fine" in event.data for event in rest)
        record = (await hall.http.get(f"/v1/approvals/{shown['request_id']}")).json
        assert (record["status"], record["decided_by"]) == ("approved", "api")


async def test_what_may_not_be_decided_so_is_refused_with_a_reason(autojump_clock) -> None:
    async def offers_little(turn: Turn) -> None:
        await turn.request_approval(
            command="rm x", description="it deletes", choices=(Choice.ONCE, Choice.DENY)
        )

    async with open_hall(offers_little) as hall:
        for name in ("s", "other"):
            await hall.session(name)
        viewer = await hall.viewer()
        await viewer.call("session.resume", session_id="other")
        await hall.ask()
        prompt = await viewer.prompt()
        for reason, change in {
            "stale_generation": {"execution_generation": 2},
            "approval_not_pending": {"prompt_id": "0" * 32},
            "stale_action": {"digest": "0" * 64},
            "invalid_choice": {"choice": "always"},
            "invalid_params": {"choice": "perhaps"},
            "not_found": {"session_id": "nowhere"},
        }.items():
            params = answering(prompt, "once") | change
            assert await viewer.refusal("approval.respond", **params) == reason
        elsewhere = answering(prompt, "once", session_id="other")
        assert await viewer.refusal("approval.respond", **elsewhere) == "approval_not_pending"
        for bad in ({"execution_generation": True}, {"execution_generation": "1"}, {"extra": 1}):
            assert (
                await viewer.refusal("approval.respond", **answering(prompt, "once") | bad)
                == "invalid_params"
            )
        assert (await viewer.respond(prompt, "once"))["status"] == "resolved"


async def test_only_who_watches_and_may_decide_decides(autojump_clock) -> None:
    async with open_hall(asks) as hall:
        await hall.session(key=CLIENT_KEY)
        carl, anna = await hall.viewer(key=CLIENT_KEY), await hall.connect(APPROVER_KEY)
        await hall.ask(key=CLIENT_KEY)
        params = answering(await carl.prompt(), "once")
        assert await carl.refusal("approval.respond", **params) == "permission_denied"
        assert await anna.refusal("approval.respond", **params) == "permission_denied"
        resumed = await anna.call("session.resume", session_id="s")
        await anna.call("session.detach", session_id="s", subscription_id=resumed["subscription_id"])
        assert await anna.refusal("approval.respond", **params) == "permission_denied"
        await anna.call("session.resume", session_id="s")
        assert (await anna.call("approval.respond", **params))["status"] == "resolved"


async def test_requesters_do_not_decide_where_the_settings_say_so(autojump_clock) -> None:
    async with open_hall(asks, approver_not_requester=True) as hall:
        await hall.session()
        viewer = await hall.viewer()
        await hall.ask()
        params = answering(await viewer.prompt(), "once")
        assert await viewer.refusal("approval.respond", **params) == "permission_denied"


async def test_an_input_is_submitted_once_per_id(autojump_clock) -> None:
    async with open_hall(echoes) as hall:
        await hall.session()
        viewer = await hall.connect()
        asked = {"session_id": "s", "text": "hi", "submission_id": "first"}
        assert await viewer.refusal("prompt.submit", **asked) == "permission_denied"
        await viewer.call("session.resume", session_id="s")
        receipt = await viewer.call("prompt.submit", **asked)
        assert (receipt["replayed"], receipt["input_id"], receipt["ref"]) == (
            False,
            "first",
            {"session_id": "s"},
        )
        accepted = await viewer.event("prompt.accepted")
        assert (accepted["payload"], accepted["admission_id"]) == (
            {"input_id": "first", "text": "hi"},
            receipt["admission_id"],
        )
        assert (await viewer.event("message.complete"))["payload"]["text"] == "hi"
        again = await viewer.call("prompt.submit", session_id="s", text="hi", input_id="first")
        assert (again["replayed"], again["status"], again["outcome"]) == (True, "terminal", "completed")
        assert (again["admission_id"], again["run_id"]) == (receipt["admission_id"], receipt["run_id"])
        changed = asked | {"text": "other"}
        assert await viewer.refusal("prompt.submit", **changed) == "idempotency_key_conflict"
        over_http = await hall.http.post("/v1/runs", {"input": "hi", "session_id": "s"})
        assert over_http.json["run_id"] != receipt["run_id"]


async def test_an_input_may_have_attachments_and_must_say_something(autojump_clock) -> None:
    seen = []

    async def looks(turn: Turn) -> None:
        seen.extend((part.type, part.text or part.url) for part in turn.content.content)

    async with open_hall(looks) as hall:
        await hall.session()
        viewer = await hall.viewer()
        image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
        await viewer.call("prompt.submit", session_id="s", text="see", attachments=[image])
        await viewer.event("message.complete")
        assert seen == [("text", "see"), ("image", "https://example.org/a.png")]
        assert await viewer.refusal("prompt.submit", session_id="s", text="") == "no_user_message"
        noise = {"text": "x", "attachments": [{"type": "noise"}]}
        assert await viewer.refusal("prompt.submit", session_id="s", **noise) == "unsupported_content_type"


async def test_a_busy_session_may_be_spared(autojump_clock) -> None:
    async with open_hall(waits) as hall:
        await hall.session()
        viewer = await hall.viewer()
        await viewer.call("prompt.submit", session_id="s", text="a")
        queued = await viewer.call("prompt.submit", session_id="s", text="b")
        assert (queued["status"], queued["ahead"]) == ("queued", 1)
        refused = {"session_id": "s", "text": "c", "on_busy": "reject"}
        assert await viewer.refusal("prompt.submit", **refused) == "session_busy"
        cancel = {"session_id": "s", "admission_id": queued["admission_id"]}
        assert (await viewer.call("prompt.cancel", **cancel))["status"] == "cancelled"
        complete = await viewer.event("message.complete")
        assert complete["admission_id"] == queued["admission_id"]
        assert (complete["payload"]["outcome"], complete["payload"]["status"]) == ("cancelled", "interrupted")


async def test_a_running_turn_is_interrupted_by_its_generation(autojump_clock) -> None:
    async with open_hall(waits) as hall:
        await hall.session()
        viewer = await hall.viewer()
        assert (await viewer.call("session.interrupt", session_id="s"))["interrupted"] is False
        running = await viewer.call("prompt.submit", session_id="s", text="a")
        started = {"session_id": "s", "admission_id": running["admission_id"]}
        assert await viewer.refusal("prompt.cancel", **started) == "already_started"
        stale = {"session_id": "s", "execution_generation": 2}
        assert await viewer.refusal("session.interrupt", **stale) == "stale_generation"
        answer = await viewer.call("session.interrupt", session_id="s", execution_generation=1)
        assert (answer["interrupted"], answer["admission_id"]) == (True, running["admission_id"])
        await viewer.event("message.stopping")
        end = (await viewer.event("message.complete"))["payload"]
        assert (end["outcome"], end["error"]["code"]) == ("cancelled", "run_cancelled")


async def test_only_owners_and_operators_interrupt(autojump_clock) -> None:
    async with open_hall(waits) as hall:
        await hall.session(key=CLIENT_KEY)
        carl, anna = await hall.viewer(key=CLIENT_KEY), await hall.viewer(key=APPROVER_KEY)
        await carl.call("prompt.submit", session_id="s", text="a")
        assert await anna.refusal("session.interrupt", session_id="s") == "permission_denied"
        assert await anna.refusal("prompt.submit", session_id="s", text="b") == "not_found"
        assert (await carl.call("session.interrupt", session_id="s"))["interrupted"] is True


async def test_a_turn_of_unknown_outcome_is_shown_and_settled(autojump_clock) -> None:
    store = Store.inline()
    async with open_hall(waits, store=store) as hall:
        await hall.session()
        await hall.ask("lost")
        await hall.ask("next")
    async with open_hall(echoes, store=store) as hall:
        viewer = await hall.connect()
        snapshot = await viewer.call("session.resume", session_id="s")
        lost, after = snapshot["pending"]
        assert (snapshot["running"], lost["status"], after["status"]) == (False, "unknown", "queued")
        named = {"session_id": "s", "admission_id": lost["admission_id"]}
        stale = named | {"execution_generation": 7}
        assert await viewer.refusal("prompt.resolve_unknown", **stale) == "stale_generation"
        answer = await viewer.call("prompt.resolve_unknown", **named, execution_generation=1)
        assert (answer["status"], answer["outcome"]) == ("interrupted", "interrupted")
        first, second = await viewer.event("message.complete"), await viewer.event("message.complete")
        assert (first["admission_id"], first["payload"]["outcome"]) == (lost["admission_id"], "cancelled")
        assert (second["admission_id"], second["payload"]["text"]) == (after["admission_id"], "next")


@pytest.mark.parametrize("method", ["prompt.cancel", "prompt.resolve_unknown"])
async def test_an_input_of_another_session_is_not_found(autojump_clock, method: str) -> None:
    async with open_hall(waits) as hall:
        for name in ("s", "other"):
            await hall.session(name)
        viewer = await hall.viewer("other")
        receipt = await viewer.call("prompt.submit", session_id="other", text="a")
        params = {"session_id": "s", "admission_id": receipt["admission_id"]}
        if method == "prompt.resolve_unknown":
            params["execution_generation"] = 1
        assert await viewer.refusal(method, **params) == "not_found"


async def test_a_question_is_answered_in_words(autojump_clock) -> None:
    async def wonders(turn: Turn) -> str:
        return f"so {await turn.ask('Which?', choices=('a', 'b'))}"

    async with open_hall(wonders) as hall:
        await hall.session(key=CLIENT_KEY)
        carl = await hall.viewer(key=CLIENT_KEY)
        await hall.ask(key=CLIENT_KEY)
        question = (await carl.event("clarify.request"))["payload"]
        assert (question["question"], question["choices"]) == ("Which?", ["a", "b"])
        assert (await carl.call("session.resume", session_id="s"))["prompts"] == [question]
        named = {"session_id": "s", "prompt_id": question["prompt_id"], "execution_generation": 1}
        assert await carl.refusal("clarify.respond", **named, answer="c") == "invalid_answer"
        stale = named | {"execution_generation": 2}
        assert await carl.refusal("clarify.respond", **stale, answer="b") == "stale_generation"
        anna = await hall.connect(APPROVER_KEY)
        assert await anna.refusal("clarify.respond", **named, answer="b") == "permission_denied"
        assert await anna.refusal("approval.respond", **named, choice="once") == "permission_denied"
        await anna.call("session.resume", session_id="s")
        assert await anna.refusal("approval.respond", **named, choice="once") == "approval_not_pending"
        assert (await carl.call("clarify.respond", **named, answer="b"))["status"] == "resolved"
        settled = (await carl.event("clarify.settled"))["payload"]
        assert (settled["answer"], settled["decided_by"]) == ("b", "carl")
        assert (await carl.event("message.complete"))["payload"]["text"] == "so b"
        assert (await anna.call("clarify.respond", **named, answer="a"))["status"] == "already_resolved"


async def test_the_past_shows_a_prompt_as_it_stands(autojump_clock) -> None:
    async with open_hall(asks) as hall:
        await hall.session()
        viewer = await hall.viewer()
        await hall.ask()
        prompt = await viewer.prompt()
        assert await _shown_in_the_past(viewer) == prompt
        await viewer.respond(prompt, "once")
        await viewer.event("message.complete")
        assert await _shown_in_the_past(viewer) == prompt | {"status": "approved"}


async def _shown_in_the_past(viewer: Remote) -> dict[str, Any]:
    answer = await viewer.call("session.events.since", session_id="s", last_seen=0)
    [shown] = [event["payload"] for event in answer["events"] if event["type"] == "approval.request"]
    assert isinstance(shown, dict)
    return shown
