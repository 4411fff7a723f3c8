"""Tables made by Spark in many steps: the local engine reads the rows that Spark reads."""

from __future__ import annotations

import datetime as dt
from zlib import crc32

import pytest

from sqe.catalog.protocol import Json
from sqe.engines.local.plan import Comparison, NotLocal
from tests.embedded.local.reader import Both

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]
MERGE_ON_READ = (
    "'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read',"
    " 'write.merge.mode'='merge-on-read'"
)
EVENTS = """SELECT CAST(id AS INT) AS id, concat('name ', id % 7) AS name,
    timestamp'1969-12-30 12:00:00' + make_interval(0, 0, 0, 0, id) AS made, id * 1.5D AS amount,
    CAST(id AS DECIMAL(12, 2)) AS price, array(id, id + 1) AS list, named_struct('a', id) AS s
    FROM range(100)"""


def events(both: Both, name: str, version: int, granularity: str, partitioned: str = "") -> None:
    both.do(
        f"""CREATE TABLE {name} USING iceberg {partitioned} TBLPROPERTIES (
        'format-version'='{version}', 'write.delete.granularity'='{granularity}', {MERGE_ON_READ})
        AS {EVENTS}""",
        f"INSERT INTO {name} {EVENTS}",
    )


@pytest.mark.parametrize(
    ("version", "granularity", "partitioned"),
    [
        (2, "file", ""),
        (2, "partition", ""),
        (2, "partition", "PARTITIONED BY (days(made), bucket(3, id))"),
        (2, "file", "PARTITIONED BY (truncate(6, name))"),
        (3, "file", ""),
        (3, "file", "PARTITIONED BY (name)"),
    ],
)
def test_rows_deleted_in_place_are_gone(
    both: Both, version: int, granularity: str, partitioned: str
) -> None:
    name = f"deleted_{version}_{granularity}_{crc32(partitioned.encode())}"
    events(both, name, version, granularity, partitioned)
    assert both.same(name) == 200
    both.do(f"DELETE FROM {name} WHERE id % 5 = 3")
    assert both.planned(name).delete_files > 0
    assert both.same(name) == 160
    both.do(
        f"UPDATE {name} SET amount = -1 WHERE id BETWEEN 10 AND 20",
        f"INSERT INTO {name} {EVENTS}",
        f"DELETE FROM {name} WHERE id = 7 AND amount > 0",
        f"""MERGE INTO {name} t USING (SELECT CAST(id AS INT) id FROM range(50, 60)) s
            ON t.id = s.id WHEN MATCHED THEN DELETE""",
    )
    assert 0 < both.same(name) < 260
    for comparison, where in (
        (Comparison("id", ">", 90), "id > 90"),
        (Comparison("name", "=", "name 3"), "name = 'name 3'"),
        (Comparison("made", "<", dt.datetime(1970, 1, 1, tzinfo=dt.UTC)), "made < '1970-01-01'"),
        (Comparison("id", "in", (1, 7, 55)), "id in (1, 7, 55)"),
    ):
        both.same(name, comparison, where=where)


def test_a_second_vector_replaces_the_first(both: Both) -> None:
    events(both, "vectors", 3, "file")
    for rest in range(6):
        both.do(f"DELETE FROM vectors WHERE id % 10 = {rest}")
        both.same("vectors")
    assert both.same("vectors") == 80


def test_columns_and_partitions_change_over_time(both: Both) -> None:
    events(both, "changing", 2, "file", "PARTITIONED BY (days(made))")
    steps: tuple[str | Json, ...] = (
        "ALTER TABLE changing RENAME COLUMN name TO label",
        "ALTER TABLE changing ALTER COLUMN id TYPE BIGINT",
        "ALTER TABLE changing ALTER COLUMN price TYPE DECIMAL(20, 2)",
        "ALTER TABLE changing DROP COLUMN amount",
        "ALTER TABLE changing ADD COLUMN amount STRING FIRST",
        {"source-id": 1, "field-id": 1001, "transform": "bucket[4]", "name": "id_bucket"},
        "ALTER TABLE changing ADD COLUMN more DOUBLE AFTER id",
        "INSERT INTO changing (id, label, amount) VALUES (9000000000, 'new', 'text')",
        {"source-id": 2, "field-id": 1002, "transform": "truncate[2]", "name": "label_trunc"},
        "DELETE FROM changing WHERE id < 10",
        "INSERT INTO changing (id, label, price) VALUES (-1, NULL, 123456789012345678.25)",
        {"source-id": 2, "field-id": 1003, "transform": "identity", "name": "label"},
        "UPDATE changing SET label = 'it''s' WHERE id % 9 = 0",
    )
    for statement in steps:
        if isinstance(statement, str):
            both.do(statement)
        else:  # a partition field: the gateway does not take ALTER TABLE … PARTITION FIELD
            spec = {"spec-id": len(statement["name"]), "fields": [statement]}
            default = {"action": "set-default-spec", "spec-id": -1}
            both.commit("changing", {"action": "add-spec", "spec": spec}, default)
        both.same("changing")
    both.same("changing", Comparison("id", "=", 9000000000), where="id = 9000000000")
    both.same("changing", Comparison("label", "isnull"), where="label IS NULL")


