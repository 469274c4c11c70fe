"""Cases about what clients really send: shapes, roles, parts, half an emoji, depth, keys, codings. A refusal stores nothing."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakemodel import FakeModel, fake_model, says
from tests.helpers import Api, read_to_end
from tests.system.server import KEY, chat_body, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.helpers import Reply
    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

CHAT = "/v1/chat/completions"
SURFACES = {"chat": CHAT, "responses": "/v1/responses", "runs": "/v1/runs"}
BODY_BYTES = 2_000_000
"""Of these servers: above the picture of a case, and quick to exceed."""


@pytest.fixture
async def model() -> AsyncIterator[FakeModel]:
    async with fake_model(lambda _: says("ok")) as listening:
        yield listening


@pytest.fixture
async def asked(tmp_path: Path, model: FakeModel) -> AsyncIterator[Server]:
    """A server whose agent asks that model."""
    settings: dict[str, Any] = {"model_base_url": model.url, "model": "fake", "body_bytes": BODY_BYTES}
    async with serving(tmp_path, "openai", **settings) as server:
        yield server


def body_of(surface: str, content: Any) -> dict[str, Any]:
    """A request whose user says that."""
    if surface == "chat":
        return {"messages": [{"role": "user", "content": content}]}
    return {"input": content if isinstance(content, str) else [{"role": "user", "content": content}]}


async def post(server: Server, surface: str, content: Any) -> Reply:
    return await server.api.ask("POST", SURFACES[surface], body_of(surface, content))


async def ends(server: Server, surface: str, reply: Reply) -> None:
    """Until what was accepted has completed."""
    assert reply.status == (202 if surface == "runs" else 200), reply
    if surface == "runs":
        await server.run_becomes(reply.json["run_id"], "completed")


def nothing_stored(server: Server) -> bool:
    return server.query("SELECT count(*) FROM session_admissions") == [(0,)]


@pytest.mark.parametrize("silent", [{"content": None}, {}], ids=["null", "missing"])
async def test_o31_a_history_of_tool_calls_reaches_the_model_whole(
    asked: Server, model: FakeModel, silent: dict[str, Any]
) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "see", "arguments": '{"x": 1}'}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "tool_calls": [call], **silent},
        {"role": "tool", "tool_call_id": "t1", "content": "seen"},
        {"role": "user", "content": "and?"},
    ]
    assert (await asked.api.ask("POST", CHAT, {"messages": messages})).status == 200
    user, assistant, result, last = [m for m in model.requests[0]["messages"] if m["role"] != "system"]
    assert (user["content"], last["content"]) == ("look", "and?")
    assert assistant["tool_calls"] == [call]
    assert (result["tool_call_id"], result["content"]) == ("t1", "seen")


def _texts(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("kind", ["text", "input_text"])
async def test_o32_text_parts_reach_the_model_in_order(
    asked: Server, model: FakeModel, surface: str, kind: str
) -> None:
    parts = [{"type": kind, "text": "a"}, {"type": kind, "text": "b"}]
    await ends(asked, surface, await post(asked, surface, parts))
    assert _texts(model.requests[0]["messages"][-1]["content"]) == "ab"


@pytest.mark.parametrize("surface", SURFACES)
async def test_o32_an_image_reaches_the_model(asked: Server, model: FakeModel, surface: str) -> None:
    url = "data:image/png;base64," + "A" * 1_500_000
    kind = ("image_url", {"url": url}) if surface == "chat" else ("input_image", url)
    await ends(asked, surface, await post(asked, surface, [{"type": kind[0], "image_url": kind[1]}]))
    (part,) = model.requests[0]["messages"][-1]["content"]
    assert part["image_url"]["url"] == url


@pytest.mark.parametrize("surface", SURFACES)
async def test_o32_what_is_not_supported_is_named_and_refused(server: Server, surface: str) -> None:
    text = {"type": "text", "text": "a"}
    for odd in ({"type": "input_file", "file_id": "f"}, {"type": "banana"}):
        refused = await post(server, surface, [text, odd])
        assert refused.verdict == (400, "unsupported_content_type")
        assert "[1]" in refused.error["param"]
    assert (await post(server, surface, [])).status == 400
    assert nothing_stored(server)


async def test_o33_newer_fields_are_taken_and_a_developer_speaks_as_the_system(
    asked: Server, model: FakeModel
) -> None:
    messages = [{"role": "developer", "content": "Speak French."}, {"role": "user", "content": "hi"}]
    newer = {
        "max_completion_tokens": 9,
        "stream_options": {"include_usage": True},
        "parallel_tool_calls": True,
        "store": False,
        "metadata": {"a": "b"},
        "user": "me",
        "reasoning_effort": "low",
        "x_unknown": {"a": 1},
    }
    reply = await asked.api.ask("POST", CHAT, {"messages": messages, "stream": True, **newer})
    assert reply.status == 200
    system, user = model.requests[0]["messages"]
    assert (system["role"], user["content"]) == ("system", "hi")
    assert "Speak French." in system["content"]
    banana = await asked.api.ask("POST", CHAT, {"messages": [{"role": "banana", "content": "x"}]})
    assert banana.status == 400
    assert banana.error["param"] == "messages[0].role"


HALVES = ('"cut \\ud83d"', '"x \\ude00 y"')


@pytest.mark.parametrize("half", HALVES, ids=["high", "low"])
async def test_o34_half_an_emoji_is_refused_and_poisons_nothing(server: Server, half: str) -> None:
    user = f'{{"role": "user", "content": {half}}}'
    tool = f'{{"role": "tool", "tool_call_id": "t", "content": {half}}}, {{"role": "user", "content": "x"}}'
    part = f'{{"role": "user", "content": [{{"type": "text", "text": {half}}}]}}'
    here = {"X-Hermes-Session-Id": "s", "Idempotency-Key": "k"}
    for messages in (user, tool, part):
        for stream in ("true", "false"):
            sent = f'{{"messages": [{messages}], "stream": {stream}}}'.encode()
            refused = await server.api.ask("POST", CHAT, sent, here)
            assert refused.verdict == (400, "invalid_json")
    for path, name in (("/v1/runs", "input"), ("/api/sessions", "title")):
        refused = await server.api.ask("POST", path, f'{{"{name}": {half}}}'.encode())
        assert refused.verdict == (400, "invalid_json")
    assert nothing_stored(server)
    assert (await server.say("whole \U0001f600", here)).status == 200


SHAPES: tuple[Any, ...] = (
    b"",
    b"[]",
    b"null",
    b'"hi"',
    b'{"messages": [{"role": "us',
    {},
    {"messages": []},
    {"messages": {}},
    {"messages": [None]},
    {"messages": [{"role": "user", "content": 5}]},
    chat_body("x", stream="false"),
    chat_body("x", stream=1),
)


async def test_o35_wrong_shapes_are_refused_and_store_nothing(server: Server) -> None:
    for shape in SHAPES:
        refused = await server.api.ask("POST", CHAT, shape)
        assert refused.status == 400, shape
        if isinstance(shape, dict):
            assert refused.error["param"].startswith(("messages", "stream")), shape
    for path in ("/v1/runs", "/v1/responses"):
        for shape in (*SHAPES[:5], {}, {"input": []}, {"input": 42}, {"input": [None]}):
            assert (await server.api.ask("POST", path, shape)).status == 400, (path, shape)
    assert nothing_stored(server)
    assert (await server.say("x", model=None)).status == 200


async def test_o36_very_deep_json_is_refused(server: Server) -> None:
    deep = "[" * 20_000 + "]" * 20_000
    tools = f'[{{"type": "function", "function": {{"name": "f", "parameters": {deep}}}}}]'
    for name, value in (("x", deep), ("tools", tools)):
        sent = f'{{"messages": [{{"role": "user", "content": "x"}}], "{name}": {value}}}'.encode()
        for path in SURFACES.values():
            assert (await server.api.ask("POST", path, sent)).verdict == (400, "invalid_json")
    assert nothing_stored(server)


WRONG_KEYS = (b"Bearer caf\xe9", "Bearer “K”".encode(), b"Basic " + KEY.encode(), b"Bearer", None)
RIGHT_KEYS = (b"bearer " + KEY.encode(), b"Bearer  " + KEY.encode())


async def test_o37_strange_bytes_in_the_key_are_a_wrong_key(server: Server) -> None:
    stranger = Api(server.port)
    for key in WRONG_KEYS:
        headers = [] if key is None else [(b"Authorization", key)]
        refused = await stranger.ask("GET", "/v1/models", headers=headers)
        assert refused.status == 401, key
        assert refused.error["code"] == "gateway_auth_failed"
        assert refused.headers["www-authenticate"] == "Bearer"
    for key in RIGHT_KEYS:
        reply = await stranger.ask("GET", "/v1/models", headers=[(b"Authorization", key)])
        assert reply.status in (200, 401), key


async def test_o38_errors_are_json_on_every_path_and_method(asked: Server) -> None:
    unknown = await asked.api.ask("GET", "/v1/nowhere")
    assert (unknown.status, unknown.error["type"]) == (404, "invalid_request_error")
    method = await asked.api.ask("DELETE", CHAT)
    assert method.status == 405
    assert method.error
    assert "POST" in method.headers["allow"]
    large = json.dumps(chat_body("x" * BODY_BYTES)).encode()
    refused = await asked.api.ask("POST", CHAT, large)
    assert refused.verdict == (413, "body_too_large")
    assert await _chunked(asked, large) == (413, "body_too_large")
    small = json.dumps(chat_body("hi")).encode()
    zipped = await asked.api.ask("POST", CHAT, gzip.compress(small), {"Content-Encoding": "gzip"})
    assert zipped.status == 200
    other = await asked.api.ask("POST", CHAT, b"\x28\xb5\x2f\xfd", {"Content-Encoding": "zstd"})
    assert other.verdict == (415, "unsupported_media_type")


async def _chunked(server: Server, body: bytes) -> tuple[int, str]:
    """Status and code for a body that does not say how long it is."""
    head = f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\nTransfer-Encoding: chunked\r\n\r\n"
    stream = await server.api.connect(head.encode() + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
    async with stream:
        received, _ = await read_to_end(stream, patience_s=5)
    answer, _, rest = received.partition(b"\r\n\r\n")
    return int(answer.split()[1]), json.loads(rest)["error"]["code"]


async def test_o38_settings_are_applied_or_refused(asked: Server, model: FakeModel) -> None:
    unsupported: dict[str, Any] = {"n": 3, "logprobs": True}
    for name, value in unsupported.items():
        refused = await asked.api.ask("POST", CHAT, chat_body("hi", **{name: value}))
        assert refused.verdict == (400, "unsupported_parameter")
        assert refused.error["param"] == name
    schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
    applied: dict[str, Any] = {"stop": ["z"], "seed": 1, "response_format": schema}
    assert (await asked.api.ask("POST", CHAT, chat_body("hi", **applied))).status == 200
    (request,) = model.requests
    assert {name: request[name] for name in applied} == applied


async def test_o45_a_session_id_has_no_newlines(server: Server) -> None:
    for odd in ("s\r\revent: x", "s\n\nevent: x"):
        refused = await server.api.ask("POST", "/v1/runs", {"input": "hi", "session_id": odd})
        assert refused.verdict == (400, "invalid_session_id")
    assert nothing_stored(server)
