"""The page of an answer link: one card for somebody who was sent a link and is not signed in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Route, expect

from tests.console.browser import PHONE, Console, Stage, card, steady
from tests.console.test_doors import FAULTS
from tests.http.hooks.given import Receiver, receiving
from tests.system.server import serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.thread, pytest.mark.timeout(180)]


def config(receiver: Receiver) -> str:
    return f'[[webhook]]\nname = "phone"\nurl = "{receiver.url}/t"\nformat = "ntfy"\ndelay_s = 0\nanswer_link = true\n'


def opened(console: Console, link: str, **more: Any) -> Page:
    """A page of a browser of its own that follows a link."""
    page = console.page(key=None, **more)
    page.goto(link)
    return page


def called(console: Console, receiver: Receiver, text: str) -> str:
    """The link that comes with the prompt whose text contains this."""
    (got,) = console.wait(
        lambda: receiver.until(lambda got: text in got.body.decode() and "click" in got.headers)
    )
    return got.headers["click"]


async def test_whoever_is_called_sees_the_card_and_decides_once(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        console.submit("one", "$ rm -rf \u202efirst")
        link = called(console, receiver, "first")
        page, late = opened(console, link, size=PHONE), opened(console, link)
        shown = steady(card(page, "first"))
        expect(shown).to_contain_text("\\u202efirst")
        expect(shown).to_contain_text("This text could mislead you")
        expect(shown.locator(".details dd").last).to_have_text("api")
        expect(shown.get_by_role("button")).to_have_text(
            [re.compile(word) for word in ("Approve once", "For this session", "Always", "Deny")]
        )
        expect(page.locator("nav, a")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert console.decisions() == []
        shown.get_by_role("button", name="Deny").click()
        shown.get_by_label("Reason, told to the agent").fill("not from a train")
        shown.get_by_role("button", name="Deny").last.click()
        expect(shown.locator(".status")).to_have_text("Denied by link:phone: “not from a train”")
        steady(card(late, "first")).get_by_role("button", name="Approve once").click()
        expect(card(late, "first").locator(".status")).to_contain_text(
            "Somebody was faster. Denied by link:phone"
        )
        page.reload()
        expect(page.locator("main")).to_contain_text("This is decided")
        expect(page.locator("main")).to_contain_text("Denied by link:phone")
        (decided,) = console.decisions()
        assert (decided["by"], decided["choice"], decided["reason"]) == (
            "link:phone",
            "deny",
            "not from a train",
        )

    async with receiving() as receiver, serving(tmp_path, "demo", config=config(receiver)) as server:
        await stage.show(server, play)


OVER = {"link": "expired", "prompt": None}
STALE = {"link": "stale", "prompt": None}


def standing(page: Page, **changes: Any) -> None:
    """Let the server say from now on that the link stands otherwise than it does."""

    def answer(route: Route) -> None:
        said = route.fetch()
        route.fulfill(response=said, json=said.json() | changes)

    page.unroute("**/card")
    page.route("**/card", answer)
    page.reload()


async def test_a_link_that_is_over_or_none_says_so_and_decides_nothing(
    tmp_path: Path, stage: Stage, node: Path
) -> None:
    axe = (node / "node_modules" / "axe-core" / "axe.min.js").read_text()

    def play(console: Console) -> None:
        console.submit("one", "$ rm -rf first")
        link = called(console, receiver, "first")
        page = opened(console, link)
        steady(card(page, "first"))
        page.evaluate(axe)
        assert page.evaluate(FAULTS) == []
        standing(page, **OVER)
        expect(page.locator("main")).to_contain_text("The prompt still waits: sign in to decide it.")
        standing(page, **STALE)
        expect(page.locator("main")).to_contain_text("If the prompt still waits, you get another link.")
        wrong = opened(console, link[:-4])
        expect(wrong.locator("body")).to_contain_text("This is no answer link of this server")
        plain = opened(console, link, java_script_enabled=False)
        expect(plain.locator(".alone p")).to_contain_text("Nothing has been decided")
        assert console.decisions() == []

    async with receiving() as receiver, serving(tmp_path, "demo", config=config(receiver)) as server:
        await stage.show(server, play)
