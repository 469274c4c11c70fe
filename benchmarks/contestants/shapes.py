"""The bytes that the two limits answer with: as long as Placet's."""

from __future__ import annotations

import json

JSON = [(b"content-type", b"application/json")]
SSE = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]

_MODEL = {"id": "placet", "object": "model", "created": 1796000000, "owned_by": "placet", "permission": []}
JSON_ANSWERS = {
    "/health": json.dumps({"status": "ok", "platform": "placet", "version": "0.1.0"}).encode(),
    "/v1/models": json.dumps(
        {"object": "list", "data": [{**_MODEL, "root": "placet", "parent": None}]}
    ).encode(),
}

_RUN = {
    "run_id": f"run_{'0' * 32}",
    "session_id": f"api-{'0' * 16}",
    "timestamp": 1796000000.123456,
    "seq": 100,
}
FRAME = (
    b"event: message.delta\ndata: %s\nid: 100\n\n"
    % json.dumps({"event": "message.delta", "delta": "word ", **_RUN}).encode()
)
LAST = b": stream closed\n\n"


def chat_frames(tokens: int) -> list[bytes]:
    """The chunks of an answer: the role, the tokens, the finish, and the end."""
    head = {
        "id": f"chatcmpl-{'0' * 29}",
        "object": "chat.completion.chunk",
        "created": 1796000000,
        "model": "placet",
    }
    deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({"content": "word "}, None)] * tokens + [({}, "stop")]
    choices = [{"index": 0, "delta": delta, "finish_reason": finish} for delta, finish in deltas]
    frames = [b"data: %s\n\n" % json.dumps({**head, "choices": [choice]}).encode() for choice in choices]
    return [*frames, b"data: [DONE]\n\n"]
