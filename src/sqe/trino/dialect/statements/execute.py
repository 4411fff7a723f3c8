"""ALTER TABLE … EXECUTE: Trino's procedures of tables as Iceberg's of Spark."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from sqe.sql.arguments import timestamp_literal
from sqe.trino.dialect.context import Context, Known
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.statements.constants import Constant, constant, display
from sqe.trino.dialect.statements.names import Target, table_of
from sqe.trino.dialect.statements.nodes import Argument, ExecuteProcedure
from sqe.trino.dialect.statements.partition_filter import partition_filter
from sqe.trino.dialect.statements.tables import ROWS
from sqe.trino.dialect.translated import Translated
from sqe.trino.dialect.typed import quote_name, string

_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_SIZES = {"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40, "PB": 1 << 50}
_QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*\Z")
_DURATION, _SIZE, _BIGINT = "duration", "data size", "bigint"


@dataclass(frozen=True)
class _Call:
    target: Target
    known: Known
    values: Mapping[str, Constant]
    where: str
    context: Context

    def spark(self, procedure: str, *arguments: str) -> str:
        table = f"table => {string(self.target.argument)}"
        arguments_text = ", ".join((table, *arguments))
        return f"CALL {quote_name(self.target.catalog)}.system.{procedure}({arguments_text})"


@dataclass(frozen=True)
class _Procedure:
    write: Callable[[_Call], str]
    parameters: Mapping[str, str]
    filtered: bool = False  # takes WHERE


def execute(node: ExecuteProcedure, context: Context) -> Translated:
    target, known = table_of(context, node.name, node.table_at)
    name = node.procedure.name.upper()
    procedure = _PROCEDURES.get(name)
    if name in _REFUSED:
        raise not_supported(f"ALTER TABLE … EXECUTE {name.lower()}", node.procedure.at)
    if procedure is None:
        raise Refused("PROCEDURE_NOT_FOUND", f"Table procedure not registered: {name}")
    values = _values(node, name, procedure, target, context)
    if node.where is not None and not procedure.filtered:
        message = f"WHERE not supported for procedure {name}"
        raise Refused("NOT_SUPPORTED", message, node.at)
    where = partition_filter(node.where, node.at, known, context) if node.where is not None else ""
    call = _Call(target, known, values, where, context)
    answer = "SELECT CAST(NULL AS BIGINT) AS rows WHERE false"
    return Translated(answer, ROWS, "ALTER TABLE EXECUTE", then=(procedure.write(call),))


def _values(
    node: ExecuteProcedure, name: str, procedure: _Procedure, target: Target, context: Context
) -> dict[str, Constant]:
    values: dict[str, Constant] = {}
    order = list(procedure.parameters)
    for i, argument in enumerate(node.arguments):
        about = f"atalog '{target.catalog}' table procedure '{name}' property"
        if argument.name is None and i >= len(order):
            message = f"Too many positional arguments for procedure {name}"
            raise Refused("INVALID_PROCEDURE_ARGUMENT", message, argument.at)
        parameter = argument.name.name.lower() if argument.name is not None else order[i]
        if parameter not in procedure.parameters:
            message = f"C{about} '{parameter}' does not exist"
            raise Refused("INVALID_PROCEDURE_ARGUMENT", message, argument.at)
        kind = procedure.parameters[parameter]
        values[parameter] = _check_argument(argument, kind, f"{about} '{parameter}'", context)
    return values


def _check_argument(given: Argument, kind: str, about: str, context: Context) -> Constant:
    value = constant(given.value, context)
    if kind == _BIGINT:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif isinstance(value, str):
        problem = _problem(value, _UNITS if kind == _DURATION else _SIZES, kind)
        if not problem:
            return value
        message = f"Unable to set c{about} to [{display(value)}]: {problem}"
        raise Refused("INVALID_PROCEDURE_ARGUMENT", message, given.at)
    wanted = "bigint" if kind == _BIGINT else "varchar"
    message = f"Invalid value for c{about}: Cannot convert [{display(value)}] to {wanted}"
    raise Refused("INVALID_PROCEDURE_ARGUMENT", message, given.at)


def _problem(text: str, units: Mapping[str, float], kind: str) -> str:
    match = _QUANTITY.match(text)
    if match is None:
        name = "duration" if kind == _DURATION else "size"
        return f"{name} is not a valid data {name} string: {text}"
    unit = "time unit" if kind == _DURATION else "unit"
    return "" if match[2] in units else f"Unknown {unit}: {match[2]}"


def _quantity(text: str, units: Mapping[str, float]) -> Decimal:
    match = _QUANTITY.match(text)
    return Decimal(match[1]) * Decimal(str(units[match[2]])) if match else Decimal(0)


def _optimize(call: _Call) -> str:
    """Files below the threshold and those with deleted rows are written anew."""
    threshold_value = call.values.get("file_size_threshold")
    threshold = int(_quantity(str(threshold_value or "100MB"), _SIZES))
    target = max(512 << 20, threshold * 2)
    options = {
        "min-file-size-bytes": threshold,
        "target-file-size-bytes": target,
        "max-file-size-bytes": max(target * 2, 1 << 50),
        "min-input-files": 2,
        "delete-file-threshold": 1,
    }
    pairs = ", ".join(f"{string(name)}, {string(str(value))}" for name, value in options.items())
    where = (f"where => {string(call.where)}",) if call.where else ()
    return call.spark("rewrite_data_files", f"options => map({pairs})", *where)


def _older_than(call: _Call, procedure: str) -> str:
    retention = str(call.values.get("retention_threshold") or "7d")
    setting = f"{procedure}_min_retention"
    minimum = call.context.client.properties.get(f"{call.target.catalog}.{setting}", "7d")
    age, least = _quantity(retention, _UNITS), _quantity(minimum, _UNITS)
    if age < least:
        catalog, dashed = call.target.catalog, procedure.replace("_", "-")
        raise Refused(
            "INVALID_PROCEDURE_ARGUMENT",
            f"Retention specified ({_in_words(retention)}) is shorter than the minimum retention "
            f"configured in the system ({_in_words(minimum)}). Minimum retention can be changed "
            f"with iceberg.{dashed}.min-retention configuration property or "
            f"{catalog}.{setting} session property",
        )
    try:
        moment = call.context.now - datetime.timedelta(seconds=float(age))
    except OverflowError:
        moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return f"older_than => {timestamp_literal(moment.astimezone(datetime.UTC))}"


def _in_words(text: str) -> str:
    match = _QUANTITY.match(text)
    return f"{Decimal(match[1]):.2f}{match[2]}" if match else text


def _rollback(call: _Call) -> str:
    snapshot = call.values.get("snapshot_id")
    if snapshot is None:
        message = "Required procedure argument 'snapshot_id' is missing"
        raise Refused("INVALID_PROCEDURE_ARGUMENT", message)
    return call.spark("rollback_to_snapshot", f"snapshot_id => {snapshot}")


_PROCEDURES: dict[str, _Procedure] = {
    "OPTIMIZE": _Procedure(_optimize, {"file_size_threshold": _SIZE}, filtered=True),
    "OPTIMIZE_MANIFESTS": _Procedure(lambda call: call.spark("rewrite_manifests"), {}),
    "EXPIRE_SNAPSHOTS": _Procedure(
        lambda call: call.spark("expire_snapshots", _older_than(call, "expire_snapshots")),
        {"retention_threshold": _DURATION},
    ),
    "REMOVE_ORPHAN_FILES": _Procedure(
        lambda call: call.spark("remove_orphan_files", _older_than(call, "remove_orphan_files")),
        {"retention_threshold": _DURATION},
    ),
    "ROLLBACK_TO_SNAPSHOT": _Procedure(_rollback, {"snapshot_id": _BIGINT}),
}
# Trino has these as well.
_REFUSED = ("ADD_FILES", "ADD_FILES_FROM_TABLE", "DROP_EXTENDED_STATS")
