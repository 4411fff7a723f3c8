"""What is inside of nested values: structs and their fields, elements by place, maps by key."""

from __future__ import annotations

from sqlglot import exp

from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.compiling import Compiling, function_name
from sqe.engines.local.compile.value import Value, any_aggregate, format_name, make_value
from sqe.engines.local.compile.variables import compile_named_value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.scan_types import identifier
from sqe.engines.local.types import BIGINT, SparkType, struct_of
from sqe.model.names import quote_text

_PLACES = ("tinyint", "smallint", "int")
_KEYS = ("string", "int", "bigint", "date")


def struct(here: Compiling, node: exp.Struct) -> Value:
    """named_struct('a', x) and struct(x AS a)."""
    names, values = [], []
    for part in node.expressions:
        if not isinstance(part, exp.PropertyEQ) or not isinstance(part.this, exp.Identifier):
            raise NotLocal("a struct without names is Spark's")
        names.append(part.this.name)
        values.append(here.value(part.expression))
    kind = struct_of(names, [value.type for value in values])
    fields = (
        f"{identifier(name)} := CAST({value.sql} AS {value.type.duckdb})"
        for name, value in zip(names, values, strict=True)
    )
    # Spark shows some names of fields with quotes, and others not.
    return make_value(f"struct_pack({', '.join(fields)})", kind, "", *values, nullable=False)


def dot(here: Compiling, node: exp.Dot) -> Value:
    if not isinstance(node.expression, exp.Identifier):
        raise NotLocal("this . is Spark's")
    return field(here.value(node.this), node.expression.name)


def field(value: Value, name: str) -> Value:
    """A field of a struct, in any case."""
    if value.type.name != "struct":
        raise NotLocal(f"{name} as a field of a column of type {value.type} is Spark's")
    found = [i for i, own in enumerate(value.type.names) if own.lower() == name.lower()]
    if len(found) != 1:
        raise NotLocal(f"{name} is not a field of {value.type}")
    kind = value.type.parts[found[0]]
    if value.origins and kind.is_float:
        # Spark lets Iceberg skip files by these too, which do not count NaN.
        raise NotLocal("a double inside of a stored struct is Spark's")
    # Not a dot: what stands before it may be the name of a table to DuckDB.
    sql = f"struct_extract({value.sql}, {quote_text(value.type.names[found[0]])})"
    return make_value(sql, kind, format_name(f"{{}}.{name}", value), value, nullable=True)


def bracket(here: Compiling, node: exp.Bracket) -> Value:
    named = compile_named_value(here, node)
    if named is not None:
        return named
    if len(node.expressions) != 1:
        raise NotLocal("this […] is Spark's")
    value, place = here.value(node.this), here.value(node.expressions[0])
    called = node.args.get("offset") is not None
    name = function_name(here, node) if called else ""
    title = format_name(f"{name}({{}}, {{}})" if called else "{}[{}]", value, place)
    keyed = value.type.name == "map"
    sql = _by_key(value, place) if keyed else _by_place(value, place, name)
    aggregate = any_aggregate(value, place)
    return Value(sql, value.type.parts[-1], title, True, aggregate=aggregate)


def _by_place(value: Value, place: Value, name: str) -> str:
    """a[i] counts from zero, element_at(a, i) from one or backwards from -1. A place that is not
    there is an error, but for try_element_at."""
    if value.type.name != "array" or place.type.name not in _PLACES:
        raise NotLocal(f"{value.type} by {place.type} is Spark's")
    if name not in ("", "element_at", "try_element_at"):
        raise NotLocal(f"{name} is not on the local engine's list")
    kind, number, items = value.type.element, place.cast(BIGINT), value.sql
    nowhere = give_up("a place that an array does not have", kind)
    if name == "try_element_at":
        missing, found = f"{number} = 0", number
    elif name:
        missing, found = f"{number} = 0 OR abs({number}) > len({items})", number
    else:
        missing, found = f"{number} < 0 OR {number} >= len({items})", f"{number} + 1"
    return f"CASE WHEN {missing} THEN {nowhere} ELSE ({items})[{found}] END"


def _by_key(value: Value, key: Value) -> str:
    """NULL where the map has no such key."""
    wanted: SparkType = value.type.parts[0]
    if key.type != wanted or wanted.name not in _KEYS:
        raise NotLocal(f"{value.type} by {key.type} is Spark's")
    return f"({value.sql})[{key.sql}]"
