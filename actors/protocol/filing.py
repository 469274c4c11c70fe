"""How a response is filed: what it goes on from, and what goes on from it; and the two events about that."""

from __future__ import annotations

import msgspec

from placet.actors.protocol.conversation import ChatMessage

TRUNCATED_TO = 100
"""Messages that a truncated history keeps, the newest: what the contract says."""


class Filing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an admission that is a response is filed under.

    Attributes:
        previous: the response that it names as the one it goes on from.
        conversation: the client's own name for the line of responses that it goes on from and becomes the newest of.
        stored: whether it can be read later, and gone on from.
        background: whether its client said that it will not wait; told, not used.
        truncates: whether only the newest part of a long history reaches the agent.
        instructions: the system-level text that responses after it inherit.
        before: what its client said between what it goes on from and the message that it answers.
    """

    previous: str | None = None
    conversation: str | None = None
    stored: bool = True
    background: bool = False
    truncates: bool = False
    instructions: str = ""
    before: tuple[ChatMessage, ...] = ()


class ResponseFiled(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The admission is a response under that id. Recorded with it."""

    run_id: str
    admission_id: str
    filing: Filing


class ResponseForgotten(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A response may no longer be read or gone on from. Its run is untouched."""

    run_id: str
    admission_id: str
