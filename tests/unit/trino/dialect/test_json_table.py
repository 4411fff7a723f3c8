"""JSON_TABLE. What it answers is in ``tests/trino/edges/json_tables.jsonl``."""

from __future__ import annotations

import pytest

from tests.unit.trino.dialect.catalog import refusal, translated

_ITEMS = "JSON_TABLE(name, 'lax $[*]' COLUMNS (a integer PATH 'lax $.a'))"


def test_its_columns_have_names_and_types() -> None:
    columns = "(o FOR ORDINALITY, a decimal(5,2), \"b\" varchar(3) FORMAT JSON PATH 'lax $.b')"
    found = translated(f"SELECT * FROM JSON_TABLE('[]', 'lax $[*]' COLUMNS {columns})").columns
    assert [(one.name, str(one.type)) for one in found] == [
        ("O", "bigint"), ("A", "decimal(5,2)"), ("b", "varchar(3)"),
    ]  # fmt: skip


def test_it_sees_what_stands_left_of_it() -> None:
    assert "CROSS JOIN LATERAL posexplode(" in translated(f"SELECT a FROM t, {_ITEMS}").text
    text = translated(f"SELECT a FROM t LEFT JOIN {_ITEMS} ON true").text
    assert "CROSS JOIN LATERAL posexplode_outer(" in text


def test_a_nested_path_may_have_no_items_unless_the_plan_is_inner() -> None:
    columns = "(NESTED PATH 'lax $' AS b COLUMNS (x int))"
    nested = f"JSON_TABLE('[]', 'lax $[*]' AS a COLUMNS {columns}{{}})"
    assert "posexplode_outer(" in translated(f"SELECT * FROM {nested.format('')}").text
    for plan in (" PLAN (a INNER b)", " PLAN DEFAULT (INNER)"):
        assert "posexplode_outer(" not in translated(f"SELECT * FROM {nested.format(plan)}").text


@pytest.mark.parametrize(
    ("inside", "name"),
    [
        ("5, 'lax $' COLUMNS (a int)", "TYPE_MISMATCH"),
        ("'', 'lax $' COLUMNS (a nosuch)", "TYPE_MISMATCH"),
        ("'', 'lax $' COLUMNS (a int, A int)", "DUPLICATE_COLUMN_OR_PATH_NAME"),
        ("'', 'lax $' AS p COLUMNS (p int)", "DUPLICATE_COLUMN_OR_PATH_NAME"),
        ("'', 'lax $' PASSING 1 AS \"m\" COLUMNS (a int PATH 'lax $m')", "INVALID_PATH"),
        ("'', 'lax $' COLUMNS (NESTED 'strict $' COLUMNS (a int))", "NOT_SUPPORTED"),
        (
            "'', 'lax $' COLUMNS (NESTED 'lax $' COLUMNS (a int), NESTED 'lax $' COLUMNS (b int))",
            "NOT_SUPPORTED",
        ),
        ("'', 'lax $' COLUMNS (a int) PLAN DEFAULT (CROSS)", "NOT_SUPPORTED"),
    ],
)
def test_what_is_refused(inside: str, name: str) -> None:
    assert refusal(f"SELECT * FROM JSON_TABLE({inside})")[0] == name
