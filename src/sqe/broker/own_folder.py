"""A folder of its own for the files that a query writes into a table.

Iceberg leaves files behind when a write is cancelled: those of tasks that had ended, and those that
a task was just opening when it was killed. Their names are made up by Spark, which tells nobody.
Among all files of a table it cannot be said which belong to this write, and which to a write that
others have under way. So Spark is shown a table whose files go into a folder with a name of this
query's own. If the query ends without a change, all in there is its own, and nothing refers to it.
"""

from __future__ import annotations

import json
import secrets
import shutil
import threading
from dataclasses import replace

from sqe.catalog.embedded.disks import local_path
from sqe.catalog.protocol import Json, Loaded

_PATH = "write.data.path"
_OBJECTS = "write.object-storage."
_OLD_PATH = "write.folder-storage.path"
_PROVIDER = "write.location-provider.impl"  # knows of no folder


class OwnFolder:
    """Of one query in one table. Thread-safe: Spark's requests come on several threads."""

    def __init__(self) -> None:
        self._name = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._paths: set[str] = set()  # that Spark was shown

    def shown(self, loaded: Loaded) -> Loaded:
        """The table as Spark is to see it."""
        metadata = loaded.metadata
        properties = metadata.get("properties") or {}
        if properties.get(_PROVIDER):
            return loaded
        path = f"{_data_path(metadata).rstrip('/')}/{self._name}"
        with self._lock:
            self._paths.add(path)
        shown = {**metadata, "properties": {**properties, _PATH: path}}
        return replace(loaded, metadata_json=json.dumps(shown).encode())

    def taken_from(self, request: Json) -> Json:
        """A commit without the property: who makes or replaces a table sends back all it saw."""
        updates = [self._without_path(update) for update in request.get("updates") or ()]
        return {**request, "updates": [update for update in updates if update is not None]}

    def _without_path(self, update: Json) -> Json | None:
        properties = update.get("updates")
        if update.get("action") != "set-properties" or not isinstance(properties, dict):
            return update
        with self._lock:
            if properties.get(_PATH) not in self._paths:
                return update
        kept = {key: value for key, value in properties.items() if key != _PATH}
        return {**update, "updates": kept} if kept else None

    def remove(self) -> None:
        """Only when no change of the query can arrive any more, and none has. Files in an object
        store stay until maintenance removes them."""
        with self._lock:
            paths = list(self._paths)
        for path in filter(None, map(local_path, paths)):
            shutil.rmtree(path, ignore_errors=True)


def _data_path(metadata: Json) -> str:
    """Where Iceberg would write."""
    properties = metadata.get("properties") or {}
    keys = [_PATH, _OLD_PATH]
    if str(properties.get(f"{_OBJECTS}enabled", "")).lower() == "true":
        keys.insert(1, f"{_OBJECTS}path")
    places = (str(properties[key]) for key in keys if properties.get(key))
    return next(places, f"{str(metadata['location']).rstrip('/')}/data")
