"""Logs: one JSON object a line on standard error, from our own loggers and from the libraries'."""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.tracebacks import ExceptionDictTransformer


def set_up_logs(level: int = logging.INFO) -> None:
    """Send the standard library's logging through structlog to standard error.

    Args:
        level: the least that is shown. Libraries show warnings and above.
    """
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=processors,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            # Never with local variables: they hold keys and people's texts.
            structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
            structlog.processors.JSONRenderer(),
        ],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("placet").setLevel(level)
    logging.getLogger("placet.http.server").setLevel(
        logging.WARNING
    )  # hypercorn's own start-up line is not ours
