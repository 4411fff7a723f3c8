"""Whether a table's files can be reached: how, and one byte of one of them."""

from __future__ import annotations

from pyiceberg.manifest import DataFileContent

from sqe.catalog.protocol import Catalog, Ident, Loaded
from sqe.catalog.s3_place import s3_url
from sqe.engines.local.failures import object_name
from sqe.engines.local.manifests import ManifestCache, Snapshot
from sqe.engines.local.objects import Objects
from sqe.engines.local.storage import Storage, TableSource, local_path, storage_of
from sqe.engines.local.tablestats import current_snapshot
from sqe.engines.protocol import GaveUp
from sqe.errors import ErrorCode, SqeError, UpstreamError

_TIMEOUT_S = 10.0


class TableTrial:
    """``close`` when it is over. Failures are SqeErrors."""

    def __init__(self, catalog: Catalog, ident: Ident, loaded: Loaded) -> None:
        self._objects = Objects(_TIMEOUT_S)
        self._source = TableSource(catalog, ident)
        self._loaded = loaded
        self._storage: Storage | None = None

    @property
    def possible(self) -> bool:
        """Whether the files are in a kind of store that is read without Spark."""
        location = str(self._loaded.metadata.get("location", ""))
        return local_path(location) is not None or s3_url(location) is not None

    def take_access(self) -> str:
        """What the catalog gives for the files, in words."""
        try:
            self._storage = storage_of(self._loaded, self._objects, self._source)
        except GaveUp as why:
            raise _unreachable(why, "Ask the catalog's administrator what it vends.") from None
        if self._storage.door is None:
            return "no keys are needed: the files are on this machine"
        if self._storage.door.keys is None:
            return "the catalog signs each request"
        return "the catalog gave keys"

    def read_byte(self) -> str | None:
        """Of the first data file; its name. None: the table has no rows."""
        assert self._storage is not None, "take_access comes first"  # noqa: S101
        try:
            location = self._first_file(self._storage)
            if location is None:
                return None
            self._storage.read_range(location, 0, 1)
        except GaveUp as why:
            raise _unreachable(why, "This says nothing of Spark: run a query on it.") from None
        except OSError as error:
            raise UpstreamError(
                ErrorCode.STORAGE_UNAVAILABLE,
                f"A file of the table cannot be read ({error.strerror or type(error).__name__}).",
                hint="Look whether it is there, and whether SQE's user may read it.",
            ) from None
        except SqeError:
            raise
        except Exception as error:  # noqa: BLE001  whatever a reader of broken files raises
            raise UpstreamError(
                ErrorCode.CORRUPT_DATA,
                f"The list of the table's files cannot be read ({type(error).__name__}).",
                hint="Tell the table's owner; an older snapshot may be whole.",
            ) from None
        return object_name(location)

    def close(self) -> None:
        self._objects.close()

    def _first_file(self, storage: Storage) -> str | None:
        snapshot = current_snapshot(self._loaded.metadata)
        if snapshot is None or "manifest-list" not in snapshot:
            return None
        files = Snapshot("", snapshot["manifest-list"], None, storage, ManifestCache(0))
        for manifest in files.manifests():
            for live in files.entries(manifest):
                if live.file.content == DataFileContent.DATA:
                    return str(live.file.file_path)
        return None


def _unreachable(why: GaveUp, otherwise: str) -> SqeError:
    text = str(why)
    return UpstreamError(
        ErrorCode.STORAGE_UNAVAILABLE,
        f"{text[:1].upper()}{text[1:]}.",
        hint=why.remedy or otherwise,
    )
