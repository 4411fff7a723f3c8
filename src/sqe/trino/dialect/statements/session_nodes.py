"""The trees of statements that look at the catalog or change what the client keeps."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.trino.dialect.nodes import Expression, Identifier, Name, Query, Statement


@dataclass(frozen=True, slots=True)
class Show(Statement):
    """``what``: CATALOGS, SCHEMAS, TABLES, COLUMNS (also DESCRIBE), FUNCTIONS, SESSION, GRANTS,
    ROLES, CURRENT ROLES, ROLE GRANTS, BRANCHES, or CREATE and one of TABLE, VIEW, SCHEMA,
    MATERIALIZED VIEW, FUNCTION. ``name`` is what it is about."""

    what: str
    name: Name | None = None
    pattern: str | None = None
    escape: str | None = None


@dataclass(frozen=True, slots=True)
class ShowStats(Statement):
    """``of``: a relation by its name, or a query."""

    of: Name | Query


@dataclass(frozen=True, slots=True)
class Use(Statement):
    schema: Identifier
    catalog: Identifier | None = None


@dataclass(frozen=True, slots=True)
class SetSession(Statement):
    name: Name
    value: Expression


@dataclass(frozen=True, slots=True)
class ResetSession(Statement):
    name: Name


@dataclass(frozen=True, slots=True)
class SetSessionAuthorization(Statement):
    user: str


@dataclass(frozen=True, slots=True)
class ResetSessionAuthorization(Statement):
    pass


@dataclass(frozen=True, slots=True)
class SetTimeZone(Statement):
    """No value: LOCAL."""

    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class SetPath(Statement):
    text: str  # as written


@dataclass(frozen=True, slots=True)
class SetRole(Statement):
    """``kind``: ALL, NONE or ROLE."""

    kind: str
    role: Identifier | None = None
    catalog: Identifier | None = None


@dataclass(frozen=True, slots=True)
class StartTransaction(Statement):
    isolation: str = ""  # READ UNCOMMITTED, READ COMMITTED, REPEATABLE READ, SERIALIZABLE
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Commit(Statement):
    pass


@dataclass(frozen=True, slots=True)
class Rollback(Statement):
    pass
