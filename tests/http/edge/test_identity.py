"""What headers say: the session, the key for retries, the dialect."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.datastructures import Headers

from placet.actors.protocol.errors import InvalidInput, NotAllowed
from placet.http.auth import Principal
from placet.http.chat_request import ChatRequest
from placet.http.config import Role
from placet.http.identity import Dialect, dialect_of, idempotency_key, session_key_of, session_of
from placet.http.requests.parameters import SessionId
from tests.http.edge.requests import parse_chat

UNHURRIED = settings(deadline=None)  # other work on the machine must not fail a test

API = Principal("api", Role.OPERATOR)
CURL = {"User-Agent": "curl/8.0"}


def latin1(text: str) -> str:
    """A header's UTF-8 as the framework shows it."""
    return text.encode().decode("latin-1")


def chat(approvals: object = None) -> ChatRequest:
    body = {"messages": [{"role": "user", "content": "hi"}], "placet": {"approvals": approvals}}
    return parse_chat(body)


@pytest.mark.parametrize("name", ["X-Hermes-Session-Id", "X-Session-Id", "x-session-id"])
def test_a_session_by_either_name(name: str) -> None:
    assert session_of(Headers({name: "retry-sse"}), no_auth=False) == "retry-sse"


def test_no_session() -> None:
    assert session_of(Headers(), no_auth=True) is None
    assert session_of(Headers(), no_auth=False) is None


def test_both_names_may_say_the_same_and_not_differ() -> None:
    assert session_of(Headers({"X-Hermes-Session-Id": "a", "X-Session-Id": "a"}), no_auth=False) == "a"
    with pytest.raises(InvalidInput) as caught:
        session_of(Headers({"X-Hermes-Session-Id": "a", "X-Session-Id": "b"}), no_auth=False)
    assert caught.value.code == "invalid_session_id"
    with pytest.raises(InvalidInput):
        session_of(Headers([("X-Session-Id", "a"), ("X-Session-Id", "b")]), no_auth=False)


def test_a_session_in_other_letters_is_utf8() -> None:
    assert session_of(Headers({"X-Session-Id": latin1("größe")}), no_auth=False) == "größe"
    with pytest.raises(InvalidInput, match="UTF-8"):
        session_of(Headers({"X-Session-Id": "gr\xf6"}), no_auth=False)


