"""One-time tickets: how a page, which cannot set headers on a WebSocket, shows that it holds a key."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import msgspec

from placet.actors.protocol.errors import NotAuthenticated
from placet.http.auth import Principal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TICKET_PREFIX: Final = "hermes-gateway-ticket."
"""A subprotocol that begins so carries a ticket."""

TICKET_S: Final = 30.0
"""How long a ticket is good for. It is asked for right before the connection that uses it."""

TICKETS_MAX: Final = 1024
"""Tickets out at once, of all principals. Past it the oldest is void: whoever asks for so many uses none."""


class _Ticket(msgspec.Struct, frozen=True):
    principal: Principal
    expires_at: float


def ticket_in(subprotocols: Iterable[str]) -> str | None:
    """The ticket among the subprotocols that a client offers; `None` if there is none."""
    found = (name for name in subprotocols if name.startswith(TICKET_PREFIX))
    return next(found, "").removeprefix(TICKET_PREFIX) or None


class Tickets:
    """The tickets that are out. A restart voids them all.

    Args:
        now: the wall clock, Unix seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._out: OrderedDict[str, _Ticket] = OrderedDict()

    def issue(self, principal: Principal) -> tuple[str, float]:
        """A new ticket, and until when it is good in Unix seconds.

        Args:
            principal: who may connect with it, once.
        """
        ticket, expires_at = secrets.token_hex(24), self._now() + TICKET_S
        self._out[ticket] = _Ticket(principal, expires_at)
        if len(self._out) > TICKETS_MAX:
            self._out.popitem(last=False)
        return ticket, expires_at

    def redeem(self, ticket: str) -> Principal:
        """Whose ticket this is. It is void from now on.

        Raises:
            NotAuthenticated: it was never issued, was used before, or is too old.
        """
        found = self._out.pop(ticket, None)
        if found is None or found.expires_at <= self._now():
            raise NotAuthenticated("The ticket is unknown, used or too old. Ask for a new one.")
        return found.principal
