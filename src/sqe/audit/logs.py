"""SQE's own log: JSON lines in the home, rotated, or on a stream; without secrets."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from sqe.audit.redact import redact
from sqe.model.tracing import current_span

_BYTES = 10_000_000
_KEPT = 3


class _LogFile(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """A line that cannot be written, on a full disk say, is lost; nobody else is disturbed."""


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redact(record.getMessage()),
        }
        trace_id = current_span().trace_id
        if trace_id:
            fields["trace_id"] = trace_id
        audit = getattr(record, "audit", None)  # redacted already
        if audit is not None:
            fields["audit"] = audit
        if record.exc_info:
            fields["exception"] = redact(self.formatException(record.exc_info))
        return json.dumps(fields, ensure_ascii=False)


def log_to(path: Path, level: str, to: str = "file") -> logging.Handler:
    """Sends the ``sqe`` loggers to the file, or to stdout or stderr instead. The caller removes the
    handler when it is done."""
    handler: logging.Handler
    if to == "file":
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _LogFile(path, maxBytes=_BYTES, backupCount=_KEPT, encoding="utf-8", delay=True)
    else:
        handler = logging.StreamHandler(sys.stdout if to == "stdout" else sys.stderr)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("sqe")
    logger.setLevel(level.upper())
    logger.propagate = False
    logger.addHandler(handler)
    return handler


def stop_logging(handler: logging.Handler) -> None:
    logging.getLogger("sqe").removeHandler(handler)
    handler.close()
