"""What each method is called with. An unknown field is refused: a misspelt condition must not be an absent one."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from placet.actors.protocol.approvals import Choice
from placet.actors.protocol.commands import OnBusy
from placet.http.requests.decisions import REASON_MAX
from placet.http.requests.parameters import Key
from placet.http.requests.queries import PAGE_DEFAULT, PAGE_MAX
from placet.http.run_controls import TEXT_MAX

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=1024)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX)]
Reason = Annotated[str, msgspec.Meta(max_length=REASON_MAX)]


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Of a method that takes none."""


class OfSession(Params, frozen=True):
    """Of a method about one session."""

    session_id: Name


class OfSubscription(OfSession, frozen=True):
    """Of `session.detach`."""

    subscription_id: Name


class OfList(Params, frozen=True):
    """Of `session.list`: a page after the session `after`."""

    after: Name | None = None
    limit: Limit = PAGE_DEFAULT


class Since(OfSession, frozen=True):
    """Of `session.events.since`. `last_sequence` and `last_seen` are one: the newest event that the viewer has."""

    last_sequence: Count | None = None
    last_seen: Count | None = None
    replay_epoch: Name | None = None


class Submit(OfSession, frozen=True):
    """Of `prompt.submit`. `submission_id` and `input_id` are one: what makes a repetition a retry.

    Attributes:
        text: what is asked.
        attachments: further parts of the message, such as images, in the form of a chat message's parts.
        on_busy: what to do if the session is at work.
    """

    text: str
    submission_id: Key | None = None
    input_id: Key | None = None
    attachments: tuple[dict[str, Any], ...] = ()
    on_busy: OnBusy = OnBusy.QUEUE


class OfAdmission(OfSession, frozen=True):
    """Of `prompt.cancel`."""

    admission_id: Name


class Resolve(OfAdmission, frozen=True):
    """Of `prompt.resolve_unknown`."""

    execution_generation: Count


class Interrupt(OfSession, frozen=True):
    """Of `session.interrupt`. With a generation only the turn of that generation is stopped."""

    execution_generation: Count | None = None


class Respond(OfSession, frozen=True):
    """Of `approval.respond`; the fields mean what they mean over HTTP."""

    prompt_id: Name
    execution_generation: Count
    choice: Choice
    digest: Name | None = None
    reason: Reason = ""


class Answer(OfSession, frozen=True):
    """Of `clarify.respond`."""

    prompt_id: Name
    execution_generation: Count
    answer: Annotated[str, msgspec.Meta(max_length=TEXT_MAX)]