@pytest.mark.parametrize("value", ["", "../x", "a/b", "a\\b", "C:x", "_server", "a\x00b", "x" * 257, " a"])
def test_a_session_that_is_no_id(value: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        session_of(Headers({"X-Session-Id": value}), no_auth=False)
    assert (caught.value.code, caught.value.param) == ("invalid_session_id", "X-Session-Id")


@pytest.mark.parametrize("name", ["X-Hermes-Session-Id", "X-Session-Id"])
def test_without_keys_no_session_may_be_named(name: str) -> None:
    with pytest.raises(NotAllowed) as caught:
        session_of(Headers({name: "a"}), no_auth=True)
    assert caught.value.code == "session_header_forbidden"


def test_the_session_key_is_echoed() -> None:
    assert session_key_of(Headers(), no_auth=True) is None
    assert session_key_of(Headers({"X-Hermes-Session-Key": "k" * 256}), no_auth=False) == "k" * 256
    with pytest.raises(NotAllowed):
        session_key_of(Headers({"X-Hermes-Session-Key": "k"}), no_auth=True)


def test_a_session_key_that_could_break_a_header() -> None:
    headers = [Headers({"X-Hermes-Session-Key": value}) for value in ("k" * 257, "a\x00b", "a\x7f")]
    headers.append(Headers([("X-Hermes-Session-Key", "a"), ("X-Hermes-Session-Key", "b")]))
    for each in headers:
        with pytest.raises(InvalidInput) as caught:
            session_key_of(each, no_auth=False)
        assert caught.value.code == "invalid_session_key"


@UNHURRIED
@given(st.text(alphabet=[chr(code) for code in range(33, 127)], min_size=1, max_size=255))
def test_every_visible_key_is_taken_as_it_stands(key: str) -> None:
    assert idempotency_key(Headers({"Idempotency-Key": key})) == key


@UNHURRIED
@given(st.text(alphabet=[chr(code) for code in range(256) if code not in (10, 13)], max_size=300))
def test_a_key_is_taken_or_refused_and_nothing_else(key: str) -> None:
    visible = all("!" <= character <= "~" for character in key)
    headers = Headers({"Idempotency-Key": key})
    if visible and 1 <= len(key) <= 255:
        assert idempotency_key(headers) == key
    else:
        with pytest.raises(InvalidInput):
            idempotency_key(headers)


def test_no_key() -> None:
    assert idempotency_key(Headers()) is None


def test_quotes_are_part_of_the_key() -> None:
    assert idempotency_key(Headers({"Idempotency-Key": '"abc"'})) == '"abc"'


@pytest.mark.parametrize("key", ["", "k" * 256, "k" * 300, "a\tb", "a b", "caf\xe9", "a\x7f"])
def test_awkward_keys(key: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        idempotency_key(Headers({"Idempotency-Key": key}))
    assert (caught.value.code, caught.value.param) == ("invalid_idempotency_key", "Idempotency-Key")


@pytest.mark.parametrize("second", ["a", "b"])
def test_two_lines_are_no_key(second: str) -> None:
    with pytest.raises(InvalidInput):
        idempotency_key(Headers([("Idempotency-Key", "a"), ("Idempotency-Key", second)]))


def test_what_decides_the_dialect_in_this_order() -> None:
    sdk = {"X-Stainless-Lang": "python"}
    set_to_none = Principal("web", Role.CLIENT, Dialect.NONE)
    header = Headers(sdk | {"X-Placet-Approvals": "event"})
    assert dialect_of(chat("chunk"), Headers({"X-Placet-Approvals": "event"}), set_to_none) is Dialect.CHUNK
    assert dialect_of(chat(), header, set_to_none) is Dialect.EVENT
    assert dialect_of(chat(), Headers(sdk), set_to_none) is Dialect.NONE
    assert dialect_of(chat(), Headers(sdk), API) is Dialect.CHUNK
    assert dialect_of(chat(), Headers(CURL), API) is Dialect.EVENT


@pytest.mark.parametrize(
    "agent",
    [
        "OpenAI/Python 3.57.0",
        "AsyncOpenAI/Python 3.57.0",
        "AzureOpenAI/Python 1.0",
        "OpenAI/JS 5.1.0",
        "OpenAI/Go 1.0",
        "ai/5.0.0 ai-sdk/openai-compatible/1.0.0 runtime/node.js/22",
        "litellm/1.60",
    ],
)
def test_sdks_are_known_by_their_name(agent: str) -> None:
    assert dialect_of(chat(), Headers({"User-Agent": agent}), API) is Dialect.CHUNK


@pytest.mark.parametrize(
    "agent",
    ["", "curl/8.0", "Python/3.11 aiohttp/3.9.1", "python-httpx/0.28.1", "Mozilla/5.0", "notopenai/1"],
)
def test_others_get_events(agent: str) -> None:
    assert dialect_of(chat(), Headers({"User-Agent": agent}), API) is Dialect.EVENT
    assert dialect_of(chat(), Headers(), API) is Dialect.EVENT


@pytest.mark.parametrize("word", ["", "Event", "chunks", "true"])
def test_an_unknown_dialect(word: str) -> None:
    with pytest.raises(InvalidInput) as in_header:
        dialect_of(chat(), Headers({"X-Placet-Approvals": word}), API)
    with pytest.raises(InvalidInput) as in_body:
        chat(word)
    assert (in_header.value.param, in_body.value.param) == ("X-Placet-Approvals", "placet.approvals")


@UNHURRIED
@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E) | st.sampled_from("./\\:_"), max_size=8))
def test_the_ids_that_are_described_are_those_that_are_taken(word: str) -> None:
    (pattern,) = (meta.pattern for meta in SessionId.__metadata__)
    try:
        taken = session_of(Headers({"X-Session-Id": word}), no_auth=False) == word
    except InvalidInput:
        taken = False
    assert (re.search(pattern, word) is not None) == taken
