"""What webhooks are told, when, and how often, on a clock that jumps."""

from __future__ import annotations

import logging
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from placet.actors.protocol import commands as c
from placet.actors.protocol.approvals import Choice
from placet.actors.store import Store
from placet.http.config import PrincipalConfig, Role
from placet.http.hooks import delivery, follower
from placet.http.hooks.outcome import GIVE_UP_AFTER_S
from placet.http.hooks.sending import Answered
from placet.http.hooks.settings import HookEvent
from tests.http.hooks.given import ELSEWHERE, OTHER_SECRET, Got, Outside, hook, is_signed, told
from tests.session.house import EPOCH, answer, settled, submission

if TYPE_CHECKING:
    from placet.actors.agents import Turn
    from placet.actors.protocol.answers import Admitted
    from placet.actors.session import Sessions

OPENED = (HookEvent.OPENED,)
LONG: Any = {"approval_timeout_s": 10 * GIVE_UP_AFTER_S}


async def asks(turn: Turn) -> str:
    decision = await turn.request_approval(
        command="deploy --token s3cr3t-token-of-the-shop", description="it deploys"
    )
    return f"{decision.outcome.value} for s3cr3t"


async def replayed_asks(turn: Turn) -> str:
    return await asks(turn)


async def echoes(turn: Turn) -> str:
    return turn.input


async def asked(sessions: Sessions, session: str = "s") -> Admitted:
    admitted = await sessions.ask(session, submission(run_id=f"run_of_{session}"))
    await trio.testing.wait_all_tasks_blocked()
    assert await sessions.store.approvals_of(admitted.admission_id)
    return admitted


async def quiet(seconds: float = 60.0) -> None:
    """Let time pass."""
    await trio.sleep(seconds)
    await trio.testing.wait_all_tasks_blocked()


async def test_a_prompt_that_waits_is_told_of_signed_and_with_nothing_secret(autojump_clock: object) -> None:
    outside = Outside()
    async with told(asks, outside, hook(events=OPENED)) as (sessions, _):
        await asked(sessions)
        (got,) = await outside.until(1)
        assert 10 <= got.at < 11
    assert got.url == ELSEWHERE
    assert is_signed(got)
    assert not is_signed(got, OTHER_SECRET)
    assert got.headers["content-type"] == "application/json"
    assert got.headers["webhook-timestamp"] == str(int(EPOCH + got.at))
    assert got.json["type"] == "prompt.opened"
    assert got.json["timestamp"].startswith("1970-01-12T13:46:40")
    assert {"request_id", "display", "warnings", "rules", "digest", "expires_at"} <= got.data.keys()
    assert (got.data["status"], got.data["run_id"], got.data["answer_link"]) == ("open", "run_of_s", None)
    assert b"s3cr3t" not in got.body


async def test_who_is_answered_within_the_delay_is_called_by_nobody(autojump_clock: object) -> None:
    outside = Outside()
    async with told(asks, outside, hook()) as (sessions, _):
        admitted = await asked(sessions)
        await trio.sleep(9)
        await answer(sessions, "s", admitted.admission_id)
        await settled(sessions, admitted)
        await quiet()
    assert sorted(outside.types) == ["prompt.decided", "run.ended"]


async def test_all_that_happens_is_told_once_and_an_end_says_how(autojump_clock: object) -> None:
    outside = Outside()
    async with told(asks, outside, hook(delay_s=0)) as (sessions, service):
        admitted = await asked(sessions)
        await outside.until(1)
        await answer(sessions, "s", admitted.admission_id, Choice.DENY, reason="not today")
        await settled(sessions, admitted)
        await quiet()
        (health,) = await service.health()
    opened, *rest = outside.got
    decided, ended = sorted(rest, key=lambda got: got.type)
    assert [opened.type, decided.type, ended.type] == ["prompt.opened", "prompt.decided", "run.ended"]
    assert (decided.data["status"], decided.data["decided_by"]) == ("denied", "ann")
    assert decided.data["reason"] == "not today"
    assert (ended.data["status"], ended.data["run_id"]) == ("completed", "run_of_s")
    assert b"s3cr3t" not in ended.body, "what a run says is not looked through"
    assert len({got.id for got in outside.got}) == 3
    assert (health["name"], health["failures"], health["behind"]) == ("ops", 0, 0)
    assert health["last_success_at"] >= EPOCH


