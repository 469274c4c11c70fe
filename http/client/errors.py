"""What a client meets beside a good answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from placet.actors.protocol.errors import PlacetError

if TYPE_CHECKING:
    import httpx2


class Refused(PlacetError):
    """The server answered, and its answer is an error.

    Args:
        status: of the response.
        message: the server's own words, for a person.
        code: the stable word for it.
        detail: what else stands in the error object.
    """

    def __init__(self, status: int, message: str, *, code: str, detail: dict[str, object]) -> None:
        super().__init__(message, code=code, detail=detail)
        self.status = status

    @property
    def may_heal(self) -> bool:
        """Whether the same request may work in a moment: the server is busy, drains, or has a trouble of its own."""
        return self.status == 429 or self.status >= 500


class NotReached(PlacetError):
    """No answer came: nobody listens there, the connection broke, or it was silent for too long.

    Args:
        message: which, for a person.
        may_have_arrived: whether the server may have got the request all the same.
    """

    default_code: ClassVar[str] = "not_reached"

    def __init__(self, message: str, *, may_have_arrived: bool = True) -> None:
        super().__init__(message)
        self.may_have_arrived = may_have_arrived


class _ErrorBody(msgspec.Struct):
    error: dict[str, Any]


def refusal_of(response: httpx2.Response) -> Refused:
    """The error in a response that was read. One that no Placet server has sent is described by its status alone."""
    try:
        error = msgspec.json.decode(response.content, type=_ErrorBody).error
    except msgspec.MsgspecError:
        error = {}
    message = str(error.get("message") or f"The answer was {response.status_code} and no more.")
    detail = {name: error[name] for name in error if name not in {"message", "type", "param", "code"}}
    return Refused(
        response.status_code, message, code=str(error.get("code") or "no_placet_server"), detail=detail
    )
