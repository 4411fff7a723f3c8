"""ANALYZE TABLE and SHOW STATS."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, TypeVar

from sqe.binding.bound import BoundReference, BoundStatement, BoundTable, BoundTarget, BoundView
from sqe.catalog.protocol import Catalogs, Loaded
from sqe.coordinator.call import Row, nearest
from sqe.engines.fallback import Engines, run_with_fallback
from sqe.engines.protocol import Engine, GaveUp, Run
from sqe.engines.router import Router
from sqe.errors import AccessError, ErrorCode, InternalError, UpstreamError, UserError
from sqe.maintenance.needs import SMALL
from sqe.maintenance.questions import targets
from sqe.model.names import string_literal
from sqe.model.query import Column
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement, inner_statement, replace_statement
from sqe.sql.analyze import AnalyzeTable
from sqe.sql.parse import parse
from sqe.sql.select_shape import Condition, SelectShape, shape_of
from sqe.sql.statement import Reference, position_at

if TYPE_CHECKING:
    from sqe.engines.local.storage import TableSource
    from sqe.engines.local.tablestats import ColumnStats, TableStats

# Trino's, in its order.
STATS_COLUMNS = (
    Column("column_name", "string"),
    Column("data_size", "double"),
    Column("distinct_values_count", "double"),
    Column("nulls_fraction", "double"),
    Column("row_count", "double"),
    Column("low_value", "string"),
    Column("high_value", "string"),
)

# What ``sqe.maintenance`` reads: counts, sizes in bytes, and of small files one count for each
# partition; the times of snapshots that no branch or tag keeps.
MAINTENANCE_COLUMNS = (
    *(Column(name, "bigint") for name in ("data_files", "data_bytes", "rows")),
    Column("small_files", "array<bigint>"),
    *(Column(name, "bigint") for name in ("delete_files", "deleted_rows")),
    *(Column(name, "bigint") for name in ("manifests", "manifest_bytes", "snapshots")),
    Column("expirable", "array<timestamp>"),
    *(Column(name, "bigint") for name in ("target_file_bytes", "target_manifest_bytes")),
)
_T = TypeVar("_T")


def show_stats(
    guarded: GuardedStatement, run: Run, engines: Engines, router: Router, catalogs: Catalogs
) -> ResultStream:
    """Bounds and counts are of all rows, so whoever sees only some of them gets none."""
    if guarded.restricted:
        raise AccessError(
            ErrorCode.ACCESS_DENIED,
            "You see only part of a table; its statistics are of all of it.",
        )
    if guarded.bound.inner is not None:
        inner = inner_statement(guarded)
        routed = router.route(inner, run.session)
        description = run_with_fallback(
            routed, engines, run, lambda prepared, run: prepared.describe(run)
        )
        names = [column.name for column in description.columns]
        rows = _of_query(inner, names, lambda table: _stats(table, run, catalogs))
    else:
        [reference] = guarded.bound.references
        table = _plain_table(reference.target, guarded.bound.statement.text, reference.reference)
        stats = _stats(table, run, catalogs)
        rows = _rows(stats.columns, stats.rows)
    return result_of_rows(STATS_COLUMNS, list(rows))


def show_maintenance(guarded: GuardedStatement, run: Run, catalogs: Catalogs) -> ResultStream:
    """From metadata and manifests alone; as with statistics, for those who see all of the table."""
    if guarded.restricted:
        raise AccessError(
            ErrorCode.ACCESS_DENIED, "You see only part of the table; its files hold all of it."
        )
    from sqe.engines.local.table_files import table_files

    [reference] = guarded.bound.references
    table = _plain_table(reference.target, guarded.bound.statement.text, reference.reference)
    metadata = table.metadata
    sizes = targets((metadata.get("properties") or {}).items())
    small = int(sizes["target_file_bytes"] * SMALL)
    files = _read(table, run, catalogs, lambda loaded, source: table_files(loaded, source, small))
    kept = {ref["snapshot-id"] for ref in (metadata.get("refs") or {}).values()}
    kept.add(metadata.get("current-snapshot-id"))
    snapshots = metadata.get("snapshots") or ()
    expirable = sorted(
        dt.datetime.fromtimestamp(snapshot["timestamp-ms"] / 1000, dt.UTC)
        for snapshot in snapshots
        if snapshot["snapshot-id"] not in kept
    )
    row = (
        files.data_files,
        files.data_bytes,
        files.rows,
        list(files.small),
        files.delete_files,
        files.deleted_rows,
        files.manifests,
        files.manifest_bytes,
        len(snapshots),
        expirable,
        *sizes.values(),
    )
    return result_of_rows(MAINTENANCE_COLUMNS, [row])


def _plain_table(target: BoundTarget, text: str, reference: Reference) -> BoundTable:
    if isinstance(target, BoundTable) and target.loaded is not None and not target.suffix:
        return target
    kind = "a view" if isinstance(target, BoundView) else "not a plain table"
    raise UserError(
        ErrorCode.NOT_SUPPORTED,
        f"{'.'.join(reference.parts)} is {kind}; statistics are kept for tables.",
        hint="SHOW STATS FOR (SELECT …) estimates what a query gives.",
        position=position_at(text, reference.span.start),
    )


def _stats(table: BoundTable, run: Run, catalogs: Catalogs) -> TableStats:
    # Imported here: PyIceberg is not needed for most statements.
    from sqe.engines.local.tablestats import table_stats

    return _read(table, run, catalogs, table_stats)


def _read(
    table: BoundTable, run: Run, catalogs: Catalogs, read: Callable[[Loaded, TableSource], _T]
) -> _T:
    from sqe.engines.local.storage import TableSource

    if table.loaded is None:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "Statistics of a table that is not there.")
    try:
        return read(table.loaded, TableSource.of(table, catalogs, run.session.identity))
    except GaveUp as failure:
        message = f"The table's statistics cannot be read: {failure}."
        if not failure.refused:
            raise UpstreamError(failure.code, message) from failure
        raise UserError(ErrorCode.NOT_SUPPORTED, message) from failure


def _rows(columns: tuple[ColumnStats, ...], count: float | None) -> Iterator[Row]:
    for column in columns:
        yield (
            column.name,
            column.size,
            column.distinct,
            column.nulls,
            None,
            _text(column.low),
            _text(column.high),
        )
    yield None, None, None, None, count, None, None


def _text(value: object) -> str | None:
    if isinstance(value, dt.datetime):
        return value.isoformat(" ", "microseconds")
    return None if value is None else str(value)


def _of_query(
    inner: GuardedStatement, names: list[str], stats_of: Callable[[BoundTable], TableStats]
) -> Iterator[Row]:
    """An estimate where the query is a plain SELECT over one table, nothing known otherwise."""
    from sqe.engines.local.tablestats import ColumnStats

    shape = shape_of(inner.bound.statement)
    table = _only_table(inner.bound)
    if shape is None or table is None:
        yield from _rows(tuple(ColumnStats(name) for name in names), None)
        return
    stats = stats_of(table)
    sources = [source for item in shape.columns for source in _expand_star(item, stats)]
    if len(sources) != len(names):
        sources = [None] * len(names)
    count = _estimate(shape, stats)
    yield from _rows(
        tuple(
            _stats_after_filter(name, stats.column(source) if source else None, shape)
            for name, source in zip(names, sources, strict=True)
        ),
        count,
    )


def _only_table(bound: BoundStatement) -> BoundTable | None:
    if len(bound.references) != 1:
        return None
    [reference] = bound.references
    target = reference.target
    if not isinstance(target, BoundTable) or target.suffix or reference.reference.temporal:
        return None
    return target if target.loaded is not None else None


def _expand_star(item: str | None, stats: TableStats) -> list[str | None]:
    return [column.name for column in stats.columns] if item == "*" else [item]


def _stats_after_filter(name: str, source: ColumnStats | None, shape: SelectShape) -> ColumnStats:
    """A column's figures after the filter. Of the filtered rows only the range is still certain."""
    from sqe.engines.local.tablestats import ColumnStats

    if source is None:
        return ColumnStats(name)
    if shape.conditions == () and shape.limit is None:
        return replace(source, name=name)
    return ColumnStats(name, low=source.low, high=source.high)


