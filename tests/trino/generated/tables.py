"""The tables of generated queries: few values, many of them equal or NULL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SCHEMA = "lake.generated"
# Joins and groupings find pairs in them and leave rows.
SMALL: dict[str, tuple[str, Sequence[str]]] = {
    "a": ("x integer, s varchar", ["1, 'p'", "2, 'q'", "2, NULL", "NULL, 'p'", "5, 'r'"]),
    "b": ("y integer, t bigint", ["1, 1", "2, 2", "2, 3", "3, NULL", "NULL, 2"]),
    "c": ("z bigint, u varchar", ["1, 'p'", "2, 'q'", "NULL, NULL", "3, 'p'", "2, 'q'"]),
    "d": ("w integer, v bigint", ["2, 1", "NULL, 5", "6, NULL"]),
    "e": ("k integer, m integer, n bigint", []),
    "f": ("k integer, m integer, n bigint", ["1, 1, 5", "1, 2, 7", "NULL, 1, 1", "1, NULL, NULL"]),
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """``columns``: (name as written, type, family). The first is unique."""

    name: str
    columns: tuple[tuple[str, str, str], ...]
    rows: tuple[str, ...] = ()


TABLES = (
    Table(
        "t",
        (
            ("id", "bigint", "int"), ("i", "integer", "int"), ("b", "bigint", "int"),
            ("d", "double", "num"), ("n", "decimal(10,2)", "num"), ("s", "varchar", "str"),
            ("f", "boolean", "bool"), ("dt", "date", "date"), ("ts", "timestamp(6)", "ts"),
            ("a", "array(integer)", "arr"),
        ),
        (
            "1, 1, 10, 1.5e0, 1.50, 'p', true, DATE '2024-01-31', "
            "TIMESTAMP '2024-01-31 10:20:30.123456', ARRAY[1, 2]",
            "2, 2, NULL, -0.5e0, 2.25, 'Q', false, DATE '2024-02-29', NULL, ARRAY[]",
            "3, 2, 20, NULL, NULL, NULL, NULL, NULL, TIMESTAMP '1969-12-31 23:59:59', NULL",
            "4, NULL, 20, 2e0, -1.50, 'ab', true, DATE '1999-12-31', "
            "TIMESTAMP '2024-01-31 00:00:00', ARRAY[3, NULL, 3]",
            "5, 3, 30, 0e0, 0.00, '', NULL, DATE '2024-01-31', TIMESTAMP '2024-03-10 02:30:00', "
            "ARRAY[2]",
            "6, NULL, NULL, 1.5e0, 2.25, 'p', false, NULL, NULL, ARRAY[NULL]",
            "7, -1, 10, -2.5e0, 10.05, ' a ', true, DATE '2023-12-25', "
            "TIMESTAMP '2023-12-25 12:00:00.5', ARRAY[5, 4]",
        ),
    ),
    Table(
        "u",
        (
            ("id", "bigint", "int"), ("i", "integer", "int"), ("k", "bigint", "int"),
            ("s", "varchar", "str"), ("n", "decimal(5,1)", "num"), ("dt", "date", "date"),
        ),
        (
            "1, 1, 1, 'p', 1.5, DATE '2024-01-31'",
            "2, 2, 1, 'ab', 2.5, NULL",
            "3, 2, 2, NULL, -0.5, DATE '2024-02-29'",
            "4, NULL, 3, 'Q', NULL, DATE '2024-01-01'",
            "5, 7, NULL, 'é%', 2.5, DATE '1999-12-31'",
        ),
    ),
    Table(
        "v",
        (
            ("id", "bigint", "int"), ("k", "bigint", "int"), ("f", "boolean", "bool"),
            ("s", "varchar", "str"), ("d", "double", "num"),
        ),
        (
            "1, 1, true, '12', 1.5e0", "2, 2, false, 'p', nan()", "3, NULL, NULL, 'x', 2e0",
            "4, 2, true, NULL, NULL", "5, 9, false, '-3', infinity()", "6, 1, NULL, 'p', -0e0",
        ),
    ),
    Table(
        "w",
        (
            ('"order"', "bigint", "int"), ('"all"', "integer", "int"), ("first", "varchar", "str"),
            ('"a b"', "integer", "int"), ("date", "date", "date"), ("row", "boolean", "bool"),
            ('"é"', "varchar", "str"),
        ),
        (
            "1, 1, 'p', 2, DATE '2024-01-31', true, 'ü'",
            "2, NULL, 'q', 2, NULL, false, 'p'",
            "3, 3, NULL, NULL, DATE '2024-02-01', NULL, NULL",
        ),
    ),
    Table("z", (("id", "bigint", "int"), ("i", "integer", "int"), ("s", "varchar", "str"))),
)  # fmt: skip


def statements() -> list[str]:
    """What makes the tables, in Trino's SQL."""
    made = [f"CREATE SCHEMA {SCHEMA}"]
    for name, (columns, rows) in SMALL.items():
        made += _table(name, columns, rows)
    for table in TABLES:
        made += _table(table.name, ", ".join(f"{n} {k}" for n, k, _ in table.columns), table.rows)
    return made


def _table(name: str, columns: str, rows: Sequence[str]) -> list[str]:
    made = [f"CREATE TABLE {SCHEMA}.{name} ({columns})"]
    if rows:
        made.append(f"INSERT INTO {SCHEMA}.{name} VALUES {', '.join(f'({row})' for row in rows)}")
    return made
