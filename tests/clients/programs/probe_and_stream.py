"""The typed client of the contract's own system: its probe, and a streamed chat in a named session."""

from __future__ import annotations

import json
import sys

import anyio
from hermes_agent_api_client import AssistantDeltaEvent, HermesAgentApiClient, TerminalEvent

BASE, KEY = sys.argv[1:]


async def ask() -> None:
    async with HermesAgentApiClient(BASE, KEY) as client:
        found = await client.probe_capabilities()
        assert found.chat_completions_streaming
        messages = [{"role": "user", "content": "Do it."}]
        request = {"model": found.model, "stream": True, "messages": messages}
        text, outcome = "", None
        async for event in client.stream_chat_events(request, session_id="probe", session_key="a-key"):
            if isinstance(event, AssistantDeltaEvent):
                text += event.text
            elif isinstance(event, TerminalEvent):
                outcome = event.outcome
        assert outcome == "success", outcome
    print(json.dumps({"chat stream": text}))


anyio.run(ask)
