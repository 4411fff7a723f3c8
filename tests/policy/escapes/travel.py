"""The table's past, its branches, and what it knows of its own files."""

from __future__ import annotations

from tests.policy.escapes.row import SAME, TRINO, tricks

_TABLES = (
    "files", "data_files", "delete_files", "all_files", "all_data_files", "all_delete_files",
    "all_entries", "all_manifests", "entries", "manifests", "partitions", "position_deletes",
    "snapshots", "history", "metadata_log_entries", "refs", "changes",
)  # fmt: skip
_OF_TRINO = (
    "files", "partitions", "history", "snapshots", "refs", "all_entries", "entries",
    "metadata_log_entries", "all_manifests",
)  # fmt: skip

ESCAPES = [
    *tricks(
        SAME,
        "to read rows from before they were hidden: today's rules hold for the past",
        "SELECT * FROM {s}.emp VERSION AS OF 'old'",
        "SELECT * FROM {s}.emp VERSION AS OF {old}",
        "SELECT * FROM {s}.emp FOR VERSION AS OF {old}",
        "SELECT * FROM {s}.emp FOR SYSTEM_VERSION AS OF 'old'",
        "SELECT * FROM {s}.emp TIMESTAMP AS OF '{moment}'",
        "SELECT * FROM {s}.emp FOR SYSTEM_TIME AS OF '{moment}'",
        "SELECT * FROM {s}.emp VERSION AS OF 'audit'",
        "SELECT * FROM {s}.emp.tag_old",
        "SELECT * FROM {s}.emp.branch_audit",
        "SELECT * FROM {s}.emp.branch_main",
        "SELECT * FROM {s}.emp.snapshot_id_{old}",
        "SELECT * FROM {s}.emp.`branch_audit`",
        "SELECT branch_audit.ssn FROM {s}.emp.branch_audit",
        "SELECT emp.branch_audit.ssn FROM {s}.emp.branch_audit",
        "SELECT * FROM {s}.emp WITH ('snapshot-id' = '{old}')",
        "SELECT * FROM {s}.emp WITH ('branch' = 'audit')",
        "SELECT * FROM {s}.emp WITH ('as-of-timestamp' = '0')",
        "SELECT a.name FROM {s}.emp a FULL JOIN {s}.emp VERSION AS OF 'old' b ON a.id = b.id",
        "SELECT * FROM {s}.emp VERSION AS OF 'old' EXCEPT SELECT * FROM {s}.emp",
        "WITH q AS (SELECT * FROM {s}.emp VERSION AS OF 'old') SELECT max(ssn) FROM q",
        "SELECT ssn FROM {s}.renamed",
        "SELECT tin FROM {s}.renamed",
    ),
    *tricks(
        "ACCESS_DENIED",
        "to find a masked column under the name it had before",
        "SELECT * FROM {s}.renamed VERSION AS OF 'old'",
        "SELECT tin FROM {s}.renamed VERSION AS OF 'old'",
        "SELECT * FROM {s}.renamed.tag_old",
    ),
    *tricks(
        "ACCESS_DENIED",
        "to read bounds, counts and rows out of the table's metadata",
        *(f"SELECT * FROM {{s}}.emp.{name}" for name in _TABLES),
        "SELECT * FROM lake.{s}.emp.files",
        "SELECT * FROM {s}.`emp`.`FILES`",
        "SELECT * FROM {s}.emp.files VERSION AS OF 'old'",
        "SELECT readable_metrics.ssn.lower_bound FROM {s}.emp.files",
        "SELECT count(*) FROM {s}.emp.snapshots",
        "SELECT 1 WHERE 2 < (SELECT sum(record_count) FROM {s}.emp.partitions)",
        "WITH files AS (SELECT * FROM {s}.emp.files) SELECT * FROM files",
        "SELECT summary FROM {s}.emp.snapshots s, {s}.note n",
        (
            "@open",
            "CREATE TEMP VIEW meta AS SELECT * FROM {s}.emp.files",
            "@close",
            "SELECT * FROM meta",
        ),
    ),
    *tricks(
        SAME,
        "to read metadata of a branch, which has none of its own",
        "SELECT * FROM {s}.emp.branch_audit.files",
    ),
    *tricks(
        "ACCESS_DENIED",
        "to read the same in Trino's words",
        *(f'SELECT * FROM {{s}}."emp${name}"' for name in _OF_TRINO),
        'SELECT count(*) FROM "lake"."{s}"."emp$files"',
        dialect=TRINO,
    ),
    *tricks(
        "COLUMN_NOT_FOUND",
        "to read columns that every Iceberg table has besides its own",
        "SELECT _file FROM {s}.emp",
        "SELECT _pos FROM {s}.emp",
        "SELECT _partition FROM {s}.emp",
        "SELECT e._partition.dept FROM {s}.emp e",
        "SELECT _spec_id FROM {s}.emp",
        "SELECT _deleted FROM {s}.emp",
        "SELECT name FROM {s}.emp ORDER BY _pos",
        "SELECT name FROM {s}.emp WHERE _file IS NOT NULL",
        "SELECT count(*) FROM {s}.emp GROUP BY _partition",
    ),
    *tricks(
        SAME,
        "to read columns that some tables have besides their own",
        "SELECT _row_id FROM {s}.emp",
        "SELECT _last_updated_sequence_number FROM {s}.emp",
        "SELECT _metadata FROM {s}.emp",
        "SELECT _metadata.file_path FROM {s}.emp",
    ),
    *tricks(
        "NOT_SUPPORTED",
        "to read metadata that Trino has under a name of its own",
        'SELECT * FROM {s}."emp$manifests"',
        dialect=TRINO,
    ),
    *tricks(
        SAME,
        "to read them in Trino's words",
        'SELECT "$path" FROM {s}.emp',
        'SELECT "$partition" FROM {s}.emp',
        'SELECT "$file_modified_time" FROM {s}.emp',
        dialect=TRINO,
    ),
    *tricks(
        "NOT_SUPPORTED",
        "to learn which files the rows come from",
        "SELECT input_file_name() FROM {s}.emp",
        "SELECT input_file_block_start(), name FROM {s}.emp",
        "SELECT input_file_block_length() FROM {s}.emp",
    ),
]
