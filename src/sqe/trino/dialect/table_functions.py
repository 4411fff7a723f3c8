"""TABLE(f(…)): Trino's functions that give relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.model.trino_types import BIGINT
from sqe.trino.dialect import nodes
from sqe.trino.dialect.built import Source
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.scope import Field, Scope
from sqe.trino.dialect.table_changes import table_changes

if TYPE_CHECKING:
    from sqe.trino.dialect.relations import Relations


def table_function(relations: Relations, node: nodes.TableFunction, scope: Scope) -> Source:
    """Trino's own, and ``table_changes`` of its Iceberg connector."""
    name = node.name[-1].name.lower()
    if name == "table_changes" and [part.name.lower() for part in node.name[-2:-1]] == ["system"]:
        return table_changes(relations, node)
    if name == "exclude_columns":
        return _exclude_columns(relations, node, scope)
    if name != "sequence":
        raise _absent(relations, node)
    return _sequence(relations, node)


def _absent(relations: Relations, node: nodes.TableFunction) -> Refused:
    parts = [part.name.lower() for part in node.name]
    if len(parts) > 2 and parts[0] not in relations.analyzer.context.lookup.catalogs():
        return Refused("CATALOG_NOT_FOUND", f"Catalog '{parts[0]}' not found", node.at)
    message = f"Table function '{'.'.join(parts)}' not registered"
    return Refused("FUNCTION_NOT_FOUND", message, node.at)


def _sequence(relations: Relations, node: nodes.TableFunction) -> Source:
    analyzer = relations.analyzer
    bounds = {"start": 0, "stop": None, "step": 1}
    for (word, value), place in zip(node.arguments, bounds.copy(), strict=False):
        key = word.name.lower() if word is not None else place
        if key not in bounds or not isinstance(value, nodes.Expression):
            raise not_supported("sequence() with other arguments", node.at)
        number = analyzer.expression(value, Scope()).constant
        if not isinstance(number, int):
            raise not_supported("sequence() with arguments that are not constant", node.at)
        bounds[key] = number
    start, stop, step = bounds["start"], bounds["stop"], bounds["step"]
    if stop is None:
        raise _argument_error("STOP", node)
    assert start is not None and step is not None  # noqa: S101  they have defaults
    if not step or (stop - start) * step < 0:
        message = "Step must have the sign of the way from start to stop"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message, node.at)
    end = stop + (1 if step > 0 else -1)  # Spark's range() ends before it
    if not -(2**63) <= end < 2**63:
        raise not_supported("sequence() up to the last number", node.at)
    alias = analyzer.make_id("r")
    text = f"range({start}L, {end}L, {step}L) AS {alias}(n)"
    return Source(text, (Field("sequential_number", BIGINT, f"{alias}.n"),))


def _exclude_columns(relations: Relations, node: nodes.TableFunction, scope: Scope) -> Source:
    arguments: dict[str, nodes.Node] = {}
    for (word, value), place in zip(node.arguments, ("input", "columns"), strict=False):
        arguments[word.name.lower() if word is not None else place] = value
    for name in ("input", "columns"):
        if name not in arguments:
            raise _argument_error(name.upper(), node)
    table, listed = arguments["input"], arguments["columns"]
    if not isinstance(table, nodes.TableArgument):
        message = "Invalid argument INPUT. Expected table"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message, table.at)
    if not isinstance(listed, nodes.Descriptor) or not listed.fields or table.partition_by:
        raise not_supported("exclude_columns() with other arguments", node.at)
    if any(kind is not None for _, kind in listed.fields):
        raise Refused("INVALID_FUNCTION_ARGUMENT", "COLUMNS descriptor contains types")
    source = relations.read(table.relation, scope)
    return Source(
        source.text, _without(source, [column_name.name for column_name, _ in listed.fields])
    )


def _argument_error(argument: str, node: nodes.TableFunction) -> Refused:
    word, value = node.arguments[0] if node.arguments else (None, node)
    at = word.at if word is not None else value.at
    return Refused("MISSING_ARGUMENT", f"Missing argument: {argument}", at)


def _without(source: Source, names: Sequence[str]) -> tuple[Field, ...]:
    """The columns of a relation but these."""
    shown = [field for field in source.fields if not field.hidden]
    there = {field.name.lower() for field in shown if field.name is not None}
    absent = [name for name in names if name.lower() not in there]
    if absent:
        message = f"Excluded columns: [{', '.join(absent)}] not present in the table"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    excluded = {name.lower() for name in names}
    kept = [field for field in shown if field.name is None or field.name.lower() not in excluded]
    if not kept:
        raise Refused("INVALID_FUNCTION_ARGUMENT", "All columns are excluded")
    return tuple(replace(field, qualifier=()) for field in kept)
