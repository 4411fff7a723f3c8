"""The CSV files of a load: looked at, decoded, and staged as typed Parquet files.

DuckDB's parallel reader takes whole files whose every row fits. Whatever it does not like is read
again record by record (``slow.py``), which knows the line and the text of what is wrong.
"""

from __future__ import annotations

import itertools
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from sqe.engines.local.csv.queries import Typing, fit_query
from sqe.engines.local.csv.slow import RejectFile, Source, field_tables, write_fitting
from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.instance import Need
from sqe.engines.local.instances import Instances
from sqe.engines.local.lease import Lease
from sqe.engines.staging import LoadRun, Staged
from sqe.errors import ErrorCode, ResourceError, UserError, is_disk_full
from sqe.files.encodings import PlainFile, head_of, plain_file
from sqe.files.guesses import TYPES, wider
from sqe.files.options import CsvOptions
from sqe.files.sniff import SAMPLE, Sample, Written, sniff
from sqe.model.names import quote_text
from sqe.model.query import Column, Progress

_FORMAT = "(FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 122880)"
_TICK_S = 0.2
_MEMORY = 1 << 30
_T = TypeVar("_T")


@contextmanager
def open_csv(
    instances: Instances,
    paths: Sequence[str],
    options: CsvOptions,
    columns: Sequence[str],
    run: LoadRun,
) -> Iterator[DuckDbCsvLoad]:
    """``instances`` gives a database that opens the files of the load and nothing else."""
    folder = instances.scratch()
    try:
        files = _look(paths, options, columns, folder, run)
        groups: dict[Written, list[PlainFile]] = {}
        for file, sample in files:
            groups.setdefault(sample.written, []).append(file)
        sources = [
            Source(written, tuple(members), folder / f"part-{number}.parquet")
            for number, (written, members) in enumerate(groups.items())
        ]
        opens = [file.plain for file, _ in files] + [str(source.part) for source in sources]
        with _database(instances, opens, run) as lease:
            yield DuckDbCsvLoad(lease, sources, files[0][1], options, folder, run)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class DuckDbCsvLoad:
    lease: Lease
    sources: list[Source]
    first: Sample
    options: CsvOptions
    folder: Path
    run: LoadRun

    @property
    def names(self) -> tuple[str, ...]:
        return self.first.written.names

    @property
    def has_header(self) -> bool:
        return self.first.written.header

    def types(self) -> tuple[str, ...]:
        """From what the first rows look like, each column's type is widened until all fit."""
        guesses = self.first.types
        types_of_sources = [
            _in_order(self._types(source, guesses), source.written.names, self.names)
            for source in self.sources
        ]
        columns = zip(*types_of_sources, strict=True)
        return tuple(wider(sorted(kinds - {""})) for kinds in map(set, columns))

    def stage(
        self, columns: Sequence[Column], names: Sequence[str], *, rejects: bool, rows: bool = True
    ) -> Staged:
        aside = RejectFile(self.folder / "rejects.parquet") if rejects else None
        typing = None
        try:
            for source in self.sources:
                own = source.written.names if self.has_header else tuple(names)
                source.written = replace(source.written, names=own)
                typing = Typing.of(columns, own, source.written.forms, self.options.binary)
                self._stage(source, typing, aside, rows)
        finally:
            if aside is not None:
                aside.close()
        assert typing is not None  # noqa: S101  a load has at least one file
        parts = tuple(str(source.part) for source in self.sources)
        return Staged(
            parts,
            typing.staged_columns,
            aside.count if aside else 0,
            aside.batches if aside else lambda: iter(()),
        )

    def _stage(self, source: Source, typing: Typing, aside: RejectFile | None, rows: bool) -> None:
        if not rows:
            empty = self._table(typing.select_checked(self._empty_relation(source)))
            pq.write_table(empty, source.part)
            return
        relation = source.relation
        if relation is not None:
            part = quote_text(str(source.part))
            sql = f"COPY ({typing.select_checked(relation)}) TO {part} {_FORMAT}"
            with _report_progress(self.lease, self.run):
                if self._try(source, sql) is not None:
                    return
        write_fitting(source, typing, aside, self._run_on)

    def _empty_relation(self, source: Source) -> str:
        fields = ", ".join(f"NULL::VARCHAR AS f{at}" for at in range(len(source.written.names)))
        return f"(SELECT {fields} LIMIT 0)"

    def _types(self, source: Source, guesses: Sequence[str]) -> list[str]:
        """ "" for a column without any value."""
        seen = [any(row[at] is not None for row in self.first.rows) for at in range(len(guesses))]
        seen = _in_order(seen, self.names, source.written.names)
        kinds = _in_order(guesses, self.names, source.written.names)
        kinds = [kind if known else TYPES[0] for kind, known in zip(kinds, seen, strict=True)]
        while True:
            flags = self._check_types(source, kinds)
            if all(fits for fits, _ in flags):
                return [kind if has else "" for kind, (_, has) in zip(kinds, flags, strict=True)]
            kinds = [
                kind if fits else _next_wider(kind, known)
                for kind, known, (fits, _) in zip(kinds, seen, flags, strict=True)
            ]

    def _check_types(self, source: Source, kinds: list[str]) -> list[tuple[bool, bool]]:
        forms = source.written.forms
        relation = source.relation
        row = self._try(source, fit_query(kinds, forms, relation)) if relation is not None else None
        if row is not None:
            return list(zip(row[0::2], row[1::2], strict=True))
        flags = [(True, False)] * len(kinds)
        for file in source.files:
            for table in field_tables(file, source.written):
                fits = self._run_on(fit_query(kinds, forms, "arriving"), table).to_pylist()
                values = list(fits[0].values())
                pairs = zip(values[0::2], values[1::2], strict=True)
                flags = [
                    (all_fit and now, any_value or has)
                    for (all_fit, any_value), (now, has) in zip(flags, pairs, strict=True)
                ]
        return flags

    def _try(self, source: Source, sql: str) -> tuple[Any, ...] | None:
        """The first row; None where DuckDB does not get through the files."""
        import duckdb

        self.run.cancellation.check()
        try:
            with self.lease.busy:
                return self.lease.execute(sql).fetchone()
        except duckdb.Error as error:
            self.run.cancellation.check()
            if (failure := _resource_error(error)) is not None:
                raise failure from error
            source.quick = False
            source.part.unlink(missing_ok=True)
            return None

    def _table(self, sql: str) -> pa.Table:
        with self.lease.busy:
            return self.lease.execute(sql).to_arrow_table()

    def _run_on(self, sql: str, table: pa.Table) -> pa.Table:
        """Runs it over ``table``, which the text calls ``arriving``."""
        import duckdb

        self.run.cancellation.check()
        connection = self.lease.connection
        try:
            with self.lease.busy:
                connection.register("arriving", table)
                try:
                    return self.lease.execute(sql).to_arrow_table()
                finally:
                    connection.unregister("arriving")
        except duckdb.Error as error:
            self.run.cancellation.check()
            raise _resource_error(error) or error from error


