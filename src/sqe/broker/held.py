"""Changes of a table's columns that wait for the rows they are made for.

A MERGE WITH SCHEMA EVOLUTION first gives the table its new columns, while it is still being
analysed, and commits rows at its end. The broker keeps the first change to itself, shows the query
a table that has it, and sends both in one commit: the table gets columns and rows, or neither.
"""

from __future__ import annotations

import json
import threading
from dataclasses import replace

from sqe.catalog.commit.table_updates import apply_updates
from sqe.catalog.protocol import Json, Loaded, snapshots_of_commit


class HeldChanges:
    """Of one table and query. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requirements: list[Json] = []
        self._updates: list[Json] = []

    def hold(self, request: Json) -> None:
        with self._lock:
            if not self._updates:  # later ones are about what only this query has seen
                self._requirements += request.get("requirements") or ()
            self._updates += request.get("updates") or ()

    def apply_to(self, loaded: Loaded) -> Loaded:
        """The table as it will be. Its address differs, as Iceberg compares nothing else."""
        with self._lock:
            updates = list(self._updates)
        metadata = apply_updates(loaded.metadata, updates) if updates else None
        if metadata is None:
            return loaded
        return replace(
            loaded,
            metadata_json=json.dumps(metadata).encode(),
            metadata_location=f"{loaded.metadata_location}?held={len(updates)}",
        )

    def add_to(self, request: Json) -> Json:
        """The rows' commit with the columns in front of them."""
        with self._lock:
            requirements = [*self._requirements, *(request.get("requirements") or ())]
            updates = [*self._updates, *(request.get("updates") or ())]
        # Both say of which table they are; one of them is enough.
        unique = {
            json.dumps(requirement, sort_keys=True): requirement for requirement in requirements
        }
        return {**request, "requirements": list(unique.values()), "updates": updates}


def only_columns(request: Json) -> bool:
    """Whether a commit brings no rows."""
    return next(snapshots_of_commit(request), None) is None
