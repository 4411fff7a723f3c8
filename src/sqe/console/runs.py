"""One statement that somebody runs in the page: its state, its rows, its end."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from sqe.client.transport import Running, Status, Transport
from sqe.console.result_file import ResultFile
from sqe.errors import ErrorCode, InternalError, SqeError, disk_full, is_disk_full
from sqe.results.stream import ResultStream

_ID_BYTES = 12


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one result in the console; the statement itself has the server's."""

    result_bytes: int


class Run:
    """A thread of its own fetches the rows. Thread-safe."""

    def __init__(self, transport: Transport, text: str, folder: Path, limits: Limits) -> None:
        self.id = secrets.token_urlsafe(_ID_BYTES)
        self.text = text
        self.result: ResultFile | None = None
        self.error: SqeError | None = None
        self.cut = False  # the result was larger than the console keeps
        self.affected: dict[str, int] = {}
        self._path = folder / self.id
        self._limits = limits
        self._ended = False
        self._closed = False
        self._began = time.monotonic()
        self._seconds = 0.0
        self._last = Status()
        self._running: Running = transport.execute(text)
        self._thread = threading.Thread(target=self._work, name=f"run-{self.id}", daemon=True)
        self._thread.start()

    @property
    def ended(self) -> bool:
        return self._ended

    @property
    def seconds(self) -> float:
        return self._seconds if self._ended else time.monotonic() - self._began

    def status(self) -> Status:
        if not self._ended:
            self._last = self._running.progress()
        return self._last

    def cancel(self) -> None:
        if not self._ended:
            self._running.cancel()

    def close(self) -> None:
        """Nobody will look at it any more."""
        self._closed = True
        self.cancel()
        if self.result is not None and self._ended:
            self.result.close()

    def _work(self) -> None:
        try:
            with self._running.result() as stream:
                if stream.columns:
                    self._keep_rows(stream)
                else:
                    self._finish(stream)
        except SqeError as error:
            self.error = error
        except OSError as error:
            self.error = _disk_error(error)
        except Exception as error:  # noqa: BLE001  whatever happens, the page must hear of it
            self.error = InternalError(
                ErrorCode.INTERNAL_ERROR, f"The console failed ({type(error).__name__})."
            )
        finally:
            self._last = self._running.progress()
            self._seconds = time.monotonic() - self._began
            self._ended = True
            if self._closed and self.result is not None:
                self.result.close()

    def _keep_rows(self, stream: ResultStream) -> None:
        result = self.result = ResultFile(self._path, stream.columns, stream.schema)
        for batch in stream:
            result.append(batch)
            if result.bytes > self._limits.result_bytes:
                self.cut = True
                return

    def _finish(self, stream: ResultStream) -> None:
        for _ in stream:
            pass
        affected = stream.rows_affected
        self.affected = affected.counts if affected is not None else {}


def _disk_error(error: OSError) -> SqeError:
    if is_disk_full(error):
        return disk_full("the rows of the console")
    return InternalError(ErrorCode.INTERNAL_ERROR, "The console could not keep the rows.")
