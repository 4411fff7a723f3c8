"""Time travel: snapshots and tags have the columns of their time, branches those of today."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pytest
from pyiceberg.types import LongType

from tests.unit.engines.local.compile.lakehouse import Lakehouse

FIRST = pa.table({"id": pa.array([1, 2], pa.int32()), "a": pa.array([10, 20], pa.int32())})


@dataclass
class History:
    lakehouse: Lakehouse
    first: int
    made: datetime.datetime  # when the first snapshot was

    def ids(self, relation: str) -> list[tuple[int, ...]]:
        return self.lakehouse.rows(f"SELECT id FROM {relation}")

    def names(self, relation: str) -> list[str]:
        return list(self.lakehouse.ask(f"SELECT * FROM {relation}").schema.names)


@pytest.fixture(scope="module")
def history(lakehouse: Lakehouse) -> Iterator[History]:
    table = lakehouse.create("h", FIRST)
    first = table.current_snapshot()
    assert first is not None
    with table.manage_snapshots() as manage:
        manage.create_tag(first.snapshot_id, "early")
        manage.create_branch(first.snapshot_id, "side")
    with table.update_schema() as update:
        update.rename_column("a", "b")
        update.add_column("c", LongType())
    table.append(
        pa.table(
            {
                "id": pa.array([3], pa.int32()),
                "b": pa.array([30], pa.int32()),
                "c": pa.array([300], pa.int64()),
            }
        )
    )
    made = datetime.datetime.fromtimestamp(first.timestamp_ms / 1000, datetime.UTC)
    yield History(lakehouse, first.snapshot_id, made)
    lakehouse.catalog.drop_table("db.h")


def test_a_snapshot_has_its_own_rows_and_columns(history: History) -> None:
    for version in (str(history.first), f"'{history.first}'", "'early'"):
        assert history.ids(f"h VERSION AS OF {version}") == [(1,), (2,)]
        assert history.names(f"h VERSION AS OF {version}") == ["id", "a"]
    assert history.names("h.tag_early") == ["id", "a"]
    assert history.lakehouse.rows("SELECT a FROM h.tag_early t WHERE t.a > 15") == [(20,)]


def test_a_branch_has_the_columns_of_today(history: History) -> None:
    for relation in ("h VERSION AS OF 'side'", "h.branch_side"):
        assert history.ids(relation) == [(1,), (2,)]
        assert history.names(relation) == ["id", "b", "c"]
    assert history.ids("h VERSION AS OF 'main'") == [(1,), (2,), (3,)]


def test_a_moment_means_what_was_current_then(history: History) -> None:
    text = f"{history.made:%Y-%m-%d %H:%M:%S.%f}"
    for moment in (f"'{text}'", f"TIMESTAMP '{text}'"):
        assert history.ids(f"h TIMESTAMP AS OF {moment}") == [(1,), (2,)]
    assert history.ids("h TIMESTAMP AS OF '2999-01-01'") == [(1,), (2,), (3,)]


def test_a_moment_is_in_the_sessions_zone(history: History) -> None:
    session = history.lakehouse.session
    session.set_property("sqe.time_zone", "Asia/Tokyo")
    try:
        there = history.made + datetime.timedelta(hours=9)
        text = f"{there:%Y-%m-%d %H:%M:%S.%f}"
        assert history.ids(f"h TIMESTAMP AS OF '{text}'") == [(1,), (2,)]
    finally:
        session.set_property("sqe.time_zone", "UTC")


@pytest.mark.parametrize(
    ("relation", "reason"),
    [
        ("h VERSION AS OF 1", "not in the table's metadata"),
        ("h VERSION AS OF 'nope'", "not a branch or tag"),
        ("h TIMESTAMP AS OF '2000-01-01'", "no snapshot that old"),
        ("h TIMESTAMP AS OF current_timestamp()", "computed moment"),
        ("h.snapshots", "metadata tables"),
    ],
)
def test_what_is_not_there_is_sparks_to_say(history: History, relation: str, reason: str) -> None:
    assert reason in history.lakehouse.refusal(f"SELECT * FROM {relation}")
