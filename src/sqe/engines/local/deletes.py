"""Rows that are deleted but still in their data files: position deletes and deletion vectors."""

from __future__ import annotations

import io
import zlib
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import FileFormat

from sqe.engines.local.manifests import LiveFile
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.storage import Storage

_PATH_FIELD = 2147483546
_VECTOR_MAGIC = b"\xd1\xd3\x39\x64"


class DeleteIndex:
    """Which delete files may be about a data file: by its path, or by partition."""

    def __init__(self, deletes: Sequence[LiveFile]) -> None:
        self._by_path: dict[str, list[LiveFile]] = defaultdict(list)
        self._by_partition: dict[Hashable, list[LiveFile]] = defaultdict(list)
        for delete in deletes:
            path = delete.referenced_file or _only_path(delete)
            if path is not None:
                self._by_path[path].append(delete)
            else:
                self._by_partition[_partition(delete)].append(delete)

    def of(self, data: LiveFile) -> list[LiveFile]:
        """A delete is about rows that were there before it, or came with it. A deletion vector
        stands for everything else that is about its file."""
        candidates = [
            *self._by_path.get(data.file.file_path, ()),
            *self._by_partition.get(_partition(data), ()),
        ]
        later = [delete for delete in candidates if delete.sequence >= data.sequence]
        vectors = [d for d in later if d.file.file_format == FileFormat.PUFFIN]
        if len(vectors) > 1:
            raise NotLocal("a data file has several deletion vectors")
        return vectors or later


def read_deleted_rows(
    data: Sequence[LiveFile], deletes: Sequence[LiveFile], storage: Storage, limit: int
) -> tuple[dict[str, pa.Array], int]:
    """(data file's location -> the row numbers deleted from it, number of delete files)."""
    if not deletes:
        return {}, 0
    index = DeleteIndex(deletes)
    wanted: dict[str, list[LiveFile]] = {}
    used: dict[tuple[str, tuple[int, int] | None], LiveFile] = {}
    for live in data:
        deletes_there = index.of(live)
        if deletes_there:
            wanted[live.file.file_path] = deletes_there
            used |= {(delete.file.file_path, delete.blob): delete for delete in deletes_there}
    if sum(delete.file.record_count for delete in used.values()) > limit:
        raise NotLocal(f"more than {limit:,} rows are deleted but not yet removed")
    positions = {key: _positions(delete, storage) for key, delete in used.items()}
    rows: dict[str, pa.Array] = {}
    for location, deletes_there in wanted.items():
        parts = [positions[(d.file.file_path, d.blob)].get(location) for d in deletes_there]
        present = [part for part in parts if part is not None and len(part)]
        if present:
            rows[location] = pc.unique(pa.concat_arrays(present))
    return rows, len(used)


def _partition(live: LiveFile) -> Hashable:
    """Values by how they are written: NaN is one partition, -0.0 and 0.0 are two."""
    values = live.file.partition
    return (live.file.spec_id or 0, *(repr(values[place]) for place in range(len(values))))


def _only_path(delete: LiveFile) -> str | None:
    """Bounds of the path column that are the same name the only data file there is."""
    lower = (delete.file.lower_bounds or {}).get(_PATH_FIELD)
    upper = (delete.file.upper_bounds or {}).get(_PATH_FIELD)
    return lower.decode() if lower and lower == upper else None


def _positions(delete: LiveFile, storage: Storage) -> dict[str, pa.Array]:
    file = delete.file
    if file.key_metadata is not None:
        raise NotLocal("the table is encrypted")
    if file.file_format == FileFormat.PUFFIN:
        if delete.referenced_file is None or delete.blob is None:
            raise NotLocal("a deletion vector that does not say what it is about")
        blob = storage.read_range(file.file_path, *delete.blob)
        return {delete.referenced_file: _vector(blob, file.record_count)}
    if file.file_format != FileFormat.PARQUET:
        raise NotLocal(f"a delete file in the format {file.file_format.value}")
    return dict(_by_path(storage.read(file.file_path)))


def _by_path(content: bytes) -> Iterator[tuple[str, pa.Array]]:
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(content), columns=["file_path", "pos"])
    table = table.combine_chunks()
    paths = table.column("file_path").combine_chunks().dictionary_encode()
    if isinstance(paths, pa.ChunkedArray):
        paths = paths.combine_chunks()
    positions = table.column("pos").cast(pa.int64())
    for place, path in enumerate(paths.dictionary.to_pylist()):
        rows = positions.filter(pc.equal(paths.indices, place))
        yield path, pa.concat_arrays(rows.chunks) if rows.num_chunks else pa.array([], pa.int64())


def _vector(blob: bytes, cardinality: int) -> pa.Array:
    """A deletion vector: length, magic, 64-bit Roaring bitmap, checksum."""
    from pyroaring import BitMap64

    length = int.from_bytes(blob[:4], "big")
    body, checksum = blob[4 : 4 + length], blob[4 + length : 8 + length]
    if body[:4] != _VECTOR_MAGIC or zlib.crc32(body) != int.from_bytes(checksum, "big"):
        raise NotLocal("a deletion vector is damaged")
    rows = BitMap64.deserialize(body[4:])
    if len(rows) != cardinality:
        raise NotLocal("a deletion vector is damaged")
    return pa.array(rows.to_array(), pa.int64()) if rows else pa.array([], pa.int64())
