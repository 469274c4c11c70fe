"""What we use of an SQLite connection, typed: a row is whatever its SELECT says, so its fields are `Any`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Cursor(Protocol):
    """The answer to a statement."""

    @property
    def get(self) -> Any:
        """The only row, or its only value if it has one column; `None` if there is no row."""
        ...

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """The next row, or `None`."""
        ...

    def fetchall(self) -> list[Any]:
        """All rows."""
        ...


class Connection(Protocol):
    """One connection, used by one thread at a time."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        ...

    def execute(self, statements: str, bindings: Sequence[object] = ..., /) -> Cursor:
        """Run one or more statements."""
        ...

    def executemany(self, statements: str, bindings: Sequence[Sequence[object]], /) -> Cursor:
        """Run the same once for each of the bindings."""
        ...

    def changes(self) -> int:
        """How many rows the last statement changed, those of triggers not counted."""
        ...

    def last_insert_rowid(self) -> int:
        """The key of the row that was inserted last."""
        ...

    def pragma(self, name: str, value: Any = ..., /) -> Any:
        """Ask for a pragma or set it."""
        ...

    def close(self) -> None:
        """Close it. Closing twice does nothing."""
        ...