async def test_a_run_that_fails_is_told_of_by_the_code_of_its_error(autojump_clock: object) -> None:
    async def fails(turn: Turn) -> None:
        raise RuntimeError("s3cr3t")

    outside = Outside()
    async with told(fails, outside, hook()) as (sessions, _):
        await settled(sessions, await sessions.ask("s", submission()))
        (got,) = await outside.until(1)
    assert (got.data["status"], got.data["error"].keys()) == ("failed", {"code"})
    assert b"s3cr3t" not in got.body


async def test_a_prompt_that_expires_is_announced_and_its_end_is_told(autojump_clock: object) -> None:
    outside = Outside()
    async with told(asks, outside, hook()) as (sessions, _):
        await asked(sessions)
        await quiet(4000)
    assert outside.types[:2] == ["prompt.opened", "prompt.expiring"]
    assert sorted(outside.types[2:]) == ["prompt.decided", "run.ended"]
    assert [got.data["status"] for got in outside.got if got.type == "prompt.decided"] == ["expired"]


async def test_a_question_is_told_of_without_its_answer_and_gets_no_link(autojump_clock: object) -> None:
    async def wonders(turn: Turn) -> None:
        await turn.ask("Which password?")

    outside = Outside()
    async with told(wonders, outside, hook(delay_s=0, answer_link=True)) as (sessions, _):
        admitted = await asked(sessions)
        (opened,) = (await outside.until(1))[:1]
        (row,) = await sessions.store.approvals_of(admitted.admission_id)
        command = c.Clarify(
            admission_id=admitted.admission_id,
            request_id=row.prompt.request_id,
            generation=None,
            answer="hunter2",
            by="ann",
            origin="test",
        )
        await sessions.ask("s", command)
        await quiet()
    assert (opened.data["question"], opened.data["answer_link"]) == ("Which password?", None)
    assert [got.data["status"] for got in outside.got if got.type == "prompt.decided"] == ["answered"]
    assert b"hunter2" not in b"".join(got.body for got in outside.got)


async def test_what_fails_is_sent_again_later_and_later_under_the_same_id(autojump_clock: object) -> None:
    statuses = iter([500, 503, None, 429, 408, 200])
    outside = Outside(lambda _: next(statuses))
    async with told(asks, outside, hook(events=OPENED)) as (sessions, service):
        await asked(sessions)
        await outside.until(4)
        (health,) = await service.health()
        got = await outside.until(6)
        await quiet()
        (healed,) = await service.health()
    assert len(outside.got) == 6
    assert len({each.id for each in got}) == 1
    assert all(is_signed(each) for each in got)
    assert len({each.headers["webhook-timestamp"] for each in got}) > 1
    pauses = [second.at - first.at for first, second in pairwise(got)]
    for pause, longest in zip(pauses, (1, 2, 4, 8, 16), strict=True):
        assert longest / 2 <= pause <= longest
    assert (health["failures"] >= 3, health["waiting"], health["behind"]) == (True, 1, 1)
    assert (healed["failures"], healed["waiting"], healed["last_failure"]) == (0, 0, "status 408")


async def test_a_receiver_may_say_when_to_come_again(autojump_clock: object) -> None:
    answers = iter([Answered(429, "status 429", "120"), Answered(200, "status 200")])
    outside = Outside(lambda _: next(answers))
    async with told(asks, outside, hook(events=OPENED)) as (sessions, _):
        await asked(sessions)
        first, second = await outside.until(2)
    assert second.at - first.at >= 120


async def test_who_is_answered_while_a_receiver_is_down_is_called_no_more(autojump_clock: object) -> None:
    outside = Outside(lambda got: 500 if got.type == "prompt.opened" else 200)
    async with told(asks, outside, hook()) as (sessions, service):
        admitted = await asked(sessions)
        await outside.until(3)
        await answer(sessions, "s", admitted.admission_id)
        await settled(sessions, admitted)
        await quiet(600)
        (health,) = await service.health()
    assert outside.types.count("prompt.opened") < 8
    assert {"prompt.decided", "run.ended"} <= set(outside.types)
    assert (health["waiting"], health["behind"], health["given_up"]) == (0, 0, 0)


