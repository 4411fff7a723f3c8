"""``sqe load --preview``: how CSV files would be read, from no more than their beginning."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from sqe.files.encodings import head_of
from sqe.files.options import CSV_OPTIONS, CsvOptions
from sqe.files.sniff import SAMPLE, Sample, shorten, sniff

if TYPE_CHECKING:
    from sqe.results.stream import ResultStream

_ROWS = 10
_NAMES = {"\t": "tab"}


@dataclass(frozen=True)
class Preview:
    """What was found in one file."""

    path: str
    encoding: str
    sample: Sample

    @property
    def options(self) -> dict[str, str]:
        """As --option takes them."""
        written = self.sample.written
        forms, sep = written.forms, written.dialect.sep
        detected = {
            "encoding": self.encoding,
            "sep": _NAMES.get(sep, sep),
            "header": str(written.header).lower(),
            "decimal": forms.decimal,
            "thousands": forms.thousands,
            "dateformat": " or ".join(forms.dates) or "yyyy-MM-dd",
            "timestampformat": forms.timestamp,
        }
        return {name: value for name, value in detected.items() if value}

    @property
    def rows(self) -> list[list[str | None]]:
        return list(self.sample.rows[:_ROWS])

    def as_json(self) -> dict[str, Any]:
        columns = zip(self.sample.written.names, self.sample.types, strict=True)
        return {
            "file": self.path,
            "options": self.options,
            "columns": [{"name": name, "type": kind} for name, kind in columns],
            "rows": self.rows,
            "bad_lines": [
                {"line": bad.line, "reason": bad.fault, "text": bad.text}
                for bad in self.sample.faults[:_ROWS]
            ],
        }


def preview(path: str, options: Mapping[str, str]) -> Preview:
    unknown = sorted(options.keys() - CSV_OPTIONS)
    if unknown:
        known = ", ".join(sorted(CSV_OPTIONS))
        raise click.UsageError(f"There is no option {unknown[0]} for CSV; there are {known}.")
    csv_options = CsvOptions.of(options)
    head, encoding, whole = head_of(path, csv_options.encoding, SAMPLE)
    return Preview(path, encoding, sniff(path, head, whole, csv_options))


def show(previews: Sequence[Preview], *, as_json: bool) -> None:
    """On stdout."""
    if as_json:
        click.echo(json.dumps([preview.as_json() for preview in previews], ensure_ascii=False))
        return
    from sqe.cli.formats import OutputFormat
    from sqe.cli.formats.writer import writer_for

    for preview in previews:
        options = "  ".join(f"{name}={value}" for name, value in preview.options.items())
        click.echo(f"{preview.path}\n{options}\n")
        sys.stdout.flush()
        writer = writer_for(OutputFormat.TABLE, sys.stdout.buffer)
        result = _table(preview)
        writer.begin(result)
        for batch in result:
            writer.write(batch)
        writer.end()
        click.echo("")
        for bad in preview.sample.faults[:_ROWS]:
            click.echo(f"line {bad.line}: {bad.fault}: {shorten(bad.text)}", err=True)
    count = len(previews[0].sample.rows) if previews else 0
    click.echo(f"Types are those of the first {count:,} rows. Nothing was loaded.", err=True)


def _table(found: Preview) -> ResultStream:
    """The columns with their types in the header, over the first rows."""
    import pyarrow as pa

    from sqe.model.query import Column
    from sqe.results.stream import ResultStream

    sample = found.sample
    heads = zip(sample.written.names, sample.types, strict=True)
    columns = tuple(Column(f"{name}: {kind}", "string") for name, kind in heads)
    schema = pa.schema([pa.field(column.name, pa.string()) for column in columns])
    cells = [pa.array([row[at] for row in found.rows], pa.string()) for at in range(len(columns))]
    return ResultStream(columns, schema, iter([pa.RecordBatch.from_arrays(cells, schema=schema)]))
