"""The procedures CALL can run: Iceberg's for Spark 4.1, in one table.

A refused parameter or procedure says why and what to use instead. ``access`` is what the user must
be allowed to do with the table.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqe.model.query import Column
from sqe.sql.statement import Access

STRING, BOOLEAN, INT, BIGINT, TIMESTAMP = "string", "boolean", "int", "bigint", "timestamp"
STRINGS, NUMBERS, OPTIONS = "array<string>", "array<bigint>", "map<string,string>"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: str
    required: bool = False
    refused: str = ""  # why it may not be given
    inside: bool = False  # a place: only inside of the table's own location
    predicate: bool = False  # a condition in SQL: without subqueries


@dataclass(frozen=True, slots=True)
class Procedure:
    """``parameters`` are in the order Spark takes them; one of them is ``table``."""

    name: str
    about: str
    access: Access
    parameters: tuple[Parameter, ...]
    result: tuple[Column, ...] = ()
    refused: str = ""  # why it is not run at all
    instead: str = ""  # what to use then
    # It only keeps house. After any other the table may have other rows, which takes every right.
    keeps_rows: bool = False

    def parameter(self, name: str) -> Parameter | None:
        return next(
            (parameter for parameter in self.parameters if parameter.name == name.lower()), None
        )

    @property
    def signature(self) -> str:
        parameters = (
            f"{parameter.name} => {parameter.type}"
            if parameter.required
            else f"[{parameter.name} => {parameter.type}]"
            for parameter in self.parameters
            if not parameter.refused
        )
        return f"{self.name}({', '.join(parameters)})"


def _need(name: str, type: str) -> Parameter:
    return Parameter(name, type, required=True)


def _may(name: str, type: str) -> Parameter:
    return Parameter(name, type)


def _result(*columns: str) -> tuple[Column, ...]:
    """``name``, of type bigint, or ``name type``; a ``!`` behind it says that it is never NULL."""
    made = []
    for column in columns:
        name, _, type = column.rstrip("!").partition(" ")
        made.append(Column(name, type or BIGINT, nullable=not column.endswith("!")))
    return tuple(made)


_TABLE = _need("table", STRING)
_SNAPSHOT = _need("snapshot_id", BIGINT)
_MOVED = _result("previous_snapshot_id!", "current_snapshot_id!")
_PICKED = _result("source_snapshot_id!", "current_snapshot_id!")
_WHERE = Parameter("where", STRING, predicate=True)
_NO_SESSION_CATALOG = "SQE has no session catalog with tables that are not Iceberg's"
_LOAD = "Load the files into a table: COPY INTO in SQL, or `sqe load`."

_ALL = (
    Procedure(
        "rollback_to_snapshot",
        "makes an earlier snapshot of the table's own history the current one",
        Access.ALTER,
        (_TABLE, _SNAPSHOT),
        _MOVED,
    ),
    Procedure(
        "rollback_to_timestamp",
        "makes the snapshot of that moment the current one",
        Access.ALTER,
        (_TABLE, _need("timestamp", TIMESTAMP)),
        _MOVED,
    ),
    Procedure(
        "set_current_snapshot",
        "makes any snapshot, branch or tag the current one",
        Access.ALTER,
        (_TABLE, _may("snapshot_id", BIGINT), _may("ref", STRING)),
        _result("previous_snapshot_id", "current_snapshot_id!"),
    ),
    Procedure(
        "cherrypick_snapshot",
        "applies the changes of one snapshot to the table",
        Access.WRITE,
        (_TABLE, _SNAPSHOT),
        _PICKED,
    ),
    Procedure(
        "publish_changes",
        "publishes what was written under a write-audit-publish id (sqe.wap_id)",
        Access.WRITE,
        (_TABLE, _need("wap_id", STRING)),
        _PICKED,
    ),
    Procedure(
        "fast_forward",
        "moves a branch forward to another branch",
        Access.WRITE,
        (_TABLE, _need("branch", STRING), _need("to", STRING)),
        _result("branch_updated string!", "previous_ref", "updated_ref!"),
    ),
    Procedure(
        "ancestors_of",
        "lists the snapshots a snapshot was made from",
        Access.READ,
        (_TABLE, _may("snapshot_id", BIGINT)),
        _result("snapshot_id", "timestamp"),
    ),
    Procedure(
        "expire_snapshots",
        "forgets old snapshots and deletes the files only they need",
        Access.ALTER,
        (
            _TABLE,
            _may("older_than", TIMESTAMP),
            _may("retain_last", INT),
            _may("max_concurrent_deletes", INT),
            _may("stream_results", BOOLEAN),
            _may("snapshot_ids", NUMBERS),
            _may("clean_expired_metadata", BOOLEAN),
        ),
        _result(
            "deleted_data_files_count",
            "deleted_position_delete_files_count",
            "deleted_equality_delete_files_count",
            "deleted_manifest_files_count",
            "deleted_manifest_lists_count",
            "deleted_statistics_files_count",
        ),
        keeps_rows=True,
    ),
    Procedure(
        "remove_orphan_files",
        "deletes files in the table's folder that no snapshot knows",
        Access.ALTER,
        (
            _TABLE,
            _may("older_than", TIMESTAMP),
            Parameter("location", STRING, inside=True),
            _may("dry_run", BOOLEAN),
            _may("max_concurrent_deletes", INT),
            Parameter("file_list_view", STRING, refused="it names a view of Spark's own"),
            _may("equal_schemes", OPTIONS),
            _may("equal_authorities", OPTIONS),
            Parameter(
                "prefix_mismatch_mode", STRING, refused="it can delete files that are in use"
            ),
            _may("prefix_listing", BOOLEAN),
            _may("stream_results", BOOLEAN),
        ),
        _result("orphan_file_location string!"),
        keeps_rows=True,
    ),
    Procedure(
        "rewrite_data_files",
        "makes few large data files of many small ones; sorts or z-orders them if told",
        Access.WRITE,
        (
            _TABLE,
            _may("strategy", STRING),
            _may("sort_order", STRING),
            _may("options", OPTIONS),
            _WHERE,
            _may("branch", STRING),
        ),
        _result(
            "rewritten_data_files_count int!",
            "added_data_files_count int!",
            "rewritten_bytes_count!",
            "failed_data_files_count int!",
            "removed_delete_files_count int!",
        ),
        keeps_rows=True,
    ),
    Procedure(
        "rewrite_manifests",
        "writes the table's manifests anew, by partition",
        Access.WRITE,
        (
            _TABLE,
            _may("use_caching", BOOLEAN),
            _may("spec_id", INT),
            _may("sort_by", STRINGS),
        ),
        _result("rewritten_manifests_count int!", "added_manifests_count int!"),
        keeps_rows=True,
    ),
    Procedure(
        "rewrite_position_delete_files",
        "makes few delete files of many, and drops deletes of rows that are gone",
        Access.WRITE,
        (_TABLE, _may("options", OPTIONS), _WHERE),
        _result(
            "rewritten_delete_files_count int!",
            "added_delete_files_count int!",
            "rewritten_bytes_count!",
            "added_bytes_count!",
        ),
        keeps_rows=True,
    ),
    Procedure(
        "compute_table_stats",
        "writes the number of distinct values of columns, for better plans",
        Access.WRITE,
        (_TABLE, _may("snapshot_id", BIGINT), _may("columns", STRINGS)),
        _result("statistics_file string"),
        keeps_rows=True,
    ),
    Procedure(
        "compute_partition_stats",
        "writes counts and sizes of each partition",
        Access.WRITE,
        (_TABLE, _may("snapshot_id", BIGINT)),
        _result("partition_statistics_file string"),
        keeps_rows=True,
    ),
    Procedure(
        "rewrite_table_path",
        "stages a copy of the metadata in which the files lie elsewhere, to move a table",
        Access.ALTER,
        (
            _TABLE,
            _need("source_prefix", STRING),
            _need("target_prefix", STRING),
            _may("start_version", STRING),
            _may("end_version", STRING),
            Parameter("staging_location", STRING, inside=True),
            _may("create_file_list", BOOLEAN),
        ),
        _result(
            "latest_version string",
            "file_list_location string",
            "rewritten_manifest_file_paths_count int",
            "rewritten_delete_file_paths_count int",
        ),
        keeps_rows=True,
    ),
    Procedure(
        "register_table",
        "makes a table of a metadata file that no table uses",
        Access.CREATE,
        (_TABLE, _need("metadata_file", STRING)),
        _result("current_snapshot_id", "total_records_count", "total_data_files_count"),
    ),
    Procedure(
        "migrate",
        "",
        Access.ALTER,
        (_TABLE,),
        refused=_NO_SESSION_CATALOG,
        instead=_LOAD,
    ),
    Procedure(
        "snapshot",
        "",
        Access.CREATE,
        (_TABLE,),
        refused=_NO_SESSION_CATALOG,
        instead="CREATE TABLE … AS SELECT copies a table.",
    ),
    Procedure(
        "add_files",
        "",
        Access.WRITE,
        (_TABLE,),
        refused="files that nobody has read would become part of a table",
        instead=_LOAD,
    ),
    Procedure(
        "create_changelog_view",
        "",
        Access.READ,
        (_TABLE,),
        refused="a view of Spark's own would hold the table's rows past the query",
        instead="SELECT * FROM t.changes WITH ('start-snapshot-id' = '…') gives the changes.",
    ),
)

PROCEDURES: dict[str, Procedure] = {procedure.name: procedure for procedure in _ALL}
RUNNABLE = tuple(procedure for procedure in _ALL if not procedure.refused)
