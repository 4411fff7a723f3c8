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

if TYPE_CHECKING:
    from sqe.trino.dialect.relations import Relations


def table_function(relations: Relations, node: nodes.TableFunction, scope: Scope) -> Source:
    """Of Trino's own only ``sequence`` and ``exclude_columns`` are here."""
    name = node.name[-1].name.lower()
    if name == "exclude_columns":
        return _excluding(relations, node, scope)
    if name != "sequence":
        raise not_supported(f"Table function {name}", node.at)
    analyzer = relations.analyzer
    given = {"start": 0, "stop": None, "step": 1}
    for (word, value), place in zip(node.arguments, given.copy(), strict=False):
        key = word.name.lower() if word is not None else place
        if key not in given or not isinstance(value, nodes.Expression):
            raise not_supported("sequence() with other arguments", node.at)
        found = analyzer.expression(value, Scope()).constant
        if not isinstance(found, int):
            raise not_supported("sequence() with arguments that are not constant", node.at)
        given[key] = found
    start, stop, step = given["start"], given["stop"], given["step"]
    if stop is None:
        raise _missing("STOP", node)
    assert start is not None and step is not None  # noqa: S101  they have defaults
    if not step or (stop - start) * step < 0:
        message = "Step must have the sign of the way from start to stop"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message, node.at)
    end = stop + (1 if step > 0 else -1)  # Spark's range() ends before it
    if not -(2**63) <= end < 2**63:
        raise not_supported("sequence() up to the last number", node.at)
    alias = analyzer.fresh("r")
    text = f"range({start}L, {end}L, {step}L) AS {alias}(n)"
    return Source(text, (Field("sequential_number", BIGINT, f"{alias}.n"),))


def _excluding(relations: Relations, node: nodes.TableFunction, scope: Scope) -> Source:
    given: dict[str, nodes.Node] = {}
    for (word, value), place in zip(node.arguments, ("input", "columns"), strict=False):
        given[word.name.lower() if word is not None else place] = value
    for name in ("input", "columns"):
        if name not in given:
            raise _missing(name.upper(), node)
    table, listed = given["input"], given["columns"]
    if not isinstance(table, nodes.TableArgument):
        message = "Invalid argument INPUT. Expected table"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message, table.at)
    if not isinstance(listed, nodes.Descriptor) or not listed.fields or table.partition_by:
        raise not_supported("exclude_columns() with other arguments", node.at)
    if any(kind is not None for _, kind in listed.fields):
        raise Refused("INVALID_FUNCTION_ARGUMENT", "COLUMNS descriptor contains types")
    source = relations.read(table.relation, scope)
    return Source(source.text, _without(source, [one.name for one, _ in listed.fields]))


def _missing(argument: str, node: nodes.TableFunction) -> Refused:
    word, value = node.arguments[0] if node.arguments else (None, node)
    at = word.at if word is not None else value.at
    return Refused("MISSING_ARGUMENT", f"Missing argument: {argument}", at)


def _without(source: Source, names: Sequence[str]) -> tuple[Field, ...]:
    """The columns of a relation but these."""
    shown = [one for one in source.fields if not one.hidden]
    there = {one.name.lower() for one in shown if one.name is not None}
    absent = [name for name in names if name.lower() not in there]
    if absent:
        message = f"Excluded columns: [{', '.join(absent)}] not present in the table"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    excluded = {name.lower() for name in names}
    kept = [one for one in shown if one.name is None or one.name.lower() not in excluded]
    if not kept:
        raise Refused("INVALID_FUNCTION_ARGUMENT", "All columns are excluded")
    return tuple(replace(one, qualifier=()) for one in kept)
