"""Files read record by record: rows that fit become Parquet, the first that does not is an error,
or all of them are kept aside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sqe.engines.local.csv.queries import Typing, read_csv
from sqe.engines.staging import REJECTS_SCHEMA
from sqe.errors import ErrorCode, UserError
from sqe.files.encodings import PlainFile
from sqe.files.records import Record, records, with_width
from sqe.files.sniff import Written, shorten

_BATCH = 20_000
RunOn = Callable[[str, pa.Table], pa.Table]


class RejectFile:
    """Rows that did not fit, on disk for as long as the load runs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer = pq.ParquetWriter(path, REJECTS_SCHEMA)
        self.count = 0

    def add(self, file: str, rows: pa.Table) -> None:
        names = pa.array([file] * len(rows), pa.string())
        columns = [names, *(rows.column(name) for name in ("line", "reason", "text"))]
        table = pa.table(columns, names=REJECTS_SCHEMA.names).cast(REJECTS_SCHEMA)
        self._writer.write_table(table)
        self.count += len(rows)

    def close(self) -> None:
        self._writer.close()

    def batches(self) -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(self._path) as file:
            yield from file.iter_batches()


@dataclass
class Source:
    """Files that are written alike, and where their rows go. ``quick``: DuckDB's own reader has not
    failed on them yet."""

    written: Written
    files: tuple[PlainFile, ...]
    part: Path
    quick: bool = True

    @property
    def relation(self) -> str | None:
        return read_csv([file.plain for file in self.files], self.written) if self.quick else None


def write_fitting(source: Source, typing: Typing, aside: RejectFile | None, run_on: RunOn) -> None:
    writer: pq.ParquetWriter | None = None
    try:
        for file in source.files:
            for table in field_tables(file, source.written, faults=True):
                judged = run_on(typing.judge_rows("arriving"), table)
                bad = judged.filter(pc.is_valid(judged["reason"]))
                if len(bad) and aside is None:
                    raise _bad_line(file.path, bad.slice(0, 1).to_pylist()[0])
                if len(bad) and aside is not None:
                    aside.add(file.path, bad)
                rows = judged.filter(pc.is_null(judged["reason"])).select(judged.column_names[3:])
                writer = writer or pq.ParquetWriter(source.part, rows.schema, compression="snappy")
                writer.write_table(rows)
    finally:
        if writer is not None:
            writer.close()


def field_tables(file: PlainFile, written: Written, *, faults: bool = False) -> Iterator[pa.Table]:
    """Its records as tables of texts: line, text, fault, f0, f1, …; at least one, maybe empty.
    ``faults``: also those that are none."""
    batch: list[Record] = []
    with file.lines() as lines:
        field_rows = _rows(records(lines, written.dialect), written)
        for record in field_rows:
            if faults or not record.fault:
                batch.append(record)
            if len(batch) == _BATCH:
                yield _table(batch, len(written.names))
                batch = []
    yield _table(batch, len(written.names))


def _rows(found: Iterator[Record], written: Written) -> Iterator[Record]:
    """Without the header and blank lines, each with as many fields as there are names."""
    width = len(written.names)
    header = written.header
    for record in found:
        if record.blank and (width > 1 or header):
            continue
        if header:
            header = False
            continue
        yield with_width(record, width)


def _table(batch: Sequence[Record], width: int) -> pa.Table:
    none: list[str | None] = [None] * width
    rows = [none if record.fault else record.fields for record in batch]
    columns = {
        "line": pa.array([record.line for record in batch], pa.int64()),
        "text": pa.array([record.text for record in batch], pa.string()),
        "fault": pa.array([record.fault or None for record in batch], pa.string()),
    }
    for at in range(width):
        columns[f"f{at}"] = pa.array([row[at] for row in rows], pa.string())
    return pa.table(columns)


def _bad_line(path: str, row: dict[str, object]) -> UserError:
    return UserError(
        ErrorCode.INVALID_FILE,
        f"{path}, line {row['line']}: {row['reason']}: {shorten(str(row['text']))}",
        hint="Nothing was loaded. Mend the line, or keep bad lines aside: sqe load --rejects FILE,"
        " COPY_OPTIONS ('rejects' = 'true').",
    )
