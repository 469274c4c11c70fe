"""Sessions on the page: what is said and done in them, and nothing lost or double whatever the network does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, Route, expect

from tests.console.browser import Console, Stage, card, steady
from tests.system.server import serving

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.thread, pytest.mark.timeout(180)]

SCRIPT = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script>"


def say(page: Page, text: str) -> None:
    """Type a message and send it."""
    page.get_by_label("Message").fill(text)
    page.get_by_label("Message").press("Enter")


async def test_a_session_from_its_making_to_its_end(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        page = console.page("sessions")
        page.get_by_role("button", name="New session").click()
        say(page, "hello there")
        transcript = page.locator(".transcript")
        expect(transcript.locator(".item.assistant")).to_have_text(re.compile("hello there"))
        say(page, "/slow 2000")
        expect(transcript).to_contain_text("word 3")
        say(page, "this waits")
        say(page, "and this too")
        expect(page.locator(".queue summary")).to_have_text("2 messages waiting")
        page.locator(".queue summary").click()
        page.locator(".queue li", has_text="and this").get_by_role("button", name="Cancel").click()
        expect(page.locator(".queue summary")).to_have_text("1 message waiting")
        page.get_by_role("button", name="Stop").click()
        expect(transcript).to_contain_text("It was stopped")
        expect(transcript.locator(".item.assistant").last).to_contain_text("this waits")
        expect(page.locator(".queue")).to_be_hidden()
        page.get_by_role("button", name="Fork").click()
        expect(page.locator(".inherited")).to_contain_text("hello there")
        say(page, "$ echo in the fork")
        expect(transcript.locator(".item.tool")).to_contain_text("done")
        page.get_by_label("Search sessions").fill("in the fork")
        expect(page.locator(".session-list li")).to_have_count(1)
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(page.locator(".session-list li")).to_have_count(0)

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)


async def test_a_message_whose_answer_is_lost_is_one_message_also_over_a_reload(
    tmp_path: Path, stage: Stage
) -> None:
    lost: list[Route] = []
    reloaded: list[bool] = []

    def lose(route: Route) -> None:
        """The server gets it, and until the page was reloaded it never learns that."""
        if reloaded:
            route.continue_()
            return
        lost.append(route)
        route.fetch()
        route.abort()

    def play(console: Console) -> None:
        console.ask("POST", "/api/sessions", {"id": "one"})
        page = console.page("sessions/one", before=lambda page: page.route("**/v1/runs", lose))
        say(page, "only once")
        expect(page.locator(".composer .status")).to_contain_text("sent again")
        page.reload()
        reloaded.append(True)
        with page.expect_response(lambda response: response.url.endswith("/v1/runs")) as answered:
            expect(page.locator(".item.assistant")).to_have_text(re.compile("only once"))
        assert answered.value.header_value("idempotency-replayed") == "true"
        assert lost
        assert [message["role"] for message in console.ask("GET", "/api/sessions/one/messages")["data"]] == [
            "user",
            "assistant",
        ]

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)


async def test_a_stream_that_is_cut_goes_on_where_it_was(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        console.submit("one", "/slow 100")
        page = console.page("sessions/one")
        for number in (10, 40):
            expect(page.locator(".item.assistant")).to_contain_text(f"word {number} ")
            page.context.set_offline(True)
            expect(page.locator(".connection")).to_have_text("No connection")
            page.context.set_offline(False)
            expect(page.locator(".connection")).to_have_text("Live")
        expect(page.locator(".item.assistant")).to_contain_text("word 100")
        said = page.locator(".item.assistant .bubble").inner_text()
        assert said.split() == [part for number in range(1, 101) for part in ("word", str(number))]

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)


async def test_a_script_in_any_text_does_nothing(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        console.ask("POST", "/api/sessions", {"id": "one", "title": f"{SCRIPT[:60]}"})
        console.submit("one", f"{SCRIPT}\n```html\n{SCRIPT}\n```\n$ rm '{SCRIPT}'")
        page = console.page("sessions/one")
        expect(page.locator(".item.user")).to_contain_text(SCRIPT)
        page.get_by_label("Search sessions").fill(SCRIPT)
        expect(page.locator(".session-list li")).to_have_count(1)
        steady(page.locator(".card")).get_by_role("button", name="Always").click()
        expect(page.locator(".item.prompt")).to_contain_text("Approved always")
        console.submit("one", f"$ rm '{SCRIPT}' # {SCRIPT}")
        page.goto(re.sub("#.*", "#/inbox", page.url))
        steady(page.locator(".card:not(.ended)")).get_by_role("button", name="Deny").click()
        page.get_by_label("Reason").fill(SCRIPT)
        page.get_by_label("Reason").press("Enter")
        expect(page.locator(".card.denied")).to_contain_text(f"“{SCRIPT}”")
        for place, text in (("rules", "exactly"), ("audit", "“<img"), ("server", "Takes work")):
            page.goto(re.sub("#.*", f"#/{place}", page.url))
            expect(page.locator("main")).to_contain_text(text)
        page.goto(re.sub("#.*", "#/audit", page.url))
        page.get_by_label("Search the audit").fill(SCRIPT[:100])
        expect(page.locator(".record")).to_have_count(2)
        assert page.evaluate("window.hacked") is None
        assert page.locator("main img, main script").count() == 0

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)


async def test_a_rule_shows_how_it_is_used_until_it_is_revoked(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        console.submit("one", "$ rm -f x")
        page = console.page()
        steady(card(page, "rm -f x")).get_by_role("button", name="For this session").click()
        expect(card(page, "rm -f x")).to_contain_text("Approved for the session")
        page.get_by_role("link", name="Rules").click()
        expect(page.get_by_role("heading", name="Rules")).to_be_focused()
        expect(page.locator(".record")).to_contain_text("never used")
        console.submit("one", "$ rm -f x\n$ rm -f x")
        expect(page.locator(".record")).to_contain_text("used 2×")
        page.get_by_role("button", name=re.compile("Revoke")).click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(page.locator(".empty")).to_contain_text("No rules")
        page.get_by_role("link", name="Audit").click()
        expect(page.locator(".record")).to_have_count(3)
        expect(page.locator(".chain")).to_have_text("The chain is whole")
        page.get_by_label("How it ended").select_option("denied")
        expect(page.locator(".record")).to_have_count(0)

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)
