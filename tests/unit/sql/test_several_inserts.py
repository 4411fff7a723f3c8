"""An INSERT that begins with FROM is one INSERT for each table."""

from __future__ import annotations

import pytest

from sqe.sql.parse import parse
from sqe.sql.several_inserts import split_inserts
from sqe.sql.statement import StatementKind


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "FROM t INSERT INTO a SELECT x INSERT INTO b (c) SELECT y WHERE y > (SELECT 1);",
            [
                "INSERT INTO a FROM t\nSELECT x",
                "INSERT INTO b (c) FROM t\nSELECT y WHERE y > (SELECT 1)",
            ],
        ),
        (
            "FROM (SELECT * FROM t) q INSERT INTO a SELECT 'INSERT INTO b'",
            ["INSERT INTO a FROM (SELECT * FROM t) q\nSELECT 'INSERT INTO b'"],
        ),
        (
            "WITH c AS (SELECT 1) FROM c"
            " INSERT OVERWRITE a SELECT * INSERT INTO b BY NAME SELECT *",
            [
                "INSERT OVERWRITE a WITH c AS (SELECT 1) FROM c\nSELECT *",
                "INSERT INTO b BY NAME WITH c AS (SELECT 1) FROM c\nSELECT *",
            ],
        ),
        (
            "FROM t -- INSERT INTO c\n INSERT INTO a SELECT x -- end",
            ["INSERT INTO a FROM t -- INSERT INTO c\nSELECT x"],
        ),
    ],
)
def test_what_stands_behind_from_is_read_by_each(text: str, parts: list[str]) -> None:
    assert split_inserts(text) == parts
    assert all(parse(part).kind is StatementKind.INSERT for part in parts)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "INSERT INTO a SELECT 1",
        "WITH t AS (SELECT 1) INSERT INTO x SELECT * FROM t",
        "FROM t SELECT insert",
        "FROM t SELECT x INSERT INTO a SELECT y",
        "FROM t INSERT INTO a VALUES (1)",
        "FROM t; INSERT INTO a SELECT 1",
        "FROM 't INSERT INTO a SELECT x",
        "/* FROM */ EXPLAIN FROM t INSERT INTO a SELECT x",
    ],
)
def test_anything_else_is_left_alone(text: str) -> None:
    assert split_inserts(text) == []
