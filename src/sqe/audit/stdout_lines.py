"""The audit log's lines on a stream of this process."""

from __future__ import annotations

import os
from collections.abc import Sequence

from sqe.audit.sent_lines import Line, SentLines


class StreamTransport:
    """Whoever reads slowly lets the thread that writes wait, and no other."""

    longest = 0

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def send(self, lines: Sequence[Line]) -> None:
        for line in lines:
            left = line.body + b"\n"
            while left:
                left = left[os.write(self._descriptor, left) :]

    def close(self) -> None:
        """It is not ours."""


class AuditOnStdout(SentLines):
    pass