@pytest.mark.parametrize("status", [301, 400, 404, 410])
async def test_a_refusal_is_taken_at_once_with_one_line(
    status: int, caplog: pytest.LogCaptureFixture, autojump_clock: object
) -> None:
    outside = Outside(lambda _: status)
    async with told(asks, outside, hook(events=OPENED)) as (sessions, service):
        await asked(sessions)
        await outside.until(1)
        await quiet(1000)
        (health,) = await service.health()
    lines = [record.getMessage() for record in caplog.records if record.name == "placet.hooks"]
    assert len(outside.got) == 1
    assert lines == [
        f"webhook ops does not get prompt.opened {outside.got[0].id}: status {status}, attempt 1"
    ]
    assert (health["given_up"], health["behind"]) == (1, 0)


async def test_after_a_day_it_is_given_up_with_one_line(
    caplog: pytest.LogCaptureFixture, autojump_clock: object
) -> None:
    outside = Outside(lambda _: None)
    async with told(echoes, outside, hook()) as (sessions, service):
        await settled(sessions, await sessions.ask("s", submission()))
        await quiet(GIVE_UP_AFTER_S + 1)
        (health,) = await service.health()
    lines = [record.getMessage() for record in caplog.records if record.name == "placet.hooks"]
    assert len(lines) == 1
    assert "no answer" not in ELSEWHERE
    assert ELSEWHERE not in lines[0]
    assert GIVE_UP_AFTER_S - 1200 < outside.got[-1].at <= GIVE_UP_AFTER_S
    assert 100 < len(outside.got) < 300
    assert (health["given_up"], health["behind"]) == (1, 0)


async def test_one_that_never_answers_delays_neither_another_nor_a_session(autojump_clock: object) -> None:
    async def answered(got: Got) -> int:
        if got.url.endswith("dead"):
            await trio.sleep_forever()
        return 200

    outside = Outside(answered)
    dead, well = hook("dead", url="http://receiver.example/dead"), hook("well", delay_s=0)
    async with told(echoes, outside, dead, well) as (sessions, service):
        for number in range(20):
            started = trio.current_time()
            await settled(sessions, await sessions.ask(f"s{number}", submission(run_id=f"run_{number}")))
            assert trio.current_time() == started
        await quiet()
        health = {each["name"]: each for each in await service.health()}
    assert len([got for got in outside.got if got.url == ELSEWHERE]) == 20
    assert len([got for got in outside.got if got.url != ELSEWHERE]) == delivery.SENDS_MAX
    assert (health["dead"]["behind"], health["well"]["behind"]) == (20, 0)


async def test_what_one_has_under_way_is_bounded_and_the_log_keeps_the_rest(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: object
) -> None:
    monkeypatch.setattr(follower, "PENDING_MAX", 4)
    monkeypatch.setattr(follower, "PAGE", 2)
    up = False

    def answered(_: Got) -> int:
        return 200 if up else 503

    outside = Outside(answered)
    async with told(echoes, outside, hook()) as (sessions, service):
        for number in range(20):
            await settled(sessions, await sessions.ask(f"s{number}", submission(run_id=f"run_{number}")))
        await quiet()
        (health,) = await service.health()
        assert health["waiting"] <= 5
        assert health["behind"] == 20
        up = True
        await quiet(1300)
        (health,) = await service.health()
    assert health["behind"] == 0
    assert {got.data["run_id"] for got in outside.got} == {f"run_{number}" for number in range(20)}
    assert outside.most <= delivery.SENDS_MAX


async def test_what_was_not_taken_is_told_after_a_restart_under_the_same_id_and_the_rest_is_not(
    autojump_clock: object,
) -> None:
    store, up = Store.inline(), False

    def answered(got: Got) -> int:
        return 200 if up or got.data["run_id"] == "run_0" else 503

    before, after = Outside(answered), Outside()
    async with told(echoes, before, hook(), store=store) as (sessions, _):
        for number in range(3):
            await settled(sessions, await sessions.ask(f"s{number}", submission(run_id=f"run_{number}")))
        await before.until(6)
    async with told(echoes, after, hook(), store=store) as (sessions, service):
        await settled(sessions, await sessions.ask("s3", submission(run_id="run_3")))
        await quiet()
        assert (await service.health())[0]["behind"] == 0
    ids = {got.data["run_id"]: got.id for got in before.got}
    again = {got.data["run_id"]: got.id for got in after.got}
    assert again.keys() == {"run_1", "run_2", "run_3"}
    assert {run: ids[run] for run in ("run_1", "run_2")} == {run: again[run] for run in ("run_1", "run_2")}


