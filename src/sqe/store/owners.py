"""Who made a table or view through SQE, and which views are read with their owner's rights."""

from __future__ import annotations

import json
import time

from sqe.model.names import RelationName
from sqe.store.database import Database

_ONE = "SELECT uuid, user_name, digest FROM owners WHERE relation = :relation"
_ADD = (
    "INSERT INTO owners (relation, uuid, user_name, digest, changed_at)"
    " VALUES (:relation, :uuid, :user_name, :digest, :now)"
)
_DROP = "DELETE FROM owners WHERE relation = :relation"
_MOVE = "UPDATE owners SET relation = :new, changed_at = :now WHERE relation = :relation"


class Owners:
    """Thread-safe. An owner is of one table or view: another one of the same name has none.

    Every change makes another version of the rules, of which ownership is one.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, name: RelationName, uuid: str) -> str | None:
        row = self._read_row(name)
        return row[1] if row is not None and row[0] == uuid else None

    def definer(self, name: RelationName, uuid: str, digest: str) -> str | None:
        """Whose rights the view is read with: the owner's if it is the very view that they made
        to be read so, None (the reader's) otherwise."""
        row = self._read_row(name)
        if row is None or not digest or (row[0], row[2]) != (uuid, digest):
            return None
        return row[1]

    def set(self, name: RelationName, uuid: str, user: str, digest: str = "") -> None:
        """``digest``: of a view that is read with the owner's rights."""
        from sqlalchemy import text

        from sqe.store.grants import bump

        row = {"uuid": uuid, "user_name": user, "digest": digest, "now": time.time()}
        with self._database.begin() as connection:
            bump(connection)
            connection.execute(text(_DROP), {"relation": _key(name)})
            connection.execute(text(_ADD), {"relation": _key(name), **row})

    def drop(self, name: RelationName) -> None:
        from sqlalchemy import text

        from sqe.store.grants import bump

        with self._database.begin() as connection:
            bump(connection)
            connection.execute(text(_DROP), {"relation": _key(name)})

    def move(self, old: RelationName, new: RelationName) -> None:
        from sqlalchemy import text

        from sqe.store.grants import bump

        names = {"relation": _key(old), "new": _key(new), "now": time.time()}
        with self._database.begin() as connection:
            bump(connection)
            connection.execute(text(_DROP), {"relation": _key(new)})
            connection.execute(text(_MOVE), names)

    def _read_row(self, name: RelationName) -> tuple[str, str, str] | None:
        from sqlalchemy import text

        with self._database.begin() as connection:
            row = connection.execute(text(_ONE), {"relation": _key(name)}).first()
        return (row[0], row[1], row[2]) if row is not None else None


def _key(name: RelationName) -> str:
    return json.dumps(list(name.parts))
