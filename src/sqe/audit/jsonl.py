"""The audit log as a file of JSON lines."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from sqe.audit.chain import ChainedFile
from sqe.audit.line_sink import LineSink


class AuditFile(LineSink):
    """Appends to a file only the owner may read. Each line is one write, so lines stay whole, and
    chained to the one before it."""

    def __init__(self, path: Path, most_bytes: int = 0) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._file: ChainedFile | None = ChainedFile(path, most_bytes)

    def write(self, fields: dict[str, Any]) -> None:
        body = json.dumps(fields, ensure_ascii=False)
        with self._lock:
            if self._file is not None:
                self._file.append(body)

    def close(self) -> None:
        try:
            super().close()
        finally:
            with self._lock:
                file, self._file = self._file, None
            if file is not None:
                file.close()
