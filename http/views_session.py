"""How what was said in a session looks on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from placet.actors.protocol.conversation import ChatMessage
    from placet.actors.protocol.records import MessageRecord


def message(record: MessageRecord, session_id: str) -> dict[str, Any]:
    """One message of a conversation. Its content is a string if it is all text, else the parts."""
    said = record.message
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in said.tool_calls
    ]
    return {
        "id": record.message_id,
        "session_id": session_id,
        "admission_id": record.admission_id,
        "role": said.role,
        "content": content(said),
        "tool_calls": calls or None,
        "tool_call_id": said.tool_call_id,
        "tool_name": said.name,
        "timestamp": record.at,
    }


def content(said: ChatMessage) -> str | list[dict[str, Any]]:
    """A message's content in the words of chat completions."""
    if all(part.type == "text" for part in said.content):
        return said.text
    return [
        {"type": "text", "text": part.text}
        if part.type == "text"
        else {
            "type": "image_url",
            "image_url": {"url": part.url, **({} if part.detail is None else {"detail": part.detail})},
        }
        for part in said.content
    ]
