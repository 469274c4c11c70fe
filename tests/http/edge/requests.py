"""Chat requests for the tests."""

from __future__ import annotations

from typing import Any

import pytest
from werkzeug.datastructures import Headers

from placet.actors.protocol.conversation import Part
from placet.actors.protocol.errors import InvalidInput
from placet.http.chat_request import ChatCompletionRequest, ChatRequest, chat_of
from placet.http.requests.declared import read

HI = {"role": "user", "content": "hi"}
NO_HEADERS = Headers()


def text(*texts: str) -> tuple[Part, ...]:
    return tuple(Part("text", text=each) for each in texts)


def parse_chat(body: dict[str, Any], headers: Headers = NO_HEADERS) -> ChatRequest:
    return chat_of(read(ChatCompletionRequest, body), headers)


def parse(*messages: Any, **fields: Any) -> ChatRequest:
    return parse_chat({"messages": list(messages) or [HI], **fields})


def refusal(body: dict[str, Any], headers: Headers = NO_HEADERS) -> tuple[str, str | None]:
    with pytest.raises(InvalidInput) as caught:
        parse_chat(body, headers)
    return caught.value.code, caught.value.param
