"""Table properties: the list in a statement, and what may stand in it.

Iceberg ignores a property it does not know, so a misspelt one silently does nothing. Names in
Iceberg's own namespaces are therefore checked; any other name is the user's to choose.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from sqe.errors import ErrorCode, UserError
from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import Span, position_at


@dataclass(frozen=True, slots=True)
class Property:
    """One entry of a list, and where its name stands."""

    name: str
    value: str
    span: Span


_TEXT, _WHOLE, _NUMBER = "a text", "a whole number", "a number"
_BOOL = ("true", "false")
_FORMATS = ("parquet", "orc", "avro")
_MODE = ("copy-on-write", "merge-on-read")
_ISOLATION = ("serializable", "snapshot")
_DISTRIBUTION = ("none", "hash", "range")
_PLANNING = ("auto", "local", "distributed")
_PARQUET_CODECS = ("zstd", "gzip", "snappy", "lz4", "brotli", "uncompressed", "none")

_Rule = str | tuple[str, ...]
_OF_FILES: dict[str, _Rule] = {
    "parquet.row-group-size-bytes": _WHOLE,
    "parquet.page-size-bytes": _WHOLE,
    "parquet.page-version": ("v1", "v2"),
    "parquet.page-row-limit": _WHOLE,
    "parquet.dict-size-bytes": _WHOLE,
    "parquet.compression-codec": _PARQUET_CODECS,
    "parquet.compression-level": _WHOLE,
    "parquet.row-group-check-min-record-count": _WHOLE,
    "parquet.row-group-check-max-record-count": _WHOLE,
    "avro.compression-codec": ("gzip", "zstd", "snappy", "uncompressed"),
    "avro.compression-level": _WHOLE,
    "orc.stripe-size-bytes": _WHOLE,
    "orc.block-size-bytes": _WHOLE,
    "orc.vectorized.batch-size": _WHOLE,
    "orc.compression-codec": ("zlib", "zstd", "lz4", "lzo", "snappy", "none"),
    "orc.compression-strategy": ("speed", "compression"),
    "target-file-size-bytes": _WHOLE,
    "format.default": _FORMATS,
}
_KNOWN: dict[str, _Rule] = {
    "format-version": ("1", "2", "3"),
    **{f"write.{name}": rule for name, rule in _OF_FILES.items()},
    **{f"write.delete.{name}": rule for name, rule in _OF_FILES.items()},
    **{f"write.{verb}.mode": _MODE for verb in ("delete", "update", "merge")},
    **{f"write.{verb}.isolation-level": _ISOLATION for verb in ("delete", "update", "merge")},
    **{f"write.{verb}.distribution-mode": _DISTRIBUTION for verb in ("delete", "update", "merge")},
    "write.distribution-mode": _DISTRIBUTION,
    "write.delete.granularity": ("partition", "file"),
    "write.upsert.enabled": _BOOL,
    "write.wap.enabled": _BOOL,
    "write.summary.partition-limit": _WHOLE,
    "write.object-storage.enabled": _BOOL,
    "write.object-storage.partitioned-paths": _BOOL,
    "write.spark.fanout.enabled": _BOOL,
    "write.spark.accept-any-schema": _BOOL,
    "write.spark.auto-schema-evolution.enabled": _BOOL,
    "write.spark.advisory-partition-size-bytes": _WHOLE,
    "write.parquet.shred-variants": _BOOL,
    "write.parquet.variant-inference-buffer-size": _WHOLE,
    "write.parquet.row-group-size-track-uncompressed": _BOOL,
    "write.parquet.bloom-filter-max-bytes": _WHOLE,
    "write.parquet.bloom-filter-adaptive-enabled": _BOOL,
    "write.orc.bloom.filter.columns": _TEXT,
    "write.orc.bloom.filter.fpp": _NUMBER,
    "write.manifest.compression-codec": _TEXT,
    "write.manifest.compression-level": _WHOLE,
    "write.metadata.compression-codec": ("none", "gzip"),
    "write.metadata.previous-versions-max": _WHOLE,
    "write.metadata.delete-after-commit.enabled": _BOOL,
    "write.metadata.metrics.default": _TEXT,
    "write.metadata.metrics.max-inferred-column-defaults": _WHOLE,
    "read.split.target-size": _WHOLE,
    "read.split.metadata-target-size": _WHOLE,
    "read.split.planning-lookback": _WHOLE,
    "read.split.open-file-cost": _WHOLE,
    "read.split.adaptive-size.enabled": _BOOL,
    "read.parquet.vectorization.enabled": _BOOL,
    "read.parquet.vectorization.batch-size": _WHOLE,
    "read.orc.vectorization.enabled": _BOOL,
    "read.orc.vectorization.batch-size": _WHOLE,
    "read.data-planning-mode": _PLANNING,
    "read.delete-planning-mode": _PLANNING,
    "commit.retry.num-retries": _WHOLE,
    "commit.retry.min-wait-ms": _WHOLE,
    "commit.retry.max-wait-ms": _WHOLE,
    "commit.retry.total-timeout-ms": _WHOLE,
    "commit.status-check.num-retries": _WHOLE,
    "commit.status-check.min-wait-ms": _WHOLE,
    "commit.status-check.max-wait-ms": _WHOLE,
    "commit.status-check.total-timeout-ms": _WHOLE,
    "commit.manifest.target-size-bytes": _WHOLE,
    "commit.manifest.min-count-to-merge": _WHOLE,
    "commit.manifest-merge.enabled": _BOOL,
    "history.expire.max-snapshot-age-ms": _WHOLE,
    "history.expire.min-snapshots-to-keep": _WHOLE,
    "history.expire.max-ref-age-ms": _WHOLE,
    "gc.enabled": _BOOL,
    "compatibility.snapshot-id-inheritance.enabled": _BOOL,
    "schema.name-mapping.default": _TEXT,
    "identifier-fields.rely": _BOOL,
    "encryption.key-id": _TEXT,
    "encryption.data-key-length": _WHOLE,
}
# With a column's name behind them.
_OF_COLUMNS: dict[str, _Rule] = {
    "write.metadata.metrics.column.": _TEXT,
    "write.parquet.bloom-filter-enabled.column.": _BOOL,
    "write.parquet.bloom-filter-fpp.column.": _NUMBER,
    "write.parquet.bloom-filter-ndv.column.": _WHOLE,
    "write.parquet.stats-enabled.column.": _BOOL,
    "write.parquet.dict-encoding-enabled.column.": _BOOL,
}
_CHECKED = (
    "write.", "read.", "commit.", "history.", "gc.", "compatibility.", "schema.name-mapping",
    "identifier-fields.", "encryption.", "format-version", "format.version", "format_version",
)  # fmt: skip
_PATHS = frozenset(
    {
        "location",
        "path",
        "option.path",
        "write.data.path",
        "write.metadata.path",
        "write.folder-storage.path",
        "write.object-storage.path",
        "write.location-provider.impl",
    }
)
_RESERVED = frozenset(
    {
        "current-schema",
        "current-snapshot-id",
        "current-snapshot-summary",
        "current-snapshot-timestamp-ms",
        "default-partition-spec",
        "default-sort-order",
        "external",
        "identifier-fields",
        "is_managed_location",
        "owner",
        "provider",
        "snapshot-count",
        "sort-order",
        "uuid",
    }
)


def read_property_name(cursor: TokenCursor) -> str:
    if cursor.at_string():
        return cursor.string_literal()
    return ".".join(cursor.take_dotted_name("a property")[0])


def read_properties(cursor: TokenCursor) -> list[Property]:
    """``('a' = 'b', c.d = 1)``."""
    cursor.expect("(")
    properties: list[Property] = []
    while not properties or cursor.accept(","):
        name, span = cursor.read_with_span(lambda: read_property_name(cursor))
        cursor.accept("=")  # Spark lets it be left out
        properties.append(Property(name, cursor.property_value(), span))
    cursor.expect(")")
    return properties


def check_properties(text: str, properties: Iterable[Property]) -> None:
    """Refuses names that are reserved or would do nothing, and values Iceberg cannot use."""
    seen: set[str] = set()
    for property_ in properties:
        if property_.name in seen:
            raise _refusal(text, property_.span, f"The property {property_.name} is given twice.")
        seen.add(property_.name)
        check_property_name(text, property_.name, property_.span)
        _check_value(text, property_)


def check_property_name(text: str, name: str, span: Span, *, removing: bool = False) -> None:
    """``removing``: a name that means nothing may be taken away again."""
    lowered = name.lower()
    if lowered in _PATHS:
        raise _refusal(
            text,
            span,
            f"The property {name} is not supported.",
            "The catalog chooses where a table lives.",
            ErrorCode.NOT_SUPPORTED,
        )
    if lowered in _RESERVED or lowered.startswith("sqe."):
        raise _refusal(
            text,
            span,
            f"The property {name} is reserved.",
            "It is kept by the catalog or by SQE; choose another name.",
        )
    if removing or name in _KNOWN or not lowered.startswith(_CHECKED):
        return
    if any(name.startswith(prefix) and name != prefix for prefix in _OF_COLUMNS):
        return
    raise _refusal(text, span, f"Iceberg has no property {name}.", _nearest(lowered))


def _nearest(name: str) -> str:
    close = difflib.get_close_matches(name, [*_KNOWN, *_OF_COLUMNS], n=1)
    if not close:
        return "It would do nothing. A property of your own needs another first word."
    return f"Did you mean {close[0]}{'<column>' if close[0].endswith('.') else ''}?"


def _check_value(text: str, given: Property) -> None:
    rule = _KNOWN.get(given.name)
    for prefix, of_column in _OF_COLUMNS.items():
        if given.name.startswith(prefix):
            rule = of_column
    value = given.value.strip().lower()
    if rule is None or rule == _TEXT or _fits(rule, value):
        return
    wanted = rule if isinstance(rule, str) else f"one of {', '.join(rule)}"
    raise _refusal(
        text, given.span, f"The property {given.name} takes {wanted}, not {given.value!r}."
    )


def _fits(rule: _Rule, value: str) -> bool:
    if not isinstance(rule, str):
        return value in rule
    try:
        float(value) if rule == _NUMBER else int(value)
    except ValueError:
        return False
    return True


def _refusal(
    text: str,
    span: Span,
    message: str,
    hint: str = "",
    code: ErrorCode = ErrorCode.INVALID_ARGUMENT,
) -> UserError:
    return UserError(
        code, message, hint=hint, position=position_at(text, span.start, span.of(text))
    )
