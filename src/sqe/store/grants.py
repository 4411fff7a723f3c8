"""Rules made with SQL, as they are kept: read as a whole, changed one change at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqe.model.grants import (
    Attachment,
    Grant,
    GrantChange,
    NamedPolicy,
    Role,
    RoleGrant,
    RowFilterPolicy,
    Tag,
)
from sqe.model.names import RelationName
from sqe.store.database import Database, changes_rules
from sqe.store.grant_rows import TABLES, Row, Rule, relation_of, row_of, table_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

_VERSION = "SELECT version FROM rules_version"
_BUMP = "UPDATE rules_version SET version = version + 1"
_OWNERS = "SELECT relation, uuid, user_name FROM owners"
_NOTE = (
    "INSERT INTO rule_changes (number, made_at, made_by, what)"
    " SELECT coalesce(max(number), 0) + 1, :at, :by, :what FROM rule_changes"
)
_CHANGES = "SELECT made_by, made_at, what FROM rule_changes ORDER BY number DESC LIMIT :most"


@dataclass(frozen=True, slots=True)
class Owned:
    """A table or view that somebody made. ``uuid`` tells it from a later one of its name."""

    name: RelationName
    uuid: str
    user: str


@dataclass(frozen=True, slots=True)
class KeptRules:
    """All of them, as they were at one moment."""

    version: int
    roles: tuple[Role, ...] = ()
    role_grants: tuple[RoleGrant, ...] = ()
    grants: tuple[Grant, ...] = ()
    policies: tuple[NamedPolicy, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    tags: tuple[Tag, ...] = ()
    owned: tuple[Owned, ...] = ()


class RuleChange:
    """One change, while it is made: nobody else changes rules or owners meanwhile. ``rules`` is
    what was there when it began."""

    def __init__(self, connection: Connection, rules: KeptRules) -> None:
        self._connection = connection
        self.rules = rules

    def put(self, rule: Rule) -> None:
        """In the place of the rule with the same key, if there is one."""
        from sqlalchemy import insert

        self.remove(rule)
        row = row_of(rule)
        self._connection.execute(insert(_table(rule, row)).values(row))

    def remove(self, rule: Rule) -> None:
        """Whoever made it, and whenever."""
        from sqlalchemy import delete

        row = row_of(rule)
        rows = _table(rule, row)
        key = [rows.c[name] == row[name] for name in table_of(rule).key]
        self._connection.execute(delete(rows).where(*key))

    def note(self, change: GrantChange) -> None:
        from sqlalchemy import text

        values = {"at": change.at, "by": change.by, "what": change.what}
        self._connection.execute(text(_NOTE), values)


class GrantStore:
    """Thread-safe. Raises STORE_UNAVAILABLE where the database does not answer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def changes_here(self) -> int:
        """Another number after every change that this process has made."""
        return self._database.rule_changes

    def version(self) -> int:
        from sqlalchemy import text

        with self._database.begin() as connection:
            return int(connection.execute(text(_VERSION)).scalar_one())

    def read(self) -> KeptRules:
        from sqlalchemy import text

        with self._database.begin() as connection:
            if connection.dialect.name == "postgresql":  # all tables as of one moment
                connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            return _read(connection)

    @contextmanager
    def change(self) -> Iterator[RuleChange]:
        """All of it, or nothing if an error is raised."""
        with self._database.begin() as connection:
            bump(connection)
            yield RuleChange(connection, _read(connection))

    def changes(self, most: int = 1000) -> list[GrantChange]:
        """Who changed what, the latest first."""
        from sqlalchemy import text

        with self._database.begin() as connection:
            rows = connection.execute(text(_CHANGES), {"most": most}).mappings()
            return [GrantChange(row["made_by"], row["made_at"], row["what"]) for row in rows]


def bump(connection: Connection) -> None:
    """First in every transaction that changes rules or owners: those who keep them read them
    again, and two who change them wait for each other."""
    from sqlalchemy import text

    changes_rules(connection)
    connection.execute(text(_BUMP))


def _read(connection: Connection) -> KeptRules:
    from sqlalchemy import text

    owned = connection.execute(text(_OWNERS)).mappings()
    return KeptRules(
        version=int(connection.execute(text(_VERSION)).scalar_one()),
        roles=_read_all(connection, Role),
        role_grants=_read_all(connection, RoleGrant),
        grants=_read_all(connection, Grant),
        policies=_read_all(connection, RowFilterPolicy),
        attachments=_read_all(connection, Attachment),
        tags=_read_all(connection, Tag),
        owned=tuple(
            Owned(relation_of(row["relation"]), row["uuid"], row["user_name"]) for row in owned
        ),
    )


def _read_all(connection: Connection, kind: type[Any]) -> tuple[Any, ...]:
    from sqlalchemy import literal_column, select, table

    stored = TABLES[kind]
    every: Any = select(literal_column("*")).select_from(table(stored.name))
    return tuple(stored.rule(dict(row)) for row in connection.execute(every).mappings())


def _table(rule: Rule, row: Row) -> Any:
    from sqlalchemy import column, table

    return table(table_of(rule).name, *(column(name) for name in row))
