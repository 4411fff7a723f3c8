"""Files for ``sqe load``, which may run on another machine than they are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqe.cli.progress import ProgressLine
from sqe.client.transport import Status
from sqe.errors import SqeError, error_of
from sqe.model.query import Progress, QueryState

if TYPE_CHECKING:
    from sqe.client.transport import Transport


def offer_files(transport: Transport, files: Sequence[str]) -> dict[str, str]:
    """By what COPY INTO takes for them, the files in order. It is shown how much was sent."""
    total = sum(os.stat(file).st_size for file in files)
    gone = 0

    def count_sent(count: int) -> None:
        nonlocal gone
        gone += count

    def status() -> Status:
        phase = f"sending files, {gone / 1e6:,.0f} of {total / 1e6:,.0f} MB" if gone else ""
        return Status(QueryState.QUEUED, work=Progress(phase=phase))

    with ProgressLine() as line:
        line.watch(status)
        return {transport.offer(file, count_sent): file for file in files}


def with_local_names(error: SqeError, files: Mapping[str, str]) -> SqeError:
    """The error with the names that the files have here."""
    message = error.message
    for source, file in files.items():
        message = message.replace(source, file)
    return error_of(error.code, message, hint=error.hint)
