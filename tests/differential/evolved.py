"""Tables written in many steps by Spark: what their files hold is not what their schema says."""

from __future__ import annotations

from dataclasses import dataclass

from tests.differential.data import TableSpec, columns


@dataclass(frozen=True)
class Respec:
    """A change of a table's partitioning, which SQE has no statement for: done by PyIceberg."""

    table: str
    add: tuple[tuple[str, str], ...] = ()  # source column, transform
    remove: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refer:
    """A tag and a branch at the table's current snapshot; PyIceberg's work as well."""

    table: str
    tag: str
    branch: str


Step = str | Respec | Refer


_MOR = (
    "'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read', "
    "'write.merge.mode'='merge-on-read'"
)
_ROWS = ", ".join(f"({n}, {n % 3}, 'name{n}', {n}.5D, DATE'2024-01-{n:02d}')" for n in range(1, 13))
_MORE = ", ".join(
    f"({n}, {n % 3}, 'name{n}', NULL, DATE'2024-02-{n - 12:02d}')" for n in range(13, 19)
)
_FIVE = "id int, k int, name string, v double, day date"


def _deletes(table: str, version: int, mode: str) -> list[str]:
    """Two files' worth of rows, then deletes and updates in each, some of rows changed before."""
    return [
        f"CREATE TABLE {table} ({_FIVE}) TBLPROPERTIES ('format-version'='{version}', {mode})",
        f"INSERT INTO {table} VALUES {_ROWS}",
        f"INSERT INTO {table} VALUES {_MORE}",
        f"DELETE FROM {table} WHERE id IN (2, 3, 17)",
        f"UPDATE {table} SET name = 'changed', v = -1 WHERE id % 5 = 0",
        f"DELETE FROM {table} WHERE name = 'changed' AND id = 10",
        f"MERGE INTO {table} t USING (SELECT 1 AS id UNION ALL SELECT 99) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = 1000 "
        "WHEN NOT MATCHED THEN INSERT (id, k, name, v, day) "
        "VALUES (s.id, NULL, 'merged', NULL, NULL)",
    ]


def _one_file(table: str, *rows: str) -> str:
    """Spark would spread the rows over files, and each file has statistics of its own."""
    values = ", ".join(f"({row})" for row in rows)
    return f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM VALUES {values}"


def _twice(number: int, text: str) -> str:
    return f"{number}, float('{text}'), double('{text}')"


_LONG = "sixteen letters and"  # more than statistics keep of a text
_MOMENTS = "id int, s string, d decimal(38,10), ts timestamp, dt date"

