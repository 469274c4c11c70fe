"""A request is declared once: what a route reads its body and query into is what the document describes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
import pytest

from placet.actors.protocol.errors import InvalidInput
from placet.http import desk
from placet.http.chat_messages import Messages
from placet.http.config import Config
from placet.http.hooks.links import Links
from placet.http.hooks.settings import WebhookConfig
from placet.http.openapi import OPERATIONS
from placet.http.openapi.schemas import Schemas
from placet.http.record import Record
from placet.http.requests.declared import Body, Query, fields_of
from placet.http.requests.parameters import PATH, SessionId
from placet.http.requests.shapes import MESSAGES
from placet.http.responses.given import Input
from placet.http.responses.item_shapes import INPUTS
from tests.http.routes.house import serving
from tests.session.house import wall_clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from placet.actors.agents import Turn
    from placet.http.openapi.operation import Operation

READ = [
    operation
    for operation in OPERATIONS
    if (operation.body is not None or operation.query is not None)
    and "{token}" not in operation.path  # a link has to be sent to somebody first
]

WEBHOOK = WebhookConfig(name="w", url="http://127.0.0.1:9", format="ntfy", answer_link=True)


async def asks(turn: Turn) -> None:
    await turn.request_approval(command="rm x", description="it deletes")


@pytest.mark.parametrize("operation", READ, ids=lambda operation: operation.name)
async def test_a_route_reads_the_very_class_that_is_described(
    operation: Operation, monkeypatch: pytest.MonkeyPatch, autojump_clock: object
) -> None:
    read: list[type[Body]] = []

    def note(kind: type[Body], _: object) -> NoReturn:
        read.append(kind)
        raise InvalidInput("It was read.", code="read_by_the_test")

    async with serving(asks, webhook=(WEBHOOK,)) as client:
        run = (await client.post("/v1/runs", {"input": "x", "session_id": "s"})).json
        prompt = (
            await (await client.stream("GET", f"/v1/runs/{run['run_id']}/events")).until("approval.request")
        )[-1]
        row = await client.sessions.store.approval(prompt.json["request_id"])
        assert row is not None
        links = Links(client.sessions.store.digest_key, Config(webhook=(WEBHOOK,)), wall_clock)
        link = links.make(WEBHOOK.name, row) or ("", 0)
        path = operation.path.format(
            token=link[0].rpartition("/")[2],
            run_id=run["run_id"],
            session_id="s",
            request_id=prompt.json["request_id"],
            admission_id="",
            rule_id="",
        )
        if path.startswith("/v1/responses/"):
            path = f"/v1/responses/{(await client.post('/v1/responses', {'input': 'x', 'background': True})).json['id']}"
        monkeypatch.setattr(desk, "read", note)
        monkeypatch.setattr(desk, "read_query", note)
        answer = await client.call(operation.method, path, {}, X_Placet_Console="1")
    assert answer.verdict == (400, "read_by_the_test")
    assert read == [operation.body or operation.query]


def bodies(kind: type[Body] = Body) -> Iterator[type[Body]]:
    for inner in kind.__subclasses__():
        yield inner
        yield from bodies(inner)


@cache
def schemas() -> Schemas:
    return Schemas([operation.body for operation in OPERATIONS if operation.body is not None])


@pytest.mark.parametrize("name", sorted(kind.__name__ for kind in bodies() if not issubclass(kind, Query)))
def test_a_body_has_in_the_document_exactly_the_fields_that_are_read(name: str) -> None:
    kind = next(each for each in bodies() if each.__name__ == name)
    described = schemas().components.get(name)
    if described is None:
        assert kind.__subclasses__(), "what stands in no operation is a base of what does"
        return
    assert set(described["properties"]) == {field.name for field in fields_of(kind)}
    assert set(described["required"]) == {field.name for field in fields_of(kind) if field.required}


class Watched(dict[str, Any]):
    """An object that notes which of its fields are asked for."""

    asked: set[str]

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return super().__contains__(key)


def watched(value: Any, asked: set[str]) -> Any:
    """The value with every object in it watched."""
    if isinstance(value, list):
        return [watched(item, asked) for item in value]
    if not isinstance(value, dict):
        return value
    found = Watched({name: watched(item, asked) for name, item in value.items()})
    found.asked = asked
    return found


def names_in(kinds: tuple[type[Record], ...]) -> set[str]:
    """The names of all fields of records, and of those in them."""
    components = msgspec.json.schema_components(kinds)[1]
    return {name for schema in components.values() for name in schema["properties"]}


IMAGE = {"type": "image_url", "image_url": {"url": "https://a.example/b", "detail": "low"}}
PARTS = [{"type": "text", "text": "a"}, IMAGE, {"type": "image_url", "image_url": "https://a.example/b"}]
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
SAID = [
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "done"},
    {"role": "user", "content": PARTS},
]
GIVEN = [
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "done"},
    {"role": "user", "content": PARTS},
]


@pytest.mark.parametrize(
    ("form", "value", "kinds", "refused"),
    [(Messages, SAID, MESSAGES, {"function_call"}), (Input, GIVEN, INPUTS, set[str]())],
    ids=["messages", "input"],
)
def test_a_form_reads_the_fields_that_it_shows_and_no_others(
    form: Callable[[object, str], object], value: Any, kinds: tuple[type[Record], ...], refused: set[str]
) -> None:
    asked: set[str] = set()
    form(watched(value, asked), "x")
    assert asked - refused == names_in(kinds)


def test_every_variable_of_a_path_is_described_and_none_besides() -> None:
    used = {
        parameter.name
        for operation in OPERATIONS
        for parameter in operation.parameters
        if parameter.place == "path"
    }
    assert used == set(PATH)
    assert PATH["session_id"].type is SessionId
