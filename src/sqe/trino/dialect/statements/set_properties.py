"""ALTER TABLE … SET PROPERTIES: one statement of Trino's, several of Spark's."""

from __future__ import annotations

from sqe.trino.dialect.context import Context, Known
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.statements.names import Target, table_of
from sqe.trino.dialect.statements.nodes import SetProperties
from sqe.trino.dialect.statements.partitioning import PartitionField, partitioning_of_table
from sqe.trino.dialect.statements.table_properties import (
    TableOptions,
    assignments,
    read_options,
    write_order,
)
from sqe.trino.dialect.translated import Translated
from sqe.trino.dialect.typed import string

_FIXED = ("location", "orc_bloom_filter_columns", "orc_bloom_filter_fpp")


def set_properties(node: SetProperties, context: Context) -> Translated:
    if node.kind != "TABLE":
        raise not_supported(f"ALTER {node.kind} … SET PROPERTIES", node.at)
    target, known = table_of(context, node.name, node.at)
    fixed = [
        property_.name.name.lower()
        for property_ in node.properties
        if property_.name.name.lower() in _FIXED
    ]
    if fixed:
        message = f"The following properties cannot be updated: {', '.join(sorted(fixed))}"
        raise Refused("NOT_SUPPORTED", message)
    columns = {column.name.lower(): column.type for column in known.columns}
    options = read_options(node.properties, target.catalog, columns, context)
    _check_version(options, known)
    texts = [*_properties(target, options), *_change_partitioning(target, options, known)]
    if options.order is not None:
        texts.append(write_order(target.spark, options.order))
    first, *rest = texts or [""]
    return Translated(first, update_type="SET PROPERTIES", then=tuple(rest))


def _check_version(options: TableOptions, known: Known) -> None:
    wanted = options.properties.get("format-version")
    if wanted is not None and int(wanted) < int(known.metadata.get("format-version", 1)):
        raise Refused("ICEBERG_COMMIT_ERROR", "Failed to set new property values")


def _properties(target: Target, options: TableOptions) -> list[str]:
    head = f"ALTER TABLE {target.spark}"
    texts = []
    if options.properties:
        texts.append(f"{head} SET TBLPROPERTIES ({assignments(options.properties)})")
    if options.removed:
        names = ", ".join(map(string, options.removed))
        texts.append(f"{head} UNSET TBLPROPERTIES IF EXISTS ({names})")
    return texts


def _change_partitioning(target: Target, options: TableOptions, known: Known) -> list[str]:
    """What is not in the new list goes, what was not in the old one comes."""
    if options.partitioning is None:
        return []
    now, wanted = partitioning_of_table(known.metadata), options.partitioning
    head = f"ALTER TABLE {target.spark}"
    return [
        *(f"{head} DROP PARTITION FIELD {field.spark}" for field in _without(now, wanted)),
        *(f"{head} ADD PARTITION FIELD {field.spark}" for field in _without(wanted, now)),
    ]


def _without(fields: list[PartitionField], others: list[PartitionField]) -> list[PartitionField]:
    return [field for field in fields if field not in others]
