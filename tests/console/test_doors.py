"""Who gets in, and how the page looks to those who see, hear or touch it otherwise."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Page, expect

from tests.console.browser import PHONE, WIDE, Console, Stage, card, sign_in
from tests.system.server import KEY, serving

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.thread, pytest.mark.timeout(180)]

CLIENT_KEY = "key-of-carl-who-is-a-client"
CLIENT = f'[[principal]]\nname = "carl"\nkey_sha256 = "{hashlib.sha256(CLIENT_KEY.encode()).hexdigest()}"\n'

MORE = [(PHONE, "dark"), (WIDE, "light"), (WIDE, "dark")] if os.environ.get("PLACET_LONG") else []

FAULTS = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`);
}"""
"""What axe finds that keeps somebody out."""


async def test_only_a_key_opens_the_page_and_signing_out_closes_it(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        page = console.page(key=None)
        sign_in(page, "wrong")
        expect(page.get_by_role("alert")).to_have_text("That is not a key of this server.")
        sign_in(page, KEY)
        expect(page.locator(".empty")).to_contain_text("Nothing waits for you")
        assert KEY not in str(page.context.storage_state())
        assert page.evaluate("document.cookie") == ""
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("API key")).to_be_focused()
        page.reload()
        expect(page.get_by_label("API key")).to_be_visible()
        console.submit("one", "$ rm -rf first")
        carl = console.page(key=CLIENT_KEY)
        expect(carl.locator(".empty")).to_contain_text("Nothing waits for you")
        carl.goto(f"http://127.0.0.1:{console.server.port}/#/sessions/one")
        expect(carl.locator(".session .status").first).to_contain_text("not there")
        for _ in range(5):
            expect(page.get_by_role("button", name="Sign in")).to_be_enabled()
            sign_in(page, "wrong")
        expect(page.get_by_role("alert")).to_contain_text("Too many wrong keys")
        plain = console.page(key=None, java_script_enabled=False)
        expect(plain.locator(".alone p")).to_contain_text("This page needs JavaScript")

    async with serving(tmp_path, "demo", config=CLIENT) as server:
        await stage.show(server, play)


async def test_without_keys_the_page_is_open(tmp_path: Path, stage: Stage) -> None:
    def play(console: Console) -> None:
        console.submit("one", "$ rm -rf first")
        page = console.page(key=None)
        expect(card(page, "first")).to_be_visible()
        expect(page.get_by_role("button", name="Sign out")).to_be_hidden()

    async with serving(tmp_path, "demo", key=None) as server:
        await stage.show(server, play)


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), *MORE], ids=lambda value: str(value))
async def test_nobody_is_kept_out(
    tmp_path: Path, stage: Stage, node: Path, size: tuple[int, int], scheme: str
) -> None:
    axe = (node / "node_modules" / "axe-core" / "axe.min.js").read_text()

    def check(page: Page) -> None:
        """Run axe in the page, which takes no script from elsewhere; so it comes by the debugger, which is no page's."""
        page.evaluate(axe)
        found: Any = page.evaluate(FAULTS)
        assert found == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page.url

    def play(console: Console) -> None:
        check(console.page(key=None, size=size, scheme=scheme))
        console.submit("one", "hello")
        console.submit("one", "$ rm -rf \u202efirst")
        console.submit("two", "$ rm -rf second")
        page = console.page(size=size, scheme=scheme)
        page.locator(".card .actions").first.scroll_into_view_if_needed()
        expect(page.locator(".card[data-steady]").first).to_be_visible()
        check(page)
        for place, text in (
            ("sessions", "waits for you"),
            ("sessions/one", "Approve once"),
            ("rules", "No rules"),
            ("audit", "chain is whole"),
            ("server", "parked"),
        ):
            page.goto(f"http://127.0.0.1:{console.server.port}/#/{place}")
            expect(page.locator("main")).to_contain_text(text)
            check(page)

    async with serving(tmp_path, "demo") as server:
        await stage.show(server, play)
