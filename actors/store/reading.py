"""All that can be read of the store, each read a short snapshot that says what it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.store import (
    chain,
    key_uses,
    queries,
    queries_approvals,
    queries_decisions,
    queries_inbox,
    queries_responses,
    queries_runs,
    queries_sessions,
    queries_turns,
)

if TYPE_CHECKING:
    from placet.actors.protocol.approvals import ApprovalStatus, Rule
    from placet.actors.protocol.conversation import ChatMessage, TurnResult
    from placet.actors.protocol.events import Outcome, Recorded
    from placet.actors.protocol.keys import KeyUse
    from placet.actors.protocol.records import (
        AdmissionRecord,
        ApprovalRecord,
        JournalEntry,
        KeyRecord,
        MessageRecord,
        RunRecord,
        SessionFacts,
        SessionRecord,
        SessionSnapshot,
    )
    from placet.actors.protocol.responses import ResponseRecord
    from placet.actors.store.page import Page
    from placet.actors.store.readers import Reads


class Reading:
    """The reading half of a `Store`.

    Every method is always a checkpoint, leaves nothing behind when cancelled, and raises `StoreUnavailable` if the disk refuses.

    Args:
        readers: where the queries run.
    """

    def __init__(self, readers: Reads) -> None:
        self._readers = readers
        self._verified = chain.Mark()

    async def session(self, session_id: str) -> SessionSnapshot | None:
        """What an actor needs to take the session up."""
        return await self._readers.run(queries.session, session_id)

    async def sessions(
        self, wanted: queries_sessions.SessionFilter, *, after: str | None = None, offset: int = 0, limit: int
    ) -> Page[SessionRecord]:
        """Sessions that a request named, the last active first, after the session `after` and `offset` more."""
        return await self._readers.run(queries_sessions.sessions, wanted, after, offset, limit)

    async def facts(self, session_ids: tuple[str, ...]) -> dict[str, SessionFacts]:
        """What is counted of each session."""
        return await self._readers.run(queries_sessions.facts, session_ids)

    async def messages(
        self, session_id: str, *, offset: int, limit: int, newest: bool
    ) -> list[MessageRecord]:
        """A stretch of a conversation in its order, counted from its beginning or from its newest message."""
        return await self._readers.run(queries_sessions.messages, session_id, offset, limit, newest=newest)

    async def transcript(self, session_id: str) -> tuple[ChatMessage, ...]:
        """The whole conversation of a session as it stands: of what has ended."""
        return await self._readers.run(queries.history, session_id, queries.EVER)

    async def receipt(self, admission_id: str) -> tuple[Outcome, TurnResult] | None:
        """How an admission ended, also one whose session was deleted while its key is alive; `None` if it did not."""
        return await self._readers.run(queries.receipt, admission_id)

    async def admission(self, admission_id: str) -> AdmissionRecord | None:
        """One row of the ledger."""
        return await self._readers.run(queries.admission, admission_id)

    async def run(self, run_id: str) -> RunRecord | None:
        """What a public run id names, for every id ever given out whose admission is kept."""
        return await self._readers.run(queries_runs.run, run_id)

    async def runs(self, wanted: queries_runs.RunFilter, *, after: str | None, limit: int) -> Page[RunRecord]:
        """Runs under their first public ids, the newest first, after the run `after`. Large images in inputs are left out."""
        return await self._readers.run(queries_runs.runs, wanted, after, limit)

    async def first_runs(self, admission_ids: tuple[str, ...]) -> dict[str, str]:
        """By admission, the public run id that it was given first."""
        return await self._readers.run(queries_runs.first_runs, admission_ids)

    async def runs_since(self, stream: str, *, after: int) -> dict[str, str]:
        """`first_runs` of the admissions that a stream tells of after a place."""
        return await self._readers.run(queries_runs.runs_since, stream, after)

    async def response(self, run_id: str) -> ResponseRecord | None:
        """One response by its id, also a forgotten one."""
        return await self._readers.run(queries_responses.response, run_id)

    async def response_of(self, admission_id: str) -> ResponseRecord | None:
        """The response that an admission is."""
        return await self._readers.run(queries_responses.response_of, admission_id)

    async def latest_response(self, principal: str, conversation: str) -> ResponseRecord | None:
        """The newest stored response of one of a principal's conversations."""
        return await self._readers.run(queries_responses.latest_response, principal, conversation)

    async def key(self, principal: str, family: str, key: str, *, now: float) -> KeyRecord | None:
        """What an `Idempotency-Key` stands for; an expired one for nothing."""
        return await self._readers.run(queries.key, principal, family, key, now)

    async def key_use(self, principal: str, family: str, key: str, *, now: float) -> KeyUse | None:
        """What was done under an `Idempotency-Key` that admitted nothing; under an expired one nothing was."""
        return await self._readers.run(key_uses.find, principal, family, key, now)

    async def approval(self, request_id: str) -> ApprovalRecord | None:
        """One prompt."""
        return await self._readers.run(queries_approvals.approval, request_id)

    async def approvals(
        self, *, status: ApprovalStatus | None, principal: str | None, after: str | None, limit: int
    ) -> Page[ApprovalRecord]:
        """The inbox, oldest first: over all sessions, of one principal or of all (`None`), after the prompt `after`."""
        return await self._readers.run(queries_approvals.approvals, status, principal, after, limit)

    async def approvals_of(self, admission_id: str) -> tuple[ApprovalRecord, ...]:
        """All that an admission ever asked, oldest first; also what a rule answered."""
        return await self._readers.run(queries_approvals.approvals_of, admission_id)

    async def approvals_since(self, session_id: str, *, after: int) -> tuple[ApprovalRecord, ...]:
        """All that a session asked after the event `after` of its stream, oldest first; also what a rule answered."""
        return await self._readers.run(queries_approvals.approvals_since, session_id, after)

    async def inbox(self, *, after: int, limit: int) -> list[queries_inbox.InboxEvent]:
        """What happened to prompts in all sessions, after a position of the whole log."""
        return await self._readers.run(queries_inbox.inbox, after, limit)

    async def inbox_snapshot(self, principal: str | None) -> queries_inbox.InboxSnapshot:
        """The open prompts of one principal or of all (`None`), and the position from which `inbox` goes on."""
        return await self._readers.run(queries_inbox.inbox_snapshot, principal)

    async def news(self, *, after: int, limit: int) -> list[queries_inbox.InboxEvent]:
        """As `inbox`, and the ends of runs among it."""
        return await self._readers.run(queries_inbox.news, after, limit)

    async def count_news(self, *, after: int) -> int:
        """How many events `news` would still give."""
        return await self._readers.run(queries_inbox.count_news, after)

    async def rule(self, principal: str, session_id: str, rule_key: str) -> Rule | None:
        """A live rule that covers an action: of session scope in this session, or of always scope for this principal."""
        return await self._readers.run(queries_approvals.rule, principal, session_id, rule_key)

    async def rule_by_id(self, rule_id: str) -> Rule | None:
        """One live rule."""
        return await self._readers.run(queries_approvals.rule_by_id, rule_id)

    async def rules(self, *, principal: str | None, after: str | None, limit: int) -> Page[Rule]:
        """Live rules, oldest first, of one principal or of all (`None`), after the rule `after`."""
        return await self._readers.run(queries_approvals.rules, principal, after, limit)

    async def rule_uses(self, rule_ids: tuple[str, ...]) -> dict[str, queries_decisions.Uses]:
        """By rule, how often it has answered in a person's place, and when last."""
        return await self._readers.run(queries_decisions.rule_uses, rule_ids)

    async def decisions(
        self, wanted: queries_decisions.DecisionFilter | None = None, *, after: int, limit: int
    ) -> list[chain.Link]:
        """Links of the audit chain whose events lie beyond a position of the log, oldest first if nothing else is wanted."""
        wanted = wanted or queries_decisions.DecisionFilter()
        return await self._readers.run(queries_decisions.decisions, wanted, after, limit)

    async def verify_chain(self, shown: tuple[int, ...] = ()) -> chain.BrokenLink | None:
        """The first link of the audit chain that does not hold, or `None`.

        What held once is looked at again only as far as it is shown: so a page of the audit costs what is on it and what is new.
        `examine` verifies the whole.

        Args:
            shown: the numbers of the links to look at in any case.
        """
        while True:
            verdict = await self._readers.run(chain.verify_from, self._verified)
            if verdict.mark.number >= self._verified.number:  # another reader may be further by now
                self._verified = verdict.mark
            if verdict.broken is not None:
                return verdict.broken
            if verdict.at_end:
                return await self._readers.run(chain.check, shown)

    async def events(
        self,
        stream: str,
        *,
        after: int,
        up_to: int | None = None,
        admission_id: str | None = None,
        limit: int,
        size_bytes: int | None = None,
    ) -> list[Recorded]:
        """At most `limit` events of a stream with `after < seq <= up_to`, of one admission or of all.

        With `size_bytes` no more are read once that many bytes of the log are; at least one is.
        """
        return await self._readers.run(queries.events, stream, after, up_to, admission_id, limit, size_bytes)

    async def truncated(self, stream: str, *, after: int) -> bool:
        """Whether a reader at `after` missed deltas that were merged since, and must take the merged message for the whole."""
        return await self._readers.run(queries.truncated, stream, after)

    async def journal(self, admission_id: str) -> tuple[JournalEntry, ...]:
        """The turn's steps in the order in which they began."""
        return await self._readers.run(queries.journal, admission_id)

    async def turn_past(self, admission_id: str, *, resumed: bool) -> queries_turns.TurnPast | None:
        """What the turn of an admission starts from, in one read; what it did before a crash only if it is resumed."""
        return await self._readers.run(queries_turns.turn_past, admission_id, resumed=resumed)

    async def unsettled(self) -> list[str]:
        """Ids of sessions with queued, started or unknown rows, those that wait longest first."""
        return await self._readers.run(queries.unsettled)
