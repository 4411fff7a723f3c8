"""docs/reference/scoreboard.md: SQE in the public matrix of what engines do with Iceberg.

35 capabilities, for tables of format version 2 and 3. A cell is `full` only where tests show it on
a real component: rows of the feature matrix that work, or tests by name. What only requests from
documents show is `partial`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MATRIX = ROOT / "docs" / "reference" / "iceberg-matrix.md"
GOAL = 64
_ROW = re.compile(r"\| (?P<name>.+?) \| (?P<spark>yes|no) \|")

_PRESETS = "tests/unit/settings/test_rest_services.py::test_a_service_is_asked_as_its_documents_say"
_NO_V2 = "the format has it from version 3 on"


@dataclass(frozen=True)
class Cell:
    """``proof``: rows of the feature matrix, and tests as `file::test`. ``why``: what is missing
    of a full cell; empty for one that is full."""

    proof: tuple[str, ...] = ()
    why: str = ""

    @property
    def grade(self) -> str:
        if not self.why:
            return "full"
        return "partial" if self.proof else "none"


@dataclass(frozen=True)
class Capability:
    id: str
    name: str
    v2: Cell
    v3: Cell


def _both(*proof: str, why: str = "") -> tuple[Cell, Cell]:
    """With `{}` for the version."""
    two, three = (tuple(p.format(version) for p in proof) for version in ("V2", "V3"))
    return Cell(two, why), Cell(three, why)


def _third(*proof: str) -> tuple[Cell, Cell]:
    return Cell(why=_NO_V2), Cell(proof)


_CELLS: dict[tuple[str, str], tuple[Cell, Cell]] = {
    ("position-deletes", "Position Deletes"): (
        Cell(("DELETE, merge-on-read (V2)", "rewrite_position_delete_files")),
        Cell(("DELETE, merge-on-read (V3)", "deletion vectors are written (V3)")),
    ),
    ("equality-deletes", "Equality Deletes"): _both(
        why="Spark writes none, and no test of SQE reads one that another engine has written"
    ),
    ("merge-on-read", "Merge-on-Read"): _both(
        "UPDATE, merge-on-read ({})", "MERGE, merge-on-read ({})"
    ),
    ("copy-on-write", "Copy-on-Write"): _both(
        "UPDATE, copy-on-write ({})", "MERGE, copy-on-write ({})"
    ),
    ("schema-evolution", "Schema Evolution"): _both(
        "ADD COLUMN ({})", "DROP COLUMN ({})", "RENAME COLUMN ({})"
    ),
    ("type-promotion", "Type Promotion / Widening"): _both("widen int to bigint ({})"),
    ("column-default-values", "Column Default Values"): _third(
        "default values of every kind (V3)", "ALTER COLUMN SET DEFAULT (V3)"
    ),
    ("table-creation", "Table Creation"): _both("CREATE TABLE ({})", "CREATE TABLE AS SELECT ({})"),
    ("hidden-partitioning", "Hidden Partitioning"): _both(
        "PARTITIONED BY bucket ({})", "PARTITIONED BY truncate ({})", "PARTITIONED BY days ({})"
    ),
    ("partition-evolution", "Partition Evolution"): (
        Cell(("ADD PARTITION FIELD name", "DROP PARTITION FIELD (V2)", "REPLACE PARTITION FIELD")),
        Cell(
            ("DROP PARTITION FIELD (V3)",),
            "of a table of version 3 only dropping a field has a row of the feature matrix",
        ),
    ),
    ("multi-arg-transforms", "Multi-Argument Transforms"): _both(
        why="Iceberg 1.12 has no transform of several arguments"
    ),
    ("time-travel", "Time Travel / Snapshots"): _both("VERSION AS OF a snapshot ({})"),
    ("table-maintenance", "Table Maintenance"): (
        Cell(("rewrite_data_files applies deletes (V2)", "expire_snapshots", "rewrite_manifests")),
        Cell(
            ("rewrite_data_files applies deletes (V3)", "row lineage survives compaction (V3)"),
            "expiry and rewritten manifests are tried on tables of version 2",
        ),
    ),
    ("branching-tagging", "Branching & Tagging"): (
        Cell(("CREATE TAG, and reading it", "CREATE BRANCH, and reading it", "INSERT on a branch")),
        Cell(why="no row of the feature matrix makes a branch of a table of version 3"),
    ),
    ("read-support", "Read Support"): _both("INSERT INTO … VALUES ({})", "CREATE TABLE ({})"),
    ("write-insert", "Write (INSERT)"): _both("INSERT INTO … VALUES ({})"),
    ("write-merge-update-delete", "Write (MERGE/UPDATE/DELETE)"): _both(
        "DELETE, merge-on-read ({})", "UPDATE, copy-on-write ({})", "MERGE, merge-on-read ({})"
    ),
    ("catalog-integration", "Catalog Integration"): (
        Cell(("tests/contract/test_catalogs.py::", "tests/stack/test_nessie.py::test_in_sql_too")),
        Cell(
            ("CREATE TABLE (V3)", "tests/contract/test_catalogs.py::"),
            "tables of version 3 are tried in SQE's own catalog",
        ),
    ),
    ("statistics", "Statistics (Column Metrics)"): (
        Cell(("compute_table_stats", "compute_partition_stats", "ANALYZE TABLE")),
        Cell(("metadata tables of a table of version 3 (V3)",), "not tried on version 3 by itself"),
    ),
    ("bloom-filters", "Bloom Filters & Puffin"): (
        Cell(
            (
                "tests/embedded/statistics/test_statistics.py"
                "::test_analyze_counts_distinct_values_in_a_puffin_file",
            ),
            "Puffin statistics are written; Parquet's bloom filters have no test",
        ),
        Cell(("deletion vectors are written (V3)",), "Parquet's bloom filters have no test"),
    ),
    ("hive-metastore", "Hive Metastore"): _both(
        "tests/stack/test_hive.py::test_pyiceberg_and_sqe_see_each_others_tables",
        why="both engines and both versions are not yet named tests of it",
    ),
    ("aws-glue-catalog", "AWS Glue Catalog"): _both(
        why="not graded: no test of both engines on Glue is named here yet"
    ),
    ("rest-catalog", "REST Catalog"): (
        Cell(
            (
                "tests/stack/test_rest_catalog.py::test_the_catalog_decides_for_each_user",
                "tests/unit/protocols/iceberg_rest/test_endpoint.py"
                "::test_pyiceberg_makes_writes_changes_and_drops_a_table",
            )
        ),
        Cell(
            ("tests/stack/test_rest_catalog.py::test_the_catalog_decides_for_each_user",),
            "tables of version 3 behind it are not tried by themselves",
        ),
    ),
    ("nessie", "Nessie"): (
        Cell(("tests/stack/test_nessie.py::test_in_sql_too",)),
        Cell(why="not tried: tables of version 3 in Nessie"),
    ),
    ("polaris", "Polaris"): _both(
        "tests/stack/test_polaris_contract.py::test_pyiceberg_reads_and_writes_as_three_people",
        why="by a catalog that follows Polaris, and a real 1.7 by hand",
    ),
    ("unity-catalog", "Unity Catalog"): _both(_PRESETS, why="known from documents alone"),
    ("snowflake-horizon-catalog", "Snowflake Horizon Catalog"): _both(
        _PRESETS, why="known from documents alone"
    ),
    ("hadoop-catalog", "Hadoop Catalog"): _both(
        "tests/contract/test_files.py::test_folders_are_schemas_and_those_with_metadata_are_tables",
        why="read only: without a catalog two writers can lose a commit",
    ),
    ("jdbc-catalog", "JDBC Catalog"): (
        Cell(("tests/embedded/catalog/test_jdbc_engines.py::test_both_engines_and_the_rules",)),
        Cell(why="not tried: tables of version 3 in a JDBC catalog"),
    ),
    ("variant-type", "Variant Type"): _third(
        "variant: write and read (V3)", "variant: paths in SQL (V3)"
    ),
    ("shredded-variant", "Shredded Variant"): _third("variant: shredded files (V3)"),
    ("geometry-type", "Geometry / Geo Types"): _third(
        "geometry: write and read (V3)", "geography: write and read (V3)"
    ),
    ("nanosecond-timestamps", "Nanosecond Timestamps"): (
        Cell(why=_NO_V2),
        Cell(why="Spark 4.1's timestamps have microseconds; Iceberg 1.12 refuses them in Spark"),
    ),
    ("lineage", "Lineage Tracking"): _third(
        "row lineage: _row_id and _last_updated_sequence_number (V3)",
        "row lineage survives updates (V3)",
    ),
    ("deletion-vectors", "Deletion Vectors"): _third("deletion vectors are written (V3)"),
}
CAPABILITIES = [Capability(*key, *cells) for key, cells in _CELLS.items()]


def list_working_rows() -> set[str]:
    """The rows of the feature matrix that work, by the page that its tests have written."""
    rows = (_ROW.match(line) for line in MATRIX.read_text(encoding="utf-8").splitlines())
    return {row["name"] for row in rows if row is not None and row["spark"] == "yes"}


def find_unproven() -> list[str]:
    """What is named as a proof and is none: no row that works, and no test of that name."""
    working = list_working_rows()
    proofs = {p for one in CAPABILITIES for cell in (one.v2, one.v3) for p in cell.proof}
    return sorted(p for p in proofs if p not in working and not _is_test(p))


def _is_test(proof: str) -> bool:
    name, colons, test = proof.partition("::")
    file = ROOT / name
    return bool(colons) and file.is_file() and (not test or f"def {test}(" in file.read_text())


def page() -> str:
    cells = [cell for one in CAPABILITIES for cell in (one.v2, one.v3)]
    count = {grade: sum(cell.grade == grade for cell in cells) for grade in _GRADES}
    lines = [
        "# Scoreboard",
        "",
        "SQE in the public matrix of 35 capabilities, each for tables of format version 2 and 3. A",
        "cell is full only where tests show it on a real component; what is missing is said. Rows",
        "of the [feature matrix](iceberg-matrix.md) are named as they stand there.",
        "",
        f"Of {len(cells)} cells {count['full']} are full, {count['partial']} partial, "
        f"{count['none']} none. The goal is {GOAL} full.",
        "",
        "| capability | version | grade | shown by | what is missing |",
        "|---|---|---|---|---|",
    ]
    for one in CAPABILITIES:
        for version, cell in (("2", one.v2), ("3", one.v3)):
            proof = "; ".join(f"`{p.removesuffix('::')}`" if "::" in p else p for p in cell.proof)
            lines.append(f"| {one.name} | {version} | {cell.grade} | {proof} | {cell.why} |")
    return "\n".join(lines) + "\n"


_GRADES = ("full", "partial", "none")