def _estimate(shape: SelectShape, stats: TableStats) -> float | None:
    """Conditions are taken to be independent and values evenly spread, as Trino does."""
    count = stats.rows
    if shape.conditions is None:
        count = None
    for condition in shape.conditions or ():
        column = stats.column(condition.column)
        share = _share(condition, column) if column is not None else None
        count = count * share if count is not None and share is not None else None
    if count is None:
        return None
    return float(min(count, shape.limit)) if shape.limit is not None else count


def _share(condition: Condition, column: ColumnStats) -> float | None:
    if condition.op in ("isnull", "notnull"):
        if column.nulls is None:
            return None
        return column.nulls if condition.op == "isnull" else 1 - column.nulls
    if condition.op in ("=", "in"):
        inside = [value for value in condition.values if _within(value, column)]
        if not inside:
            return 0.0
        if not column.distinct or column.nulls is None:
            return None
        return min(1.0, len(inside) / column.distinct) * (1 - column.nulls)
    return _part_of_range(condition, column)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float | Decimal) else None


def _within(value: Decimal | str, column: ColumnStats) -> bool:
    low, high = _number(column.low), _number(column.high)
    if isinstance(value, str) or low is None or high is None:
        return True
    return low <= float(value) <= high


def _part_of_range(condition: Condition, column: ColumnStats) -> float | None:
    low, high = _number(column.low), _number(column.high)
    [value] = condition.values
    if isinstance(value, str) or low is None or high is None or column.nulls is None:
        return None
    at = min(max(float(value), low), high)
    if high == low:
        part = 1.0 if (float(value) <= low) == (condition.op == ">") else 0.0
    else:
        part = (high - at if condition.op == ">" else at - low) / (high - low)
    return part * (1 - column.nulls)


