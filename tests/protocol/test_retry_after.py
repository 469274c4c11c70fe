"""`Retry-After`, whoever says it."""

from __future__ import annotations

import pytest

from placet.actors.protocol.retry_after import retry_after_s


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("-7", 0.0),
        ("soon", None),
        ("inf", None),
        ("nan", None),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 40.0),
        ("Thu, 01 Jan 1970 00:00:40 GMT", 0.0),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(value, now=60.0) == seconds
