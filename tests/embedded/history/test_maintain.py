"""``sqe maintain`` on real tables: it finds what is needed, does it, and then nothing is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from sqe.cli.invocation import Invocation
from sqe.cli.main import cli
from sqe.errors import ErrorCode
from sqe.model.decision import Restrict, RowFilter
from sqe.model.query import EngineKind
from tests.embedded.history.conftest import Table
from tests.embedded.pipe.kept import Kept
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


def maintain(lake: Lake, *arguments: str) -> list[dict[str, Any]]:
    invocation = Invocation(build=lambda settings: Kept(lake.server.gateway))
    result = CliRunner().invoke(cli, ["maintain", "--json", *arguments], obj=invocation)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def counted_by_spark(lake: Lake, name: str) -> dict[str, int]:
    table = lake.run(
        "SELECT * FROM (SELECT count(*) AS data_files, sum(file_size_in_bytes) AS data_bytes,"
        f" sum(record_count) AS rows FROM {name}.data_files), (SELECT count(*) AS delete_files,"
        f" sum(record_count) AS deleted_rows FROM {name}.delete_files), (SELECT count(*) AS"
        f" manifests, sum(length) AS manifest_bytes FROM {name}.manifests), (SELECT count(*) AS"
        f" snapshots, count(*) - 1 AS old_snapshots FROM {name}.snapshots)"
    )
    [row] = table.to_pylist()
    return dict(row)


def test_whoever_sees_a_part_of_a_table_is_told_nothing_of_its_files(table: Table) -> None:
    some = Restrict("rule", filters=(RowFilter("id = 1"),))
    with table.lake.rules.on(f"lake.{table.name}", some):
        error = table.lake.fails(f"SHOW MAINTENANCE FOR {table.name}")
    assert error.code is ErrorCode.ACCESS_DENIED


def test_a_neglected_table_is_put_in_order(table: Table) -> None:
    lake, name = table.lake, table.name
    lake.run(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    table.grow(4, 5)
    lake.run(f"INSERT INTO {name} SELECT id, 'x' FROM range(10, 20)")
    lake.run(f"DELETE FROM {name} WHERE id IN (11, 12, 13)")
    thresholds = ("--manifests", "3", "--snapshot-age", "0", "--orphans")
    before = table.loaded().metadata_location

    earlier = {record.query_id for record in lake.server.gateway.records()}
    [planned] = maintain(lake, name, "--dry-run", *thresholds)
    records = lake.server.gateway.records()
    routes = [record.route for record in records if record.query_id not in earlier]
    assert {route and route.engine for route in routes} == {EngineKind.COORDINATOR}
    assert planned["before"] == {**planned["before"], **counted_by_spark(lake, name)}
    procedures = [need["procedure"] for need in planned["needs"]]
    assert procedures == [
        "rewrite_data_files",
        "rewrite_manifests",
        "expire_snapshots",
        "remove_orphan_files",
    ]
    assert "20% of the rows are deleted" in planned["needs"][0]["reason"]
    assert table.loaded().metadata_location == before

    [done] = maintain(lake, name, *thresholds)
    assert [need["error"] for need in done["needs"]] == [None] * 4
    assert done["before"]["data_files"] > 5
    assert (done["after"]["data_files"], done["after"]["delete_files"]) == (1, 0)
    assert done["after"]["snapshots"] == 2  # those of the upkeep itself are not old
    assert table.ids() == [1, 2, 3, 4, 5, 10, *range(14, 20)]
    [again] = maintain(lake, name)
    assert again["needs"] == []


def test_a_schema_stands_for_its_tables_and_views_are_no_tables(table: Table) -> None:
    table.lake.run(f"CREATE VIEW {table.name}_v AS SELECT * FROM {table.name}")
    found = maintain(table.lake, "history", "--dry-run")
    names = [one["table"] for one in found]
    assert f"lake.{table.name}" in names
    assert f"lake.{table.name}_v" not in names
    assert all(one["error"] is None for one in found)
    table.lake.run(f"DROP VIEW {table.name}_v")
