"""CSV files as COPY reads them, without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sqe.engines.local.csv.reader import DuckDbCsvLoad, open_csv
from sqe.engines.local.instances import Instances
from sqe.engines.staging import LoadRun
from sqe.files.options import CsvOptions
from sqe.model.query import Column
from sqe.results.cancellation import Cancellation


@dataclass(frozen=True)
class Loaded:
    rows: pa.Table
    rejects: list[dict[str, Any]]
    quick: bool  # DuckDB's own reader has read it


@dataclass(frozen=True)
class Loads:
    """Loads files out of a folder of the test."""

    instances: Instances
    folder: Path

    def write(self, content: bytes | str, name: str = "a.csv") -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    @contextmanager
    def open(
        self, *paths: Path, columns: Sequence[str] = (), **options: str
    ) -> Iterator[DuckDbCsvLoad]:
        run = LoadRun(Cancellation(), lambda progress: None)
        names = [str(path) for path in paths]
        with open_csv(self.instances, names, CsvOptions.of(options), columns, run) as load:
            yield load

    def load(
        self,
        content: bytes | str,
        columns: str = "",
        *,
        rejects: bool = False,
        slow: bool = False,
        **options: str,
    ) -> Loaded:
        """``columns`` are those of the table, ``a int, b string``; none: what is guessed."""
        pairs = [part.split() for part in columns.split(", ") if part]
        wanted = [Column(name, kind) for name, kind in pairs]
        known = [column.name for column in wanted]
        with self.open(self.write(content), columns=known, **options) as load:
            for source in load.sources:
                source.quick = not slow
            if not wanted:
                wanted = [Column(n, kind) for n, kind in zip(load.names, load.types(), strict=True)]
            names = load.names if load.has_header or not known else known
            staged = load.stage(wanted, names, rejects=rejects)
            rows = pq.read_table(list(staged.files))
            aside = [row for batch in staged.rejects() for row in batch.to_pylist()]
            assert len(aside) == staged.rejected
            return Loaded(rows, aside, all(source.quick for source in load.sources))

    def types(self, content: bytes | str, **options: str) -> dict[str, str]:
        with self.open(self.write(content), **options) as load:
            return dict(zip(load.names, load.types(), strict=True))
