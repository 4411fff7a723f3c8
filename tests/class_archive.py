"""Writes the class archive of the tests' Sparks, if there is none for this Java and these jars.

    python -m tests.class_archive

Without it, each Java that a run of the tests starts takes some seconds of processor time to load
and verify Spark's classes. The archive stays in the tests' cache.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from sqe.server.build import build
from sqe.settings import Settings
from tests.embedded.pipe.lake import Lake
from tests.small_spark import ARCHIVES, JARS, shared_archive, small_spark

# Java archives the classes that have been used, so these are what most tests use.
STATEMENTS = (
    "CREATE TABLE a (id BIGINT, s STRING, d DATE) PARTITIONED BY (bucket(2, id))",
    "INSERT INTO a VALUES (1, 'x', DATE '2024-01-01'), (2, 'y', NULL)",
    "CREATE TABLE b AS SELECT id, named_struct('s', s) AS n, array(s) AS l FROM a",
    "UPDATE a SET s = 'z' WHERE id = 1",
    "DELETE FROM a WHERE id = 2",
    "MERGE INTO a USING (SELECT id, n.s FROM b) c ON a.id = c.id "
    "WHEN MATCHED THEN UPDATE SET s = c.s "
    "WHEN NOT MATCHED THEN INSERT (id, s) VALUES (c.id, c.s)",
    "ALTER TABLE a ADD COLUMN v DECIMAL(9, 2)",
    "SELECT a.s, count(*), sum(v), max(d) FROM a JOIN b ON a.id = b.id GROUP BY a.s ORDER BY 1",
    "SELECT row_number() OVER (PARTITION BY s ORDER BY id) FROM a WHERE id IN (SELECT id FROM b)",
    "SELECT upper(s), cast(id AS STRING), date_add(d, 1) FROM a LATERAL VIEW explode(array(1)) e",
    "SELECT * FROM a.snapshots",
)


def write_archive() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "cds").symlink_to(ARCHIVES)  # where a server of this home writes its archive
        server = build(Settings(home=home, spark=small_spark(JARS, class_data_sharing=True)))
        try:
            Lake.open(server).all(*STATEMENTS)
        finally:
            server.close()


def main() -> None:
    archive = shared_archive(JARS)
    if archive is not None and not archive.ready:
        write_archive()


if __name__ == "__main__":
    main()
