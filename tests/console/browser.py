"""A browser that shows the consoles of real servers, driven from a thread beside them."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

import trio
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.system.server import KEY

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.system.server import Server

T = TypeVar("T")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE = (1280, 860)
PHONE = (360, 740)

PATIENCE_MS = 15_000
SOON_MS = 1_000
"""How soon what happens on one screen must show on another."""

EXPECTED = re.compile("401|404|409|429|net::ERR")
"""What a browser itself writes about a request that is refused or does not arrive."""


class Console:
    """Pages of one server.

    Args:
        browser: what shows them.
        server: what they come from.
        token: where the server is looked after.

    Attributes:
        complaints: what the browser found wrong with the page: errors of scripts, breaches of its policy.
    """

    def __init__(self, browser: Browser, server: Server, token: trio.lowlevel.TrioToken) -> None:
        self._browser = browser
        self.server = server
        self._token = token
        self.complaints: list[str] = []

    def page(
        self,
        where: str = "inbox",
        *,
        key: str | None = KEY,
        size: tuple[int, int] = WIDE,
        scheme: Any = "light",
        before: Callable[[Page], None] | None = None,
        **more: Any,
    ) -> Page:
        """A page of a browser of its own, signed in with a key if there is one.

        Args:
            where: which part of the console.
            key: whose.
            size: of the window.
            scheme: which colours the person prefers.
            before: what is done to the page before it is loaded.
            more: for the browser's context.
        """
        viewport: Any = {"width": size[0], "height": size[1]}
        context = self._browser.new_context(viewport=viewport, color_scheme=scheme, **more)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._hear)
        if before is not None:
            before(page)
        page.goto(f"http://127.0.0.1:{self.server.port}/#/{where}")
        if key is not None:
            sign_in(page, key)
            expect(page.locator(".connection")).to_have_text("Live")
        return page

    def _hear(self, message: Any) -> None:
        if message.type in {"error", "warning"} and not EXPECTED.search(message.text):
            self.complaints.append(message.text)

    def wait(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do something with the server, past the browser."""
        return trio.from_thread.run(work, trio_token=self._token)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """A request with the server's key, past the browser."""
        reply = self.wait(lambda: self.server.api.ask(method, path, body))
        assert reply.status < 300, reply
        return reply.json

    def submit(self, session: str, text: str) -> None:
        """An input for a session, which is made if there is none."""
        self.ask("POST", "/v1/runs", {"input": text, "session_id": session})

    def decisions(self) -> list[dict[str, Any]]:
        """The audit, newest first."""
        found: list[dict[str, Any]] = self.ask("GET", "/v1/audit?order=latest")["data"]
        return found


def sign_in(page: Page, key: str) -> None:
    """Show a key."""
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()


def card(page: Page, text: str) -> Locator:
    """The card of the prompt whose text contains this."""
    return page.locator(".card", has=page.locator(".command", has_text=text))


def steady(found: Locator) -> Locator:
    """The card, once keys and clicks count for it."""
    expect(found).to_have_attribute("data-steady", "")
    return found


class Stage:
    """One browser for all tests, in a thread of its own: it takes longer to start than most of them take.

    Args:
        chromium: the program.
    """

    def __init__(self, chromium: str) -> None:
        self._thread = ThreadPoolExecutor(1, "browser")
        self._closing = ExitStack()
        self.browser: Browser = self.call(lambda: self._open(chromium))

    def _open(self, chromium: str) -> Browser:
        expect.set_options(timeout=PATIENCE_MS)
        playwright = self._closing.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        self._closing.callback(browser.close)
        return browser

    def call(self, work: Callable[[], T]) -> T:
        """Do something with the browser, in its thread."""
        return self._thread.submit(work).result()

    def close(self) -> None:
        """The browser ends."""
        self.call(self._closing.close)
        self._thread.shutdown()

    async def show(self, server: Server, play: Callable[[Console], None]) -> None:
        """Carry out what a person does. The pages must not have given the browser anything to complain about.

        Args:
            server: what it is done with.
            play: what is done.
        """
        console = Console(self.browser, server, trio.lowlevel.current_trio_token())

        def run() -> None:
            try:
                play(console)
            finally:
                for context in self.browser.contexts:
                    context.close()

        await trio.to_thread.run_sync(self.call, run)
        assert console.complaints == []