def test_default_values_fill_rows_written_before(both: Both) -> None:
    both.do(
        "CREATE TABLE defaults (id INT) USING iceberg TBLPROPERTIES ('format-version'='3')",
        "INSERT INTO defaults VALUES (1)",
    )
    # Spark reads default values but does not set them, so another engine's commit adds the columns.
    schema = both.loaded("defaults").metadata["schemas"][-1]
    values = {
        "int": 5, "string": "it's", "boolean": True, "double": 1.5, "decimal(9, 2)": "14.20",
        "date": "2007-12-03", "timestamp": "2007-12-03T10:15:30.123456", "binary": "00ff41",
        "timestamptz": "2007-12-03T10:15:30.123456+00:00", "long": -1, "float": 0.25,
    }  # fmt: skip
    added = [
        {"id": 10 + place, "name": f"c{place}", "required": False, "type": kind,
         "initial-default": value, "write-default": value}
        for place, (kind, value) in enumerate(values.items())
    ]  # fmt: skip
    changed = {**schema, "schema-id": 1, "fields": [*schema["fields"], *added]}
    both.commit(
        "defaults",
        {"action": "add-schema", "schema": changed, "last-column-id": 40},
        {"action": "set-current-schema", "schema-id": -1},
    )
    assert both.same("defaults") == 1
    assert both.same("defaults", Comparison("c0", "=", 5), where="c0 = 5") == 1
    both.do("INSERT INTO defaults (id, c0) VALUES (2, 6)")
    both.same("defaults")


def test_snapshots_branches_and_tags(both: Both) -> None:
    events(both, "branched", 2, "file")
    first, second = [
        row[0]
        for row in both.lake.rows(
            "SELECT snapshot_id FROM lake.default.branched.snapshots ORDER BY committed_at"
        )
    ]
    ref = {"ref-name": "work", "type": "branch", "snapshot-id": second}
    both.commit("branched", {"action": "set-snapshot-ref", **ref})
    both.do(
        "INSERT INTO lake.default.branched.branch_work SELECT * FROM branched WHERE id < 5",
        "DELETE FROM branched WHERE id > 50",
    )
    refs = both.loaded("branched").metadata["refs"]
    work = refs["work"]["snapshot-id"]
    assert both.same("branched") == 102
    for snapshot_id, source in (
        (first, f"branched VERSION AS OF {first}"),
        (second, f"branched VERSION AS OF {second}"),
        (work, "lake.default.branched.branch_work"),
    ):
        both.same("branched", source=source, snapshot_id=snapshot_id)


def test_avro_files_are_left_to_spark(both: Both) -> None:
    both.do(
        "CREATE TABLE avros (a INT) USING iceberg TBLPROPERTIES ('write.format.default'='avro')",
        "INSERT INTO avros VALUES (1)",
    )
    with pytest.raises(NotLocal, match="AVRO"):
        both.planned("avros")


def test_values_at_the_edges(both: Both) -> None:
    both.do(
        """CREATE TABLE edges USING iceberg AS SELECT * FROM VALUES
        (double('NaN'), float('-0.0'), timestamp'0001-01-01 00:00:00', date'0001-01-01', '', X''),
        (double('-Infinity'), float('1e-40'), timestamp'9999-12-31 23:59:59.999999',
         date'9999-12-31', 'ünï𝄞', X'00FF'),
        (NULL, NULL, NULL, NULL, NULL, NULL) AS t(d, f, at, day, text, raw)""",
    )
    scan = both.scan("edges")
    expected = both.lake.run("SELECT * FROM edges")
    found = both.world.query("SELECT * FROM scan_1", expected.schema, scan)
    assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, expected.to_pylist()))


def test_iceberg_prunes_as_if_nan_were_not_there(both: Both) -> None:
    """Spark loses NaN with a file whose other values are too small, so the local engine has to be
    given the same comparisons that Spark pushes down."""
    both.do(
        "CREATE TABLE nans USING iceberg AS SELECT /*+ COALESCE(1) */ * FROM VALUES"
        " (1, double('NaN')), (2, 1.0D), (3, 9.0D), (4, NULL) AS t(id, d)"
    )
    assert both.same("nans", Comparison("d", ">", 5.0), where="d > 5") == 2
    assert both.same("nans", Comparison("d", ">", 10.0), where="d > 10") == 0
