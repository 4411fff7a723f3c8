"""Where a filter names columns: each of them for certain, or it is not said."""

from __future__ import annotations

import pytest

from sqe.model.names import RelationName, SchemaName
from sqe.model.query import Column
from sqe.rewrite.filter_columns import column_places
from sqe.sql.splice import Edit, splice

EMP = RelationName(SchemaName("lake", ("s",)), "emp")
COLUMNS = [
    Column(name, kind)
    for name, kind in {
        "id": "int",
        "Dept": "string",
        "tags": "array<string>",
        "address": "struct<city:string,id:int>",
        "date": "date",
        "day": "int",
        "emp": "struct<size:int,id:int>",
    }.items()
]


def marked(text: str) -> str | None:
    """With each column in brackets."""
    places = column_places(text, EMP, COLUMNS)
    if places is None:
        return None
    return splice(text, [Edit(span, f"[{one.name}]") for span, one in places.items()]).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dept = 'it'", "[Dept] = 'it'"),
        ("DEPT = 'dept' AND `dept` <> \"id\"", "[Dept] = 'dept' AND [Dept] <> \"id\""),
        ("emp.dept = 'it'", "[Dept] = 'it'"),
        ("s.emp.dept = 'it'", "[Dept] = 'it'"),
        ("Lake.`s`.EMP.dept = 'it' OR id = 1", "[Dept] = 'it' OR [id] = 1"),
        ("address.city = 'x'", "[address].city = 'x'"),
        ("address.id = 1", "[address].id = 1"),
        ("emp.address.id = id", "[address].id = [id]"),
        ("lake.s.emp.address.id = 1", "[address].id = 1"),
        ("emp.id = 1", "[id] = 1"),  # the table's column, not the member of its struct
        ("emp.size = 1", "[emp].size = 1"),
        ("emp.emp.size = 1", "[emp].size = 1"),
        ("emp IS NULL", "[emp] IS NULL"),
        ("exists(tags, t -> t = dept)", "exists([tags], t -> t = [Dept])"),
        ("exists(tags, t -> t.id = dept)", "exists([tags], t -> t.id = [Dept])"),
        ("CAST(dept AS DATE) = date", "CAST([Dept] AS DATE) = [date]"),
        ("dept::date > DATE '2024-01-01'", "[Dept]::date > DATE '2024-01-01'"),
        ("day(date) = 1", "day([date]) = 1"),
        ("date -- id\n= date '2024-01-01'", "[date] -- id\n= date '2024-01-01'"),
        ("CASE WHEN id = 1 THEN dept END = 'x'", "CASE WHEN [id] = 1 THEN [Dept] END = 'x'"),
        ("id BETWEEN 1 AND day", "[id] BETWEEN 1 AND [day]"),
        ("id IN (1, day)", "[id] IN (1, [day])"),
        ("TRUE", "TRUE"),
    ],
)
def test_every_column_is_found(text: str, expected: str) -> None:
    assert marked(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "other = 1",
        "dept.nope.x = other",
        "t.emp.dept = 'it'",
        "x.lake.s.emp.dept = 'it'",
        "other.dept = 'it'",
        "dept IN (SELECT 'it')",
        "dept IN (VALUES 'it')",
        "EXISTS (SELECT 1 FROM t WHERE t.d = dept)",
        "exists(tags, dept -> dept = 'it')",
        "exists(tags, id -> dept = 'it')",
        "extract(day FROM date) = 1",
        "date + INTERVAL 1 day > date",
        "hash(*) = 1",
        "hash(emp.*) = 1",
        "dept =",
        "",
        "dept = 'it' dept",
        "dept = 'it'; id = 1",
    ],
)
def test_what_is_not_certain_is_not_said(text: str) -> None:
    assert marked(text) is None
