"""Names of things in catalogs."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# Bare, these are no names where SQE's parser or Spark expects one, or mean something else.
_WORDS = """
    alter and any as between case create cross distinct drop else except false fetch for
    from glob grant having ilike inner insert intersect into join lateral like minus not
    notnull null on or outer partitioned_by qualify regexp returning revoke rlike rollback
    select serdeproperties tablesample then true uncache union using values when where with
    xor
"""
_RESERVED = frozenset(_WORDS.split())


def quote(part: str) -> str:
    """One identifier in Spark's spelling, back-quoted only where it must be."""
    plain = _PLAIN.match(part) and part.lower() not in _RESERVED
    return part if plain else "`" + part.replace("`", "``") + "`"


def quote_text(text: str) -> str:
    """A string literal of standard SQL, which Trino and DuckDB read; for Spark's see below."""
    return "'" + text.replace("'", "''") + "'"


def string_literal(value: str) -> str:
    """A Spark string literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


@dataclass(frozen=True, slots=True, order=True)
class SchemaName:
    """A schema (an Iceberg namespace, possibly of several levels) in a catalog."""

    catalog: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(quote(part) for part in (self.catalog, *self.path))


@dataclass(frozen=True, slots=True, order=True)
class RelationName:
    """A table or view in a schema."""

    schema: SchemaName
    name: str

    @property
    def catalog(self) -> str:
        return self.schema.catalog

    @property
    def parts(self) -> tuple[str, ...]:
        return (self.schema.catalog, *self.schema.path, self.name)

    def __str__(self) -> str:
        return ".".join(quote(part) for part in self.parts)
