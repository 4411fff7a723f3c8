"""The properties of tables: Trino's names and types, and what they are in Spark's DDL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.statements.constants import Constant, constant, display
from sqe.trino.dialect.statements.nodes import Properties, Property
from sqe.trino.dialect.statements.partitioning import PartitionField, read_order, read_partitioning
from sqe.trino.dialect.typed import string

FORMATS = ("ORC", "PARQUET", "AVRO")
_OLDEST, _NEWEST = 1, 3  # format versions
_TEXT, _WHOLE, _NUMBER, _BOOL = "varchar", "integer", "double", "boolean"
_TEXTS, _MAP = "array(varchar)", "map(varchar, varchar)"
_TYPES = {
    "format": _TEXT,
    "format_version": _WHOLE,
    "partitioning": _TEXTS,
    "sorted_by": _TEXTS,
    "location": _TEXT,
    "max_commit_retry": _WHOLE,
    "delete_after_commit_enabled": _BOOL,
    "max_previous_versions": _WHOLE,
    "orc_bloom_filter_columns": _TEXTS,
    "orc_bloom_filter_fpp": _NUMBER,
    "parquet_bloom_filter_columns": _TEXTS,
    "object_store_layout_enabled": _BOOL,
    "data_location": _TEXT,
    "compression_codec": _TEXT,
    "extra_properties": _MAP,
}
# Those that are one property of Iceberg's each.
_PLAIN = {
    "format": "write.format.default",
    "format_version": "format-version",
    "max_commit_retry": "commit.retry.num-retries",
    "delete_after_commit_enabled": "write.metadata.delete-after-commit.enabled",
    "max_previous_versions": "write.metadata.previous-versions-max",
    "orc_bloom_filter_columns": "write.orc.bloom.filter.columns",
    "orc_bloom_filter_fpp": "write.orc.bloom.filter.fpp",
    "object_store_layout_enabled": "write.object-storage.enabled",
}
# Trino always writes delete files; Spark does when told to. Not for UPDATE: there, Spark takes
# no subquery that depends on the row.
_LIKE_TRINO = {f"write.{verb}.mode": "merge-on-read" for verb in ("delete", "merge")}
_PARQUET_BLOOM = "write.parquet.bloom-filter-enabled.column."
_REFUSED = {
    "location": "the catalog chooses where a table lives",
    "data_location": "the catalog chooses where a table lives",
    "compression_codec": "set it for a session or in Spark's dialect",
}
_FITS: dict[str, Callable[[Constant], bool]] = {
    _TEXT: lambda value: isinstance(value, str),
    _WHOLE: lambda value: isinstance(value, int) and not isinstance(value, bool),
    _NUMBER: lambda value: not isinstance(value, str | bool | list | dict) and value is not None,
    _BOOL: lambda value: isinstance(value, bool),
    _TEXTS: lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value),
    _MAP: lambda value: isinstance(value, dict),
}


@dataclass(frozen=True)
class TableOptions:
    """WITH (…) in Spark's terms. ``None`` is what was not said."""

    properties: Mapping[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()  # set back to their defaults
    partitioning: list[PartitionField] | None = None
    order: list[str] | None = None

    @property
    def clauses(self) -> str:
        """For CREATE TABLE, behind the columns; the order is set by a statement of its own."""
        text = ""
        if self.partitioning:
            text += f" PARTITIONED BY ({', '.join(field.spark for field in self.partitioning)})"
        properties = {**self.properties}
        if properties.get("format-version") != "1":  # which has no delete files
            properties |= _LIKE_TRINO
        return f"{text} TBLPROPERTIES ({assignments(properties)})" if properties else text


def assignments(properties: Mapping[str, str]) -> str:
    return ", ".join(f"{string(name)} = {string(value)}" for name, value in properties.items())


def properties_to_unset(
    stored: Mapping[str, str], options: TableOptions, comment: str | None
) -> tuple[str, ...]:
    """What a table that is replaced had and the new one does not say. Spark would keep it; with
    Trino the new table has its own properties only."""
    known = {*_PLAIN.values()} - {"format-version"}
    named_properties = {*options.properties, *(["comment"] if comment is not None else [])}
    return tuple(
        sorted(
            name
            for name in stored
            if (name in known or name == "comment" or name.startswith(_PARQUET_BLOOM))
            and name not in named_properties
        )
    )


def write_order(target: str, order: list[str]) -> str:
    """``target`` in Spark's words. Trino sorts within files, and nothing else."""
    if not order:
        return f"ALTER TABLE {target} WRITE UNORDERED"
    return f"ALTER TABLE {target} WRITE LOCALLY ORDERED BY {', '.join(order)}"


def read_options(
    given: Properties, catalog: str, columns: Mapping[str, TrinoType], context: Context
) -> TableOptions:
    """``columns`` are the table's, by their names in lower case."""
    values = {option.name.name.lower(): _value(option, catalog, context) for option in given}
    properties: dict[str, str] = {}
    removed = [_PLAIN[name] for name, value in values.items() if value is None and name in _PLAIN]
    for name, value in values.items():
        if name in _PLAIN and value is not None:
            properties[_PLAIN[name]] = _write_value(value)
    bloom = values.get("parquet_bloom_filter_columns")
    if isinstance(bloom, list):
        properties |= {f"{_PARQUET_BLOOM}{str(option).lower()}": "true" for option in bloom}
    _check_columns(values, columns)
    return TableOptions(
        properties,
        tuple(removed),
        _read_partitioning(values, columns),
        _order(values, columns),
    )


def _read_partitioning(
    values: Mapping[str, Constant], columns: Mapping[str, TrinoType]
) -> list[PartitionField] | None:
    if "partitioning" not in values:
        return None
    return read_partitioning(_texts(values["partitioning"]), columns)


def _order(values: Mapping[str, Constant], columns: Mapping[str, TrinoType]) -> list[str] | None:
    if "sorted_by" not in values:
        return None
    return read_order(_texts(values["sorted_by"]), columns)


def _texts(value: Constant) -> list[str]:
    return [str(element) for element in value] if isinstance(value, list) else []


def _check_columns(values: Mapping[str, Constant], columns: Mapping[str, TrinoType]) -> None:
    for name in ("orc_bloom_filter_columns", "parquet_bloom_filter_columns"):
        missing = [text for text in _texts(values.get(name)) if text.lower() not in columns]
        if missing:
            kind = "Orc" if name.startswith("orc") else "Parquet"
            message = f"{kind} bloom filter columns [{', '.join(missing)}] not present in schema"
            raise Refused("INVALID_TABLE_PROPERTY", message)


def _write_value(value: Constant) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(str(element).lower() for element in value)
    return str(value).lower()


def _value(given: Property, catalog: str, context: Context) -> Constant:
    """None: DEFAULT. Checked as Trino does: the name, the type, then the value."""
    name = given.name.name.lower()
    about = f"atalog '{catalog}' table property '{name}'"
    if name not in _TYPES:
        raise Refused("INVALID_TABLE_PROPERTY", f"C{about} does not exist", given.at)
    if given.value is None:
        if name not in _PLAIN and name not in ("partitioning", "sorted_by"):
            raise not_supported(f"{name} = DEFAULT", given.at)
        return None
    value = constant(given.value, context)
    if not _FITS[_TYPES[name]](value):
        message = f"Invalid value for c{about}: Cannot convert [{display(value)}] to {_TYPES[name]}"
        raise Refused("INVALID_TABLE_PROPERTY", message, given.at)
    problem = _problem(name, value)
    if problem:
        message = f"Unable to set c{about} to [{display(value)}]: {problem}"
        raise Refused("INVALID_TABLE_PROPERTY", message, given.at)
    if name in _REFUSED:
        raise not_supported(f"The table property {name} ({_REFUSED[name]})", given.at)
    if name == "extra_properties" and isinstance(value, dict) and value:
        message = f"Illegal keys in extra_properties: [{', '.join(sorted(value))}]"
        raise Refused("INVALID_TABLE_PROPERTY", message)
    return value


def _problem(name: str, value: Constant) -> str:
    if name == "format" and str(value).upper() not in FORMATS:
        return f"Invalid value [{value}]. Valid values: [{', '.join(FORMATS)}]"
    if name == "format_version" and value not in range(_OLDEST, _NEWEST + 1):
        return f"format_version must be between {_OLDEST} and {_NEWEST}"
    if name == "max_commit_retry" and isinstance(value, int) and value < 0:
        return "max_commit_retry must be greater than or equal to 0"
    if name == "orc_bloom_filter_fpp" and not 0 < float(str(value)) < 1:
        return "Bloom filter fpp value must be between 0.0 and 1.0"
    return ""
