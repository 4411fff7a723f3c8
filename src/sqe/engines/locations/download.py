"""Objects as files of this machine."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from sqe.engines.locations.bucket import ATTEMPTS, PAUSE_S, RemoteObject, file_changed, is_hopeless
from sqe.engines.locations.limited_file import RESERVE
from sqe.errors import UpstreamError, disk_full
from sqe.http.client import OpenAnswer
from sqe.results.cancellation import Cancellation


class Download:
    """Fetches one object after the other, until the statement is cancelled."""

    def __init__(self, cancellation: Cancellation) -> None:
        self._cancellation = cancellation
        self._answer: OpenAnswer | None = None
        cancellation.on_cancel(self._interrupt)

    def fetch(self, remote: RemoteObject, path: Path) -> None:
        """The object whole, or an error; the store has several chances to send it."""
        for attempt in range(ATTEMPTS):
            self._cancellation.check()
            if attempt:
                time.sleep(PAUSE_S)
            try:
                with remote.bucket.open(remote) as answer:
                    self._answer = answer
                    size = self._write(answer, remote, path)
            except UpstreamError as failed:
                self._cancellation.check()
                if attempt + 1 == ATTEMPTS or is_hopeless(failed):
                    raise
                continue
            finally:
                self._answer = None
            self._cancellation.check()
            if size == remote.size:
                return
        raise file_changed(remote.name)

    def _write(self, answer: OpenAnswer, remote: RemoteObject, path: Path) -> int:
        size = 0
        with path.open("wb") as file:
            self._cancellation.check()
            for chunk in answer.chunks():
                self._cancellation.check()
                size += len(chunk)
                if size > remote.size:
                    raise file_changed(remote.name)
                file.write(chunk)
                if shutil.disk_usage(path.parent).free < RESERVE:
                    raise disk_full("what is fetched from the object store")
        return size

    def _interrupt(self) -> None:
        answer = self._answer
        if answer is not None:
            answer.interrupt()
