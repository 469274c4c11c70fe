"""From a reply to the bytes of its stream."""

from __future__ import annotations

import json
from typing import Any

from tests.fakemodel.script import Reply


class Frames:
    """The stream of one reply.

    Args:
        reply: the reply.
        model: the name to echo.
        usage_wanted: whether the request asks for usage.
    """

    def __init__(self, reply: Reply, model: str, *, usage_wanted: bool) -> None:
        self._reply = reply
        self._head = {"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1, "model": model}
        self._usage_wanted = usage_wanted
        self._calls = 0

    def opening(self) -> bytes:
        """What stands before the first step."""
        bom = b"\xef\xbb\xbf" if self._reply.bom else b""
        return bom + self._delta({"role": "assistant", "content": ""})

    def of(self, kind: str, value: Any) -> list[bytes]:
        """The frames of a step."""
        match kind:
            case "text":
                return [
                    self._delta({"content": piece})
                    for piece in ([value] if isinstance(value, str) else value)
                ]
            case "think":
                return [self._delta({"reasoning_content": value})]
            case "call":
                return self._call(**value)
            case "data":
                return [self.event(json.dumps(value))]
            case "error":
                return [self.event(json.dumps({"error": value}))]
            case "raw":
                return [value.encode("latin-1")]
            case _:
                raise ValueError(f"a step of unknown kind: {kind}")

    def closing(self) -> bytes:
        """What stands after the last step."""
        reply = self._reply
        frames = b""
        if reply.finish is not None:
            reason = reply.finish if reply.finish != "auto" else "tool_calls" if self._calls else "stop"
            frames += self.event(
                json.dumps({**self._head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
            )
        if self._usage_wanted:
            prompt, completion = reply.usage
            usage = {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            }
            frames += self.event(json.dumps({**self._head, "choices": [], "usage": usage}))
        return frames + self.event("[DONE]") if reply.done else frames

    def event(self, data: str) -> bytes:
        """One event in the reply's manner."""
        end = self._reply.newline
        before = f": a comment{end}event: ping{end}{end}" if self._reply.comments else ""
        return f"{before}data: {data}{end}{end}".encode()

    def _delta(self, delta: dict[str, Any]) -> bytes:
        chunk = {**self._head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        return self.event(json.dumps(chunk, ensure_ascii=False))

    def _call(self, name: str, arguments: Any, id: str | None = None) -> list[bytes]:  # noqa: A002 - the wire's word
        index = self._calls
        self._calls += 1
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        half = len(text) // 2
        first = {
            "index": index,
            "id": id or f"call_{index}",
            "type": "function",
            "function": {"name": name, "arguments": text[:half]},
        }
        second = {"index": index, "function": {"arguments": text[half:]}}
        return [self._delta({"tool_calls": [first]}), self._delta({"tool_calls": [second]})]
