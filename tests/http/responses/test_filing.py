"""How the store keeps responses: what goes on from what, what is forgotten, what is left once deltas are merged."""

from __future__ import annotations

import pytest

from placet.actors.protocol.conversation import ChatMessage
from placet.actors.protocol.events import ResponseFiled, ResponseForgotten, RunNamed
from placet.actors.protocol.filing import Filing
from placet.actors.protocol.limits import Limits
from placet.actors.protocol.responses import ResponseRecord
from placet.actors.store import CorruptTransition, Store
from tests.http.responses.frames import ENDS, numbers
from tests.http.routes.house import serving
from tests.store.build import Scribe, accepted, claimed, opened, said, settled, user


@pytest.fixture
def scribe() -> Scribe:
    return Scribe(Store.inline())


async def file(scribe: Scribe, name: str, session_id: str = "s", **filing: object) -> None:
    """A response that has run: admission, response and text are all called by its name."""
    first = [] if session_id in scribe.heads else [opened()]
    generation = sum(key.startswith("run ") for key in scribe.heads) + 1
    scribe.heads[f"run {name}"] = 0
    await scribe.write(
        session_id,
        *first,
        accepted(name, text=name, surface="responses"),
        RunNamed(run_id=f"resp_{name}", admission_id=name, surface="responses"),
        ResponseFiled(run_id=f"resp_{name}", admission_id=name, filing=Filing(**filing)),
        claimed(name, generation),
        settled(name, generation, text=name.upper()),
    )


async def response(scribe: Scribe, name: str) -> ResponseRecord:
    found = await scribe.store.response(f"resp_{name}")
    assert found is not None
    return found


async def history(scribe: Scribe, name: str) -> list[str]:
    record = await response(scribe, name)
    past = await scribe.store.turn_past(record.admission.admission_id, resumed=False)
    assert past is not None
    return [message.text for message in past.history]


async def test_a_response_is_found_by_its_id_and_by_its_admission(scribe: Scribe) -> None:
    await file(scribe, "a", instructions="brief", before=(user("x"),))
    record = await response(scribe, "a")
    assert record == await scribe.store.response_of("a")
    assert record.filing == Filing(instructions="brief", before=(ChatMessage("user", user("x").content),))
    assert (record.stored, record.merged, record.first_seq, record.last_seq) == (True, False, 2, 6)
    assert await scribe.store.response("resp_b") is None
    assert await scribe.store.response_of("b") is None


async def test_a_chain_is_walked_back_to_its_first_response(scribe: Scribe) -> None:
    await file(scribe, "a")
    await file(scribe, "b", previous="resp_a", before=(user("x"),))
    await file(scribe, "c", previous="resp_a")
    await file(scribe, "d", previous="resp_b")
    assert await history(scribe, "b") == ["a", "A", "x"]
    assert await history(scribe, "c") == ["a", "A"]
    assert await history(scribe, "d") == ["a", "A", "x", "b", "B"]


async def test_one_of_a_conversation_follows_the_newest_that_is_kept(scribe: Scribe) -> None:
    await file(scribe, "a", conversation="c")
    await file(scribe, "b", conversation="c", stored=False)
    await file(scribe, "other", conversation="d")
    await file(scribe, "e", conversation="c")
    assert await history(scribe, "e") == ["a", "A"]
    latest = await scribe.store.latest_response("api", "c")
    assert latest is not None
    assert latest.run_id == "resp_e"
    await scribe.write("s", ResponseForgotten(run_id="resp_e", admission_id="e"))
    await file(scribe, "f", conversation="c")
    assert await history(scribe, "f") == ["a", "A"]
    assert await scribe.store.latest_response("somebody else", "c") is None


async def test_what_is_forgotten_stays_a_part_of_what_went_on_from_it(scribe: Scribe) -> None:
    await file(scribe, "a")
    await file(scribe, "b", previous="resp_a")
    for _ in range(2):
        await scribe.write("s", ResponseForgotten(run_id="resp_a", admission_id="a"))
    assert not (await response(scribe, "a")).stored
    assert await history(scribe, "b") == ["a", "A"]


async def test_only_an_admission_is_filed_and_only_once(scribe: Scribe) -> None:
    await file(scribe, "a")
    for admission_id in ("a", "nobody"):
        again = ResponseFiled(run_id="resp_b", admission_id=admission_id, filing=Filing())
        with pytest.raises(CorruptTransition):
            await scribe.write("s", again)


async def test_a_response_goes_with_its_session(scribe: Scribe) -> None:
    await file(scribe, "a")
    assert await scribe.store.delete_session("s", now=2.0)
    assert await scribe.store.response("resp_a") is None


async def test_its_events_are_bounded_in_a_long_session(scribe: Scribe) -> None:
    await file(scribe, "a")
    await file(scribe, "b", previous="resp_a")
    first, second = await response(scribe, "a"), await response(scribe, "b")
    assert first.last_seq < second.first_seq
    await scribe.write("s", accepted("c"), claimed("c", 3), said("c", 3, "x"))
    assert (await response(scribe, "b")).last_seq == second.last_seq


async def test_once_merged_it_is_read_whole_and_resumed_at_its_end(autojump_clock) -> None:
    async def talks(turn) -> None:
        await turn.say("one ")
        async with turn.tool("look", {"at": "it"}) as call:
            call.finish("seen")
        await turn.say("two")

    async with serving(talks) as client:
        live = await client.stream("POST", "/v1/responses", {"input": "hi", "stream": True})
        events = await live.rest()
        run_id = events[-1].json["response"]["id"]
        now = client.sessions.services.now() + 10
        report = await client.sessions.store.tidy(now=now, limits=Limits(merge_after_s=1.0))
        assert report.merged == 1
        path = f"/v1/responses/{run_id}"
        read = (await client.get(path)).json
        texts = [item["content"][0]["text"] for item in read["output"] if item["type"] == "message"]
        assert (read["status"], "".join(texts)) == ("completed", "one two")
        whole = await (await client.stream("GET", f"{path}?stream=true")).rest()
        assert numbers(whole) == list(range(len(whole)))
        assert len(whole) < len(events)
        (end,) = await (await client.stream("GET", f"{path}?stream=true&starting_after=4")).rest()
        assert (end.name in ENDS, end.json["sequence_number"]) == (True, 5)
        assert end.json["response"]["output"] == whole[-1].json["response"]["output"]
