"""Writes to a table of which some columns are masked: these are neither read nor set."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.model.decision import Restrict
from sqe.model.masks import NullMask
from tests.embedded.pipe.lake import Lake
from tests.embedded.policy.limited import IT, PAID, ROWS, Table, limited_table

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

PAY = {"pay": NullMask()}


@pytest.fixture
def masked(checks: Lake, mode: str) -> Iterator[Table]:
    with limited_table(checks, Restrict("test", masks=PAY), mode) as table:
        yield table


@pytest.fixture
def masked_and_filtered(checks: Lake, mode: str) -> Iterator[Table]:
    with limited_table(checks, Restrict("test", (IT,), PAY), mode) as table:
        yield table


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"], indirect=True)
def test_what_leaves_them_alone_is_written(masked: Table) -> None:
    masked.bob("INSERT INTO {t} (id, dept) SELECT id + 4, dept FROM {t} WHERE id = 1")
    masked.bob("UPDATE {t} SET dept = upper(dept) WHERE id < 3")
    masked.bob("UPDATE {t} SET dept = 'no' WHERE id IN (SELECT id FROM {t} WHERE dept IS NULL)")
    masked.bob("DELETE FROM {t} WHERE id = 3")
    masked.bob(
        "MERGE INTO {t} AS x USING (SELECT 1 AS k UNION ALL SELECT 9) AS s ON x.id = s.k"
        " WHEN MATCHED THEN UPDATE SET dept = 'one' WHEN NOT MATCHED THEN INSERT (id) VALUES (s.k)"
    )
    assert masked.rows == [
        (1, "one", 10), (2, "HR", 0), (4, "no", 40), (5, "it", None), (9, None, None)
    ]  # fmt: skip


def test_with_a_filter_it_is_held_to_that_too(masked_and_filtered: Table) -> None:
    table = masked_and_filtered
    table.bob("INSERT INTO {t} (id, dept) VALUES (5, 'it')")
    table.bob("UPDATE {t} SET id = id + 10 WHERE id >= 2")
    assert table.fails("UPDATE {t} SET dept = 'hr'").message.endswith("Nothing was written.")
    assert table.fails("INSERT INTO {t} (id, dept) VALUES (6, 'hr')").message.endswith("written.")
    assert table.rows == [
        (1, "it", 10), (2, "hr", 0), (4, None, 40), (13, "it", 30), (15, "it", None)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO {t} VALUES (5, 'it', 50)",
        "INSERT INTO {t} (id, PAY) VALUES (5, 50)",
        "INSERT INTO {t} BY NAME SELECT 5 AS id",
        "INSERT OVERWRITE {t} (id) VALUES (5)",
        "UPDATE {t} SET pay = 1",
        "UPDATE {t} SET id = `pay`",
        "UPDATE {t} SET dept = 'x' WHERE Pay > 20",
        "UPDATE {t} SET dept = to_json(struct(*))",
        "UPDATE {t} SET dept = to_json(struct({t}.*))",
        "UPDATE {t} SET dept = CAST(_partition AS STRING)",
        "UPDATE {t} SET dept = _file",
        "UPDATE {t} SET dept = 'x' WHERE 20 IN (SELECT x FROM VALUES (1) AS v(x) WHERE x < pay)",
        "DELETE FROM {t} WHERE pay = 10",
        "DELETE FROM {t} AS x WHERE x.pay = 10",
        "DELETE FROM {t} WHERE EXISTS (SELECT 1 FROM VALUES (10) AS v(p) WHERE p = {t}.pay)",
        "MERGE INTO {t} x USING (SELECT 1 k) s ON x.pay = s.k WHEN MATCHED THEN DELETE",
        "MERGE INTO {t} x USING (SELECT 1 k) s ON x.id = k WHEN MATCHED AND pay = 10 THEN DELETE",
        "MERGE INTO {t} x USING (SELECT 1 id, '' dept, 1 pay) s ON x.id = s.id"
        " WHEN MATCHED THEN UPDATE SET *",
        "MERGE INTO {t} x USING (SELECT 9 id, '' dept, 1 pay) s ON x.id = s.id"
        " WHEN NOT MATCHED THEN INSERT *",
        "MERGE INTO {t} x USING (SELECT 1 k) s ON x.id = k WHEN MATCHED THEN UPDATE SET id = pay",
        "EXPLAIN UPDATE {t} SET dept = 'x'",
        "TRUNCATE TABLE {t}",
        "ALTER TABLE {t} RENAME COLUMN pay TO shown",
    ],
)
def test_what_touches_them_is_refused(masked: Table, sql: str) -> None:
    assert "You see only part of" in masked.fails(sql).message
    assert masked.rows == ROWS


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO {t} (id, dept) VALUES (5, 'it')",
        "UPDATE {t} SET dept = 'it'",
        "DELETE FROM {t} WHERE id = 1",
    ],
)
def test_a_filter_that_asks_about_a_masked_column_lets_nothing_be_written(
    checks: Lake, sql: str
) -> None:
    """Whether a row may be written would tell of the value."""
    with limited_table(checks, Restrict("test", (PAID,), PAY), "copy-on-write") as table:
        assert "masked" in table.fails(sql).message
        assert table.rows == ROWS
