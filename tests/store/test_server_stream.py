"""Rules and the audit chain, which belong to the server and not to a session."""

from __future__ import annotations

from typing import Any

import pytest

from placet.actors.protocol.approvals import RuleScope
from placet.actors.protocol.events import SERVER_STREAM, RuleAdded, RuleRevoked
from placet.actors.store import CorruptTransition, Store, chain
from placet.actors.store.chain import GENESIS
from tests.store.build import Scribe, link, rule


async def test_a_rule_covers_its_principal_within_its_scope(scribe: Scribe, store: Store) -> None:
    here = rule("here", scope=RuleScope.SESSION, session_id="s")
    always = rule("always", principal="bob", session_id="s")
    await scribe.write(SERVER_STREAM, RuleAdded(here), RuleAdded(always))
    assert await store.rule("api", "s", "rule-key") == here
    assert await store.rule("api", "t", "rule-key") is None
    assert await store.rule("api", "s", "other-key") is None
    assert await store.rule("bob", "t", "rule-key") == always
    assert await store.rule("eve", "s", "rule-key") is None


async def test_a_revoked_rule_covers_nothing_and_is_revoked_once(scribe: Scribe, store: Store) -> None:
    await scribe.write(SERVER_STREAM, RuleAdded(rule("rule-1")))
    await scribe.write(SERVER_STREAM, RuleRevoked(rule_id="rule-1", by="alice"))
    assert await store.rule("api", "s", "rule-key") is None
    assert await store.rule_by_id("rule-1") is None
    with pytest.raises(CorruptTransition):
        await scribe.write(SERVER_STREAM, RuleRevoked(rule_id="rule-1", by="alice"))


async def test_rules_are_listed_in_pages(scribe: Scribe, store: Store) -> None:
    rules = [
        rule(name, principal=principal) for name, principal in (("z", "api"), ("a", "bob"), ("m", "api"))
    ]
    await scribe.write(SERVER_STREAM, *map(RuleAdded, rules))
    page = await store.rules(principal=None, after=None, limit=2)
    assert ([item.rule_id for item in page.items], page.has_more) == (["z", "a"], True)
    page = await store.rules(principal="api", after="z", limit=2)
    assert ([item.rule_id for item in page.items], page.has_more) == (["m"], False)


async def test_each_link_follows_the_one_before(scribe: Scribe, store: Store) -> None:
    await scribe.write(SERVER_STREAM, link("r1"), link("r2"), at=4.0)
    await scribe.write(SERVER_STREAM, link("r3"), at=5.0)
    links = await store.decisions(after=0, limit=10)
    assert [item.number for item in links] == [1, 2, 3]
    assert [item.prev_hash for item in links] == [GENESIS, links[0].hash, links[1].hash]
    assert [(item.decision, item.at) for item in links] == [
        (link("r1"), 4.0),
        (link("r2"), 4.0),
        (link("r3"), 5.0),
    ]
    assert await store.decisions(after=links[1].position, limit=10) == [links[2]]
    assert await store.verify_chain() is None


TAMPERING = {
    "a record is rewritten": (
        "UPDATE decisions SET record = replace(record, 'alice', 'mallory') WHERE number = 2",
        2,
    ),
    "a hash is rewritten": ("UPDATE decisions SET hash = prev_hash WHERE number = 3", 3),
    "a link is removed": ("DELETE FROM decisions WHERE number = 2", 2),
    "the first is removed": ("DELETE FROM decisions WHERE number = 1", 1),
    "the tail is cut": ("DELETE FROM decisions WHERE number = 3", 3),
    "all is cut": ("DELETE FROM decisions", 1),
    "the numbers are closed up": (
        "DELETE FROM decisions WHERE number = 1; UPDATE decisions SET number = number - 1",
        1,
    ),
    "the log is rewritten": (
        "UPDATE events SET body = replace(body, 'alice', 'mallory') WHERE position = 2",
        2,
    ),
    "the log is cut": ("DELETE FROM events WHERE position = 3", 3),
    "a record is no record": (
        ("UPDATE decisions SET record = '{', hash = '' WHERE number = 1"),
        1,
    ),
}


@pytest.mark.parametrize(("sql", "number"), TAMPERING.values(), ids=TAMPERING.keys())
async def test_tampering_shows(scribe: Scribe, store: Store, sql: str, number: int) -> None:
    await scribe.write(SERVER_STREAM, link("r1"), link("r2"), link("r3"))
    conn = store._writer.group.conn
    conn.execute("DROP TRIGGER decisions_are_kept; DROP TRIGGER decisions_are_final")
    conn.execute(sql)
    broken = await store.verify_chain()
    assert broken is not None
    assert broken.number == number


@pytest.mark.parametrize(
    "name", ["a record is rewritten", "a hash is rewritten", "the log is rewritten", "the tail is cut"]
)
async def test_what_is_tampered_with_after_it_was_verified_shows_where_it_is_shown(
    scribe: Scribe, store: Store, name: str
) -> None:
    await scribe.write(SERVER_STREAM, link("r1"), link("r2"), link("r3"))
    assert await store.verify_chain((1, 2, 3)) is None
    conn = store._writer.group.conn
    conn.execute("DROP TRIGGER decisions_are_kept; DROP TRIGGER decisions_are_final")
    sql, number = TAMPERING[name]
    conn.execute(sql)
    broken = await store.verify_chain((1, 2, 3))
    assert broken is not None
    assert broken.number == number
    assert examine_whole(conn) == number


async def test_what_held_once_is_not_verified_again(
    scribe: Scribe, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []
    fault = chain._fault
    monkeypatch.setattr(chain, "STRETCH", 2)
    monkeypatch.setattr(
        chain, "_fault", lambda before, *rest: looked_at.append(before) or fault(before, *rest)
    )
    for number in range(1, 6):
        await scribe.write(SERVER_STREAM, link(f"r{number}"))
    for expected in (5, 0):
        assert await store.verify_chain() is None
        assert len(looked_at) == expected
        looked_at.clear()
    await scribe.write(SERVER_STREAM, link("r6"))
    assert await store.verify_chain((3,)) is None
    assert len(looked_at) == 2, "what is new, and what is shown"


def examine_whole(conn: Any) -> int | None:
    """What one learns who has verified nothing before."""
    broken = chain.verify(conn)
    return None if broken is None else broken.number


async def test_a_chain_forged_from_some_link_on_shows_against_the_log(scribe: Scribe, store: Store) -> None:
    await scribe.write(SERVER_STREAM, link("r1"), link("r2"))
    forged = Store.inline()
    await Scribe(forged).write(SERVER_STREAM, link("r1"), link("r2", by="mallory"))
    conn = store._writer.group.conn
    conn.execute("DROP TRIGGER decisions_are_kept; DROP TRIGGER decisions_are_final; DELETE FROM decisions")
    for row in forged._writer.group.conn.execute("SELECT * FROM decisions").fetchall():
        conn.execute("INSERT INTO decisions VALUES (?, ?, ?, ?, ?)", row)
    broken = await store.verify_chain()
    assert broken is not None
    assert (broken.number, broken.why) == (2, "the log says something else")
    await forged.close()


@pytest.mark.parametrize("sql", ["DELETE FROM decisions", "UPDATE decisions SET hash = ''"])
async def test_the_table_itself_keeps_decisions(scribe: Scribe, store: Store, sql: str) -> None:
    await scribe.write(SERVER_STREAM, link("r1"))
    with pytest.raises(Exception, match="a decision"):
        store._writer.group.conn.execute(sql)
