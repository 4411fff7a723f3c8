"""Rewrites a table's delete manifests in place: position deletes become equality deletes."""

from __future__ import annotations

import json
from pathlib import Path

import fastavro
from pyiceberg.table import Table


def turn_into_equality_deletes(table: Table) -> None:
    """For tests of who reads them: the delete files themselves stay what they are."""
    snapshot = table.current_snapshot()
    assert snapshot is not None
    listed = Path(snapshot.manifest_list.removeprefix("file:"))
    with listed.open("rb") as file:
        reader = fastavro.reader(file)
        schema, manifests, about = reader.writer_schema, list(reader), reader.metadata
    for manifest in manifests:
        if manifest["content"] == 1:
            manifest["manifest_length"] = _rewrite(manifest["manifest_path"])
    _write(listed, schema, manifests, about)


def _rewrite(location: str) -> int:
    path = Path(location.removeprefix("file:"))
    with path.open("rb") as file:
        reader = fastavro.reader(file)
        schema, entries, about = reader.writer_schema, list(reader), reader.metadata
    for entry in entries:
        entry["data_file"] |= {"content": 2, "equality_ids": [1]}
    _write(path, schema, entries, about)
    return path.stat().st_size


def _write(path: Path, schema: object, records: list[object], about: dict[str, str]) -> None:
    kept = {key: value for key, value in about.items() if not key.startswith("avro.")}
    parsed = json.loads(json.dumps(schema))
    with path.open("wb") as file:
        fastavro.writer(file, parsed, records, metadata=kept)
