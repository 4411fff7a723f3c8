"""Folders of its own for the files that a query writes into a table: rows, and manifests of them.

Iceberg leaves files behind when a write is cancelled: those of tasks that had ended, and those that
a task was just opening when it was killed. Their names are made up by Spark, which tells nobody.
Among all files of a table it cannot be said which belong to this write, and which to a write that
others have under way. So Spark is shown a table whose files go into folders with a name of this
query's own. If the query ends without a change, all in there is its own, and nothing refers to it.
"""

from __future__ import annotations

import json
import logging
import secrets
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from sqe.broker.s3_folder import S3Folder
from sqe.catalog.embedded.disks import local_path
from sqe.catalog.protocol import Json, Loaded
from sqe.errors import SqeError

_log = logging.getLogger(__name__)
_PATH = "write.data.path"
_METADATA_PATH = (
    "write.metadata.path"  # of manifests: the catalog itself writes the table's metadata
)
_OBJECTS = "write.object-storage."
_OLD_PATH = "write.folder-storage.path"
_PROVIDER = "write.location-provider.impl"  # knows of no folder


class OwnFolder:
    """Of one query in one table. Thread-safe: Spark's requests come on several threads."""

    def __init__(self) -> None:
        self._name = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._paths: set[str] = set()  # that Spark was shown
        self._loaded: Loaded | None = None  # the newest that it was shown
        self._begun = False

    def begin(self) -> None:
        """From now on there may be files."""
        self._begun = True

    def table_for_spark(self, loaded: Loaded) -> Loaded:
        """The table as Spark is to see it."""
        metadata = loaded.metadata
        properties = metadata.get("properties") or {}
        if properties.get(_PROVIDER):
            return loaded
        paths = {
            _PATH: f"{_data_path(metadata).rstrip('/')}/{self._name}",
            _METADATA_PATH: f"{_metadata_path(metadata).rstrip('/')}/{self._name}",
        }
        with self._lock:
            self._paths.update(paths.values())
            self._loaded = loaded
        shown = {**metadata, "properties": {**properties, **paths}}
        return replace(loaded, metadata_json=json.dumps(shown).encode())

    def remove_from(self, request: Json) -> Json:
        """A commit without the properties: who makes or replaces a table sends back all it saw."""
        updates = [self._without_paths(update) for update in request.get("updates") or ()]
        return {**request, "updates": [update for update in updates if update is not None]}

    def _without_paths(self, update: Json) -> Json | None:
        properties = update.get("updates")
        if update.get("action") != "set-properties" or not isinstance(properties, dict):
            return update
        with self._lock:
            kept = {key: value for key, value in properties.items() if value not in self._paths}
        return {**update, "updates": kept} if kept or not properties else None

    def remove(self, keys: Callable[[Loaded], Mapping[str, str]]) -> None:
        """Only when no change of the query can arrive any more, and none has. ``keys`` answers how
        the table's objects are reached. What cannot be removed stays for maintenance."""
        with self._lock:
            paths, loaded = list(self._paths) if self._begun else [], self._loaded
        for path in paths:
            local = local_path(path)
            if local is not None:
                shutil.rmtree(local, ignore_errors=True)
            elif loaded is not None:
                try:
                    S3Folder(path, keys(loaded)).remove()
                except (SqeError, KeyError, ValueError) as error:
                    _log.warning("files of a write that failed stay: %s", type(error).__name__)


def _metadata_path(metadata: Json) -> str:
    """Where Iceberg would write manifests."""
    path = (metadata.get("properties") or {}).get(_METADATA_PATH)
    return str(path or f"{str(metadata['location']).rstrip('/')}/metadata")


def _data_path(metadata: Json) -> str:
    """Where Iceberg would write rows."""
    properties = metadata.get("properties") or {}
    keys = [_PATH, _OLD_PATH]
    if str(properties.get(f"{_OBJECTS}enabled", "")).lower() == "true":
        keys.insert(1, f"{_OBJECTS}path")
    places = (str(properties[key]) for key in keys if properties.get(key))
    return next(places, f"{str(metadata['location']).rstrip('/')}/data")