def _look(
    paths: Sequence[str],
    options: CsvOptions,
    columns: Sequence[str],
    folder: Path,
    run: LoadRun,
) -> list[tuple[PlainFile, Sample]]:
    """Each file in UTF-8, and how it is written. All have the same columns, in any order."""
    numbers = itertools.count(1)
    files: list[tuple[PlainFile, Sample]] = []
    for path in paths:
        run.cancellation.check()
        head, _, whole = head_of(path, options.encoding, SAMPLE)
        sample = sniff(path, head, whole, options, columns)
        if files:
            _check_same(files[0], path, sample)
        else:
            options = replace(options, header=sample.written.header)
        plain = plain_file(
            path,
            options.encoding,
            lambda: folder / f"plain-{next(numbers)}.csv",
            run.cancellation.check,
        )
        files.append((plain, sample))
    return files


def _check_same(first: tuple[PlainFile, Sample], path: str, sample: Sample) -> None:
    expected, names = (
        sorted(name.lower() for name in each.written.names) for each in (first[1], sample)
    )
    if expected != names:
        raise UserError(
            ErrorCode.INVALID_FILE,
            f"{path} has other columns ({', '.join(sample.written.names)}) than {first[0].path}"
            f" ({', '.join(first[1].written.names)}).",
            hint="Nothing was loaded. Load files of other columns in another statement.",
        )


def _in_order(values: Sequence[_T], own: Sequence[str], names: Sequence[str]) -> list[_T]:
    """``values`` of the columns ``own``, in the order of ``names``."""
    places = {name.lower(): at for at, name in enumerate(own)}
    return [values[places[name.lower()]] for name in names]


def _next_wider(kind: str, known: bool) -> str:
    """``known``: some values are of the kind, so that only one of the same sort is wider."""
    if kind == TYPES[-1] or (known and kind in ("boolean", "double")):
        return "string"
    return TYPES[TYPES.index(kind) + 1]


@contextmanager
def _database(instances: Instances, files: Sequence[str], run: LoadRun) -> Iterator[Lease]:
    try:
        lease = instances.take(Need(files, memory=_MEMORY), run.cancellation)
    except LocalFailed as error:
        raise ResourceError(
            ErrorCode.OUT_OF_MEMORY,
            f"The files cannot be read now: {error}.",
            hint="Nothing was loaded. Run the statement again a little later.",
        ) from error
    try:
        run.cancellation.on_cancel(lease.interrupt)
        yield lease
    finally:
        lease.close()


@contextmanager
def _report_progress(lease: Lease, run: LoadRun) -> Iterator[None]:
    """Tells how far DuckDB is with the statement that runs meanwhile."""
    done = threading.Event()

    def tell() -> None:
        while not done.wait(_TICK_S):
            percent = lease.connection.query_progress()
            if percent >= 0:
                run.report(Progress(tasks=100, tasks_done=int(percent), phase="reading the files"))

    thread = threading.Thread(target=tell, name="csv-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _resource_error(error: Exception) -> ResourceError | None:
    message = str(error)
    if is_disk_full(error) or "max_temp_directory_size" in message:
        return ResourceError(
            ErrorCode.DISK_FULL,
            "There is no room on SQE's disk for the rows of the files.",
            hint="Nothing was loaded. Free some space, or load fewer files at a time.",
        )
    if message.startswith("Out of Memory"):
        return ResourceError(
            ErrorCode.OUT_OF_MEMORY,
            "The files take more memory to read than one query may have.",
            hint="Nothing was loaded. Load fewer files at a time, or raise local.memory_mb.",
        )
    return None
