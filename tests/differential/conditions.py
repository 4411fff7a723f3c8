"""Conditions of columns against literals: what planners push down to files and partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.differential.expressions import InScope, Scope
from tests.differential.tree import Node, node

if TYPE_CHECKING:
    from tests.differential.queries import Queries

# Kinds that statistics and partitions are kept of, with values that occur in the tables.
VALUES: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "2", "3", "7", "12", "17", "99", "-1", "NULL"),
    "bigint": ("0", "4", "10L", "9000000000"),
    "string": ("'name7'", "'name1'", "'changed'", "'merged'", "''", "'a'", "'pear'", "'z'"),
    "date": ("DATE'2024-01-05'", "DATE'2024-02-01'", "DATE'1970-01-01'", "DATE'9999-12-31'"),
    "decimal": ("1.25", "0", "-1.5", "0.0000000001", "1000000.25"),
    "double": ("1.5D", "5D", "0.5D", "-1D", "1000", "0.0D", "double('NaN')"),
    "float": ("1F", "5F", "0.5"),
    "timestamp": ("TIMESTAMP'1970-01-01 00:00:00Z'", "TIMESTAMP'2024-03-31 01:00:00Z'"),
}
SIGNS = ("=", "<>", "<", "<=", ">", ">=")


def pushed(make: Queries, scope: Scope) -> Node | None:
    """One to three of them. Nothing where the source has no such column."""
    columns = [c for c in scope.columns if c.kind in VALUES and "(" not in c.text]
    if not columns:
        return None
    made = _simple(make, make.rng.choice(columns))
    for _ in range(make.rng.choice([0, 0, 1, 2])):
        word = make.rng.choice([" AND ", " AND ", " OR ", " AND NOT "])
        made = node("boolean", "(", made, word, _simple(make, make.rng.choice(columns)), ")")
    return made


def _simple(make: Queries, column: InScope) -> Node:
    values = VALUES[column.kind]
    one, two = make.rng.choice(values), make.rng.choice(values)
    sign = make.rng.choice(SIGNS)
    forms = [f"{column.text} {sign} {one}"] * 3 + [
        f"{one} {sign} {column.text}",
        f"{column.text} IN ({one}, {two})",
        f"{column.text} NOT IN ({one}, {two})",
        f"{column.text} BETWEEN {one} AND {two}",
        f"{column.text} IS NULL",
        f"{column.text} IS NOT NULL",
    ]
    if column.kind == "string":
        forms.append(f"{column.text} LIKE 'name1%'")
    return node("boolean", "(", make.rng.choice(forms), ")")
