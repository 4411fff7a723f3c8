"""MERGE by users who see only some rows: those are merged, and the others are not there."""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal

import pytest

from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import NullMask
from tests.embedded.pipe.lake import Lake
from tests.embedded.policy.limited import (
    BROKEN,
    IT,
    MINE,
    NEAR,
    PAID,
    ROWS,
    TRINO,
    Table,
    limited_table,
)
from tests.trino.asking import Client

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

# It has columns of the table's names; rows 2 and 4 of the table are hidden.
NEW = "(SELECT * FROM VALUES (1, 'it', 11), (2, 'it', 22), (5, 'it', 55) AS v(id, dept, pay)) AS s"
HIDDEN = "(SELECT * FROM VALUES (2, 'it', 1), (2, 'it', 2), (4, 'it', 3), (4, 'it', 4)"
HIDDEN += " AS v(id, dept, pay)) AS s"
NOBODY = RowFilter("in_group('nobody')", check=True)
DEPTS = RowFilter("dept IN ('it', 'ops')", check=True)


@pytest.fixture(params=["copy-on-write", "merge-on-read"])
def mode(request: pytest.FixtureRequest) -> str:
    """Every test of the table is of both."""
    return str(request.param)


def under(filters: RowFilter) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("limited", [filters], indirect=True, ids=[filters.sql])


def test_rows_that_the_filter_shows_are_merged(limited: Table) -> None:
    """A row that is hidden matches nothing: a second one with its id is inserted."""
    merged = limited.affected(
        f"MERGE INTO {{t}} AS t USING {NEW} ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET pay = s.pay, dept = lower(upper(t.dept))"
        " WHEN NOT MATCHED THEN INSERT (id, dept, pay) VALUES (s.id, s.dept, s.pay)"
    )
    assert (merged.inserted, merged.updated, merged.deleted) == (2, 1, 0)
    assert limited.rows == [
        (1, "it", 11), (2, "hr", 0), (2, "it", 22), (3, "it", 30), (4, None, 40), (5, "it", 55),
    ]  # fmt: skip


def test_all_columns_at_once(limited: Table) -> None:
    limited.bob(
        f"MERGE INTO {{t}} USING {NEW} ON {{t}}.id = s.id AND s.id <> 2"
        " WHEN MATCHED THEN UPDATE SET*WHEN NOT MATCHED AND s.id > 2 THEN INSERT*"
    )
    assert limited.rows == [(1, "it", 11), *ROWS[1:], (5, "it", 55)]


def test_what_no_row_of_the_source_matches(limited: Table) -> None:
    merged = limited.affected(
        f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id WHEN MATCHED AND t.pay < 20 THEN DELETE"
        " WHEN NOT MATCHED BY SOURCE AND 1 / t.pay > 1 THEN DELETE"
        " WHEN NOT MATCHED BY SOURCE THEN UPDATE SET dept = 'it', pay = 1 / t.pay"
    )
    assert (merged.inserted, merged.updated, merged.deleted) == (0, 1, 1)
    assert limited.rows == [ROWS[1], (3, "it", Decimal("0.03")), ROWS[3]]


