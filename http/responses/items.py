"""Output items, as JSON objects: what one run has made, in the order in which it made it."""

from __future__ import annotations

import json
from typing import Any, Final, cast

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.actors.protocol.events import ApprovalClosed, ApprovalDecided

Item = dict[str, Any]

OUTPUT_SHOWN: Final = 1000
"""Characters of a tool's output in the frame that ends a stream. The whole was in the item's own frame."""


def text_part(text: str) -> Item:
    """The only part of a message."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def summary_part(text: str) -> Item:
    """The only part of a reasoning item."""
    return {"type": "summary_text", "text": text}


def message(item_id: str, parts: list[Item], status: str) -> Item:
    """What the agent said."""
    return {"id": item_id, "type": "message", "status": status, "role": "assistant", "content": parts}


def reasoning(item_id: str, parts: list[Item], status: str) -> Item:
    """What the agent thought."""
    return {"id": item_id, "type": "reasoning", "status": status, "summary": parts}


def is_taken_back(item: Item) -> bool:
    """Whether an item goes when an answer starts over: what was said and thought. A question stays: it was asked."""
    return item["type"] == "message" or (item["type"] == "reasoning" and "placet" not in item)


def function_call(item_id: str, call_id: str, name: str, arguments: str, status: str) -> Item:
    """A tool that the server runs. It is never the client's to run."""
    return {
        "id": item_id,
        "type": "function_call",
        "status": status,
        "name": name,
        "arguments": arguments,
        "call_id": call_id,
    }


def arguments_of(preview: str) -> str:
    """A tool's arguments as JSON text. Their preview, masked for people, is a lone command or JSON that may have been cut."""
    try:
        if isinstance(json.loads(preview), dict):
            return preview
    except ValueError:
        pass
    return msgspec.json.encode({"command": preview}).decode()


def function_call_output(item_id: str, call_id: str, result: object, *, failed: bool) -> Item:
    """What a tool gave to the agent, as text."""
    text = result if isinstance(result, str) else msgspec.json.encode(result).decode()
    status = "incomplete" if failed else "completed"
    return {
        "id": item_id,
        "type": "function_call_output",
        "status": status,
        "call_id": call_id,
        "output": text,
    }


def approval_request(item_id: str, record: dict[str, Any]) -> Item:
    """A prompt in the form of an approval of a remote tool, which clients know; the whole record is in its `placet` field."""
    arguments = msgspec.json.encode({"command": record["display"], "description": record["description"]})
    return {
        "id": item_id,
        "type": "mcp_approval_request",
        "server_label": "placet",
        "name": record["tool"],
        "arguments": arguments.decode(),
        "placet": {"approval": record},
    }


def question(item_id: str, record: dict[str, Any]) -> Item:
    """What the agent asks in words. The protocol has no item for that, so it is a thought that says where to answer it."""
    words = (
        f"[Waiting for an answer: {record['question']} Answer at POST /v1/runs/{record['run_id']}/clarify.]"
    )
    return reasoning(item_id, [summary_part(words)], "completed") | {"placet": {"clarify": record}}


def approval_response(item_id: str, asked_by: str, event: ApprovalDecided | ApprovalClosed) -> Item:
    """How a prompt ended. Only an approval approves: what expired is `approve: false` too, and says so."""
    choice: Choice | None = event.choice if isinstance(event, ApprovalDecided) else None
    reason = event.reason if isinstance(event, ApprovalDecided) else event.cause
    return {
        "id": item_id,
        "type": "mcp_approval_response",
        "approval_request_id": asked_by,
        "approve": event.status is ApprovalStatus.APPROVED,
        "reason": reason or None,
        "placet": {
            "request_id": event.request_id,
            "status": event.status.value,
            "choice": None if choice is None else choice.value,
        },
    }


def in_stream(item: Item) -> Item:
    """The item as frames carry it: there a tool's output is a list of parts."""
    if item["type"] != "function_call_output":
        return item
    return {**item, "output": [{"type": "input_text", "text": item["output"]}]}


def in_last_frame(item: Item) -> Item:
    """The item as a stream's last frame repeats it: a long output is cut, and says so."""
    if item["type"] != "function_call_output":
        return item
    output = cast("str", item["output"])
    if len(output) > OUTPUT_SHOWN:
        output = f"{output[:OUTPUT_SHOWN]} … ({len(output) - OUTPUT_SHOWN} more characters)"
    return in_stream({**item, "output": output})
