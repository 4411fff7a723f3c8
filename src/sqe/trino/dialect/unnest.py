"""UNNEST as Spark's ``posexplode``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqe.model.trino_types import BIGINT, TrinoType, field_of_row
from sqe.trino.dialect import nodes
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.scope import Field
from sqe.trino.dialect.typed import Typed, spark_type

# Columns of the generator, by which nothing of the user's is called.
_POSITION, _ITEM = "pos", "col"


def explode(node: nodes.Unnest, values: Sequence[Typed], name: str) -> tuple[str, list[Field]]:
    """The generator under ``name``, and the columns it gives. Several arrays are zipped: the
    shorter ones, and those that are NULL, are filled with NULLs."""
    item = f"{name}.{_ITEM}"
    arrays: list[str] = []
    kinds: list[str] = []
    columns: list[Field] = []
    for i, value in enumerate(values):
        element = item if len(values) == 1 else f"{item}.a{i}"
        sql, kind, fields = _items(value, element, node.at)
        arrays.append(sql)
        kinds.append(f"a{i}:{kind}")
        columns += fields
    zipped = arrays[0]
    if len(arrays) > 1:
        filled = ", ".join(f"coalesce({array}, array())" for array in arrays)
        zipped = f"CAST(arrays_zip({filled}) AS array<struct<{','.join(kinds)}>>)"
    if node.ordinality:
        columns.append(Field(None, BIGINT, f"CAST({name}.{_POSITION} + 1 AS BIGINT)"))
    function = "posexplode_outer" if node.outer else "posexplode"
    return f"{function}({zipped}) AS {name}({_POSITION}, {_ITEM})", columns


def _items(value: Typed, element: str, at: int) -> tuple[str, str, list[Field]]:
    """The array to explode, what carries its elements, and the columns that they give."""
    kind = value.type
    if kind.base == "map":
        key, item = kind.types
        fields = [Field(None, key, f"{element}.key"), Field(None, item, f"{element}.value")]
        carried = f"struct<key:{spark_type(key, at)},value:{spark_type(item, at)}>"
        return f"map_entries({value.sql})", carried, fields
    if kind.base != "array":
        raise Refused("INVALID_FUNCTION_ARGUMENT", f"Cannot unnest type: {kind.display}", at)
    carried = spark_type(kind.element, at)
    if kind.element.base == "row":
        return value.sql, carried, _fields(kind.element, element)
    return value.sql, carried, [Field(None, kind.element, element)]


def _fields(kind: TrinoType, element: str) -> list[Field]:
    return [
        Field(field.name, field.type, f"{element}.{field_of_row(kind, i)}")
        for i, field in enumerate(kind.fields)
    ]


def inner_relation(node: nodes.Relation) -> nodes.Relation:
    """Without its alias."""
    while isinstance(node, nodes.Aliased):
        node = node.relation
    return node


def sees_left(node: nodes.Relation) -> bool:
    """Whether what stands right of a join may name columns of its left side."""
    return isinstance(inner_relation(node), nodes.Unnest | nodes.Lateral | nodes.JsonTable)


_WORDS: dict[type[nodes.Relation], str] = {
    nodes.Unnest: "UNNEST",
    nodes.Lateral: "LATERAL relation",
    nodes.JsonTable: "JSON_TABLE",
}


def check_condition(node: nodes.Join) -> None:
    """A join with something that sees its left side takes every pair."""
    inner = inner_relation(node.right)
    word = _WORDS[type(inner)]
    if node.kind in ("RIGHT", "FULL"):
        raise not_supported(f"{node.kind} JOIN involving {word}", node.at)
    condition = node.condition
    if not (isinstance(condition, nodes.BooleanLiteral) and condition.value):
        at = node.at if condition is None else condition.at
        message = f"{node.kind} JOIN involving {word} is only supported with condition ON TRUE"
        raise Refused("NOT_SUPPORTED", message, at)


def make_outer(node: nodes.Relation) -> nodes.Relation:
    """UNNEST that gives one row of NULLs for an empty array: what LEFT JOIN wants."""
    if isinstance(node, nodes.Aliased):
        return replace(node, relation=make_outer(node.relation))
    if isinstance(node, nodes.Unnest | nodes.JsonTable):
        return replace(node, outer=True)
    return node
