"""Partition transforms, partition evolution, write order."""

from __future__ import annotations

from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area, Steps

AREA = Area("Partitions and order")
MOMENTS = """INSERT INTO t VALUES
  (1, 'aa', TIMESTAMP_NTZ'2023-01-05 01:00:00'), (2, 'ab', TIMESTAMP_NTZ'2024-02-06 02:00:00'),
  (3, 'ba', TIMESTAMP_NTZ'2024-02-06 03:00:00'), (4, 'bb', TIMESTAMP_NTZ'2024-03-07 03:00:00')"""
COLUMNS = "id INT, name STRING, at TIMESTAMP_NTZ"
ALL_IDS = [(1,), (2,), (3,), (4,)]


def _transform(transform: str, partitions: int | None) -> tuple[str, Steps]:
    def steps(bench: Bench) -> None:
        bench.create(COLUMNS, f"PARTITIONED BY ({transform})")
        bench.run(MOMENTS)
        bench.reads("SELECT id FROM t", ALL_IDS)
        bench.reads(
            "SELECT id FROM t WHERE name = 'ab' AND at > TIMESTAMP_NTZ'2024-01-01 00:00:00'", [(2,)]
        )
        found = len(bench.rows("SELECT * FROM t.partitions"))
        assert found == partitions if partitions else found >= 1

    return f"PARTITIONED BY {transform.split('(')[0] if '(' in transform else 'identity'}", steps


AREA.rows(
    [
        _transform("name", 4),
        _transform("bucket(3, id)", None),
        _transform("truncate(1, name)", 2),
        _transform("years(at)", 2),
        _transform("months(at)", 3),
        _transform("days(at)", 3),
        _transform("hours(at)", 4),
    ],
    versions=(1, 2, 3),
)


@AREA.feature("PARTITIONED BY several transforms")
def several(bench: Bench) -> None:
    bench.create(COLUMNS, "PARTITIONED BY (months(at), bucket(2, id))")
    bench.run(MOMENTS)
    bench.reads("SELECT count(*) FROM t WHERE at < TIMESTAMP_NTZ'2024-01-01 00:00:00'", [(1,)])


def _added(field: str) -> tuple[str, Steps]:
    def steps(bench: Bench) -> None:
        bench.create(COLUMNS)
        bench.run(MOMENTS, f"ALTER TABLE t ADD PARTITION FIELD {field}")
        bench.run("INSERT INTO t VALUES (5, 'cc', TIMESTAMP_NTZ'2025-01-01 00:00:00')")
        bench.reads("SELECT id FROM t WHERE id > 3", [(4,), (5,)])
        assert {spec for (spec,) in bench.rows("SELECT spec_id FROM t.files")} == {0, 1}

    return f"ADD PARTITION FIELD {field}", steps


AREA.rows(
    [
        _added("name"),
        _added("bucket(4, id)"),
        _added("truncate(1, name)"),
        _added("days(at)"),
        _added("months(at) AS month"),
    ]
)


@AREA.feature("DROP PARTITION FIELD", versions=(1, 2, 3))
def drop_field(bench: Bench) -> None:
    bench.create(COLUMNS, "PARTITIONED BY (name)")
    bench.run(MOMENTS, "ALTER TABLE t DROP PARTITION FIELD name")
    bench.run("INSERT INTO t VALUES (5, 'aa', NULL)")
    bench.reads("SELECT id FROM t WHERE name = 'aa'", [(1,), (5,)])


@AREA.feature("REPLACE PARTITION FIELD")
def replace_field(bench: Bench) -> None:
    bench.create(COLUMNS, "PARTITIONED BY (days(at))")
    bench.run(MOMENTS, "ALTER TABLE t REPLACE PARTITION FIELD days(at) WITH months(at)")
    bench.run("INSERT INTO t VALUES (5, 'cc', TIMESTAMP_NTZ'2025-01-01 00:00:00')")
    bench.reads("SELECT id FROM t WHERE at >= TIMESTAMP_NTZ'2024-03-01 00:00:00'", [(4,), (5,)])


@AREA.feature("delete across partition specs")
def delete_across(bench: Bench) -> None:
    bench.create(COLUMNS, "PARTITIONED BY (name)", write__delete__mode="merge-on-read")
    bench.run(MOMENTS, "ALTER TABLE t ADD PARTITION FIELD bucket(2, id)")
    bench.run("INSERT INTO t VALUES (5, 'aa', NULL)", "DELETE FROM t WHERE id IN (1, 5)")
    bench.reads("SELECT id FROM t", [(2,), (3,), (4,)])


def _order(clause: str, shown: str) -> tuple[str, Steps]:
    def steps(bench: Bench) -> None:
        bench.create(COLUMNS, "PARTITIONED BY (months(at))")
        bench.run(f"ALTER TABLE t WRITE {clause}", MOMENTS)
        bench.reads("SELECT id FROM t", ALL_IDS)
        properties = dict(bench.rows("SHOW TBLPROPERTIES t"))
        assert shown in str(properties), properties

    return f"WRITE {clause}", steps


AREA.rows(
    [
        _order("ORDERED BY name DESC NULLS LAST, id", "name DESC NULLS LAST"),
        _order("LOCALLY ORDERED BY id", "id ASC NULLS FIRST"),
        _order("DISTRIBUTED BY PARTITION", "'write.distribution-mode': 'hash'"),
        _order(
            "DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id", "'write.distribution-mode': 'hash'"
        ),
        _order("ORDERED BY bucket(4, id)", "bucket"),
    ]
)


@AREA.feature("WRITE UNORDERED")
def unordered(bench: Bench) -> None:
    bench.create(COLUMNS)
    bench.run("ALTER TABLE t WRITE ORDERED BY id", "ALTER TABLE t WRITE UNORDERED", MOMENTS)
    bench.reads("SELECT id FROM t", ALL_IDS)
    assert "id ASC" not in str(bench.rows("SHOW TBLPROPERTIES t"))


def _distribution(mode: str) -> tuple[str, Steps]:
    def steps(bench: Bench) -> None:
        bench.create(COLUMNS, "PARTITIONED BY (name)")
        bench.run(
            f"ALTER TABLE t SET TBLPROPERTIES ('write.distribution-mode' = '{mode}')", MOMENTS
        )
        bench.reads("SELECT id FROM t", ALL_IDS)

    return f"write.distribution-mode = {mode}", steps


AREA.rows([_distribution(mode) for mode in ("none", "hash", "range")])
