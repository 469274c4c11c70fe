"""Answering a prompt. Each answer names what was shown, so that it never lands on anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.http.client.client import Client, JsonObject
    from placet.http.client.records import Prompt


async def decide(client: Client, prompt: Prompt, choice: str, reason: str = "") -> JsonObject:
    """Say yes or no to a request for consent.

    Args:
        client: of the server that asks.
        prompt: as it was shown.
        choice: one of its `choices`.
        reason: what the agent is told with a no.

    Raises:
        Refused: `already_resolved`, `approval_expired`, `stale_generation`, `stale_action`, and what else the server says.
        NotReached: it is not known whether the answer arrived; sent again, the same answer is taken once.
    """
    body: JsonObject = {"choice": choice, "execution_generation": prompt.execution_generation}
    if prompt.digest:
        body["digest"] = prompt.digest
    if reason:
        body["reason"] = reason
    return await client.ask("POST", f"/v1/approvals/{prompt.request_id}/decision", body)


async def answer(client: Client, prompt: Prompt, text: str) -> JsonObject:
    """Answer a question in words; arguments and errors as for `decide`, and `invalid_answer` where it is not among the choices."""
    body = {
        "request_id": prompt.request_id,
        "execution_generation": prompt.execution_generation,
        "answer": text,
    }
    return await client.ask("POST", f"/v1/runs/{prompt.run_id}/clarify", body)
