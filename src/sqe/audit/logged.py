"""The audit log as part of SQE's own log."""

from __future__ import annotations

import logging
from typing import Any

from sqe.audit.line_sink import LineSink

_log = logging.getLogger(__name__)


class AuditInLog(LineSink):
    """The lines are there whatever the level of the log is."""

    def __init__(self) -> None:
        super().__init__()
        _log.setLevel(logging.INFO)

    def write(self, fields: dict[str, Any]) -> None:
        _log.info("audit: %s", fields["event"], extra={"audit": fields})
