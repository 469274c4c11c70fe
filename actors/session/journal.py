"""How a turn that is run again finds what it did before.

A step's key is its kind, its name, the digest of its arguments and which occurrence of these it is; a model's tool call is known by
the model's own call id instead, and a child's steps have its path before all that. Never the ordinal alone: an agent that takes
another way after a crash must not be given the answer to another question.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import msgspec

from placet.actors.protocol.errors import PlacetError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from placet.actors.protocol.records import JournalEntry


class ReplayDiverged(PlacetError):
    """The agent, run again, does something else than before. The turn fails; no stored decision or result is used."""

    default_code = "replay_diverged"


class Journal:
    """The steps of one turn, those of before the crash and those of now.

    Args:
        entries: what had been started or ended before.
        asked: the step keys of prompts that had been opened before.

    Attributes:
        scope: the quoted path of the child whose steps these are; empty for the turn's own agent, who sees all.
        kept: how many characters of the turn's text are in messages that the conversation has since before the crash.
    """

    scope = ""

    def __init__(self, entries: Iterable[JournalEntry] = (), asked: Iterable[str] = ()) -> None:
        self._entries = {entry.step: entry for entry in entries}
        # Most turns have no past, so no sets: an empty one is three times an empty dictionary.
        self._unvisited = dict.fromkeys((*self._entries, *asked))
        self._seen: dict[str, int] = {}
        self.kept: int = max(
            (item.result for item in self._entries.values() if item.step.startswith("message:")), default=0
        )
        self._paths = [entry.call_id for entry in self._entries.values()]
        self._takes = 0

    def name_child(self, stem: str) -> str:
        """A path that no child of the turn has had, also before the crash: `stem#1`, `stem#2` and so on."""
        path = next(path for number in itertools.count(1) if (path := f"{stem}#{number}") not in self._paths)
        self._paths.append(path)
        return path

    def within(self, path: str) -> Journal:
        """The same journal as the child of that path sees it: its own steps, and those of its own children."""
        inner = copy.copy(self)  # what was known and what was seen stays shared
        inner.scope = quote(path, safe="/#")
        return inner

    def skip(self) -> None:
        """The child had ended before the crash and is not run again, so it comes to none of its steps."""
        for step in self._left():
            del self._unvisited[step]

    def _left(self) -> list[str]:
        inside = (f"{self.scope}|", f"{self.scope}/") if self.scope else ("",)
        return [step for step in self._unvisited if step.startswith(inside)]

    def visit(self, kind: str, name: str, arguments: object, *, call_id: str | None = None) -> str:
        """The key of the step that the agent comes to now.

        Args:
            kind: `tool`, `step`, `message` or `approval`.
            name: the tool's or the step's name.
            arguments: what tells it from others of that name, as JSON values.
            call_id: the model's id of a tool call; it stands for the arguments. Calls run side by side, so what another call did
                before the crash and has not come to yet says nothing about this one.

        Raises:
            ReplayDiverged: before the crash another step of that kind and name stood here.
        """
        stem = f"{kind}:{quote(name, safe='')}:"
        if self.scope:
            stem = f"{self.scope}|{stem}"
        base = stem + _digest(arguments)
        if call_id is not None:
            base = f"{stem}call:{quote(call_id, safe='')}"
            stem = f"{base}:"
        occurrence = self._seen[base] = self._seen.get(base, 0) + 1
        step = f"{base}:{occurrence}"
        if step not in self._unvisited and any(key.startswith(stem) for key in self._unvisited):
            raise ReplayDiverged(f"Run again after a restart, the agent does not repeat its {kind} {name!r}.")
        self._unvisited.pop(step, None)
        return step

    def visit_taking(self) -> str:
        """The key of this reading of what the turn was told. One that finds nothing leaves no step, so the readings are counted."""
        self._takes += 1
        step = f"steering::{self._takes}"
        self._unvisited.pop(step, None)
        return step

    @property
    def is_replaying(self) -> bool:
        """Whether the agent has yet to come to something that it did before the crash."""
        return bool(self._left())

    def find(self, step: str) -> JournalEntry | None:
        """What is known of the step from before the crash."""
        return self._entries.get(step)

    def check_all_visited(self) -> None:
        """Called when the agent is done.

        Raises:
            ReplayDiverged: it did not come to something that it did before.
        """
        if left := self._left():
            kind, name, *_ = min(left).split(":")
            raise ReplayDiverged(
                f"Run again after a restart, the agent leaves out its {kind.split('|')[-1]} {unquote(name)!r}."
            )


def _digest(arguments: object) -> str:
    canonical = msgspec.json.encode(msgspec.to_builtins(arguments), order="deterministic")
    return hashlib.sha256(canonical).hexdigest()[:32]


def checked_result(result: Any, limit_bytes: int) -> Any:
    """A step's result as it comes back from the journal: plain JSON values.

    Raises:
        PlacetError: `result_too_large`, or `invalid_result` if JSON cannot hold it.
    """
    try:
        encoded = msgspec.json.encode(result)
    except (TypeError, ValueError) as error:
        raise PlacetError(f"A step's result must be JSON: {error}", code="invalid_result") from error
    if len(encoded) > limit_bytes:
        raise PlacetError(
            f"A step's result has {len(encoded)} bytes; {limit_bytes} are allowed.", code="result_too_large"
        )
    return msgspec.json.decode(encoded)
