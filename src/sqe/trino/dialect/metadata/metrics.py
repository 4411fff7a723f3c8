"""A column's lowest and highest value in a file, as Trino writes them: text, and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqe.model.trino_types import TIMESTAMP, TIMESTAMP_TZ, TrinoType
from sqe.trino.dialect.metadata.iceberg import Leaf
from sqe.trino.dialect.typed import quote_name, string

_AS_THEY_ARE = ("boolean", "integer", "bigint", "real", "double")
_COUNTS = ("column_size", "value_count", "null_value_count", "nan_value_count")


@dataclass(frozen=True, slots=True)
class File:
    """Where Spark has the columns of a file, and the metrics of it that people can read."""

    columns: str
    metrics: str

    def metric(self, leaf: Leaf, name: str) -> str:
        return f"{self.metrics}.{quote_name(leaf.name)}.{name}"

    def bound_of(self, leaf: Leaf, side: str) -> str:
        """``side``: lower or upper."""
        if leaf.type.base == TIMESTAMP:
            return _decode_moment(f"element_at({self.columns}.{side}_bounds, {leaf.id})")
        return self.metric(leaf, f"{side}_bound")


def _decode_moment(value: str) -> str:
    """Out of its bytes, the last of which is the highest: where Spark does not compile the query,
    it finds NULL among the readable metrics for a timestamp without time zone."""
    pairs = ", ".join(f"substring(hex({value}), {place}, 2)" for place in range(15, 0, -2))
    number = f"CAST(conv(concat({pairs}), 16, -10) AS bigint)"
    return f"timestampadd(MICROSECOND, {number}, TIMESTAMP_NTZ '1970-01-01')"


def text(kind: TrinoType, value: str) -> str:
    """Spark's SQL for the value as text."""
    if kind.base == "varbinary":
        return f"base64({value})"
    if kind.base == TIMESTAMP:
        return _iso(value)
    if kind.base == TIMESTAMP_TZ:
        local = f"timestampadd(MICROSECOND, unix_micros({value}), TIMESTAMP_NTZ '1970-01-01')"
        return f"concat({_iso(local)}, '+00:00')"
    return f"CAST({value} AS string)"


def _iso(value: str) -> str:
    """With as many digits behind the point as there are, and no point without any."""
    written = f"date_format({value}, \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS\")"
    return f"regexp_replace({written}, '[.]?0+$', '')"


def readable(columns: Sequence[Leaf], file: File) -> str:
    """The column ``readable_metrics``."""
    parts = []
    for leaf in sorted(columns, key=lambda one: one.name):
        told = [f"'{count}', {file.metric(leaf, count)}" for count in _COUNTS]
        for side in ("lower", "upper"):
            told.append(f"'{side}_bound', {_json(leaf.type, file.bound_of(leaf, side))}")
        parts.append(f"{string(leaf.name)}, named_struct({', '.join(told)})")
    return f"to_json(named_struct({', '.join(parts)}), map('ignoreNullFields', 'false'))"


def _json(kind: TrinoType, value: str) -> str:
    if kind.base in _AS_THEY_ARE:
        return value
    return f"hex({value})" if kind.base == "varbinary" else text(kind, value)
