"""What a scripted model answers."""

from __future__ import annotations

from typing import Any

import msgspec


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The answer to one request. `steps` are done in order, each an object with one key:

        {"text": "hello"}               a delta; {"text": ["a", "b"]} is one delta for each
        {"think": "hm"}                 a delta of reasoning
        {"call": {"name": "terminal", "arguments": {"command": "ls"}, "id": "c1"}}
                                        a tool call, its arguments in two pieces; arguments may be text that is no JSON
        {"data": {...}}                 any object as a `data:` line
        {"raw": "data: {\\n\\n"}        bytes as they are, Latin-1
        {"error": {"message": "..."}}   an error object
        {"delay": 0.5}                  nothing, for some seconds
        {"wait": true}                  nothing, until the test calls `go_on()`
        {"cut": true}                   the connection closes inside the body
        {"reset": true}                 the same with a TCP reset

    Attributes:
        steps: what is done.
        status: of the response; with another than 200 `body` is all that it has.
        headers: beside the usual.
        body: JSON.
        finish: the finish reason; `auto` is `tool_calls` if there was a call and else `stop`; `null` sends none.
        usage: prompt and completion tokens, sent if the request asks for them.
        done: whether `[DONE]` is sent.
        newline: how lines end.
        bom: whether the stream begins with a byte order mark.
        comments: whether a comment and an event without data stand before each event.
        split: bytes a chunk; 0 sends each event in one.
    """

    steps: tuple[dict[str, Any], ...] = ()
    status: int = 200
    headers: dict[str, str] = {}
    body: Any = None
    finish: str | None = "auto"
    usage: tuple[int, int] = (10, 5)
    done: bool = True
    newline: str = "\n"
    bom: bool = False
    comments: bool = False
    split: int = 0


def says(text: str, **more: Any) -> Reply:
    """A reply that says a text, word by word."""
    words = text.split(" ")
    pieces = [f"{word} " for word in words[:-1]] + words[-1:]
    return Reply(steps=({"text": pieces},), **more)


def calls(*wanted: tuple[str, dict[str, Any]], text: str = "", **more: Any) -> Reply:
    """A reply that calls tools: each a name and arguments. Their ids are `c1`, `c2`, and so on."""
    steps = [{"text": text}] if text else []
    steps += [
        {"call": {"name": name, "arguments": arguments, "id": f"c{number}"}}
        for number, (name, arguments) in enumerate(wanted, 1)
    ]
    return Reply(steps=tuple(steps), **more)


def parse(text: bytes) -> tuple[Reply, ...]:
    """A script: a JSON list of replies, of which a plain string says just that."""
    found = msgspec.json.decode(text, type=list[str | Reply])
    return tuple(says(item) if isinstance(item, str) else item for item in found)
