"""Every operation that is described, surface by surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from placet.http.openapi import (
    answer,
    approvals,
    chat,
    console,
    decisions,
    responses,
    runs,
    server,
    sessions,
    viewers,
)

if TYPE_CHECKING:
    from placet.http.openapi.operation import Operation

OPERATIONS: Final[tuple[Operation, ...]] = (
    *chat.OPERATIONS,
    *responses.OPERATIONS,
    *sessions.OPERATIONS,
    *runs.OPERATIONS,
    *approvals.OPERATIONS,
    *decisions.OPERATIONS,
    *answer.OPERATIONS,
    *viewers.OPERATIONS,
    *console.OPERATIONS,
    *server.OPERATIONS,
)
