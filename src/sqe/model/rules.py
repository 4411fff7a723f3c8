"""What rules are about: privileges, the things they are held on, who holds them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqe.model.names import RelationName, SchemaName, quote


class Privilege(Enum):
    """What may be done. OWN holds all the others on the same object and what is in it."""

    SELECT = "select"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    CREATE = "create"  # something in a catalog or a schema, or a table of this name
    DROP = "drop"
    ALTER = "alter"
    OWN = "own"
    EXECUTE = "execute"  # a procedure or a function; on the system: a query at all
    SHOW = "show"  # that it is there, and what it looks like
    LEND = "lend"  # SELECT, to others through a view that is read with one's own rights
    IMPERSONATE = "impersonate"
    VIEW_QUERY = "view query"
    KILL_QUERY = "kill query"
    SET = "set"  # a session property


class ObjectKind(Enum):
    SYSTEM = "system"  # no parts
    CATALOG = "catalog"
    SCHEMA = "schema"
    TABLE = "table"  # or a view
    PROCEDURE = "procedure"  # (catalog, schema, name), as system.rewrite_data_files
    FUNCTION = "function"
    USER = "user"  # who is impersonated, or whose queries are seen or killed
    PROPERTY = "property"  # of a session


@dataclass(frozen=True, slots=True)
class Object:
    """A thing that privileges are held on. Of a nested schema each level is a part."""

    kind: ObjectKind
    parts: tuple[str, ...] = ()

    @classmethod
    def catalog(cls, name: str) -> Object:
        return cls(ObjectKind.CATALOG, (name,))

    @classmethod
    def schema(cls, name: SchemaName) -> Object:
        return cls(ObjectKind.SCHEMA, (name.catalog, *name.path))

    @classmethod
    def table(cls, name: RelationName) -> Object:
        return cls(ObjectKind.TABLE, name.parts)

    @classmethod
    def user(cls, name: str) -> Object:
        return cls(ObjectKind.USER, (name,))

    def __str__(self) -> str:
        return " ".join([self.kind.value, ".".join(quote(part) for part in self.parts)]).strip()


SYSTEM = Object(ObjectKind.SYSTEM)


class SubjectKind(Enum):
    USER = "user"
    GROUP = "group"
    ROLE = "role"
    PUBLIC = "public"  # everybody; no name


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """Who a rule is for."""

    kind: SubjectKind
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind.value} {quote(self.name)}" if self.name else self.kind.value


PUBLIC = Subject(SubjectKind.PUBLIC)
