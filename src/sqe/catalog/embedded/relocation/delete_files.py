"""Files of deletes name the data files that they are about."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.catalog.embedded.avro_file import AvroFile, Row, with_value
from sqe.catalog.embedded.references import text_of
from sqe.catalog.embedded.relocation.move import Move

if TYPE_CHECKING:
    import pyarrow as pa

_PATH = "file_path"
_PUFFIN = b"PFA1"
_ZIPPED_FOOTER = 1


def relocate_deletes(path: Path, file_format: str, move: Move) -> int:
    """Rewrites a file of position deletes or of deletion vectors: its new size. ValueError for a
    format that cannot be rewritten."""
    if file_format == "parquet":
        _relocate_parquet(path, move)
    elif file_format == "puffin":
        path.write_bytes(_relocate_puffin(path.read_bytes(), move))
    elif file_format == "avro":
        path.write_bytes(AvroFile(path.read_bytes()).rewrite(lambda row: _relocate_row(row, move)))
    else:
        raise ValueError(f"files of deletes in the format {file_format} cannot be moved")
    return path.stat().st_size


def _relocate_row(row: Row, move: Move) -> None:
    row[_PATH] = with_value(row[_PATH], move.relocate(text_of(row[_PATH])).encode())


def _relocate_parquet(path: Path, move: Move) -> None:
    import pyarrow.parquet as pq

    written = path.with_name(path.name + ".moved")
    with pq.ParquetFile(path) as file:
        codec = file.metadata.row_group(0).column(0).compression if file.num_row_groups else "ZSTD"
        schema = file.schema_arrow
        with pq.ParquetWriter(written, schema, compression=codec, store_schema=False) as writer:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                place = table.column_names.index(_PATH)
                column = _relocate_column(table.column(place), move)
                writer.write_table(table.set_column(place, schema.field(place), column))
    written.replace(path)


def _relocate_column(column: pa.ChunkedArray, move: Move) -> Any:
    """Few files have all the deletes, so each name is looked at once."""
    import pyarrow as pa

    names = column.combine_chunks().dictionary_encode()
    moved = pa.array([move.relocate(name) for name in names.dictionary.to_pylist()], column.type)
    return moved.take(names.indices)


def _relocate_puffin(content: bytes, move: Move) -> bytes:
    """The footer says which data file each vector is about; the vectors stay where they are."""
    size, flags = struct.unpack("<iI", content[-12:-4])
    begin = len(content) - 12 - size
    if content[-4:] != _PUFFIN or begin < 8 or content[begin - 4 : begin] != _PUFFIN:
        raise ValueError("it is not a Puffin file")
    if flags & _ZIPPED_FOOTER:
        raise ValueError("a Puffin file with a compressed footer cannot be moved")
    footer = move.relocate_all(json.loads(content[begin : begin + size]))
    payload = json.dumps(footer, ensure_ascii=False).encode()
    return content[:begin] + payload + struct.pack("<iI", len(payload), flags) + _PUFFIN
