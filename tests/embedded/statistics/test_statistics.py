"""ANALYZE writes Iceberg's statistics; SHOW STATS tells what manifests and statistics know."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Restrict, RowFilter
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

Figures = tuple[Any, ...]


@pytest.fixture(scope="module")
def st(shared_lake: Lake) -> Lake:
    shared_lake.all(
        "CREATE SCHEMA st",
        "CREATE TABLE st.t (i INT, name STRING, d DATE, x DOUBLE, p DECIMAL(6,2), ts TIMESTAMP,"
        " s STRUCT<a: INT>, flag BOOLEAN NOT NULL)",
        "INSERT INTO st.t VALUES"
        " (1, 'a', DATE '2020-01-01', 0.5, 1.25, TIMESTAMP '2020-01-01 00:00:00', NULL, true),"
        " (4, 'b', DATE '2021-01-01', 2.5, 7.50, TIMESTAMP '2020-01-02 03:04:05', NULL, true)",
        "INSERT INTO st.t VALUES (9, 'b', NULL, NULL, NULL, NULL, NULL, false),"
        " (NULL, NULL, NULL, double('NaN'), NULL, NULL, NULL, false)",
    )
    return shared_lake


def _stats(lake: Lake, of: str) -> dict[str | None, Figures]:
    """(distinct, nulls, rows, low, high) by column."""
    return {row[0]: row[2:] for row in lake.rows(f"SHOW STATS FOR {of}")}


def test_the_columns_are_trinos(st: Lake) -> None:
    double, string = pa.float64(), pa.string()
    schema = st.run("SHOW STATS FOR st.t").schema
    assert list(zip(schema.names, schema.types, strict=True)) == [
        ("column_name", string),
        ("data_size", double),
        ("distinct_values_count", double),
        ("nulls_fraction", double),
        ("row_count", double),
        ("low_value", string),
        ("high_value", string),
    ]


def test_manifests_tell_counts_and_bounds(st: Lake) -> None:
    assert _stats(st, "st.t") == {
        "i": (None, 0.25, None, "1", "9"),
        "name": (None, 0.25, None, None, None),
        "d": (None, 0.5, None, "2020-01-01", "2021-01-01"),
        "x": (None, 0.25, None, None, None),  # a NaN is outside of every range
        "p": (None, 0.5, None, "1.25", "7.50"),
        "ts": (None, 0.5, None, "2020-01-01 00:00:00.000000", "2020-01-02 03:04:05.000000"),
        "s": (None, None, None, None, None),
        "flag": (None, 0.0, None, None, None),
        None: (None, None, 4.0, None, None),
    }


def test_analyze_counts_distinct_values_in_a_puffin_file(st: Lake) -> None:
    st.run("CREATE TABLE st.n AS SELECT id % 7 AS a, id % 3 AS `b c` FROM range(100)")
    st.run("ANALYZE TABLE st.n COMPUTE STATISTICS NOSCAN")
    assert _stats(st, "st.n")["a"][0] is None
    st.run("ANALYZE TABLE st.n COMPUTE STATISTICS FOR COLUMNS (A)")
    assert [_stats(st, "st.n")[one][0] for one in ("a", "b c")] == [7.0, None]
    st.run("ANALYZE TABLE st.n COMPUTE STATISTICS FOR ALL COLUMNS")
    assert [_stats(st, "st.n")[one][0] for one in ("a", "b c")] == [7.0, 3.0]
    st.run("INSERT INTO st.n SELECT 50, 50")
    assert _stats(st, "st.n")["a"] == (7.0, 0.0, None, "0", "50")  # the newest there is
    st.run("ANALYZE st.n")
    assert _stats(st, "st.n")["a"][0] == 8.0
    assert list(st.home.rglob("*.stats"))


def test_deleted_rows_are_counted_off(st: Lake) -> None:
    st.run("CREATE TABLE st.gone TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')"
           " AS SELECT id FROM range(10)")  # fmt: skip
    st.run("DELETE FROM st.gone WHERE id > 6")
    assert _stats(st, "st.gone") == {
        "id": (None, 0.0, None, "0", "9"),
        None: (None, None, 7.0, None, None),
    }
    st.run("CALL system.rewrite_data_files('st.gone', options => map('rewrite-all', 'true'))")
    assert _stats(st, "st.gone")[None][2] == 7.0  # though delete files may be left behind
    st.run("CREATE TABLE st.none (a INT)")
    assert _stats(st, "st.none")[None] == (None, None, 0.0, None, None)


def test_a_widened_column_keeps_its_bounds(st: Lake) -> None:
    st.run("CREATE TABLE st.wide AS SELECT 3 AS a, float(1.5) AS f")
    st.all(
        "ALTER TABLE st.wide ALTER COLUMN a TYPE BIGINT",
        "ALTER TABLE st.wide ALTER COLUMN f TYPE DOUBLE",
    )
    st.run("INSERT INTO st.wide VALUES (30000000000, 2.5)")
    found = _stats(st, "st.wide")
    assert [found[one][3:] for one in "af"] == [("3", "30000000000"), ("1.5", "2.5")]


def test_a_query_is_estimated(st: Lake) -> None:
    st.run(
        "CREATE TABLE st.q AS SELECT id, id % 10 AS tens, if(id < 20, NULL, id) AS holes"
        " FROM range(100)"
    )
    st.run("ANALYZE TABLE st.q COMPUTE STATISTICS")

    def rows(where: str) -> object:
        return _stats(st, f"(SELECT id AS x FROM st.q {where})")[None][2]

    assert rows("") == 100.0
    assert rows("WHERE tens = 3") == 10.0
    assert rows("WHERE tens IN (3, 4, 99)") == 20.0
    assert rows("WHERE tens = 77") == 0.0
    assert rows("WHERE holes IS NULL") == 20.0
    assert rows("WHERE id >= 0 AND tens = 3 LIMIT 4") == 4.0
    assert rows("WHERE id % 2 = 0") is None
    assert _stats(st, "(SELECT id AS x, id + 1 FROM st.q)") == {
        "x": (100.0, 0.0, None, "0", "99"),
        "(id + 1)": (None, None, None, None, None),
        None: (None, None, 100.0, None, None),
    }
    joined = _stats(st, "(SELECT count(*) AS n FROM st.q JOIN st.t ON q.id = t.i)")
    assert joined == {"n": (None,) * 5, None: (None,) * 5}


def test_who_sees_only_part_gets_no_figures(st: Lake) -> None:
    with st.rules.on("lake.st.t", Restrict("test", filters=(RowFilter("i = 1"),))):
        for sql in ("SHOW STATS FOR st.t", "SHOW STATS FOR (SELECT i FROM st.t)", "ANALYZE st.t"):
            assert st.fails(sql).code is ErrorCode.ACCESS_DENIED


def test_wrong_names_are_told(st: Lake) -> None:
    missing = st.fails("ANALYZE TABLE st.t COMPUTE STATISTICS FOR COLUMNS (nme)")
    assert (missing.code, missing.hint) == (ErrorCode.COLUMN_NOT_FOUND, "Did you mean name?")
    assert st.fails("ANALYZE st.missing").code is ErrorCode.TABLE_NOT_FOUND
    assert st.fails("SHOW STATS FOR st.missing").code is ErrorCode.TABLE_NOT_FOUND
    st.run("CREATE VIEW st.view AS SELECT 1 AS a")
    assert st.fails("SHOW STATS FOR st.view").code is ErrorCode.NOT_SUPPORTED
    nested = st.fails("ANALYZE TABLE st.t COMPUTE STATISTICS FOR COLUMNS (s)")
    assert nested.code in (ErrorCode.USER_ERROR, ErrorCode.INVALID_ARGUMENT)
