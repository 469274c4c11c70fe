"""Signing in to the console: who gets a cookie, what it is good for, and when it ends."""

from __future__ import annotations

import hashlib
import re

import pytest
import trio

from placet.actors.protocol.errors import NotAuthenticated
from placet.actors.store import Store
from placet.http.auth import Principal, Role, fingerprint_of
from placet.http.signin import Seal
from placet.http.signin.attempts import ADDRESSES_MAX, WRONG_KEYS_MAX, WRONG_KEYS_S, Attempts
from placet.http.signin.seal import SIGNED_IN_S
from tests.console.page import OWN, Page
from tests.http.routes.house import APPROVER_KEY, CLIENT_KEY, KEY, serving

SECRET = b"s" * 32
ANN = Principal("ann", Role.APPROVER)
BOB = Principal("bob", Role.CLIENT)
KEYS = {fingerprint_of(b"key of ann"): ANN, fingerprint_of(b"key of bob"): BOB}


async def idle(turn: object) -> None:
    """An agent that is never asked anything."""


def seal(keys: dict[bytes, Principal] = KEYS, secret: bytes = SECRET, now: float = 1000.0) -> Seal:
    return Seal(secret, keys, lambda: now)


def token() -> str:
    return seal().issue(fingerprint_of(b"key of ann"))[0]


def test_a_token_says_whose_it_is_also_to_the_next_process() -> None:
    signed_in = seal(now=1000.0 + SIGNED_IN_S - 1).read(token())
    assert (signed_in.principal, signed_in.expires_at) == (ANN, 1000.0 + SIGNED_IN_S)


@pytest.mark.parametrize(
    "other",
    [
        seal(now=1000.0 + SIGNED_IN_S),
        seal({fingerprint_of(b"new key of ann"): ANN}),
        seal({fingerprint_of(b"key of ann"): Principal("eve", Role.OPERATOR)}),
        seal(secret=b"t" * 32),
    ],
    ids=["too old", "the key was changed", "the principal is another", "another data directory"],
)
def test_a_token_ends(other: Seal) -> None:
    with pytest.raises(NotAuthenticated):
        other.read(token())


def test_the_role_counts_as_it_is_now() -> None:
    promoted = Principal("ann", Role.OPERATOR)
    assert seal({fingerprint_of(b"key of ann"): promoted}).read(token()).principal is promoted


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "x",
        "0." + "0" * 64,
        token().replace("0", "1", 1),
        "9" + token(),
        token()[:-1] + ("0" if token()[-1] != "0" else "1"),
        token() + "\n",
        "٣" + token()[1:],
    ],
)
def test_nothing_else_is_a_token(forged: str) -> None:
    with pytest.raises(NotAuthenticated):
        seal().read(forged)


def test_fingerprints_alone_forge_nothing_for_they_may_stand_in_a_file_that_many_read() -> None:
    assert seal(secret=b"").cookie != seal().cookie
    with pytest.raises(NotAuthenticated):
        seal().read(seal(secret=b"").issue(fingerprint_of(b"key of ann"))[0])


async def test_a_key_gets_a_cookie_that_is_not_the_key_and_stands_for_it(autojump_clock) -> None:
    async with serving(idle) as client:
        page = Page(client)
        assert (await page.ask("GET", "/v1/console/session")).verdict == (401, "gateway_auth_failed")
        answer = await page.sign_in(APPROVER_KEY)
        assert (answer.status, answer.json["principal"], answer.json["role"]) == (200, "anna", "approver")
        flags = {part.strip().lower() for part in page.set_cookie.split(";")[1:]}
        assert {"httponly", "samesite=strict", "path=/"} <= flags
        assert "secure" not in flags
        assert not re.search(
            f"{APPROVER_KEY}|{hashlib.sha256(APPROVER_KEY.encode()).hexdigest()}", page.set_cookie
        )
        assert (await page.ask("GET", "/v1/console/session")).json["expires_at"] == answer.json["expires_at"]
        assert (await page.ask("GET", "/v1/approvals")).status == 200
        assert (await page.ask("GET", "/v1/console/server")).verdict == (403, "role_required")


async def test_over_https_the_cookie_stays_there(autojump_clock) -> None:
    async with serving(idle) as client:
        page = Page(client)
        await page.sign_in(KEY, {"Origin": "https://localhost"})
        assert "; Secure" in page.set_cookie


async def test_a_client_may_sign_in_and_sees_what_is_its_own(autojump_clock) -> None:
    async with serving(idle) as client:
        page = Page(client)
        assert (await page.sign_in(CLIENT_KEY)).json["may_decide"] is False
        assert (await page.ask("GET", "/v1/audit")).verdict == (403, "role_required")


async def test_signed_out_the_browser_has_nothing(autojump_clock) -> None:
    async with serving(idle) as client:
        page = Page(client)
        await page.sign_in(KEY)
        assert (await page.ask("DELETE", "/v1/console/session")).json["deleted"] is True
        assert "Max-Age=0" in page.set_cookie
        assert (await page.ask("GET", "/v1/approvals")).status == 401