@pytest.mark.parametrize(
    "clauses",
    [
        "WHEN MATCHED THEN UPDATE SET dept = 'hr'",
        "WHEN MATCHED THEN UPDATE SET pay = 1, t.dept = if(s.id = 1, NULL, 'it')",
        "WHEN NOT MATCHED THEN INSERT (id, dept) VALUES (s.id, if(s.id = 5, 'hr', 'it'))",
        "WHEN NOT MATCHED THEN INSERT (pay, id) VALUES (s.pay, s.id)",
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (dept) VALUES (NULL)",
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET dept = concat(t.dept, 'x')",
    ],
)
def test_nothing_is_written_where_one_row_would_be_hidden(limited: Table, clauses: str) -> None:
    error = limited.fails(f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id {clauses}")
    assert error.message.endswith("Nothing was written.")
    assert limited.rows == ROWS


def test_the_rows_of_the_source_are_checked_by_all_columns_too(limited: Table) -> None:
    source = NEW.replace("(5, 'it'", "(5, 'hr'")
    for clause in ("WHEN NOT MATCHED THEN INSERT *", "WHEN MATCHED THEN UPDATE SET *"):
        on = "t.id = s.id" if "NOT" in clause else "t.id = 1 AND s.id = 5"
        limited.fails(f"MERGE INTO {{t}} t USING {source} ON {on} {clause}")
    assert limited.rows == ROWS


@under(PAID)
def test_the_check_is_of_the_values_as_they_are_stored(limited: Table) -> None:
    merge = f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id "
    limited.fails(merge + "WHEN MATCHED THEN UPDATE SET pay = 99.999")
    limited.fails(merge + "WHEN NOT MATCHED THEN INSERT (dept, pay) VALUES ('it', 99.999)")
    assert limited.rows == ROWS


@under(RowFilter("dept IN ('it', 'hr') AND (pay > 5 OR dept = 'hr')", check=True))
def test_an_old_value_is_the_old_one_beside_a_new_one(limited: Table) -> None:
    """Row 2 would get department it with a pay of 2, which is hidden."""
    for sql in (
        "UPDATE {t} SET dept = 'it', pay = if(dept = 'it', 6, 2)",
        f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET dept = 'it', pay = if(t.dept = 'it', 6, 2)",
    ):
        limited.fails(sql)
    assert limited.rows == ROWS


@pytest.mark.parametrize(
    "merge",
    [
        "ON t.id = s.id AND 1 / t.pay > 0 WHEN MATCHED THEN UPDATE SET pay = t.pay",
        "ON t.id = s.id AND CAST(if(t.dept = 'it', '0', t.dept) AS INT) = 1"
        " WHEN MATCHED THEN DELETE",
        "ON t.id = s.id AND t.dept <> 'it' WHEN MATCHED AND raise_error(t.dept) IS NULL"
        " THEN DELETE",
        "ON t.id = s.id WHEN MATCHED AND 1 / t.pay > 10 THEN DELETE",
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET pay = t.pay + 0 / t.pay",
        "ON s.id = 7 WHEN NOT MATCHED BY SOURCE AND 1 / t.pay > 10 THEN DELETE",
        "ON s.id = 7 WHEN NOT MATCHED BY SOURCE THEN UPDATE SET pay = t.pay + 0 / t.pay",
        "ON CASE WHEN t.id = s.id AND t.id BETWEEN 1 AND 9 THEN 1 / t.pay > 9 END"
        " WHEN MATCHED THEN DELETE",
    ],
)
def test_nothing_of_the_user_is_evaluated_on_a_hidden_row(limited: Table, merge: str) -> None:
    """The hidden row's pay is 0, its department no number: either would be an error."""
    limited.bob(f"MERGE INTO {{t}} t USING {HIDDEN} {merge}")
    assert limited.rows == ROWS


def test_a_text_is_not_read_as_a_condition_on_a_hidden_row(limited: Table) -> None:
    """Engines read a text that stands beside AND, and say which one they cannot."""
    for sql in (
        f"MERGE INTO {{t}} t USING {NEW} ON t.dept WHEN MATCHED THEN DELETE",
        f"MERGE INTO {{t}} t USING {NEW} ON t.id = 2 AND t.dept WHEN MATCHED THEN DELETE",
        "DELETE FROM {t} WHERE dept",
        "UPDATE {t} SET pay = 1 WHERE dept",
    ):
        assert "'hr'" not in str(limited.error(sql))
    assert limited.rows == ROWS


def test_rows_that_are_hidden_are_not_matched_twice(limited: Table) -> None:
    merge = f"MERGE INTO {{t}} t USING {HIDDEN} ON t.id = s.id "
    unmatched = limited.affected(merge + "WHEN MATCHED THEN UPDATE SET pay = s.pay")
    assert (unmatched.inserted, unmatched.updated, unmatched.deleted) == (0, 0, 0)
    deleted = limited.affected(merge + "WHEN MATCHED THEN DELETE")
    assert deleted.deleted == 0
    assert limited.rows == ROWS
    shown = HIDDEN.replace("(2, ", "(1, ")
    error = limited.error(
        f"MERGE INTO {{t}} t USING {shown} ON t.id = s.id WHEN MATCHED THEN UPDATE SET pay = s.pay"
    )
    assert error.code is ErrorCode.CONSTRAINT_VIOLATION
    assert limited.rows == ROWS


def test_counts_tell_of_visible_rows_only(limited: Table) -> None:
    merge = f"MERGE INTO {{t}} t USING {NEW} ON s.id = 1 "
    assert limited.affected(merge + "WHEN MATCHED THEN UPDATE SET pay = 7").updated == 2
    by_source = "WHEN NOT MATCHED BY SOURCE AND t.id IN (1, 2, 4) THEN DELETE"
    assert limited.affected(merge.replace("= 1", "= 9") + by_source).deleted == 1
    limited.bob(merge + "WHEN MATCHED THEN DELETE")
    assert limited.rows == [ROWS[1], ROWS[3]]


@under(NOBODY)
def test_who_sees_no_row_merges_into_none(limited: Table) -> None:
    merge = f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id "
    merged = limited.affected(merge + "WHEN MATCHED THEN DELETE")
    assert (merged.inserted, merged.updated, merged.deleted) == (0, 0, 0)
    limited.bob(merge + "WHEN NOT MATCHED BY SOURCE THEN DELETE")
    limited.fails(merge + "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)")
    limited.fails(merge + "WHEN MATCHED THEN UPDATE SET pay = 1 WHEN NOT MATCHED THEN INSERT *")
    assert limited.rows == ROWS


@under(RowFilter("NOT (dept LIKE 'i%' OR NOT in_group('nobody'))", check=True))
def test_so_does_who_can_see_none(limited: Table) -> None:
    """Spark finds it out by itself, and stumbles over it."""
    merge = f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id "
    limited.bob(merge + "WHEN MATCHED THEN DELETE")
    limited.fails(merge + "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
    assert limited.rows == ROWS


@under(BROKEN)
def test_a_filter_that_fails_tells_nothing_of_the_row(limited: Table) -> None:
    for clause in ("UPDATE SET dept = s.dept", "DELETE"):
        error = limited.error(
            f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id WHEN MATCHED THEN {clause}"
        )
        assert "hr" not in str(error) and "CAST" not in str(error)
    assert limited.rows == ROWS


@under(TRINO)
def test_a_filter_in_trinos_words(limited: Table) -> None:
    merge = f"MERGE INTO {{t}} USING {NEW} ON {{t}}.id = s.id "
    limited.bob(merge + "WHEN MATCHED THEN UPDATE SET *")
    limited.fails(merge + "WHEN MATCHED THEN UPDATE SET dept = 'hr'")
    assert limited.rows == [(1, "it", 11), *ROWS[1:]]


@under(DEPTS)
def test_a_source_that_is_seen_in_part_is_read_in_part(limited: Table) -> None:
    limited.bob(
        "MERGE INTO {t} t USING (SELECT id + 10 AS id, dept, pay FROM {t}) s ON t.id = s.id"
        " WHEN NOT MATCHED THEN INSERT *"
    )
    assert limited.rows == [*ROWS, (11, "it", 10), (13, "it", 30)]


def test_each_value_is_computed_once(limited: Table) -> None:
    """A source that is random is read once; a random value may not be checked and then drawn
    again, but stand where no filter looks."""
    source = "(SELECT 9 AS id, if(rand() < 2, 'it', 'hr') AS dept, rand() AS pay) s"
    limited.bob(f"MERGE INTO {{t}} t USING {source} ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    limited.bob(
        f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id OR s.id < 5"
        " WHEN NOT MATCHED THEN INSERT (id, dept, pay) VALUES (5, 'it', rand())"
    )
    limited.fails(
        f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id"
        " WHEN NOT MATCHED THEN INSERT (id, dept) VALUES (5, if(rand() < 0.5, 'it', 'hr'))"
    )
    assert [row[:2] for row in limited.rows[4:]] == [(5, "it"), (9, "it")]


def test_a_column_is_not_written_twice(limited: Table) -> None:
    for sql in (
        f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET dept = 'hr', dept = 'it'",
        f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id"
        " WHEN NOT MATCHED THEN INSERT (dept, id, dept) VALUES ('hr', 1, 'it')",
        "UPDATE {t} SET dept = 'hr', dept = 'it'",
    ):
        assert limited.error(sql).code is not ErrorCode.ENGINE_ERROR
    assert limited.rows == ROWS


@under(MINE)
def test_a_filter_with_a_subquery_lets_nothing_be_merged(limited: Table) -> None:
    error = limited.fails(f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id WHEN MATCHED THEN DELETE")
    assert "cannot be put into a MERGE" in error.message
    assert limited.rows == ROWS


def test_what_cannot_be_checked_is_refused(checks: Lake) -> None:
    with limited_table(checks, IT, "merge-on-read") as limited:
        for sql in (
            f"MERGE WITH SCHEMA EVOLUTION INTO {{t}} t USING {NEW} ON t.id = s.id"
            " WHEN MATCHED THEN UPDATE SET *",
            "MERGE INTO {t} t USING (SELECT 1 AS id) ON t.id = 1 WHEN MATCHED THEN DELETE",
            "MERGE INTO {t} t USING checks.mine T ON t.id = 1 WHEN MATCHED THEN DELETE",
            f"MERGE INTO {{t}} t USING {NEW} ON t.id IN (SELECT 1) WHEN MATCHED THEN DELETE",
            f"MERGE INTO {{t}} t USING {NEW} ON t._pos = 1 WHEN MATCHED THEN DELETE",
            f"MERGE INTO {{t}} t USING {NEW} ON t.id = 1 WHEN MATCHED THEN UPDATE SET id = t._pos",
            f"EXPLAIN MERGE INTO {{t}} t USING {NEW} ON t.id = 1 WHEN MATCHED THEN DELETE",
        ):
            limited.fails(sql)
        assert limited.rows == ROWS
    with limited_table(checks, NEAR, "merge-on-read") as limited:
        limited.fails(f"MERGE INTO {{t}} t USING {NEW} ON FALSE WHEN NOT MATCHED THEN INSERT *")


@pytest.mark.parametrize(
    "limits",
    [
        Restrict("no check", filters=(RowFilter("dept = 'it'"),)),
        Restrict("one without", filters=(IT, RowFilter("id > 0"))),
        Restrict("a mask", filters=(RowFilter("pay > 1", check=True),), masks={"pay": NullMask()}),
        Restrict("hidden", filters=(IT,), hidden=frozenset({"pay"})),
        Restrict("nothing said"),
    ],
    ids=lambda limits: limits.reason,
)
def test_only_filters_with_a_check_let_anything_be_merged(checks: Lake, limits: Restrict) -> None:
    with (
        limited_table(checks, IT, "copy-on-write") as limited,
        checks.rules.on(f"lake.{limited.name}", limits, "select", "bob"),
    ):
        limited.fails(f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id WHEN MATCHED THEN DELETE")
        limited.fails(
            f"MERGE INTO {{t}} t USING {NEW} ON t.id = s.id"
            " WHEN MATCHED THEN UPDATE SET id = t.pay WHEN NOT MATCHED THEN INSERT *"
        )
        assert limited.rows == ROWS


def test_a_default_cannot_slip_by(checks: Lake) -> None:
    checks.run(
        "CREATE TABLE checks.merged_defaults (id INT, dept STRING DEFAULT 'hr')"
        " TBLPROPERTIES ('format-version' = '3')"
    )
    bob = checks.another_session("bob")
    merge = (
        "MERGE INTO checks.merged_defaults t USING checks.mine s ON t.dept = s.d"
        " WHEN NOT MATCHED THEN INSERT "
    )
    with checks.rules.on("lake.checks.merged_defaults", Restrict("x", (IT,)), "select", "bob"):
        assert isinstance(bob.fails(f"{merge} (id) VALUES (1)"), AccessError)
        assert isinstance(bob.fails(f"{merge} (id, dept) VALUES (1, DEFAULT)"), AccessError)
        bob.run(f"{merge} (id, dept) VALUES (1, s.d)")
    assert checks.rows("SELECT * FROM checks.merged_defaults") == [(1, "it")]
    bob.close()


def test_the_same_holds_for_trinos_sql(checks: Lake, trino_address: str) -> None:
    checks.run("CREATE TABLE checks.merged (id INT, dept STRING, pay DECIMAL(10, 2))")
    checks.run("INSERT INTO checks.merged VALUES (1, 'it', 10), (2, 'hr', 0)")
    source = "(VALUES (1, 'it', 11), (2, 'it', 22)) AS s (id, dept, pay)"
    merge = f"MERGE INTO merged t USING {source} ON t.id = s.id "
    with (
        closing(Client(trino_address, "lake", "checks")) as trino,
        checks.rules.on("lake.checks.merged", Restrict("test", (TRINO,)), "select"),
    ):
        done = trino.ask(
            merge + "WHEN MATCHED AND 1 / t.pay < 1 THEN UPDATE SET pay = s.pay, dept = s.dept"
            " WHEN NOT MATCHED THEN INSERT (id, dept, pay) VALUES (s.id, s.dept, s.pay)"
        )
        assert (done.error, done.update_count) == ("", 2), done.message
        done = trino.ask(merge + "WHEN MATCHED AND t.id = 2 THEN DELETE")
        assert (done.error, done.update_count) == ("", 1), done.message
        for clause in (
            "WHEN MATCHED THEN UPDATE SET dept = 'hr'",
            "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
        ):
            assert trino.ask(merge + clause).error == "PERMISSION_DENIED", clause
    assert checks.rows("SELECT * FROM checks.merged ORDER BY id") == [(1, "it", 11), (2, "hr", 0)]
