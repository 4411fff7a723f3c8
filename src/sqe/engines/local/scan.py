"""Plans how a table is read: the exact files, the deleted rows, and DuckDB's words for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
from pyiceberg.manifest import FileFormat
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema

from sqe.catalog.protocol import Catalogs, Json, Loaded
from sqe.catalog.schemas import current_schema, spark_type
from sqe.engines.local.deletes import read_deleted_rows
from sqe.engines.local.floats import free_of_nan, free_of_zero
from sqe.engines.local.footers import Footer, check_footer
from sqe.engines.local.manifests import LiveFile, ManifestCache, Snapshot
from sqe.engines.local.objects import Objects
from sqe.engines.local.options import LocalOptions
from sqe.engines.local.plan import NotLocal, Scan
from sqe.engines.local.pruning import Pruning
from sqe.engines.local.scan_types import default_text, duckdb_type, identifier
from sqe.engines.local.storage import Storage, TableSource, storage_of
from sqe.model.identity import Identity
from sqe.model.names import quote_text

_PLANS = 256
_DELETES = "deleted_from_"
# DuckDB reads these. A file of another kind, from before a table's property was changed, is a
# failure when it is read; looking for one each time would cost a second look at every footer.
_CODEC = "write.parquet.compression-codec"
_CODECS = ("brotli", "gzip", "snappy", "uncompressed", "zstd")


@dataclass(frozen=True)
class ReadColumn:
    """A column by its id, under the name it has in the SQL, with its DuckDB type."""

    field: Json
    alias: str
    type: str
    default: str | None


@dataclass(frozen=True)
class PlannedScan:
    """``files`` are spelled as DuckDB opens them; ``stamps`` tell files of one name apart.
    ``deleted``: file and row number, or None."""

    relation: str
    table: str
    columns: tuple[ReadColumn, ...]
    files: tuple[str, ...]
    stamps: tuple[Hashable, ...]
    bytes: int
    rows: int  # in the files, before deletes
    delete_files: int
    deleted: pa.Table | None
    partition_sources: frozenset[int]
    storage: Storage

    @property
    def deletes_name(self) -> str:
        return f"{_DELETES}{self.relation}"

    @property
    def stamped_files(self) -> Iterator[tuple[str, Hashable]]:
        return zip(self.files, self.stamps, strict=True)

    def check(self, footers: set[Footer]) -> None:
        """NotLocal if a file holds a column in a form that is not read right."""
        fields = [column.field for column in self.columns]
        for footer in footers:
            check_footer(footer, fields, set(self.partition_sources))

    def view_sql(self, names: tuple[str, ...] | None = None) -> str:
        """``names`` are the columns' inside the files, where all files have them by these names;
        otherwise they are read by their ids."""
        return f"CREATE TEMP VIEW {identifier(self.relation)} AS {self._query(names)};\n"

    def _query(self, names: tuple[str, ...] | None) -> str:
        if not self.files:
            # Not WHERE false: a subquery that fails has to fail beside a table without files too.
            return f"SELECT {self._select_nothing()}"
        if self.deleted is None:
            return self._read(names, self.files)
        touched = set(self.deleted.column("file").unique().to_pylist())
        whole = [file for file in self.files if file not in touched]
        partly = [file for file in self.files if file in touched]
        join = (
            f"ANTI JOIN {identifier(self.deletes_name)} AS d"
            " ON d.pos = f.file_row_number AND d.file = f.filename"
        )
        query = self._read(names, partly, join)
        return f"({self._read(names, whole)}) UNION ALL ({query})" if whole else query

    def _read(self, names: tuple[str, ...] | None, files: Sequence[str], join: str = "") -> str:
        if names:
            schema = ""
            aliases = [column.alias for column in self.columns]
        else:
            schema = f" schema = MAP {{{self._ids()}}},"
            aliases = [column.alias for column in self.columns] or ["none"]
            names = tuple(f"c{place}" for place, _ in enumerate(aliases))
        shown = [
            f"f.{identifier(name)} AS {identifier(alias)}"
            for name, alias in zip(names, aliases, strict=True)
        ]
        rows = self.rows * len(files) // len(self.files)  # an estimate, for the order of joins
        return (
            f"FROM read_parquet([{', '.join(quote_text(file) for file in files)}],{schema}"
            f" hive_partitioning = false, can_have_nan = true, explicit_cardinality = {rows},"
            f" union_by_name = false) AS f {join} SELECT {', '.join(shown)}"
        )

    def _ids(self) -> str:
        """Columns are read under names that DuckDB's own (filename, …) cannot clash with."""
        ids = [
            f"{column.field['id']}: {{name: 'c{place}', type: {quote_text(column.type)}, "
            f"default_value: {_nullable(column.default)}}}"
            for place, column in enumerate(self.columns)
        ] or ["0: {name: 'c0', type: 'BOOLEAN', default_value: NULL::VARCHAR}"]
        return ", ".join(ids)

    def _select_nothing(self) -> str:
        """No rows, without constants that DuckDB could draw conclusions from."""
        none = [f"unnest([]::{c.type}[]) AS {identifier(c.alias)}" for c in self.columns]
        return ", ".join(none) or 'unnest([]::BOOLEAN[]) AS "none"'