STEPS: tuple[Step, ...] = (
    # Iceberg prunes files as if NaN were not in them, and tells -0.0 from 0.0; so does Spark.
    "CREATE TABLE evo_float (id int, f float, db double)",
    _one_file("evo_float", _twice(1, "1"), _twice(2, "NaN")),
    _one_file("evo_float", _twice(3, "5"), _twice(4, "7.5")),
    _one_file("evo_float", _twice(5, "NaN")),
    _one_file("evo_float", _twice(6, "-0.0"), _twice(7, "-1")),
    _one_file("evo_float", _twice(8, "0.0"), _twice(9, "1")),
    _one_file("evo_float", _twice(10, "Infinity"), "11, NULL, NULL"),
    _one_file("evo_float", _twice(12, "-Infinity"), _twice(13, "NaN")),
    # Files told apart by bounds that are cut short, and by days and beginnings of texts.
    f"CREATE TABLE evo_bounds ({_MOMENTS}) PARTITIONED BY (days(ts), truncate(4, s))",
    _one_file(
        "evo_bounds",
        f"1, '{_LONG} a', 1.5, TIMESTAMP'1969-12-31 23:59:59.999999Z', DATE'1969-12-31'",
        f"2, '{_LONG} b', -1.5, TIMESTAMP'1969-12-31 00:00:00Z', DATE'0001-01-01'",
    ),
    _one_file(
        "evo_bounds",
        f"3, '{_LONG} 😀', 9999999999999999999999999999.9999999999BD, "
        "TIMESTAMP'2024-03-31 01:30:00Z', DATE'9999-12-31'",
        f"4, '{_LONG} \uffee', 0, TIMESTAMP'2024-03-31 00:30:00Z', DATE'2024-03-31'",
    ),
    _one_file("evo_bounds", "5, NULL, NULL, NULL, NULL", "6, '', 0.0000000001, NULL, NULL"),
    # Renamed, widened, dropped and added again under the old name, moved, nested fields too.
    "CREATE TABLE evo_schema (id int, a int, b string, c float, d decimal(5,2), "
    "st struct<x:int,y:string>)",
    "INSERT INTO evo_schema VALUES (1, 10, 'one', 1.5, 1.25, named_struct('x', 1, 'y', 'p')), "
    "(2, NULL, NULL, NULL, NULL, NULL)",
    "ALTER TABLE evo_schema RENAME COLUMN b TO label",
    "ALTER TABLE evo_schema ALTER COLUMN a TYPE bigint",
    "ALTER TABLE evo_schema ALTER COLUMN c TYPE double",
    "ALTER TABLE evo_schema ALTER COLUMN d TYPE decimal(12,2)",
    "ALTER TABLE evo_schema ADD COLUMN b int",
    "INSERT INTO evo_schema (id, a, label, c, d, st, b) VALUES "
    "(3, 9000000000, 'three', 2.5D, 1000000.25, named_struct('x', 3, 'y', 'r'), 33)",
    "ALTER TABLE evo_schema ADD COLUMN st.z bigint",
    "ALTER TABLE evo_schema RENAME COLUMN st.y TO w",
    "ALTER TABLE evo_schema DROP COLUMN b",
    "ALTER TABLE evo_schema ADD COLUMN b string",
    "INSERT INTO evo_schema (id, a, label, c, d, st, b) VALUES "
    "(4, 4, '', -0.0D, 0, named_struct('x', 4, 'w', 's', 'z', 40L), 'again')",
    # The partitioning changes twice; each file keeps the one it was written with.
    f"CREATE TABLE evo_part ({_FIVE}) PARTITIONED BY (k)",
    f"INSERT INTO evo_part VALUES {_ROWS}",
    Respec("evo_part", add=(("day", "month"),)),
    f"INSERT INTO evo_part VALUES {_MORE}",
    Respec("evo_part", add=(("name", "bucket[4]"),), remove=("k",)),
    "INSERT INTO evo_part VALUES (19, NULL, NULL, 1D, NULL), (20, 1, 'name20', 2D, "
    "DATE'2024-03-01')",
    "DELETE FROM evo_part WHERE k = 1 AND day < DATE'2024-01-10'",
    *_deletes("evo_mor2", 2, _MOR),
    *_deletes("evo_dv3", 3, _MOR),
    *_deletes("evo_cow", 2, "'write.delete.mode'='copy-on-write'"),
    # A V2 table with position deletes that is upgraded: old deletes and new vectors together.
    f"CREATE TABLE evo_up ({_FIVE}) TBLPROPERTIES ('format-version'='2', {_MOR})",
    f"INSERT INTO evo_up VALUES {_ROWS}",
    "DELETE FROM evo_up WHERE id IN (1, 2)",
    "ALTER TABLE evo_up SET TBLPROPERTIES ('format-version'='3')",
    "DELETE FROM evo_up WHERE id IN (3, 12)",
    f"INSERT INTO evo_up VALUES {_MORE}",
    "DELETE FROM evo_up WHERE id = 13",
    # V3: a column with a default that the older files do not hold.
    "CREATE TABLE evo_default (id int, a int) TBLPROPERTIES ('format-version'='3')",
    "INSERT INTO evo_default VALUES (1, 1), (2, NULL)",
    "ALTER TABLE evo_default ADD COLUMN c string DEFAULT 'filled'",
    "INSERT INTO evo_default (id, a) VALUES (3, 3)",
    "CREATE VIEW evo_view AS SELECT id, k, i + 1 AS j, s FROM tame WHERE k IS NOT NULL",
    # A branch that has gone its own way.
    f"CREATE TABLE evo_branch ({_FIVE})",
    f"INSERT INTO evo_branch VALUES {_ROWS}",
    Refer("evo_branch", tag="early", branch="side"),
    "INSERT INTO evo_branch.branch_side VALUES (100, 1, 'side', 0D, NULL)",
    "DELETE FROM evo_branch WHERE id > 6",
)

