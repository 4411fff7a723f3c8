"""JSON_EXISTS, JSON_VALUE, JSON_QUERY, JSON_OBJECT and JSON_ARRAY; see ``json_parser``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqe.model.trino_types import BIGINT, BOOLEAN, DOUBLE, VARCHAR, TrinoType
from sqe.trino.dialect import json_sql, nodes
from sqe.trino.dialect.casts import cast
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.json_call import OUTPUT_ERROR, VALUE_ERROR, JsonCall, cut_text
from sqe.trino.dialect.json_makers import json_array, json_object
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.typed import Typed

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer

# JSON's scalars: Spark's name of their kind, and Trino's type.
_SCALARS = (("BIGINT", BIGINT), ("DOUBLE", DOUBLE), ("STRING", VARCHAR), ("BOOLEAN", BOOLEAN))


def special_call(analyzer: Analyzer, node: nodes.SpecialCall, scope: Scope) -> Typed:
    writer: Callable[[JsonCall], Typed] = {
        "json_exists": _exists,
        "json_value": value_of,
        "json_query": query_of,
        "json_object": json_object,
        "json_array": json_array,
    }[node.name]
    return writer(JsonCall(analyzer, node, scope))


def _exists(call: JsonCall) -> Typed:
    return Typed(BOOLEAN, call.evaluate(BOOLEAN, lambda q: f"(size({q}) > 0)"))


# ------------------------------------------------------------ JSON_VALUE


def value_of(call: JsonCall) -> Typed:
    kind = call.parse_returned_type()
    if kind.base in ("array", "map", "row", "json"):
        message = f"Invalid return type of function JSON_VALUE: {kind.display}"
        raise mismatch(message, call.at)
    failed = call.on_error(VALUE_ERROR, kind)

    def answer(q: str) -> str:
        item = f"{q}[0]"
        branches = " ".join(
            f"WHEN '{name}' THEN {_scalar(Typed(source, f'CAST({item} AS {name})'), kind, call.at)}"
            for name, source in _SCALARS
        )
        return (
            f"CASE WHEN size({q}) = 0 THEN {call.on_empty(VALUE_ERROR, kind)} "
            f"WHEN size({q}) > 1 THEN {failed} WHEN {json_sql.kind(item)} = 'VOID' THEN NULL "
            f"ELSE coalesce(CASE {json_sql.kind(item)} {branches} END, {failed}) END"
        )

    return Typed(kind, call.evaluate(kind, answer))


def _scalar(value: Typed, kind: TrinoType, at: int) -> str:
    """NULL for what cannot be that type."""
    try:
        return cast(value, kind, at, safe=True).sql
    except Refused as error:
        if error.name == "TYPE_MISMATCH":
            return "NULL"
        raise


# ------------------------------------------------------------ JSON_QUERY


def query_of(call: JsonCall) -> Typed:
    kind = call.text_returning()
    wrapper = call.clauses.get("WRAPPER", "WITHOUT")
    failed = call.on_error(OUTPUT_ERROR, kind)

    def answer(q: str) -> str:
        item = f"{q}[0]"
        single = cut_text(json_sql.print_variant(item), kind)
        if call.clauses.get("QUOTES") == "OMIT":
            text = cut_text(f"CAST({item} AS STRING)", kind)
            single = f"IF({json_sql.kind(item)} = 'STRING', {text}, {single})"
        texts = f"transform({q}, v -> {json_sql.print_variant('v')})"
        wrapped = cut_text(f"concat('[', array_join({texts}, ','), ']')", kind)
        result = {
            "WITHOUT": f"IF(size({q}) = 1, {single}, {failed})",
            "CONDITIONAL": f"IF(size({q}) = 1 AND {json_sql.is_container(json_sql.kind(item))}, "
            f"{single}, {wrapped})",
            "UNCONDITIONAL": wrapped,
        }[str(wrapper)]
        return f"IF(size({q}) = 0, {call.on_empty(OUTPUT_ERROR, kind)}, {result})"

    return Typed(kind, call.evaluate(kind, answer))