@dataclass(frozen=True, slots=True)
class ScanFacts:
    """How much a query's scans read. ``rows`` are those that their files hold."""

    bytes: int
    files: int
    rows: int
    delete_files: int


def facts_of_scans(scans: Sequence[PlannedScan]) -> ScanFacts:
    return ScanFacts(
        bytes=sum(scan.bytes for scan in scans),
        files=sum(len(scan.files) for scan in scans),
        rows=sum(scan.rows for scan in scans),
        delete_files=sum(scan.delete_files for scan in scans),
    )


class ScanPlanner:
    """Plans are kept per user and metadata file, which never changes, so they are never stale."""

    def __init__(
        self,
        options: LocalOptions,
        catalogs: Catalogs | None = None,
        objects: Objects | None = None,
    ) -> None:
        """``catalogs`` are asked for new keys when those that came with a table end."""
        self._options = options
        self._catalogs = catalogs
        self._objects = objects or Objects(options.remote_timeout_s)
        self._manifests = ManifestCache(options.cached_files)
        self._lock = threading.Lock()
        self._plans: OrderedDict[object, PlannedScan] = OrderedDict()
        self._size = 0

    def plan_scan(self, scan: Scan, identity: Identity) -> PlannedScan:
        """NotLocal, with the reason, for a table that is not read right here."""
        loaded = scan.table.loaded
        if loaded is None or (scan.table.suffix and scan.snapshot_id is None):
            raise NotLocal(f"{scan.table.name} is not a plain table")
        owner = (identity, str(scan.table.name), loaded.metadata.get("table-uuid"))
        proofs = (scan.without_nan, scan.without_zero)
        wanted = (scan.columns, scan.snapshot_id, scan.pruning, *proofs)
        key = (owner, _version(loaded), wanted)
        source = TableSource.of(scan.table, self._catalogs, identity) if self._catalogs else None
        storage = storage_of(loaded, self._objects, source)
        keep = loaded.metadata_location is not None and _hashable(key)
        if keep:
            with self._lock:
                cached = self._plans.get(key)
                if cached is not None:
                    self._plans.move_to_end(key)
                    # The files are the same for ever, the keys to them are not.
                    return replace(cached, relation=scan.relation, storage=storage)
        planned = self._plan(scan, loaded, owner, storage)
        if keep:
            self._remember(key, planned)
        return planned

    def _remember(self, key: object, planned: PlannedScan) -> None:
        # Credentials are not kept: every query brings its own.
        kept = replace(planned, storage=Storage(planned.storage.remote))
        with self._lock:
            if key not in self._plans:
                self._size += _weight(kept)
            self._plans[key] = kept
            while len(self._plans) > _PLANS or self._size > self._options.cached_files * 10:
                _, dropped = self._plans.popitem(last=False)
                self._size -= _weight(dropped)

    def _plan(self, scan: Scan, loaded: Loaded, owner: object, storage: Storage) -> PlannedScan:
        metadata = loaded.metadata
        snapshot = _snapshot(metadata, scan.snapshot_id)
        schema = _schema(metadata, snapshot, scan)
        specs = [PartitionSpec.model_validate(spec) for spec in _specs(metadata)]
        planned = PlannedScan(
            relation=scan.relation,
            table=str(scan.table.name),
            columns=_columns(schema, scan),
            files=(),
            stamps=(),
            bytes=0,
            rows=0,
            delete_files=0,
            deleted=None,
            partition_sources=frozenset(
                part.source_id
                for spec in specs
                for part in spec.fields
                if str(part.transform) == "identity"
            ),
            storage=storage,
        )
        if snapshot is None:
            return planned
        codec = str((metadata.get("properties") or {}).get(_CODEC, "zstd")).lower()
        if codec not in _CODECS:
            raise NotLocal(f"the table is compressed with {codec}")
        if "manifest-list" not in snapshot:
            raise NotLocal("a snapshot of the oldest format lists its manifests itself")
        rows = str((snapshot.get("summary") or {}).get("total-records", ""))
        files = Snapshot(
            owner,
            snapshot["manifest-list"],
            int(rows) if rows.isdigit() else None,
            storage,
            self._manifests,
        )
        typed = _parse_schema(schema)
        pruning = Pruning(typed, {spec.spec_id: spec for spec in specs}, scan.pruning)
        data, deletes = files.files(pruning)
        _check_files(data, scan, typed)
        uuid = metadata.get("table-uuid")
        stamps = tuple((uuid, live.sequence, live.file.file_size_in_bytes) for live in data)
        return self._with_files(replace(planned, stamps=stamps), data, deletes)

    def _with_files(
        self, planned: PlannedScan, data: list[LiveFile], deletes: list[LiveFile]
    ) -> PlannedScan:
        storage = planned.storage
        rows, count = read_deleted_rows(data, deletes, storage, self._options.max_deleted_rows)
        return replace(
            planned,
            files=tuple(storage.path(live.file.file_path) for live in data),
            bytes=sum(live.file.file_size_in_bytes for live in data),
            rows=sum(live.file.record_count for live in data),
            delete_files=count,
            deleted=_table_of_deleted({storage.path(at): row for at, row in rows.items()}),
        )


