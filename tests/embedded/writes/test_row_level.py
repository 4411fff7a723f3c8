"""DELETE, UPDATE and MERGE: Spark does them, and both engines read the same rows afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Deny, Restrict, RowFilter
from sqe.model.masks import ExpressionMask
from tests.embedded.pipe.lake import Lake
from tests.embedded.writes.conftest import WAYS, NewTable

Rows = list[tuple[Any, ...]]
Read = Callable[[str], Rows]
PAIRS = "VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')"


@pytest.fixture(scope="module")
def local(writes: Lake) -> Iterator[Lake]:
    session = writes.another_session(engine="local")
    yield session
    session.close()


@pytest.fixture
def read(writes: Lake, local: Lake) -> Read:
    """The rows of a table by its first column, the same on both engines."""

    def both(table: str) -> Rows:
        sql = f"SELECT * FROM {table} ORDER BY 1"
        rows = writes.rows(sql)
        assert local.rows(sql) == rows
        return rows

    return both


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("new", ["", "WHEN NOT MATCHED THEN INSERT * "])
def test_a_row_that_matches_twice_is_not_written_twice(
    writes: Lake, new_table: NewTable, read: Read, way: str, new: str
) -> None:
    """Spark alone would, where WHEN MATCHED says nothing."""
    table = new_table("id INT, v STRING", way, PAIRS)
    before = read(table)
    sources = ("VALUES (1, 'x'), (2, 'y'), (1, 'z')", "VALUES (1, 'x'), (2, 'y')")
    twice, once = (new_table("id INT, v STRING", rows=rows) for rows in sources)
    merge = f"MERGE INTO {table} t USING {{s}} s ON t.id = s.id {new}"
    merge += "WHEN NOT MATCHED BY SOURCE THEN DELETE"
    if way == "copy-on-write":
        error = writes.fails(merge.format(s=twice))
        assert error.code is ErrorCode.CONSTRAINT_VIOLATION, error
        assert read(table) == before
        writes.run(merge.format(s=once))
    else:
        writes.run(merge.format(s=twice))
    assert read(table) == before[:2]


@pytest.mark.parametrize("way", WAYS)
def test_every_clause_on_every_kind_of_table(
    writes: Lake, new_table: NewTable, read: Read, way: str
) -> None:
    table = new_table("id INT, v STRING", way, PAIRS)
    source = new_table("id INT, v STRING", rows="VALUES (2, 'two'), (3, 'three'), (9, 'nine')")
    writes.all(
        f"MERGE INTO {table} AS t USING {source} AS s ON t.id = s.id "
        "WHEN MATCHED AND s.id = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED BY TARGET AND s.id > 5 THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = concat(t.v, '!')",
    )
    assert read(table) == [(1, "a!"), (2, "two"), (9, "nine")]
    writes.all(
        f"UPDATE {table} SET v = (SELECT max(v) FROM {source}) "
        f"WHERE id IN (WITH c AS (SELECT id FROM {source} WHERE id > 3) SELECT id FROM c)",
        f"DELETE FROM {table} AS t WHERE EXISTS "
        f"(SELECT 1 FROM {source} s WHERE s.id = t.id AND s.v = 'two')",
    )
    assert read(table) == [(1, "a!"), (9, "two")]


def test_a_source_may_be_a_query_with_ctes_a_view_or_the_past(
    writes: Lake, new_table: NewTable, read: Read
) -> None:
    table = new_table("id INT, v STRING", rows=PAIRS)
    first = writes.value(f"SELECT snapshot_id FROM {table}.snapshots")
    writes.run(f"CREATE VIEW {table}_v AS SELECT id, upper(v) AS v FROM {table} WHERE id = 1")
    merge = f"MERGE INTO {table} t USING {{}} ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v"
    writes.run(merge.format(f"{table}_v AS s"))
    writes.run(merge.format("(WITH c AS (SELECT 2 AS id) SELECT id, 'cte' AS v FROM c) s"))
    assert read(table) == [(1, "A"), (2, "cte"), (3, "c"), (4, "d")]
    writes.run(
        f"WITH old AS (SELECT * FROM {table} VERSION AS OF {first}) "
        + merge.format("(SELECT * FROM old WHERE id = 2) s")
    )
    assert read(table) == [(1, "A"), (2, "b"), (3, "c"), (4, "d")]


def test_fields_inside_of_structs(writes: Lake, new_table: NewTable) -> None:
    nested = "named_struct('a', 1, 'b', named_struct('c', 'x', 'd', 2))"
    table = new_table(
        "id INT, n STRUCT<a: INT, b: STRUCT<c: STRING, d: INT>>", rows=f"SELECT 1, {nested}"
    )
    writes.run(f"UPDATE {table} SET n.b.d = n.b.d + 5, n.a = 7 WHERE n.b.c = 'x'")
    writes.run(
        f"MERGE INTO {table} t USING (SELECT 1 AS id) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET t.n.b.c = 'deep'"
    )
    assert writes.value(f"SELECT n FROM {table}") == {"a": 7, "b": {"c": "deep", "d": 7}}


def test_a_merge_may_give_the_table_new_columns(
    writes: Lake, new_table: NewTable, read: Read
) -> None:
    table = new_table("id INT, v STRING", rows=PAIRS)
    merge = (
        "MERGE {} INTO {} t USING (SELECT 1 AS id, 'A' AS v, 5 AS added) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    writes.run(merge.format("", table))
    evolving = merge.format("WITH SCHEMA EVOLUTION", table)
    assert "MergeRows" in writes.explained(f"EXPLAIN {evolving}")
    assert read(table)[0] == (1, "A")  # neither of them has given it a column
    writes.run(evolving)
    assert read(table) == [(1, "A", 5), (2, "b", None), (3, "c", None), (4, "d", None)]


def test_a_merge_that_fails_leaves_no_new_column_behind(
    writes: Lake, new_table: NewTable, read: Read
) -> None:
    table = new_table("id INT, v STRING", rows=PAIRS)
    error = writes.fails(
        f"MERGE WITH SCHEMA EVOLUTION INTO {table} t USING "
        "(SELECT explode(array(1, 1)) AS id, 'x' AS v, 5 AS added) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET *"
    )
    assert error.code is ErrorCode.CONSTRAINT_VIOLATION
    assert read(table) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    assert writes.value(f"SELECT count(*) FROM {table}.snapshots") == 1


def test_who_may_write_but_not_alter_gives_no_new_columns(
    writes: Lake, new_table: NewTable
) -> None:
    table = new_table("id INT, v STRING", rows=PAIRS)
    merge = (
        f"MERGE {{}} INTO {table} t USING (SELECT 1 AS id, 'A' AS v) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET *"
    )
    with writes.rules.on(f"lake.{table}", Deny("no"), privilege="alter"):
        error = writes.fails(merge.format("WITH SCHEMA EVOLUTION"))
        writes.run(merge.format(""))
    assert error.code is ErrorCode.ACCESS_DENIED


def test_a_merge_that_would_change_a_row_twice_is_refused(
    writes: Lake, new_table: NewTable, read: Read
) -> None:
    table = new_table("id INT, v STRING", rows=PAIRS)
    error = writes.fails(
        f"MERGE INTO {table} t USING (SELECT explode(array(1, 1)) AS id) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = 'x'"
    )
    assert error.code is ErrorCode.CONSTRAINT_VIOLATION
    assert len(read(table)) == 4


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("UPDATE {t} SET id = 'x'", ErrorCode.TYPE_MISMATCH),
        ("UPDATE {t} SET nosuch = 1", ErrorCode.COLUMN_NOT_FOUND),
        ("UPDATE {t} SET id = CAST(v AS INT)", ErrorCode.INVALID_CAST),
        ("UPDATE {t} SET id = NULL", ErrorCode.CONSTRAINT_VIOLATION),
        ("DELETE FROM {t} WHERE rand() < 0.5", ErrorCode.INVALID_ARGUMENT),
        ("DELETE FROM {t} WHERE nosuch = 1", ErrorCode.COLUMN_NOT_FOUND),
        ("DELETE FROM {t}.snapshots WHERE snapshot_id > 0", ErrorCode.NOT_SUPPORTED),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(
    writes: Lake, new_table: NewTable, sql: str, code: ErrorCode
) -> None:
    table = new_table("id INT NOT NULL, v STRING", rows="VALUES (1, 'a')")
    error = writes.fails(sql.format(t=table))
    assert (error.code, "``" in error.message) == (code, False)
    assert writes.rows(f"SELECT * FROM {table}") == [(1, "a")]


def test_what_a_write_reads_is_guarded_as_in_a_query(
    writes: Lake, new_table: NewTable, read: Read
) -> None:
    table = new_table("id INT, v STRING", rows="VALUES (1, ''), (2, ''), (3, '')")
    secret = new_table("id INT, v STRING", rows="VALUES (1, 'hers'), (2, 'mine')")
    partly = Restrict(
        "mine only", filters=(RowFilter("id = 2"),), masks={"v": ExpressionMask("upper(v)")}
    )
    statements = [
        f"MERGE INTO {table} t USING {secret} s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = s.v",
        f"DELETE FROM {table} WHERE id IN (SELECT id + 2 FROM {secret})",
        f"UPDATE {table} SET v = v || (SELECT max(v) FROM {secret}) WHERE id = 1",
        f"INSERT INTO {table} SELECT id + 10, v FROM {secret}",
    ]
    with writes.rules.on(f"lake.{secret}", partly):
        writes.all(*statements)
        written = writes.fails(f"DELETE FROM {secret} WHERE id = 2")
    assert written.code is ErrorCode.ACCESS_DENIED
    assert read(table) == [(1, "MINE"), (2, "MINE"), (3, ""), (12, "MINE")]
    with writes.rules.on(f"lake.{secret}", Deny("no")):
        assert {writes.fails(sql).code for sql in statements} == {ErrorCode.ACCESS_DENIED}
