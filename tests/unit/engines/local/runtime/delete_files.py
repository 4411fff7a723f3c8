"""Delete files as other engines write them, put together of PyIceberg's parts: it writes none."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.table import Table
from pyiceberg.typedef import Record

from sqe.catalog.protocol import Loaded

_numbers = itertools.count(1)
POSITIONS = pa.schema(
    [
        pa.field("file_path", pa.string(), metadata={"PARQUET:field_id": "2147483546"}),
        pa.field("pos", pa.int64(), metadata={"PARQUET:field_id": "2147483545"}),
    ]
)


class _Deletes(ManifestWriterV2):
    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


def position_deletes(table: Table, rows: Iterable[tuple[str, int]], **more: Any) -> DataFile:
    """A file that deletes rows of data files by their numbers."""
    paths, numbers = zip(*rows, strict=True)
    content = pa.table([pa.array(paths), pa.array(numbers, pa.int64())], schema=POSITIONS)
    path = Path(table.location().removeprefix("file://")) / f"deletes-{next(_numbers)}.parquet"
    pq.write_table(content, path)
    given = {
        "content": DataFileContent.POSITION_DELETES,
        "file_path": f"file://{path}",
        "file_format": FileFormat.PARQUET,
        "partition": Record(),
        "record_count": content.num_rows,
        "file_size_in_bytes": path.stat().st_size,
        **more,
    }
    made = DataFile.from_args(_table_format_version=2, **given)
    made.spec_id = table.spec().spec_id
    return made


def with_deletes(table: Table, deletes: Sequence[tuple[DataFile, int]]) -> Loaded:
    """The table's current snapshot with delete files, each with its sequence number."""
    snapshot = table.current_snapshot()
    assert snapshot is not None
    folder = Path(table.location().removeprefix("file://")) / "metadata"
    added = [
        _manifest(table, folder, file, sequence, snapshot.snapshot_id) for file, sequence in deletes
    ]
    listed = f"file://{folder}/list-{next(_numbers)}.avro"
    output = table.io.new_output(listed)
    with write_manifest_list(2, output, snapshot.snapshot_id, None, 99, "null") as writer:
        writer.add_manifests([*snapshot.manifests(table.io), *added])
    location = table.metadata_location
    metadata = json.loads(Path(location.removeprefix("file://")).read_bytes())
    for one in metadata["snapshots"]:
        if one["snapshot-id"] == snapshot.snapshot_id:
            one["manifest-list"] = listed
    return Loaded(json.dumps(metadata).encode(), f"{location}-{next(_numbers)}")


def _manifest(
    table: Table, folder: Path, file: DataFile, sequence: int, snapshot_id: int
) -> ManifestFile:
    output = table.io.new_output(f"file://{folder}/deletes-{next(_numbers)}.avro")
    with _Deletes(table.spec(), table.schema(), output, snapshot_id, "null") as writer:
        entry = ManifestEntry.from_args(
            status=ManifestEntryStatus.EXISTING,
            snapshot_id=snapshot_id,
            sequence_number=sequence,
            file_sequence_number=sequence,
            data_file=file,
            _table_format_version=2,
        )
        writer.existing(entry)
    made = writer.to_manifest_file()
    made._data[4] = sequence  # sequence_number: the writer leaves it to the list's
    return made
