"""Filters and masks made of arrays, structs, maps and patterns: the local engine carries them out
itself, and shows what Spark shows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import ExpressionMask
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

LIMITS = Restrict(
    "test",
    filters=(RowFilter("array_contains(tags, 'open') AND home.city <> 'X'"),),
    masks={
        "name": ExpressionMask("substring(name, 1, 1) || '*' || CAST(id AS STRING)"),
        "phone": ExpressionMask("right(phone, 1) || '#' || CAST(length(phone) AS STRING)"),
        "tags": ExpressionMask("CASE WHEN size(tags) < 2 THEN tags END"),
        "home": ExpressionMask("named_struct('city', home.city, 'zip', CAST(NULL AS STRING))"),
    },
    hidden=frozenset({"secret"}),
)


@pytest.fixture(scope="module")
def people(shared_lake: Lake) -> Lake:
    shared_lake.all(
        "CREATE SCHEMA masked",
        "CREATE TABLE masked.p (id INT, name STRING, phone STRING, tags ARRAY<STRING>,"
        " home STRUCT<city:STRING,zip:STRING>, pay DECIMAL(10,2), secret MAP<STRING,INT>)",
        "INSERT INTO masked.p VALUES"
        " (1, 'ann', '01-23', array('open', 'vip'), named_struct('city', 'W', 'zip', '1010'),"
        " 1.5, map('x', 1)),"
        " (2, 'bob', NULL, array('open'), named_struct('city', 'G', 'zip', NULL), 2.25,"
        " NULL),"
        " (3, 'cy', '9', array('shut'), named_struct('city', 'L', 'zip', '4020'), 3, map('x', 3)),"
        " (4, '', '4', array('open'), named_struct('city', NULL, 'zip', '1'), 4, NULL),"
        " (5, 'eve', '5', NULL, NULL, 5, NULL)",
    )
    return shared_lake


@pytest.fixture
def bob(people: Lake) -> Iterator[dict[str, Lake]]:
    sessions = {name: people.another_session("bob", engine=name) for name in ("local", "spark")}
    with people.rules.on("lake.masked.p", LIMITS, "select", "bob"):
        yield sessions
    for session in sessions.values():
        session.close()


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (
            "SELECT id, name, phone, tags, home FROM {t} ORDER BY id",
            [
                (1, "a*1", "3#5", None, {"city": "W", "zip": None}),
                (2, "b*2", None, ["open"], {"city": "G", "zip": None}),
            ],
        ),
        ("SELECT id FROM {t} WHERE array_contains(tags, 'vip')", []),
        ("SELECT id FROM {t} WHERE home.zip IS NOT NULL OR home.zip = '1010'", []),
        ("SELECT count(*) AS n FROM {t} WHERE size(tags) = 1", [(1,)]),
        (
            "SELECT t.id, x.tag FROM {t} t, LATERAL explode_outer(t.tags) AS x(tag) ORDER BY 1",
            [(1, None), (2, "open")],
        ),
        ("SELECT array_join(array_sort(collect_list(home.city)), ',') AS c FROM {t}", [("G,W",)]),
        (
            "SELECT home.city AS c, max(name) AS n FROM {t} GROUP BY home.city ORDER BY c",
            [("G", "b*2"), ("W", "a*1")],
        ),
        # What fails for rows that the filter removes is not computed there.
        ("SELECT id FROM {t} WHERE tags[0] = 'open' ORDER BY id", [(2,)]),
        ("SELECT id FROM {t} WHERE element_at(split(phone, '#', -1), 2) = '5' ORDER BY id", [(1,)]),
    ],
)
def test_what_is_shown_is_the_same(
    bob: dict[str, Lake], sql: str, rows: list[tuple[object, ...]]
) -> None:
    for engine, lake in bob.items():
        assert lake.rows(sql.format(t="lake.masked.p")) == rows, engine


def test_a_hidden_column_of_a_nested_type_is_not_there(bob: dict[str, Lake]) -> None:
    for lake in bob.values():
        for sql in ("SELECT secret FROM {t}", "SELECT secret['x'] AS s FROM {t}"):
            error = lake.fails(sql.format(t="lake.masked.p"))
            assert error.code is ErrorCode.COLUMN_NOT_FOUND
