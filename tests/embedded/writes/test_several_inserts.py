"""FROM t INSERT INTO a … INSERT INTO b …: all of it or nothing, under the guards of each part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Deny, Restrict, RowFilter
from sqe.model.query import QueryRequest
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

BOTH = "FROM {s} INSERT INTO many.a SELECT id, v INSERT INTO many.b SELECT v, id WHERE id > 1"


@pytest.fixture
def many(shared_lake: Lake) -> Iterator[Lake]:
    with closing(shared_lake.another_session()) as lake:
        lake.all(
            "CREATE SCHEMA IF NOT EXISTS many",
            "CREATE OR REPLACE TABLE many.s AS SELECT * FROM VALUES (1, 'x'), (2, 'y') AS v(id, v)",
            "CREATE OR REPLACE TABLE many.a (id INT, v STRING)",
            "CREATE OR REPLACE TABLE many.b (v STRING, id INT)",
            "CREATE OR REPLACE VIEW many.over_a AS SELECT * FROM many.a",
        )
        yield lake


def contents(lake: Lake) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    read = (lake.rows(f"SELECT * FROM many.{name} ORDER BY id") for name in "ab")
    return next(read), next(read)


def test_each_table_gets_its_rows(many: Lake) -> None:
    query = many.submit(BOTH.format(s="many.s"))
    with many.server.gateway.fetch(query) as result:
        result.read_all()
        assert result.rows_affected is not None and result.rows_affected.inserted == 3
    assert contents(many) == ([(1, "x"), (2, "y")], [("y", 2)])
    touched = {use.name for use in many.server.gateway.record(query).relations}
    assert touched == {"lake.many.s", "lake.many.a", "lake.many.b"}
    many.run("FROM many.s INSERT INTO many.a SELECT id + 5, v WHERE id = 1")
    assert (6, "x") in contents(many)[0]
    many.run("FROM many.s INSERT INTO many.a SELECT * INSERT OVERWRITE many.a SELECT 9, 'z'")
    assert set(contents(many)[0]) == {(9, "z")}


def test_what_fails_in_one_leaves_no_trace_in_the_other(many: Lake) -> None:
    for text, code in (
        ("SELECT id, v INSERT INTO many.b SELECT v, raise_error('no')", None),
        ("SELECT id, v INSERT INTO many.none SELECT v", ErrorCode.TABLE_NOT_FOUND),
        ("SELECT id, v INSERT INTO many.b SELECT v, v2", ErrorCode.COLUMN_NOT_FOUND),
    ):
        error = many.fails(f"FROM many.s INSERT INTO many.a {text}")
        assert code is None or error.code is code
    with many.rules.on("lake.many.b", Deny("not this one"), "insert"):
        assert isinstance(many.fails(BOTH.format(s="many.s")), AccessError)
    assert contents(many) == ([], [])


def test_what_is_written_is_not_read_by_the_next(many: Lake) -> None:
    for source in ("many.a", "many.over_a"):
        assert many.fails(BOTH.format(s=source)).code is ErrorCode.NOT_SUPPORTED
    assert contents(many) == ([], [])
    # Only what is written before: the table is read as it was.
    many.run("FROM many.b INSERT INTO many.a SELECT id, v INSERT INTO many.b SELECT v, id")


def test_every_part_reads_what_its_user_may_see(many: Lake) -> None:
    with many.rules.on("lake.many.s", Restrict("even", filters=(RowFilter("id % 2 = 0"),))):
        many.run(BOTH.format(s="many.s"))
    assert contents(many) == ([(2, "y")], [("y", 2)])


def test_a_transaction_takes_them_one_by_one(many: Lake) -> None:
    gateway, session = many.server.gateway, many.session.id
    transaction = gateway.begin(session)
    text = BOTH.format(s="many.s")
    query = gateway.submit(QueryRequest(session, text, source="tests", transaction=transaction))
    with pytest.raises(Exception, match="in a transaction"):
        gateway.fetch(query)
    gateway.rollback(session, transaction)
    assert contents(many) == ([], [])
