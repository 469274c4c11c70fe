"""The pure parts: signatures, what an answer means, settings, texts."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from placet.actors.protocol.errors import StartRefused
from placet.actors.protocol.retry_after import retry_after_s
from placet.http.config import Config, load_config
from placet.http.hooks.outcome import (
    BACKOFF_FIRST_S,
    BACKOFF_MOST_S,
    RETRY_AFTER_MOST_S,
    Outcome,
    outcome_of,
    pause_s,
)
from placet.http.hooks.settings import HookEvent
from placet.http.hooks.signature import signed
from placet.http.hooks.texts import TEXTS
from tests.http.hooks.given import OTHER_SECRET, SECRET, Got, hook, is_signed

HASH = "ab" * 32


def test_the_signature_is_that_of_the_specifications_own_example() -> None:
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    headers = signed([key], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_while_secrets_are_changed_either_verifies_and_a_third_does_not() -> None:
    headers = signed(hook(secret=(SECRET, OTHER_SECRET)).keys, "msg_1", 5, b"x")
    got = Got("", headers, b"x", 0)
    assert is_signed(got, SECRET)
    assert is_signed(got, OTHER_SECRET)
    assert not is_signed(got, "whsec_" + base64.b64encode(b"z" * 32).decode())
    assert not is_signed(Got("", headers, b"y", 0), SECRET)


@pytest.mark.parametrize(
    ("statuses", "outcome"),
    [
        ((200, 201, 204, 299), Outcome.TAKEN),
        ((None, 408, 409, 425, 429, 500, 502, 503, 504, 599), Outcome.AGAIN),
        ((100, 301, 302, 307, 400, 401, 403, 404, 405, 410, 413, 422), Outcome.REFUSED),
    ],
)
def test_what_a_status_means(statuses: tuple[int | None, ...], outcome: Outcome) -> None:
    assert {outcome_of(status) for status in statuses} == {outcome}


def test_pauses_double_up_to_a_limit_and_are_never_the_same_for_all() -> None:
    longest = [pause_s(attempt, 1.0, None) for attempt in range(1, 14)]
    shortest = [pause_s(attempt, 0.0, None) for attempt in range(1, 14)]
    assert longest[:4] == [BACKOFF_FIRST_S * each for each in (1, 2, 4, 8)]
    assert longest[-1] == pause_s(10_000, 1.0, None) == BACKOFF_MOST_S
    assert shortest == [each / 2 for each in longest]


def test_what_the_receiver_asks_for_counts_within_reason() -> None:
    assert pause_s(1, 1.0, 30.0) == 30.0
    assert pause_s(6, 1.0, 30.0) == 32.0
    assert pause_s(1, 1.0, 10**9) == RETRY_AFTER_MOST_S


@given(st.text())
@example("Mon, 01 Jan 0001 00:00:00")
@example("Fri, 31 Dec 9999 23:59:59 -2359")
def test_whatever_a_receiver_asks_for_there_is_a_pause_and_it_ends(value: str) -> None:
    pause = pause_s(1, 0.5, retry_after_s(value, now=60.0))
    assert 0 < pause <= RETRY_AFTER_MOST_S


def loaded(tmp_path: Path, text: str, environ: dict[str, str] | None = None) -> Config:
    file = tmp_path / "placet.toml"
    file.write_text(text)
    return load_config({}, environ or {}, file)


def table(**more: str) -> str:
    settings = {"name": '"ops"', "url": '"https://chat.example/T0PSECRET"'} | more
    return "[[webhook]]\n" + "".join(f"{name} = {value}\n" for name, value in settings.items())


def test_a_secret_comes_from_the_file_another_file_or_a_variable(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\n{OTHER_SECRET}\n")
    keys = (base64.b64decode(SECRET[6:]), base64.b64decode(OTHER_SECRET[6:]))
    for text in (
        table(secret=json.dumps([SECRET, OTHER_SECRET])),
        table(secret=json.dumps([SECRET[6:], OTHER_SECRET])),
        table(secret_file=json.dumps(str(tmp_path / "secret"))),
        table(secret_env='"OPS"'),
    ):
        assert loaded(tmp_path, text, {"OPS": f"{SECRET} {OTHER_SECRET}"}).webhook[0].keys == keys
    assert loaded(tmp_path, table(secret=json.dumps(SECRET))).webhook[0].keys == keys[:1]


def test_by_default_it_hears_of_everything_after_ten_seconds_and_gets_no_links(tmp_path: Path) -> None:
    found = loaded(tmp_path, table(secret=json.dumps(SECRET))).webhook[0]
    assert (found.events, found.delay_s, found.format) == (tuple(HookEvent), 10.0, "json")
    assert (found.principal, found.answer_link) == ("api", False)


def test_a_text_for_people_needs_no_secret(tmp_path: Path) -> None:
    assert loaded(tmp_path, table(format='"ntfy"')).webhook[0].keys == ()


CLIENT = f'[[principal]]\nname = "carl"\nkey_sha256 = "{HASH}"\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (table(), "has no secret"),
        (table(secret='"whsec_c2hvcnQ="'), "has a secret that is none"),
        (table(secret='"not base64 at all, but long enough"'), "has a secret that is none"),
        (table(secret_env='"NOWHERE"'), "has no secret"),
        (table(secret_file='"/no/such/file"'), "cannot be read"),
        (table(secret=json.dumps(SECRET), secret_env='"OPS"'), "more than one place"),
        (table(secret=json.dumps(SECRET)) * 2, "name may stand once"),
        (table(secret=json.dumps(SECRET), principal='"nobody"'), "no principal `nobody`"),
        (CLIENT + table(secret=json.dumps(SECRET), principal='"carl"', answer_link="true"), "may not decide"),
        (table(secret=json.dumps(SECRET), events='["prompt.open"]'), "prompt.open"),
        (table(secret=json.dumps(SECRET), url='"ftp://chat.example"'), "url"),
        (table(secret=json.dumps(SECRET), delay_s="-1"), "delay_s"),
        (table(secret=json.dumps(SECRET), headers=r'{X = "a\r\nb"}'), "headers"),
        (table(secret=json.dumps(SECRET), headers='{"a b" = "c"}'), "headers"),
        ('public_url = "https://example.org/placet"\n', "public_url"),
        ("answer_link_s = 0\n", "answer_link_s"),
    ],
)
def test_what_cannot_be_meant_is_refused_without_a_secret_in_the_words(
    tmp_path: Path, text: str, why: str
) -> None:
    with pytest.raises(StartRefused) as caught:
        loaded(tmp_path, text)
    assert caught.value.code == "invalid_config"
    assert why in caught.value.message
    assert SECRET not in caught.value.message
    assert "T0PSECRET" not in caught.value.message


def test_settings_never_show_what_may_be_secret(tmp_path: Path) -> None:
    text = table(secret=json.dumps(SECRET), headers='{Authorization = "Bearer T0PSECRET"}')
    shown = repr(loaded(tmp_path, text))
    assert "ops" in shown
    assert SECRET[8:] not in shown
    assert "T0PSECRET" not in shown


def test_people_are_led_to_the_public_address_or_to_where_the_server_listens() -> None:
    assert Config(public_url="https://placet.example").reached_at == "https://placet.example"
    assert Config(port=1).reached_at == "http://127.0.0.1:1"
    assert Config(host="::1", port=1).reached_at == "http://[::1]:1"


PROMPT: dict[str, Any] = {
    "display": "echo <!channel> & ```rm``` <http://evil.example|Approve>",
    "description": "it deletes <files>",
    "directory": "/w",
    "requested_by": "api",
    "warnings": ["x"],
    "expires_at": 3600.0,
    "status": "open",
    "answer_link": "https://placet.example/answer/T",
    "answer_link_expires_at": 900,
}


def test_a_chat_room_takes_what_an_agent_wrote_as_text_and_unfurls_nothing() -> None:
    headers, body = TEXTS["slack"](HookEvent.OPENED, PROMPT)
    text: str = json.loads(body)["text"]
    assert headers == {"Content-Type": "application/json"}
    assert json.loads(body)["unfurl_links"] is False
    assert "<!channel>" not in text
    assert text.count("```") == 2
    marked = [part.split(">")[0] for part in text.split("<")[1:]]
    assert marked == ["https://placet.example/answer/T|Look at it and decide"]


def test_a_telephone_gets_the_text_and_is_told_by_headers_what_to_do_with_it() -> None:
    headers, body = TEXTS["ntfy"](HookEvent.EXPIRING, PROMPT)
    assert headers["Priority"] == "urgent"
    assert headers["Click"] == PROMPT["answer_link"]
    assert headers["Actions"] == f"view, Look at it and decide, {PROMPT['answer_link']}"
    assert body.decode().startswith(PROMPT["display"])


def test_why_an_agent_asks_is_one_line_with_nothing_hidden_in_it() -> None:
    _, body = TEXTS["ntfy"](HookEvent.OPENED, PROMPT | {"description": "fine\nasked by the boss\u202e"})
    assert "fine asked by the boss\\u202e" in body.decode().splitlines()


@pytest.mark.parametrize("form", sorted(TEXTS))
@pytest.mark.parametrize("kind", HookEvent)
def test_a_text_is_never_long_and_its_headers_hold_nothing_of_an_agents(kind: HookEvent, form: str) -> None:
    wide = "\U0001f600" * 5000
    data = PROMPT | {
        "display": wide,
        "description": wide,
        "directory": wide,
        "session_id": wide,
        "run_id": "run_" + "0" * 32,
        "status": "completed" if kind is HookEvent.ENDED else "approved",
        "decided_by": "ann",
    }
    headers, body = TEXTS[form](kind, data)
    assert all(value.isascii() and value.isprintable() for value in headers.values())
    assert form != "ntfy" or len(body) <= 4096


def test_a_question_is_one_and_has_its_words() -> None:
    question = {"question": "Which?", "requested_by": "api", "expires_at": None, "status": "open"}
    headers, body = TEXTS["ntfy"](HookEvent.OPENED, question)
    assert headers["Title"] == "A question for you"
    assert "Click" not in headers
    assert body.decode().splitlines() == ["Which?", "asked by api"]


@pytest.mark.parametrize(
    ("status", "words"),
    [("approved", "Approved"), ("denied", "Denied"), ("expired", "Expired"), ("cancelled", "Withdrawn")],
)
def test_an_end_is_told_as_what_it_is(status: str, words: str) -> None:
    headers, body = TEXTS["ntfy"](HookEvent.DECIDED, {"status": status, "decided_by": "ann", "display": "ls"})
    assert headers["Title"].startswith(words)
    assert body.decode().splitlines() == ["ls", "by ann"]
