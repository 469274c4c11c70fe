"""Answer links: what they show, that they decide once, and everything that they must not do."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from placet.actors.protocol.approvals import Choice
from placet.actors.store import Store
from placet.http.config import Config, PrincipalConfig, Role
from placet.http.hooks.links import Links
from placet.http.signin.attempts import WRONG_KEYS_MAX
from tests.http.hooks.given import hook
from tests.http.routes.house import KEY, Answer, Client, principal, serving
from tests.session.house import EPOCH, answer, submission, wall_clock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from placet.actors.agents import Turn
    from placet.actors.protocol.records import ApprovalRecord

OWN = {"Origin": "http://localhost", "Authorization": ""}
"""What a browser says of a page that this server has served; nobody is signed in."""

HOOK = hook(answer_link=True, principal="anna")


async def asks(turn: Turn) -> str:
    decision = await turn.request_approval(command="rm -rf \u202e./build", description="it deletes files")
    return f"{decision.outcome.value}, {decision.choice}, {decision.decided_by}: {decision.reason}"


async def replayed_asks(turn: Turn) -> str:
    return await asks(turn)


class Linked:
    """An application in which one prompt waits, and a link to it."""

    def __init__(self, client: Client, row: ApprovalRecord, **settings: Any) -> None:
        config = Config(webhook=(HOOK,), principal=(principal("anna", "x" * 20, Role.APPROVER),), **settings)
        made = Links(client.sessions.store.digest_key, config, wall_clock).make("ops", row)
        assert made is not None
        self.client = client
        self.row = row
        self.url, self.expires_at = made
        self.path = self.url.removeprefix(config.reached_at)

    async def card(self) -> Any:
        found = await self.client.get(f"{self.path}/card", **OWN)
        assert found.status == 200
        return found.json

    async def choose(self, choice: str = "once", headers: dict[str, str] = OWN, **more: Any) -> Answer:
        return await self.client.post(self.path, {"choice": choice, **more}, **headers)

    async def status(self) -> str:
        row = await self.client.sessions.store.approval(self.row.prompt.request_id)
        assert row is not None
        return row.status.value


@asynccontextmanager
async def linked(agent: Any = asks, store: Store | None = None, **settings: Any) -> AsyncIterator[Linked]:
    replayable = agent is replayed_asks
    known = {"webhook": (HOOK,)} | settings
    async with serving(agent, store=store, replayable=replayable, **known) as client:
        await client.sessions.recover()
        if store is None or not await store.unsettled():
            await client.sessions.ask("s", submission(run_id="run_1"))
        await trio.testing.wait_all_tasks_blocked()
        page = await client.sessions.store.approvals(status=None, principal=None, after=None, limit=9)
        yield Linked(client, page.items[0])


async def test_the_card_shows_what_is_asked_and_nothing_that_leads_elsewhere(autojump_clock: object) -> None:
    async with linked() as link:
        card = await link.card()
    prompt = card["prompt"]
    assert (card["link"], card["status"], card["decides_as"]) == ("good", "open", "link:ops")
    assert prompt["display"] == "rm -rf \\u202e./build"
    assert prompt["description"] == "it deletes files"
    assert (prompt["directory"], prompt["requested_by"]) == ("/w", "api")
    assert prompt["choices"] == ["once", "session", "always", "deny"]
    assert prompt["rules"].keys() == {"session", "always"}
    assert len(prompt["warnings"]) == 1
    assert not {"session_id", "run_id", "command", "pattern_key"} & prompt.keys()
    assert prompt["expires_at"] == link.expires_at == EPOCH + 900


@pytest.mark.parametrize(
    ("choice", "status"),
    [("once", "approved"), ("session", "approved"), ("always", "approved"), ("deny", "denied")],
)
async def test_it_decides_once_in_its_own_name(choice: str, status: str, autojump_clock: object) -> None:
    async with linked() as link:
        made = await link.choose(choice, reason="as agreed")
        assert (made.status, made.json["status"]) == (200, "resolved")
        assert (made.json["choice"], made.json["decided_by"]) == (choice, "link:ops")
        for again in (choice, "once", "deny"):
            refused = await link.choose(again)
            assert refused.verdict == (409, "already_resolved")
            assert refused.json["error"]["decision"]["decided_by"] == "link:ops"
        card = await link.card()
        assert (card["prompt"], card["status"], card["decision"]) == (None, status, choice)
        assert card["decided_by"] == "link:ops"
        (audited,) = (await link.client.get("/v1/audit")).json["data"]
        assert (audited["by"], audited["choice"], audited["reason"]) == ("link:ops", choice, "as agreed")
        assert audited["origin"].startswith("http ")
        rules = (await link.client.get("/v1/approvals/rules")).json["data"]
        assert [rule["created_by"] for rule in rules] == (
            ["link:ops"] if choice in {"session", "always"} else []
        )


async def test_the_agent_is_told_the_reason(autojump_clock: object) -> None:
    async with linked() as link:
        await link.choose("deny", reason="not today")
        await trio.testing.wait_all_tasks_blocked()
        run = (await link.client.get("/v1/runs/run_1")).json
    assert run["output"] == "denied, deny, link:ops: not today"


async def test_opening_it_decides_nothing_however_often(autojump_clock: object) -> None:
    async with linked() as link:
        for path in (link.path, f"{link.path}/card", f"{link.path}?choice=once"):
            for method in ("GET", "HEAD", "OPTIONS"):
                context = link.client.app.test_request_context(path, method=method)
                assert (await link.client.app.handle_request(context.request)).status_code == 200
        for method in ("PUT", "PATCH", "DELETE"):
            assert (await link.client.call(method, link.path, {"choice": "once"}, **OWN)).status == 405
        assert await link.status() == "open"


async def test_the_page_is_under_the_consoles_policy(
    autojump_clock: object,
) -> None:
    async with linked() as link:
        context = link.client.app.test_request_context(link.path, method="GET")
        response = await link.client.app.handle_request(context.request)
        page = await response.get_data(as_text=True)
    assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", page) == []


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:99"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"},
    ],
)
async def test_no_other_page_decides_with_it(headers: dict[str, str], autojump_clock: object) -> None:
    async with linked() as link:
        refused = await link.choose(
            headers={name.replace("-", "_"): value for name, value in headers.items()}
        )
        assert refused.verdict == (403, "origin_not_allowed")
        assert await link.status() == "open"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"choice": "maybe"}, "invalid_choice"),
        ({"choice": "retry"}, "invalid_choice"),
        ({}, "invalid_params"),
        ({"choice": "once", "request_id": "another"}, "invalid_params"),
        ({"choice": "deny", "reason": "x" * 5000}, "invalid_params"),
    ],
)
async def test_what_is_no_choice_of_this_prompt_is_refused(
    body: dict[str, Any], code: str, autojump_clock: object
) -> None:
    async with linked() as link:
        assert (await link.client.post(link.path, body, **OWN)).verdict == (400, code)
        assert await link.status() == "open"


def mistakes(path: str) -> list[str]:
    """The link with one thing wrong."""
    said, _, seal = path.rpartition(".")
    parts = said.split(".")
    changed = [
        ".".join([*parts[:place], value, *parts[place + 1 :]])
        for place, value in (
            (0, "/answer/" + "0" * 32),
            (1, "2"),
            (2, "0" * 16),
            (3, "9999999999"),
            (4, "boss"),
        )
    ]
    return [
        *(f"{each}.{seal}" for each in changed),
        said,
        f"{path[:-1]}{'A' if path[-1] != 'A' else 'B'}",
        "/answer/x",
        f"{path}.x",
    ]


async def test_every_wrong_link_is_the_same_404_and_guessing_is_slowed(autojump_clock: object) -> None:
    async with linked() as link:
        answers: list[Answer] = []
        for path in mistakes(link.path):
            await trio.sleep(30)
            answers += [await link.client.get(path), await link.client.post(path, {"choice": "once"}, **OWN)]
        assert {(each.status, str(each.json)) for each in answers} == {(404, str(answers[0].json))}
        await trio.sleep(100)
        for _ in range(WRONG_KEYS_MAX):
            assert (await link.client.get("/answer/x")).verdict == (404, "link_not_found")
        slowed = await link.client.get("/answer/x/card")
        assert slowed.verdict == (429, "sign_in_slowed")
        assert int(slowed.headers["retry-after"]) > 0
        assert (await link.choose()).status == 200, "who has the right link is not locked out by who guesses"


async def test_it_is_good_for_a_while_only_and_says_so(autojump_clock: object) -> None:
    async with linked() as link:
        await trio.sleep(899)
        assert (await link.card())["link"] == "good"
        await trio.sleep(2)
        card = await link.card()
        assert (card["link"], card["status"], card["prompt"]) == ("expired", "open", None)
        assert (await link.choose()).verdict == (409, "link_expired")
        assert await link.status() == "open"


async def test_it_is_never_good_for_longer_than_its_prompt(autojump_clock: object) -> None:
    async with linked() as short:
        prompt_ends = short.row.prompt.expires_at
        long = Linked(short.client, short.row, answer_link_s=10 * 3600.0)
        assert long.expires_at == prompt_ends == EPOCH + 3600
        await trio.sleep(3601)
        card = await long.card()
        assert (card["status"], card["decided_by"], card["prompt"]) == ("expired", None, None)
        assert (await long.choose()).verdict == (409, "approval_expired")


async def test_who_is_late_learns_who_decided(autojump_clock: object) -> None:
    async with linked() as link:
        await answer(link.client.sessions, "s", link.row.prompt.admission_id, Choice.DENY)
        card = await link.card()
        assert (card["status"], card["decided_by"], card["prompt"]) == ("denied", "ann", None)
        refused = await link.choose("once")
        assert refused.verdict == (409, "already_resolved")
        assert refused.json["error"]["decision"]["decided_by"] == "ann"


async def test_of_many_at_once_one_decides(autojump_clock: object) -> None:
    async with linked() as link:
        answers: list[Answer] = []

        async def choose(choice: str) -> None:
            answers.append(await link.choose(choice))

        async with trio.open_nursery() as nursery:
            for choice in ("once", "deny") * 5:
                nursery.start_soon(choose, choice)
        assert sorted(each.status for each in answers) == [200] + [409] * 9


async def test_after_a_restart_it_is_stale_and_another_is_good(autojump_clock: object) -> None:
    store = Store.inline()
    async with linked(replayed_asks, store) as link:
        old = link.path
    async with linked(replayed_asks, store) as link:
        fresh, link.path = link.path, old
        card = await link.card()
        assert (card["link"], card["status"], card["prompt"]) == ("stale", "open", None)
        assert (await link.choose()).verdict == (409, "stale_generation")
        link.path = fresh
        assert (await link.choose()).status == 200


@pytest.mark.parametrize("webhook", [(), (hook(),)], ids=["gone", "without links"])
async def test_a_link_dies_with_its_webhook(webhook: tuple[Any, ...], autojump_clock: object) -> None:
    async with linked(webhook=webhook) as link:
        assert (await link.choose()).verdict == (404, "link_not_found")


async def test_a_link_of_another_data_directory_is_none(autojump_clock: object) -> None:
    async with linked() as one, linked() as other:
        other.path = one.path
        assert (await other.choose()).verdict == (404, "link_not_found")


async def test_nobody_decides_their_own_by_link_where_that_is_forbidden(autojump_clock: object) -> None:
    mine = hook(answer_link=True)
    settings: Any = {"webhook": (mine,), "approver_not_requester": True}
    async with linked(**settings) as link:
        links = Links(link.client.sessions.store.digest_key, Config(**settings), wall_clock)
        assert links.make("ops", link.row) is None
        assert (await link.choose()).verdict == (403, "self_approval_forbidden")
        assert await link.status() == "open"


def test_no_webhook_gets_a_link_that_did_not_ask_for_one() -> None:
    client = PrincipalConfig(name="carl", key_sha256="ab" * 32, role=Role.CLIENT)
    links = Links(b"x", Config(webhook=(hook(),), principal=(client,)), lambda: 0.0)
    assert links.deciders == {}


async def test_a_key_is_neither_needed_nor_of_use(autojump_clock: object) -> None:
    async with linked() as link:
        assert link.client.key == KEY
        assert (await link.choose(headers={"Authorization": f"Bearer {KEY}"})).verdict == (
            403,
            "origin_not_allowed",
        )
        assert (
            await link.choose(headers={"Authorization": "Bearer wrong", "X_Placet_Console": "1"})
        ).status == 200
