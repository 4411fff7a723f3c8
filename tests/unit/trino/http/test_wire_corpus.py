"""The recordings of a real Trino: its values, read back and encoded again, are the same."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from sqe.model.query import Column
from sqe.model.trino_types import TrinoType, parse_type
from sqe.trino.http.wire import columns_json
from tests.unit.trino.http.wire_values import PARAMETRIC, encoded, result_of

REPOSITORY = Path(__file__).parents[4]
# Read here because tests themselves do not see the developer's environment.
CORPUS = Path(os.environ.get("SQE_CORPORA") or REPOSITORY.parent / "shared" / "corpora") / "trino"
NO_CORPUS = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus is not here; set SQE_CORPORA to its folder"
)


def _answers() -> Iterator[dict[str, Any]]:
    for name in ("trino-functions", "trino-queries"):
        for line in (CORPUS / f"{name}.jsonl").read_text("utf-8").splitlines():
            answer = json.loads(line)
            if answer.get("columns"):
                yield answer


def _micros(text: str, unit: Literal["us", "D"] = "us") -> int:
    return int(np.datetime64(text.lstrip("+").replace(" ", "T"), unit).astype(np.int64))


def _carried(kind: TrinoType, value: Any) -> Any:
    """The value of the carrier, from the JSON of Trino's."""
    if value is None:
        return None
    match kind.base:
        case "array":
            return [_carried(kind.element, one) for one in value]
        case "row":
            return tuple(
                _carried(one.type, inside) for one, inside in zip(kind.fields, value, strict=True)
            )
        case "map":
            keys, values = kind.types
            return [(_carried(keys, k), _carried(values, v)) for k, v in value.items()]
    return _plain(kind, value)


def _plain(kind: TrinoType, value: Any) -> Any:
    match kind.base:
        case "boolean":
            return value in (True, "true")
        case "tinyint" | "smallint" | "integer" | "bigint":
            return int(value)
        case "real" | "double":
            return float(value)
        case "decimal":
            return Decimal(value)
        case "varbinary":
            return base64.b64decode(value)
        case "char":
            return value.rstrip(" ")
    return _moment(kind, value)


def _moment(kind: TrinoType, value: str) -> Any:
    match kind.base:
        case "date":
            return _micros(value, "D")
        case "timestamp":
            return _micros(value)
        case "time":
            return _micros(f"1970-01-01 {value}")
        case "interval day to second":
            days, clock = value.lstrip("-").split(" ")
            size = int(days) * 86_400_000 + _micros(f"1970-01-01 {clock}") // 1000
            return -size if value.startswith("-") else size
        case "interval year to month":
            years, months = value.lstrip("-").split("-")
            size = int(years) * 12 + int(months)
            return -size if value.startswith("-") else size
    return value


def _too_fine(kind: TrinoType) -> bool:
    """Finer than microseconds, which no engine of SQE has."""
    return any(int(digits) > 6 for digits in re.findall(r"time(?:stamp)?\((\d+)\)", str(kind)))


@NO_CORPUS
def test_every_type_is_told_in_trinos_words() -> None:
    types = {column["type"] for answer in _answers() for column in answer["columns"]}
    assert len(types) > 100
    told = {kind: columns_json([Column("c", kind)], PARAMETRIC)[0]["type"] for kind in types}
    assert told == {kind: kind for kind in types}


@NO_CORPUS
def test_values_come_out_as_trino_sent_them() -> None:
    compared = 0
    for answer in _answers():
        for place, column in enumerate(answer["columns"]):
            kind = parse_type(column["type"])
            # Instants are told in one zone here and in several there; test_wire_known has them.
            if "with time zone" in str(kind) or _too_fine(kind):
                continue
            sent = [row[place] for row in answer["data"]]
            columns, batch = result_of([kind], [(_carried(kind, value),) for value in sent])
            assert encoded(columns, batch) == [[value] for value in sent], answer["id"]
            compared += len(sent)
    assert compared > 3000