_FLOAT_CONDITIONS = (
    "db > 3", "db >= 1", "db >= 0.0D", "db = 0.0D", "db = -0.0D", "db <= -0.0D", "db < 3D",
    "db < -0.0D", "db <> 1D", "NOT (db <= 5D)", "db IS NOT NULL", "db IN (0.0D, 5D)",
    "db BETWEEN -0.0D AND 6D", "db <=> 0.0D", "f > 3", "f = 0", "f >= -0.0F", "isnan(db)",
    "db = double('NaN')", "db > double('NaN')", "db >= double('Infinity')", "f < db", "f = db",
    "db > 3 OR id = 2", "NOT (db > 3)", "db NOT IN (1D, 5D)",
)  # fmt: skip
_BOUNDS_CONDITIONS = (
    f"s = '{_LONG} b'", f"s > '{_LONG} b'", f"s >= '{_LONG} \uffee'", f"s LIKE '{_LONG}%'",
    "s = ''", "s < 'sixt'", "s LIKE 'sixt%'", "s NOT LIKE 'six%'", "s IN ('', 'x')",
    "ts < TIMESTAMP'1970-01-01 00:00:00Z'", "ts >= TIMESTAMP'2024-03-31 01:00:00Z'",
    "ts = TIMESTAMP'1969-12-31 23:59:59.999999Z'", "dt = DATE'0001-01-01'",
    "dt > DATE'2024-03-31'", "d = 1.5", "d > 9999999999999999999999999999BD", "d < 0",
    "d <= 0.0000000001", "s IS NULL", "ts IS NULL AND s IS NOT NULL", "dt < ts",
)  # fmt: skip

_SAME = columns("id int*\nk int*\nname string*\nv double*\nday date")
EVOLVED = (
    TableSpec(
        "evo_schema",
        columns("id int*\na bigint*\nlabel string*\nc double*\nd decimal(12,2)*\nb string*"),
        (),
    ),
    *(TableSpec(name, _SAME, ()) for name in ("evo_part", "evo_mor2", "evo_dv3", "evo_cow")),
    TableSpec("evo_up", _SAME, ()),
    TableSpec("evo_branch", _SAME, ()),
    TableSpec("evo_default", columns("id int*\na int*"), ()),
    TableSpec("evo_view", columns("id int*\nk int*\nj int*\ns string"), ()),
    TableSpec("evo_float", columns("id int*\nf float\ndb double"), ()),
    TableSpec(
        "evo_bounds",
        columns("id int*\ns string\nd decimal(38,10)\nts timestamp\ndt date"),
        (),
    ),
)

# Read as written: names, positions and snapshots that the generator does not know.
QUERIES: tuple[str, ...] = (
    "SELECT * FROM evo_schema",
    "SELECT st, st.x, st.w, st.z FROM evo_schema",
    "SELECT id FROM evo_schema WHERE st.z IS NULL",
    "SELECT b, label FROM evo_schema WHERE a > 5",
    "SELECT * FROM evo_default",
    "SELECT * FROM evo_part WHERE day >= DATE'2024-02-01'",
    "SELECT * FROM evo_part WHERE day > DATE'9999-12-31'",
    "SELECT k, count(*), sum(v), min(day) FROM evo_part GROUP BY k",
    "SELECT * FROM evo_part WHERE name = 'name7'",
    *(
        template.format(table)
        for table in ("evo_mor2", "evo_dv3", "evo_cow", "evo_up")
        for template in (
            "SELECT * FROM {}",
            "SELECT count(*) FROM {}",
            "SELECT k, count(*), sum(v) FROM {} GROUP BY k",
            "SELECT * FROM {} WHERE id BETWEEN 2 AND 6",
            "SELECT name FROM {} WHERE day IS NULL",
            "SELECT a.id, b.id FROM {0} a JOIN {0} b ON a.k = b.id",
        )
    ),
    *(f"SELECT id, db FROM evo_float WHERE {text}" for text in _FLOAT_CONDITIONS),
    *(f"SELECT * FROM evo_bounds WHERE {text}" for text in _BOUNDS_CONDITIONS),
    "SELECT * FROM evo_branch VERSION AS OF 'side'",
    "SELECT * FROM evo_branch VERSION AS OF 'early'",
    "SELECT * FROM evo_branch.branch_side",
    "SELECT count(*) FROM evo_branch.tag_early",
    "SELECT count(*) FROM evo_branch FOR VERSION AS OF 'early' WHERE id > 6",
)
