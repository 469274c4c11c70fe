"""The two kinds of message that an actor takes."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

Answer_co = TypeVar("Answer_co", covariant=True)


class Request(msgspec.Struct, Generic[Answer_co], frozen=True):
    """A message that is answered: `answer = await registry.ask(key, request)`.

    A subclass names the type of its answer, `class GetCount(Request[int], frozen=True)`, and `ask` is typed by it.
    """


class Notice(msgspec.Struct, frozen=True):
    """A message that nobody waits on: `await registry.tell(key, notice)`."""


Message = Request[object] | Notice