async def test_what_cannot_be_told_ends_nothing_else(
    caplog: pytest.LogCaptureFixture, autojump_clock: object
) -> None:
    def answered(got: Got) -> int:
        if got.data["run_id"] == "run_0":
            raise RuntimeError("a mistake of ours")
        return 200

    outside = Outside(answered)
    async with told(echoes, outside, hook()) as (sessions, service):
        for number in range(2):
            await settled(sessions, await sessions.ask(f"s{number}", submission(run_id=f"run_{number}")))
            await quiet()
        (health,) = await service.health()
    assert [got.data["run_id"] for got in outside.got] == ["run_0", "run_1"]
    assert health["behind"] == 0
    assert "webhook ops cannot be told of run.ended" in caplog.text


async def test_a_new_webhook_hears_of_what_comes_and_one_that_was_away_too(autojump_clock: object) -> None:
    store, outside = Store.inline(), Outside()
    for number, hooks in enumerate([(), (hook(),), (), (hook(),)]):
        async with told(echoes, outside, *hooks, store=store) as (sessions, _):
            await settled(sessions, await sessions.ask(f"s{number}", submission(run_id=f"run_{number}")))
            await quiet()
    assert [got.data["run_id"] for got in outside.got] == ["run_1", "run_3"]


async def test_a_prompt_that_outlived_the_server_is_told_of_again_with_its_new_generation(
    autojump_clock: object,
) -> None:
    store, outside = Store.inline(), Outside()
    for _ in range(2):
        async with told(replayed_asks, outside, hook(events=OPENED, answer_link=True), store=store) as (
            sessions,
            _service,
        ):
            if not outside.got:
                await asked(sessions)
            await quiet()
    first, second = outside.got
    assert first.data["request_id"] == second.data["request_id"]
    assert (first.data["execution_generation"], second.data["execution_generation"]) == (1, 2)
    assert first.id != second.id
    assert first.data["answer_link"] != second.data["answer_link"]


async def test_a_prompt_that_was_not_told_of_before_the_restart_is_told_of_once_as_it_is(
    autojump_clock: object,
) -> None:
    store, before, after = Store.inline(), Outside(lambda _: 500), Outside()
    for outside in (before, after):
        async with told(replayed_asks, outside, hook(events=OPENED), store=store) as (sessions, _):
            if outside is before:
                await asked(sessions)
            await quiet()
    (got,) = after.got
    assert got.data["execution_generation"] == 2
    assert {each.data["request_id"] for each in before.got} == {got.data["request_id"]}


async def test_who_may_see_only_their_own_is_told_only_of_that(autojump_clock: object) -> None:
    outside = Outside()
    client = PrincipalConfig(name="carl", key_sha256="ab" * 32, role=Role.CLIENT)
    async with told(echoes, outside, hook(principal="carl"), hook("all"), principal=(client,)) as (
        sessions,
        _,
    ):
        await settled(sessions, await sessions.ask("s", submission()))
        await quiet()
    assert len(outside.got) == 1


async def test_its_own_headers_win_but_not_over_the_signature(autojump_clock: object) -> None:
    outside = Outside()
    mine = hook(
        format="ntfy", delay_s=0, headers={"priority": "min", "Authorization": "Bearer x", "Webhook-Id": "1"}
    )
    async with told(echoes, outside, mine) as (sessions, _):
        await settled(sessions, await sessions.ask("s", submission()))
        (got,) = await outside.until(1)
    assert (got.headers["priority"], got.headers["authorization"]) == ("min", "Bearer x")
    assert got.headers["title"] == "A run has ended: completed"
    assert got.id.startswith("msg_")


async def test_nothing_secret_is_logged(caplog: pytest.LogCaptureFixture, autojump_clock: object) -> None:
    caplog.set_level(logging.DEBUG)
    outside = Outside(lambda _: 400)
    mine = hook(url="http://receiver.example/T0PSECRET", headers={"X": "T0PSECRET"}, answer_link=True)
    async with told(asks, outside, mine) as (sessions, _):
        admitted = await asked(sessions)
        await outside.until(1)
        await answer(sessions, "s", admitted.admission_id)
        await quiet()
    assert "T0PSECRET" not in caplog.text
    assert "/answer/" not in caplog.text
    assert mine.secret[0] not in caplog.text
