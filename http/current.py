"""What `quart.request` and `quart.current_app` mean while a handler runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quart import globals as quart_globals

if TYPE_CHECKING:
    from contextvars import ContextVar, Token

    from quart import Quart, Request

# Two variables before Quart 0.23, then one. It has no other way to set them than a context, which is what this is instead of.
_NAMES: Final = ("_cv_app", "_cv_request")
_VARIABLES: Final[tuple[ContextVar[Any], ...]] = tuple(
    getattr(quart_globals, name) for name in _NAMES if hasattr(quart_globals, name)
)


class Current:
    """A context of one request, without what the framework's own has beside it: sessions, flashes, `g`, signals, teardown.

    It is a context manager, a plain `with`: nothing in it waits.

    Args:
        app: what `current_app` is.
        request: what `request` is.
    """

    __slots__ = ("_tokens", "app", "request")

    def __init__(self, app: Quart, request: Request) -> None:
        self.app = app
        self.request = request
        self._tokens: list[Token[Any]] = []

    def __enter__(self) -> None:
        self._tokens = [variable.set(self) for variable in _VARIABLES]

    def __exit__(self, *_: object) -> None:
        for variable, token in zip(_VARIABLES, self._tokens, strict=True):
            variable.reset(token)
