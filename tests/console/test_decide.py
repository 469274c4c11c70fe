"""People decide on the page: the right prompt, once, and everybody sees it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from placet.http.routes import console as assets
from tests.console.browser import SOON_MS, Console, Stage, card, steady
from tests.system.server import serving

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.thread, pytest.mark.timeout(180)]

SPOOF = "$ rm -rf \u202egnp.x\u2066\u200bz" + " " * 80 + "; rm ~/\x1b[8mhidden"


def prompts(console: Console) -> None:
    """Three prompts in two sessions."""
    console.submit("one", "$ rm -rf first")
    console.submit("two", "$ rm -rf second\n$ rm -rf third")


async def test_by_keyboard_after_a_reload_and_on_every_screen_at_once(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        prompts(console)
        page, other = console.page(), console.page("sessions/two")
        page.reload()
        expect(page.locator(".card")).to_have_count(2)
        expect(page).to_have_title("(2) Inbox – Placet")
        page.keyboard.press("j")
        page.keyboard.press("j")
        expect(steady(card(page, "second"))).to_be_focused()
        page.keyboard.press("o")
        expect(card(page, "second")).to_contain_text("Approved once by api")
        expect(other.locator(".item.prompt").first).to_contain_text("Approved once by api", timeout=SOON_MS)
        assert [(item["command"], item["choice"]) for item in console.decisions()] == [
            ("rm -rf second", "once")
        ]
        # The next one comes and closes on both screens, by a click on the other.
        steady(card(other, "third")).get_by_role("button", name="Deny").click()
        other.keyboard.type("not today")
        other.keyboard.press("Enter")
        expect(card(page, "third")).to_contain_text("Denied by api: “not today”", timeout=SOON_MS)
        newest = console.decisions()[0]
        assert (newest["command"], newest["choice"], newest["reason"]) == (
            "rm -rf third",
            "deny",
            "not today",
        )
        expect(page).to_have_title("(1) Inbox – Placet")
        expect(other.locator(".transcript")).to_contain_text("it was denied (not today)")

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)


async def test_a_text_that_means_to_deceive_is_shown_as_what_it_is(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        console.submit("one", SPOOF)
        page = console.page()
        shown = card(page, "gnp").inner_text()
        assert r"rm -rf \u202egnp.x\u2066\u200bz ⟨80 spaces⟩ ; rm ~/\x1b[8mhidden" in shown
        assert "This text could mislead you" in shown
        assert "RIGHT-TO-LEFT OVERRIDE" in shown
        page.goto(re.sub("#.*", "#/sessions/one", page.url))
        expect(page.locator(".item.user")).to_contain_text("gnp")
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x1b]", page.locator("body").inner_text())

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)


def never_steady(page: Page) -> None:
    """A page on which every card has only just come."""
    source = assets.read_asset(Path("parts/steady.js")).body.decode()
    slow = source.replace("STEADY_MS = 600", "STEADY_MS = 1e8")
    assert slow != source
    page.route("**/parts/steady.js", lambda route: route.fulfill(body=slow, content_type="text/javascript"))


async def test_nothing_is_decided_by_what_was_not_meant(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        console.submit("one", "$ rm -rf first")
        hasty = console.page(before=never_steady)
        expect(card(hasty, "first")).to_be_visible()
        hasty.keyboard.press("j")
        hasty.keyboard.press("o")
        expect(card(hasty, "first")).to_contain_text("only just come")
        hasty.get_by_role("button", name="Always").click()
        hasty.get_by_role("button", name="Deny").click()
        hasty.keyboard.type("no: so far too soon")
        hasty.keyboard.press("Enter")
        expect(card(hasty, "first").get_by_label("Reason")).to_have_value("no: so far too soon")
        typing = console.page()
        steady(card(typing, "first"))
        typing.keyboard.press("j")
        typing.keyboard.type("no, also so so")  # somebody thinks that this goes elsewhere
        expect(card(typing, "first").locator(".status")).to_be_empty()
        assert console.decisions() == []

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)


async def test_who_is_late_is_told_who_won_and_a_lost_answer_is_asked_for_again(
    tmp_path: Path, stage: Stage
) -> None:
    held: list[Route] = []
    lost: list[Route] = []

    def lose(route: Route) -> None:
        """The server gets the first one, and the page never learns it."""
        lost.append(route)
        if len(lost) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    def play(console: Console) -> None:
        console.submit("one", "$ rm -rf first")
        late = console.page(before=lambda page: page.route("**/decision", lambda route: held.append(route)))
        quick = console.page()
        with late.expect_request("**/decision"):
            steady(card(late, "first")).get_by_role("button", name="Approve once").click()
        # What others do it does not hear, for its stream is cut and cannot be made again.
        late.route("**/v1/console/events*", lambda route: route.abort())
        late.context.set_offline(True)
        expect(late.locator(".connection")).to_have_text("No connection")
        steady(card(quick, "first")).get_by_role("button", name="Deny").click()
        quick.keyboard.press("Enter")
        expect(card(quick, "first")).to_contain_text("Denied by api")
        late.context.set_offline(False)
        held[0].continue_()
        expect(card(late, "first")).to_contain_text("Somebody was faster. Denied by api")
        console.submit("two", "$ rm -rf second")
        losing = console.page(before=lambda page: page.route("**/decision", lose))
        steady(card(losing, "second")).get_by_role("button", name="Approve once").click()
        expect(card(losing, "second")).to_contain_text("Approved once by api")
        assert [item["choice"] for item in console.decisions()] == ["once", "deny"]

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)


async def test_several_at_once_are_those_that_were_selected(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        for name in ("first", "second", "third"):
            console.submit(name, f"$ rm -rf {name}")
        page = console.page()
        expect(page.locator(".card")).to_have_count(3)
        for name in ("first", "third"):
            card(page, name).get_by_label(re.compile("Select")).check()
        page.get_by_role("group", name="Selected prompts").get_by_role("button", name="Approve once").click()
        dialog = page.get_by_role("dialog", name="Approve 2 prompts?")
        expect(dialog.locator("li")).to_have_text(["rm -rf first", "rm -rf third"])
        dialog.get_by_role("button", name="Cancel").click()
        assert console.decisions() == []
        page.get_by_role("group", name="Selected prompts").get_by_role("button", name="Approve once").click()
        dialog.get_by_role("button", name="Approve each once").click()
        expect(page).to_have_title("(1) Inbox – Placet")
        assert {item["command"] for item in console.decisions()} == {"rm -rf first", "rm -rf third"}

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)


async def test_the_server_dies_and_comes_back_under_an_open_page(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        server = console.server
        prompts(console)
        page = console.page()
        steady(card(page, "first"))
        page.evaluate("window.same = true")
        console.wait(server.kill)
        expect(page.locator(".banner")).to_contain_text("No connection")
        expect(page.get_by_role("button", name="Approve once").first).to_be_disabled()
        console.wait(server.restart)
        expect(page.locator(".connection")).to_have_text("Live")
        expect(page.locator(".banner")).to_be_hidden()
        expect(page.locator(".card")).to_have_count(2)
        steady(card(page, "first")).get_by_role("button", name="Approve once").click()
        expect(card(page, "first")).to_contain_text("Approved once by api")
        assert page.evaluate("window.same") is True
        assert [item["execution_generation"] for item in console.decisions()] == [2]

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)


async def test_a_question_is_answered_in_words_and_a_prompt_is_given_more_time(
    tmp_path: Path, stage: Stage
) -> None:
    def play(console: Console) -> None:
        console.submit("one", "x")
        page = console.page()
        asked = page.locator(".card", has_text="Which colour?")
        steady(asked).get_by_role("button", name="green").click()
        expect(asked).to_contain_text("Answered by api: “green”")
        field = page.get_by_label("Your answer")
        field.fill("oak and a")  # letters of which each would be a key elsewhere
        field.press("Enter")
        last = card(page, "rm -rf ./oak")
        expect(last).to_contain_text("root/child#1")
        steady(last).press("e")
        expect(last.locator(".left")).to_contain_text("1 h 0")
        steady(last).get_by_role("button", name="Deny").click()
        page.keyboard.press("Enter")
        page.goto(re.sub("#.*", "#/sessions/one", page.url))
        expect(page.locator(".transcript")).to_contain_text("green, oak and a: denied")

    async with serving(tmp_path, "tests.console.agent:curious") as server:
        await stage.show(server, play)
