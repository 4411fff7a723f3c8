"""A MERGE of which Spark would not look whether rows match several times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.engines.spark.repairs.repairs import REPAIRS
from sqe.model.identity import Identity
from sqe.rewrite.render import render
from sqe.rewrite.rendering import Names
from tests.unit.rewrite.bound_lake import EMP, HERE, BoundLake, bound_lake, spelled

ON = "MERGE INTO emp USING mine ON emp.id = CASE WHEN mine.id > 1 THEN mine.id END"
LOOK = "WHEN MATCHED AND FALSE THEN DELETE"
GONE = "WHEN NOT MATCHED BY SOURCE THEN DELETE"
NEW = "WHEN NOT MATCHED THEN INSERT (id) VALUES (mine.id)"


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[BoundLake]:
    with bound_lake(tmp_path, Identity("bob"), emp=EMP, mine=EMP) as lake:
        yield lake


def rendered(lake: BoundLake, sql: str) -> str:
    names = Names(spelled, lambda relation: "", HERE, "bob", repairs=REPAIRS.texts)
    text = render(lake.guarded(sql), names, ()).text
    return text.replace("sqe.h.", "")


@pytest.mark.parametrize(
    "clauses", [GONE, f"{NEW} {GONE}", f"{GONE[:-11]} AND id = 1 THEN UPDATE SET pay = 2 {GONE}"]
)
def test_a_clause_for_no_row_makes_spark_look(lake: BoundLake, clauses: str) -> None:
    assert rendered(lake, f"{ON} {clauses}") == f"{ON} {LOOK} {clauses}"


@pytest.mark.parametrize(
    "clauses",
    [
        NEW,
        f"WHEN MATCHED THEN DELETE {GONE}",
        f"WHEN MATCHED AND emp.id = 1 THEN UPDATE SET pay = 1 {NEW} {GONE}",
    ],
)
def test_it_looks_by_itself_or_need_not(lake: BoundLake, clauses: str) -> None:
    assert rendered(lake, f"{ON} {clauses}") == f"{ON} {clauses}"


@pytest.mark.parametrize(
    ("mode", "looks"), [("copy-on-write", True), ("merge-on-read", False), ("Merge-On-Read", False)]
)
def test_where_only_changes_are_written_it_need_not(
    lake: BoundLake, mode: str, looks: bool
) -> None:
    kept = {"name": "kept", "schema": EMP, "properties": {"write.merge.mode": mode}}
    lake.catalog.create_table(("s",), kept)
    assert (LOOK in rendered(lake, f"{ON.replace('emp', 'kept')} {GONE}")) is looks