def _check_files(data: Sequence[LiveFile], scan: Scan, schema: Schema) -> None:
    """NotLocal for files that DuckDB does not read, or whose rows Spark could lose."""
    for live in data:
        if live.file.key_metadata is not None:
            raise NotLocal("the table is encrypted")
        if live.file.file_format != FileFormat.PARQUET:
            raise NotLocal(f"the table has {live.file.file_format.value} files")
    for name in scan.without_nan:
        field_id = schema.find_field(name).field_id
        if not all(free_of_nan(live.file, field_id) for live in data):
            raise NotLocal(f"column {name} may hold NaN, which Spark loses where it skips files")
    for name in scan.without_zero:
        field_id = schema.find_field(name).field_id
        if not all(free_of_zero(live.file, field_id, schema) for live in data):
            raise NotLocal(f"column {name} may hold -0.0, which Spark loses where it skips files")


def _table_of_deleted(rows: dict[str, pa.Array]) -> pa.Table | None:
    if not rows:
        return None
    files = pa.chunked_array(
        [pa.repeat(pa.scalar(path), len(positions)) for path, positions in rows.items()]
    )
    return pa.table({"file": files, "pos": pa.chunked_array(list(rows.values()))})


def _columns(schema: Json, scan: Scan) -> tuple[ReadColumn, ...]:
    fields = {field["name"]: field for field in schema["fields"]}
    return tuple(
        ReadColumn(
            fields[column.name],
            column.alias,
            duckdb_type(fields[column.name]["type"]),
            default_text(fields[column.name]),
        )
        for column in scan.columns
    )


def _schema(metadata: Json, snapshot: Json | None, scan: Scan) -> Json:
    """The schema in which the scan's columns mean something: the snapshot's, or today's.

    Spark reads a snapshot with the snapshot's schema and a branch with today's. A scan does not
    say which it is; both must agree on every column it reads.
    """
    candidates = [current_schema(metadata)]
    wanted = (snapshot or {}).get("schema-id")
    if scan.snapshot_id is not None and wanted is not None:
        own = [s for s in metadata.get("schemas") or () if s.get("schema-id") == wanted]
        candidates = [*own, *candidates]
    fitting = [schema for schema in candidates if _fits(schema, scan)]
    if not fitting:
        raise NotLocal(f"the columns of {scan.table.name} are not the ones that were asked for")
    if len({_ids(schema, scan) for schema in fitting}) > 1:
        raise NotLocal("a column was dropped and added again since the snapshot")
    return fitting[0]


def _parse_schema(schema: Json) -> Schema:
    """PyIceberg does not know every type; it needs all of a table's."""
    try:
        return Schema.model_validate(schema)
    except ValueError:
        raise NotLocal("the table has columns of types that only Spark reads") from None


def _fits(schema: Json, scan: Scan) -> bool:
    types = {field["name"]: field["type"] for field in schema["fields"]}
    return all(
        column.name in types and spark_type(types[column.name]) == column.type
        for column in scan.columns
    )


def _ids(schema: Json, scan: Scan) -> tuple[int, ...]:
    ids = {field["name"]: field["id"] for field in schema["fields"]}
    return tuple(ids[column.name] for column in scan.columns)


def _snapshot(metadata: Json, snapshot_id: int | None) -> Json | None:
    wanted = snapshot_id if snapshot_id is not None else metadata.get("current-snapshot-id")
    if wanted is None or wanted == -1:
        return None
    for snapshot in metadata.get("snapshots") or ():
        if snapshot["snapshot-id"] == wanted:
            chosen: Json = snapshot
            return chosen
    raise NotLocal("the snapshot is not in the table's metadata")


def _specs(metadata: Json) -> list[Json]:
    if "partition-specs" in metadata:
        specs: list[Json] = metadata["partition-specs"]
        return specs
    return [{"spec-id": 0, "fields": metadata.get("partition-spec") or []}]


def _version(loaded: Loaded) -> Hashable:
    """Which state of which table this is. A location alone could be used again."""
    metadata = loaded.metadata
    return (
        loaded.metadata_location,
        metadata.get("last-updated-ms"),
        metadata.get("last-sequence-number"),
        metadata.get("current-snapshot-id"),
        metadata.get("current-schema-id"),
    )


def _hashable(key: object) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _weight(planned: PlannedScan) -> int:
    return len(planned.files) + (planned.deleted.num_rows // 8 if planned.deleted else 0) + 1


def _nullable(value: str | None) -> str:
    return "NULL::VARCHAR" if value is None else quote_text(value)
