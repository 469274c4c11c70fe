"""Who may connect: tickets and origins."""

from __future__ import annotations

import pytest

from placet.actors.protocol.errors import NotAuthenticated
from placet.http.auth import Principal, Role
from placet.http.origin import may_connect_from
from placet.http.ws import Tickets, ticket_in
from placet.http.ws.tickets import TICKET_S, TICKETS_MAX

ANNA = Principal("anna", Role.APPROVER)


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_ticket_is_its_principals_and_good_once() -> None:
    tickets = Tickets(Clock())
    ticket, expires_at = tickets.issue(ANNA)
    assert expires_at == 1000.0 + TICKET_S
    assert tickets.redeem(ticket) == ANNA
    with pytest.raises(NotAuthenticated):
        tickets.redeem(ticket)


def test_a_ticket_is_good_for_half_a_minute() -> None:
    clock = Clock()
    tickets = Tickets(clock)
    early, _ = tickets.issue(ANNA)
    late, _ = tickets.issue(ANNA)
    clock.now += TICKET_S - 0.1
    assert tickets.redeem(early) == ANNA
    clock.now += 0.1
    with pytest.raises(NotAuthenticated):
        tickets.redeem(late)


def test_what_was_never_issued_is_no_ticket() -> None:
    with pytest.raises(NotAuthenticated):
        Tickets(Clock()).redeem("0" * 48)


def test_tickets_do_not_pile_up() -> None:
    tickets = Tickets(Clock())
    oldest, _ = tickets.issue(ANNA)
    second, _ = tickets.issue(ANNA)
    for _ in range(TICKETS_MAX - 1):
        tickets.issue(ANNA)
    with pytest.raises(NotAuthenticated):
        tickets.redeem(oldest)
    assert tickets.redeem(second) == ANNA


@pytest.mark.parametrize(
    ("offered", "found"),
    [
        ([], None),
        (["hermes-gateway-v1"], None),
        (["hermes-gateway-v1", "hermes-gateway-ticket.abc"], "abc"),
        (["hermes-gateway-ticket.abc"], "abc"),
        (["hermes-gateway-ticket."], None),
    ],
)
def test_a_ticket_travels_among_the_subprotocols(offered: list[str], found: str | None) -> None:
    assert ticket_in(offered) == found


@pytest.mark.parametrize(
    ("origins", "host", "allowed", "no_auth", "may"),
    [
        ([], "h:1", (), False, True),  # no browser
        ([], "h:1", (), True, True),
        (["http://h:1"], "h:1", (), False, True),  # the server's own page
        (["https://H"], "h", (), False, True),  # behind a proxy that ends TLS
        (["http://h:2"], "h:1", (), False, False),
        (["http://evil"], "h:1", (), False, False),
        (["null"], "h:1", (), False, False),
        (["null"], "", (), False, False),
        ([""], "", (), False, False),
        (["file://h:1"], "h:1", (), False, False),
        (["http://[h"], "[h", (), False, False),
        (["http://h:1", "http://evil"], "h:1", (), False, False),
        (["http://app"], "h:1", ("http://app",), False, True),
        (["HTTP://App"], "h:1", ("http://app",), False, True),
        (["http://evil"], "h:1", ("http://app",), False, False),
        (["null"], "h:1", ("*",), False, True),
        (["http://evil:1"], "evil:1", (), True, False),  # a stranger's name that was made to point here
        (["http://127.0.0.1:1"], "127.0.0.1:1", (), True, True),
        (["http://localhost:1"], "localhost:1", (), True, True),
        (["http://[::1]:1"], "[::1]:1", (), True, True),
    ],
)
def test_pages_may_connect_to_their_own_server(
    origins: list[str], host: str, allowed: tuple[str, ...], no_auth: bool, may: bool
) -> None:
    assert may_connect_from(origins, host, allowed, no_auth=no_auth) is may
