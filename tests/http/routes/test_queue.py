"""What waits in a session can be seen and withdrawn."""

from __future__ import annotations

import trio

from placet.actors.agents import Turn
from tests.http.routes.house import CLIENT_KEY, Client, serving


async def waits(turn: Turn) -> None:
    await trio.sleep_forever()


async def fill(client: Client) -> list[str]:
    """Three inputs in one session, of which the first runs."""
    runs = [(await client.post("/v1/runs", {"input": text, "session_id": "s"})).json for text in "abc"]
    assert [run["ahead"] for run in runs] == [0, 1, 2]
    return [run["run_id"] for run in runs]


async def test_the_queue_is_listed_in_order(autojump_clock) -> None:
    async with serving(waits) as client:
        runs = await fill(client)
        data = (await client.get("/api/sessions/s/queue")).json["data"]
        assert [(item["run_id"], item["status"], item["ahead"], item["input"]) for item in data] == [
            (runs[0], "running", 0, "a"),
            (runs[1], "queued", 1, "b"),
            (runs[2], "queued", 2, "c"),
        ]


async def test_a_waiting_input_is_withdrawn_and_a_running_one_is_not(autojump_clock) -> None:
    async with serving(waits) as client:
        runs = await fill(client)
        first, second, _ = (await client.get("/api/sessions/s/queue")).json["data"]
        gone = await client.call("DELETE", f"/api/sessions/s/queue/{second['admission_id']}")
        assert (gone.status, gone.json["status"], gone.json["run_id"]) == (200, "cancelled", runs[1])
        busy = await client.call("DELETE", f"/api/sessions/s/queue/{first['admission_id']}")
        assert busy.verdict == (409, "already_started")
        assert (await client.get(f"/v1/runs/{runs[0]}")).json["status"] == "running"
        data = (await client.get("/api/sessions/s/queue")).json["data"]
        assert [item["run_id"] for item in data] == [runs[0], runs[2]]
        again = await client.call("DELETE", f"/api/sessions/s/queue/{second['admission_id']}")
        assert (again.status, again.json["status"]) == (200, "cancelled")


async def test_a_queue_is_nobody_elses_business(autojump_clock) -> None:
    async with serving(waits) as client:
        await fill(client)
        carl = client.as_(CLIENT_KEY)
        waiting = (await client.get("/api/sessions/s/queue")).json["data"][1]["admission_id"]
        path = f"/api/sessions/s/queue/{waiting}"
        assert (await carl.get("/api/sessions/s/queue")).verdict == (404, "session_not_found")
        assert (await carl.call("DELETE", path)).verdict == (404, "session_not_found")
        assert (await client.call("DELETE", "/api/sessions/s/queue/none")).verdict == (
            404,
            "admission_not_found",
        )
        assert (await client.call("DELETE", path.replace("/s/", "/t/"))).verdict == (404, "session_not_found")