def analyze_table(guarded: GuardedStatement, run: Run, spark: Engine) -> ResultStream:
    """Iceberg's own procedure writes the sketches. Counts and bounds are in the manifests already,
    which is all that NOSCAN asks for."""
    command = guarded.bound.statement.command
    [reference] = guarded.bound.references
    if not isinstance(command, AnalyzeTable):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "ANALYZE without its command.")
    _plain_table(reference.target, guarded.bound.statement.text, reference.reference)
    columns = _columns(command, guarded)
    if command.scan:
        call = _procedure(guarded, reference.target, columns)
        with spark.prepare(call, run.session).run(run) as result:
            for _ in result:
                pass
    return result_of_rows((), [])


def _procedure(
    guarded: GuardedStatement, target: BoundTarget, columns: list[str]
) -> GuardedStatement:
    """CALL in SQE's own words, about the table that was decided on."""
    name = string_literal(str(target.name)) if isinstance(target, BoundTable) else ""
    listed = ", ".join(string_literal(column) for column in columns)
    columns_argument = f", columns => array({listed})" if columns else ""
    call = parse(f"CALL system.compute_table_stats(table => {name}{columns_argument})")
    bound = BoundStatement(call, (BoundReference(call.references[0], target),))
    return replace_statement(guarded, bound)


def _columns(command: AnalyzeTable, guarded: GuardedStatement) -> list[str]:
    """The columns as the table spells them."""
    [reference] = guarded.bound.references
    target = reference.target
    known = (
        {c.name.lower(): c.name for c in target.columns} if isinstance(target, BoundTable) else {}
    )
    for name, span in command.columns:
        if name.lower() not in known:
            raise UserError(
                ErrorCode.COLUMN_NOT_FOUND,
                f"There is no column {name}.",
                hint=nearest(name, known.values()),
                position=position_at(guarded.bound.statement.text, span.start, name),
            )
    return [known[name.lower()] for name, _ in command.columns]
