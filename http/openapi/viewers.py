"""`/api/ws`, described."""

from typing import Final, Literal

from placet.http.openapi.operation import Answer, Operation
from placet.http.record import Record

TAG: Final = "Viewers"


class Ticket(Record, frozen=True, kw_only=True):
    """A ticket that opens one WebSocket, for pages, which cannot set headers there.

    Attributes:
        subprotocols: what to offer in the handshake.
        expires_at: Unix seconds.
    """

    object: Literal["hermes.gateway.ticket"]
    ticket: str
    subprotocols: list[str]
    expires_at: float


OPERATIONS: Final = (
    Operation(
        name="viewer_ticket",
        method="POST",
        path="/api/ws/ticket",
        tag=TAG,
        summary="Get a ticket for one WebSocket.",
        answers=(Answer(description="The ticket.", status=201, body=Ticket),),
    ),
    Operation(
        name="viewer_websocket",
        method="GET",
        path="/api/ws",
        tag=TAG,
        summary="Watch and answer sessions over a WebSocket.",
        description=(
            "Messages are JSON-RPC 2.0: `session.resume`, `prompt.submit`, `approval.respond`, `session.interrupt`, "
            "`session.events.since`, `ping`, and events as notifications. The key comes in `Authorization`, or a ticket in the "
            "subprotocol. Who may not connect is told by the close code 4403."
        ),
        answers=(Answer(description="The connection is a WebSocket now.", status=101),),
        public=True,
    ),
)
