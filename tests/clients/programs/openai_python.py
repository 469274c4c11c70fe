"""OpenAI's client for Python: both ways to run it, both surfaces, streamed and not."""

from __future__ import annotations

import json
import sys

import trio
from openai import AsyncOpenAI, OpenAI

BASE, KEY = sys.argv[1:]
MESSAGES = [{"role": "user", "content": "Do it."}]


def ask_chat(client: OpenAI) -> dict[str, str]:
    whole = client.chat.completions.create(model="placet", messages=MESSAGES)
    stream = client.chat.completions.create(model="placet", messages=MESSAGES, stream=True)
    pieces = [chunk.choices[0].delta.content or "" for chunk in stream]
    return {"chat": whole.choices[0].message.content, "chat stream": "".join(pieces)}


def ask_responses(client: OpenAI) -> dict[str, str]:
    whole = client.responses.create(model="placet", input="Do it.")
    stream = client.responses.create(model="placet", input="Do it.", stream=True)
    pieces = [event.delta for event in stream if event.type == "response.output_text.delta"]
    with client.responses.stream(model="placet", input="Do it.") as helper:
        final = helper.get_final_response()
    return {
        "response": whole.output_text,
        "response stream": "".join(pieces),
        "response helper": final.output_text,
    }


async def ask_async() -> dict[str, str]:
    async with AsyncOpenAI(base_url=f"{BASE}/v1", api_key=KEY) as client:
        whole = await client.chat.completions.create(model="placet", messages=MESSAGES)
        stream = await client.chat.completions.create(model="placet", messages=MESSAGES, stream=True)
        chunks = [chunk.choices[0].delta.content or "" async for chunk in stream]
        response = await client.responses.create(model="placet", input="Do it.")
        events = await client.responses.create(model="placet", input="Do it.", stream=True)
        deltas = [event.delta async for event in events if event.type == "response.output_text.delta"]
    return {
        "async chat": whole.choices[0].message.content,
        "async chat stream": "".join(chunks),
        "async response": response.output_text,
        "async response stream": "".join(deltas),
    }


with OpenAI(base_url=f"{BASE}/v1", api_key=KEY) as client:
    print(json.dumps(ask_chat(client) | ask_responses(client) | trio.run(ask_async)))
