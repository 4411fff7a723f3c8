"""What a query reads from object stores: with which keys, and whose fault it is if it cannot."""

from __future__ import annotations

import os
from collections.abc import Sequence

from sqe.catalog.s3_place import S3Credentials
from sqe.engines.local.failures import KeysRefused, StoreFailed, of_store, translate
from sqe.engines.local.loopback import Loopback, Reading
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.scan import PlannedScan
from sqe.engines.local.signing import Signer
from sqe.engines.local.storage import Storage
from sqe.errors import ErrorCode, SqeError, UpstreamError

_PROXIES = [
    spelled
    for name in ("http_proxy", "https_proxy", "all_proxy")
    for spelled in (name, name.upper())
]


class StorageAccess:
    """``keys`` are DuckDB's, for one attempt at the query.

    DuckDB reads by itself, with the tables' own keys: a query keeps those it began with. If they
    end too soon for that, or there are none because the catalog signs, it reads everything through
    ``Loopback``.
    """

    def __init__(self, scans: Sequence[PlannedScan], loopback: Loopback, long_s: float) -> None:
        self._loopback = loopback
        self._reading: Reading | None = None
        self._used: list[tuple[Storage, tuple[S3Credentials, ...]]] = []
        remote = [scan for scan in scans if scan.storage.door is not None]
        if remote:
            _refuse_proxies()
        if any(scan.storage.ends_within(long_s) for scan in remote):
            self._reading = loopback.admit(_signers(remote))
            self.keys = [self._reading.keys()]
        else:
            self._used = [(scan.storage, scan.storage.keys) for scan in remote]
            self.keys = list(dict.fromkeys(key for _, used in self._used for key in used))

    @property
    def lasting(self) -> bool:
        """Whether ``keys`` are the tables' own; otherwise they are this attempt's alone."""
        return self._reading is None

    def close(self) -> None:
        if self._reading is not None:
            self._loopback.withdraw(self._reading)

    def renew(self) -> bool:
        """After a refusal: whether another attempt has other keys. What the catalog says to being
        asked for them may be an error."""
        renewed = [storage.renew(used) for storage, used in self._used]
        return any(renewed)

    def translate(self, error: Exception, *, rows_sent: bool) -> Exception:
        """DuckDB's error in our terms."""
        if self._reading is not None and self._reading.failure is not None and of_store(error):
            failure = self._reading.failure  # DuckDB was told no more than a status
        else:
            failure = translate(error, rows_sent=rows_sent)
        if rows_sent and isinstance(failure, StoreFailed):
            return UpstreamError(failure.code, f"The table cannot be read to its end: {failure}.")
        if rows_sent and isinstance(failure, KeysRefused):
            return self._keys_ended(failure)
        return failure

    def _keys_ended(self, refusal: KeysRefused) -> SqeError:
        """The catalog says why, if it has no other keys."""
        try:
            renewed = self.renew()
        except SqeError as error:
            return error
        if not renewed:
            return refusal
        return UpstreamError(
            ErrorCode.STORAGE_UNAVAILABLE,
            "The keys to the table's files ended while they were being read.",
            hint="Run the query again: there are new ones.",
        )


def _refuse_proxies() -> None:
    """DuckDB would go through a proxy that SQE's environment names, and knows no way to say no."""
    named = [name for name in _PROXIES if os.environ.get(name)]
    if named and (os.environ.get("no_proxy") or os.environ.get("NO_PROXY")) != "*":
        raise NotLocal(
            f"{named[0]} is set, and object stores are not read through proxies",
            "Start SQE without it, or with NO_PROXY=*.",
        )


def _signers(scans: Sequence[PlannedScan]) -> dict[str, Signer]:
    return {
        file: scan.storage.door.signer
        for scan in scans
        if scan.storage.door is not None
        for file in scan.files
    }
