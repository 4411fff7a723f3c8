"""Materialized views: made, refreshed, shown, protected."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Deny, Restrict, RowFilter
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def schema(shared_lake: Lake) -> Lake:
    shared_lake.run("CREATE SCHEMA mv")
    return shared_lake


@pytest.fixture
def sales(schema: Lake) -> Iterator[Lake]:
    """``mv.sales`` with two rows, in the schema mv."""
    schema.run("DROP TABLE IF EXISTS mv.sales")
    schema.run("DROP TABLE IF EXISTS mv.shop")
    schema.run(
        "CREATE TABLE mv.sales AS SELECT * FROM VALUES (1, 'a', 10), (2, 'b', 20) v(id, shop, pay)"
    )
    yield schema
    schema.run("DROP MATERIALIZED VIEW IF EXISTS mv.v")


BIG = "SELECT id, upper(shop) AS shop FROM mv.sales WHERE pay >= 20"


def _refreshed(lake: Lake, view: str = "mv.v") -> tuple[str, int]:
    [(kind, _, rows)] = lake.rows(f"REFRESH MATERIALIZED VIEW {view}")
    return kind, rows


def _reason(lake: Lake, words: str = "") -> str:
    [(kind, reason, _)] = lake.rows(f"REFRESH MATERIALIZED VIEW mv.v {words}")
    assert kind == "full"
    return str(reason)


def _shown(lake: Lake) -> tuple[str, str, str]:
    [(_, _, freshness, _, kind, sources)] = lake.rows("SHOW MATERIALIZED VIEWS FROM mv LIKE 'v'")
    return freshness, kind, sources


def test_it_holds_its_query_until_it_is_refreshed(sales: Lake) -> None:
    sales.run(f"CREATE MATERIALIZED VIEW mv.v AS {BIG}")
    assert sales.rows("SELECT * FROM mv.v") == [(2, "B")]
    assert _shown(sales)[:2] == ("fresh", "full")
    assert _refreshed(sales) == ("none", 0)
    sales.run("INSERT INTO mv.sales VALUES (3, 'c', 30), (4, 'd', 1)")
    assert _shown(sales)[0] == "stale"
    assert "(1 behind)" in _shown(sales)[2]
    assert sales.rows("SELECT * FROM mv.v") == [(2, "B")]
    assert _refreshed(sales) == ("incremental", 1)
    assert sales.rows("SELECT * FROM mv.v ORDER BY id") == [(2, "B"), (3, "C")]
    assert _shown(sales)[:2] == ("fresh", "incremental")


def test_removed_rows_and_aggregates_take_a_full_refresh(sales: Lake) -> None:
    sales.run("CREATE MATERIALIZED VIEW mv.v AS SELECT sum(pay) AS pay FROM mv.sales")
    sales.run("INSERT INTO mv.sales VALUES (3, 'c', 30)")
    assert "it aggregates" in _reason(sales)
    assert sales.value("SELECT pay FROM mv.v") == 60
    sales.run(f"CREATE OR REPLACE MATERIALIZED VIEW mv.v AS {BIG}")
    assert _refreshed(sales) == ("none", 0)
    sales.run("DELETE FROM mv.sales WHERE id = 2")
    assert "changed or removed" in _reason(sales)
    assert sales.rows("SELECT * FROM mv.v") == [(3, "C")]
    assert _reason(sales, "FULL") == "asked for"


def test_compaction_of_a_source_changes_nothing(sales: Lake) -> None:
    sales.run(f"CREATE MATERIALIZED VIEW mv.v AS {BIG}")
    sales.run(
        "CALL system.rewrite_data_files(table => 'mv.sales', options => map('rewrite-all', 'true'))"
    )
    assert _refreshed(sales) == ("none", 0)
    assert _shown(sales)[0] == "fresh"
    sales.run("INSERT INTO mv.sales VALUES (3, 'c', 30)")
    assert _refreshed(sales) == ("incremental", 1)
    assert sales.value("SELECT count(*) FROM mv.v") == 2


def test_joins_and_unions_follow_the_table_that_grew(sales: Lake) -> None:
    sales.all(
        "CREATE TABLE mv.shop AS SELECT * FROM VALUES ('a', 'Ann'), ('b', 'Bob') v(shop, boss)",
        "CREATE MATERIALIZED VIEW mv.v AS"
        " SELECT s.id, p.boss FROM mv.sales s LEFT JOIN mv.shop p ON s.shop = p.shop"
        " UNION ALL SELECT -id, boss FROM mv.sales JOIN mv.shop USING (shop)"
        " UNION ALL SELECT 0, boss FROM mv.shop",
        "INSERT INTO mv.sales VALUES (3, 'b', 30), (4, 'z', 40)",
    )
    assert _refreshed(sales) == ("incremental", 3)
    query = "SELECT * FROM mv.v ORDER BY id, boss"
    expected = [(-3, "Bob"), (-2, "Bob"), (-1, "Ann"), (0, "Ann"), (0, "Bob"),
                (1, "Ann"), (2, "Bob"), (3, "Bob"), (4, None)]  # fmt: skip
    assert sales.rows(query) == expected
    sales.run("INSERT INTO mv.shop VALUES ('z', 'Zoe')")
    assert "right side of a left join" in _reason(sales)
    assert (4, "Zoe") in sales.rows(query)


def test_a_source_that_was_empty_is_all_new(sales: Lake) -> None:
    sales.run("CREATE TABLE mv.shop (shop STRING)")
    sales.run("CREATE MATERIALIZED VIEW mv.v AS SELECT shop FROM mv.shop")
    sales.run("INSERT INTO mv.shop VALUES ('a')")
    assert _refreshed(sales) == ("incremental", 1)
    assert _refreshed(sales) == ("none", 0)


def test_what_cannot_be_told_by_snapshots_is_refreshed_in_full(sales: Lake) -> None:
    sales.run(f"CREATE MATERIALIZED VIEW mv.v AS {BIG}")
    sales.run("ALTER TABLE mv.sales ADD COLUMN note STRING")
    assert "columns" in _reason(sales)
    sales.run("CREATE OR REPLACE TABLE mv.sales AS SELECT 9 AS id, 'x' AS shop, 90 AS pay")
    _reason(sales)
    sales.run("DROP TABLE mv.sales")
    assert _shown(sales)[0] == "stale"
    error = sales.fails("REFRESH MATERIALIZED VIEW mv.v")
    assert (error.code, error.position) == (ErrorCode.TABLE_NOT_FOUND, None)
    sales.run("CREATE TABLE mv.sales AS SELECT 8 AS id, 'y' AS shop, 80 AS pay")
    assert "made again" in _reason(sales)
    assert sales.rows("SELECT * FROM mv.v") == [(8, "Y")]


def test_a_clock_in_the_query_means_a_full_refresh(sales: Lake) -> None:
    sales.run(
        "CREATE MATERIALIZED VIEW mv.v AS SELECT id FROM mv.sales WHERE current_date > '2000-01-01'"
    )
    assert _shown(sales)[0] == "unknown"
    assert "current_date" in _reason(sales)


def test_a_view_in_between_is_watched(sales: Lake) -> None:
    sales.all(
        "CREATE VIEW mv.few AS SELECT id FROM mv.sales WHERE id < 2",
        "CREATE MATERIALIZED VIEW mv.v AS SELECT * FROM mv.few",
    )
    assert _shown(sales)[0] == "fresh"
    sales.run("CREATE OR REPLACE VIEW mv.few AS SELECT id FROM mv.sales WHERE id < 3")
    assert _shown(sales)[0] == "stale"
    assert "a view" in _reason(sales)
    assert sales.value("SELECT count(*) FROM mv.v") == 2
    sales.run("DROP VIEW mv.few")


def test_rolling_it_back_is_noticed(sales: Lake) -> None:
    sales.run(f"CREATE MATERIALIZED VIEW mv.v AS {BIG}")
    first = sales.value("SELECT snapshot_id FROM mv.v.snapshots")
    sales.run("INSERT INTO mv.sales VALUES (3, 'c', 30)")
    assert _refreshed(sales)[0] == "incremental"
    sales.run(f"CALL system.rollback_to_snapshot('mv.v', {first})")
    assert "other than a refresh" in _reason(sales)
    assert sales.value("SELECT count(*) FROM mv.v") == 2


def test_its_table_has_names_partitions_and_properties(sales: Lake) -> None:
    sales.run(
        "CREATE MATERIALIZED VIEW mv.v (number, store) COMMENT 'it''s' PARTITIONED BY (store)"
        " TBLPROPERTIES ('write.format.default' = 'orc') AS SELECT id, shop FROM mv.sales -- all"
    )
    made = sales.value("SHOW CREATE MATERIALIZED VIEW mv.v")
    sales.all("DROP MATERIALIZED VIEW mv.v", str(made))
    assert sales.value("SHOW CREATE MATERIALIZED VIEW mv.v") == made
    assert "PARTITIONED BY (store)" in str(made)
    sales.run("INSERT INTO mv.sales VALUES (3, 'c', 30)")
    assert _refreshed(sales) == ("incremental", 1)
    sales.run("DELETE FROM mv.sales WHERE id = 1")
    assert _refreshed(sales) == ("full", 2)
    assert sales.rows("SELECT number, store FROM mv.v ORDER BY 1") == [(2, "b"), (3, "c")]
    assert [row[0] for row in sales.rows("DESCRIBE mv.v")][:2] == ["number", "store"]


def test_nobody_else_changes_it(sales: Lake) -> None:
    sales.run(f"CREATE MATERIALIZED VIEW mv.v AS {BIG}")
    for sql in (
        "INSERT INTO mv.v VALUES (7, 'x')",
        "UPDATE mv.v SET id = 7",
        "DELETE FROM mv.v",
        "MERGE INTO mv.v USING mv.sales s ON v.id = s.id WHEN MATCHED THEN DELETE",
        "TRUNCATE TABLE mv.v",
        "ALTER TABLE mv.v ADD COLUMN x INT",
        "CREATE OR REPLACE TABLE mv.v AS SELECT 1 AS id",
        "DROP TABLE mv.v",
    ):
        error = sales.fails(sql)
        assert error.code is ErrorCode.NOT_SUPPORTED, sql
        assert "is a materialized view" in error.message
        assert "MATERIALIZED VIEW" in error.hint
    sales.run(
        "CALL system.rewrite_data_files(table => 'mv.v', options => map('rewrite-all', 'true'))"
    )
    assert _refreshed(sales) == ("none", 0)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT current_user() AS me FROM mv.sales", "whoever refreshes"),
        ("SELECT * FROM mv.sales VERSION AS OF 1", "older version"),
        ("SELECT snapshot_id FROM mv.sales.snapshots", "metadata"),
        ("SELECT table_name FROM information_schema.tables", "information_schema"),
        ("SELECT id FROM tempo", "temporary view"),
    ],
)
def test_what_could_not_be_refreshed_is_refused(
    sales: Lake, mine: Lake, query: str, words: str
) -> None:
    mine.run("CREATE TEMPORARY VIEW tempo AS SELECT 1 AS id")
    error = mine.fails(f"CREATE MATERIALIZED VIEW mv.v AS {query}")
    assert error.code in (ErrorCode.NOT_SUPPORTED, ErrorCode.SNAPSHOT_NOT_FOUND)
    assert words in error.message
    assert mine.rows("SHOW MATERIALIZED VIEWS FROM mv") == []


def test_a_session_on_another_branch_does_not_refresh(sales: Lake, mine: Lake) -> None:
    sales.run(f"CREATE MATERIALIZED VIEW mv.v AS {BIG}")
    mine.run("SET SESSION sqe.wap_branch = 'audit'")
    error = mine.fails("REFRESH MATERIALIZED VIEW mv.v")
    assert (error.code, error.hint) == (ErrorCode.NOT_SUPPORTED, "RESET SESSION sqe.wap_branch.")


def test_names_that_are_taken_or_wrong(sales: Lake) -> None:
    taken = ErrorCode.TABLE_ALREADY_EXISTS
    assert sales.fails("CREATE MATERIALIZED VIEW mv.sales AS SELECT 1 AS a").code is taken
    replacing = "CREATE OR REPLACE MATERIALIZED VIEW mv.sales AS SELECT 1 AS a"
    assert sales.fails(replacing).message == "lake.mv.sales is a table."
    sales.run(f"CREATE MATERIALIZED VIEW mv.v AS {BIG}")
    assert sales.fails(f"CREATE MATERIALIZED VIEW mv.v AS {BIG}").code is taken
    sales.run("CREATE MATERIALIZED VIEW IF NOT EXISTS mv.v AS SELECT 7 AS other")
    assert sales.rows("SELECT * FROM mv.v") == [(2, "B")]
    itself = "CREATE OR REPLACE MATERIALIZED VIEW mv.v AS SELECT id FROM mv.v"
    assert "itself" in sales.fails(itself).message
    for sql in ("REFRESH MATERIALIZED VIEW mv.sales", "DROP MATERIALIZED VIEW mv.sales",
                "SHOW CREATE MATERIALIZED VIEW mv.sales"):  # fmt: skip
        assert "is not a materialized view" in sales.fails(sql).message
    assert sales.fails("DROP MATERIALIZED VIEW mv.none").code is ErrorCode.TABLE_NOT_FOUND


def test_a_failed_creation_leaves_nothing_and_says_where(sales: Lake) -> None:
    error = sales.fails("CREATE MATERIALIZED VIEW mv.v AS\nSELECT id,\n  wrong FROM mv.sales")
    assert error.code is ErrorCode.COLUMN_NOT_FOUND
    assert error.position is not None
    assert (error.position.line, error.position.column) == (3, 3)
    failing = "CREATE MATERIALIZED VIEW mv.v AS SELECT 1 / (id - id) AS x FROM mv.sales"
    assert sales.fails(failing).code is ErrorCode.DIVISION_BY_ZERO
    assert sales.rows("SHOW TABLES FROM mv LIKE 'v'") == []


def test_a_failed_refresh_leaves_it_as_it_was(sales: Lake) -> None:
    sales.run("CREATE MATERIALIZED VIEW mv.v AS SELECT 10 / pay AS x FROM mv.sales")
    before = sales.rows("SELECT * FROM mv.v ORDER BY x")
    sales.run("INSERT INTO mv.sales VALUES (3, 'c', 0)")
    error = sales.fails("REFRESH MATERIALIZED VIEW mv.v")
    assert (error.code, error.position) == (ErrorCode.DIVISION_BY_ZERO, None)
    assert sales.rows("SELECT * FROM mv.v ORDER BY x") == before
    assert _shown(sales)[0] == "stale"


def test_who_sees_only_part_neither_makes_nor_refreshes_it(sales: Lake) -> None:
    sales.run(f"CREATE MATERIALIZED VIEW mv.v AS {BIG}")
    with sales.rules.on("lake.mv.sales", Restrict("test", filters=(RowFilter("id = 1"),))):
        refused = sales.fails("REFRESH MATERIALIZED VIEW mv.v")
        assert (refused.code, "only part" in refused.message) == (ErrorCode.ACCESS_DENIED, True)
        making = "CREATE OR REPLACE MATERIALIZED VIEW mv.v AS SELECT id FROM mv.sales"
        assert sales.fails(making).code is ErrorCode.ACCESS_DENIED
    with sales.rules.on("lake.mv.sales", Deny("test")):
        assert sales.fails("REFRESH MATERIALIZED VIEW mv.v").code is ErrorCode.ACCESS_DENIED
        assert sales.fails("SELECT * FROM mv.v").code is ErrorCode.ACCESS_DENIED
    assert sales.rows("SELECT * FROM mv.v") == [(2, "B")]
    with sales.rules.on("lake.mv.v", Restrict("test", hidden=frozenset({"shop"}))):
        shown = sales.fails("SHOW CREATE MATERIALIZED VIEW mv.v")
        assert shown.code is ErrorCode.ACCESS_DENIED