async def test_a_sign_in_survives_a_restart(autojump_clock) -> None:
    store = Store.inline()
    async with serving(idle, store=store) as client:
        page = Page(client)
        await page.sign_in(KEY)
    async with serving(idle, store=store) as client:
        after = Page(client)
        after.cookies = page.cookies
        assert (await after.ask("GET", "/v1/console/session")).json["principal"] == "api"


FOREIGN = [
    {"Origin": "https://stranger.example"},
    {"Origin": "http://localhost:3000"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {**OWN, "Sec-Fetch-Site": "cross-site"},
    {"Origin": "https://stranger.example", "Sec-Fetch-Site": "same-origin"},
    {"Origin": "https://stranger.example", "X-Placet-Console": "1"},
    {},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_to_another_page_the_cookie_is_no_use(headers: dict[str, str], autojump_clock) -> None:
    async with serving(idle) as client:
        page = Page(client)
        await page.sign_in(KEY)
        refused = (403, "origin_not_allowed")
        assert (await page.ask("POST", "/v1/runs", {"input": "x"}, headers)).verdict == refused
        assert (await page.ask("GET", "/v1/console/events", None, headers)).verdict == refused
        assert (await page.ask("GET", "/v1/approvals", None, headers)).verdict == refused
        assert (await page.ask("DELETE", "/v1/console/session", None, headers)).verdict == refused
        assert (await page.sign_in(KEY, headers)).verdict == refused


@pytest.mark.parametrize(
    "headers", [OWN, {"Sec-Fetch-Site": "same-origin"}, {"X-Placet-Console": "1"}], ids=str
)
async def test_our_own_page_says_so_in_one_of_three_ways(headers: dict[str, str], autojump_clock) -> None:
    async with serving(idle) as client:
        page = Page(client)
        await page.sign_in(KEY)
        assert (await page.ask("POST", "/v1/runs", {"input": "x"}, headers)).status == 202


async def test_the_header_of_our_page_is_none_that_another_origin_may_send(autojump_clock) -> None:
    async with serving(idle, cors_origins=("https://page.example",)) as client:
        page = Page(client)
        asked = {
            "Origin": "https://page.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "x-placet-console",
        }
        response = await page._respond("OPTIONS", "/v1/runs", None, asked)
        assert "console" not in response.headers["Access-Control-Allow-Headers"].lower()
        assert "Access-Control-Allow-Credentials" not in response.headers


async def test_a_key_counts_before_a_cookie_and_needs_no_origin(autojump_clock) -> None:
    async with serving(idle) as client:
        page = Page(client)
        await page.sign_in(CLIENT_KEY)
        with_key = {"Authorization": f"Bearer {KEY}"}
        assert (await page.ask("GET", "/v1/audit", None, with_key)).status == 200
        wrong = {"Authorization": "Bearer wrong", **OWN}
        assert (await page.ask("GET", "/v1/approvals", None, wrong)).status == 401


async def test_wrong_keys_are_slowed_and_a_right_one_with_them(autojump_clock) -> None:
    async with serving(idle) as client:
        page = Page(client)
        for _ in range(WRONG_KEYS_MAX):
            assert (await page.sign_in("wrong")).verdict == (401, "gateway_auth_failed")
        slowed = await page.sign_in(KEY)
        assert slowed.verdict == (429, "sign_in_slowed")
        assert slowed.headers["retry-after"] == str(int(WRONG_KEYS_S))
        await trio.sleep(WRONG_KEYS_S)
        assert (await page.sign_in(KEY)).status == 200


def test_attempts_are_counted_by_address_and_of_the_last_minute() -> None:
    clock = [0.0]
    attempts = Attempts(lambda: clock[0])
    for _ in range(WRONG_KEYS_MAX):
        attempts.count_wrong("1.1.1.1")
        clock[0] += 10
    attempts.check("2.2.2.2")
    with pytest.raises(Exception, match="wrong keys"):
        attempts.check("1.1.1.1")
    clock[0] = WRONG_KEYS_S
    attempts.check("1.1.1.1")


def test_many_addresses_do_not_fill_the_memory() -> None:
    attempts = Attempts(lambda: 0.0)
    for number in range(ADDRESSES_MAX + 10):
        attempts.count_wrong(str(number))
    assert len(attempts._wrong) == ADDRESSES_MAX


@pytest.mark.parametrize("body", [{}, {"key": 1}, {"key": ""}, {"key": "x", "more": 1}])
async def test_what_is_no_key_is_refused_before_it_is_looked_at(
    body: dict[str, object], autojump_clock
) -> None:
    async with serving(idle) as client:
        page = Page(client)
        assert (await page.ask("POST", "/v1/console/session", body)).verdict == (400, "invalid_params")


async def test_a_server_without_keys_opens_without_signing_in(autojump_clock) -> None:
    async with serving(idle, no_auth=True) as client:
        page = Page(client)
        who = (await page.ask("GET", "/v1/console/session")).json
        assert (who["principal"], who["sign_in_required"], who["expires_at"]) == ("api", False, None)
        assert (await page.sign_in("anything")).json["sign_in_required"] is False
        assert page.cookies == {}
