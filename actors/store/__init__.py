"""The store: SQLite behind a few words. Events go in through `Store.append`; records come out.

Nothing outside this package writes SQL.
"""

from placet.actors.store.backup import backup
from placet.actors.store.batch import (
    Batch,
    CorruptTransition,
    KeyFree,
    Precondition,
    PreconditionFailed,
    RuleLive,
    SessionAbsent,
    StreamAppend,
    UseFree,
)
from placet.actors.store.chain import BrokenLink, Link
from placet.actors.store.codec import admission_of
from placet.actors.store.examine import Examination, examine
from placet.actors.store.page import Page
from placet.actors.store.queries_decisions import DecisionFilter, Uses
from placet.actors.store.queries_inbox import IN_INBOX, IN_NEWS, InboxEvent, InboxSnapshot
from placet.actors.store.queries_runs import RunFilter
from placet.actors.store.queries_sessions import SessionFilter
from placet.actors.store.retention import TidyReport
from placet.actors.store.store import Health, Store, open_store

__all__ = [
    "IN_INBOX",
    "IN_NEWS",
    "Batch",
    "BrokenLink",
    "CorruptTransition",
    "DecisionFilter",
    "Examination",
    "Health",
    "InboxEvent",
    "InboxSnapshot",
    "KeyFree",
    "Link",
    "Page",
    "Precondition",
    "PreconditionFailed",
    "RuleLive",
    "RunFilter",
    "SessionAbsent",
    "SessionFilter",
    "Store",
    "StreamAppend",
    "TidyReport",
    "UseFree",
    "Uses",
    "admission_of",
    "backup",
    "examine",
    "open_store",
]
