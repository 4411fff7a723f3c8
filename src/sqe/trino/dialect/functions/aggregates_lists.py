"""Aggregates that give arrays, maps and texts, and the approximate ones."""

from __future__ import annotations

from sqe.model.trino_types import VARCHAR
from sqe.trino.dialect import nodes
from sqe.trino.dialect.calls import CallSite, special
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.functions.aggregates import aggregate
from sqe.trino.dialect.functions.registry import Bound
from sqe.trino.dialect.typed import Typed, spark_type, string


def _collected(call: Bound, *parts: str) -> str:
    """A list of rows, in the order that the call asks for; NULLs are kept."""
    site = call.site
    keys = [site.analyzer.expression(one.expression, site.scope) for one in site.node.order_by]
    for key, one in zip(keys, site.node.order_by, strict=True):
        if key.type.base in ("map", "json", "row", "array"):
            raise not_supported(f"ORDER BY {key.type} inside of an aggregate", one.at)
        if site.node.distinct and key.sql not in parts:
            message = (
                "For aggregate function with DISTINCT, ORDER BY expressions must appear in "
                "arguments"
            )
            raise Refused("EXPRESSION_NOT_IN_DISTINCT", message, one.at)
    named = [f"'v{i}', {part}" for i, part in enumerate(parts)]
    named += [f"'k{i}', {key.sql}" for i, key in enumerate(keys)]
    rows = call.aggregate("collect_list", f"named_struct({', '.join(named)})")
    if not keys:
        return rows
    return f"array_sort({rows}, (l, r) -> {_comparison(site.node.order_by)})"


def _comparison(order_by: tuple[nodes.SortItem, ...]) -> str:
    """-1, 0 or 1 for two rows ``l`` and ``r``."""
    parts = []
    for i, one in enumerate(order_by):
        left, right = f"l.k{i}", f"r.k{i}"
        before, after = ("-1", "1") if one.ascending else ("1", "-1")
        first, last = ("-1", "1") if one.nulls_first else ("1", "-1")
        parts.append(
            f"WHEN {left} IS NULL AND {right} IS NOT NULL THEN {first} "
            f"WHEN {left} IS NOT NULL AND {right} IS NULL THEN {last} "
            f"WHEN {left} < {right} THEN {before} WHEN {left} > {right} THEN {after}"
        )
    return f"CASE {' '.join(parts)} ELSE 0 END"


def _none_if_empty(rows: str, written: str) -> str:
    return f"IF(size({rows}) = 0, NULL, {written})"


def _array_agg(call: Bound) -> str:
    rows = _collected(call, call.sql(0))
    return _none_if_empty(rows, f"transform({rows}, e -> e.v0)")


aggregate("array_agg", "(T) -> array(T)", _array_agg, "return an array of values")


def _keyed(call: Bound, value: str) -> str:
    """A map from distinct keys that are not NULL; ``value`` is SQL over the list ``$m`` of the rows
    of one key."""
    collected = _collected(call, *(one.sql for one in call.arguments))
    rows = f"filter({collected}, e -> e.v0 IS NOT NULL)"
    keys = f"array_distinct(transform({rows}, e -> e.v0))"
    mine = f"filter({rows}, e -> e.v0 = k)"
    entries = f"transform({keys}, k -> struct(k, {value.replace('$m', mine)}))"
    return _none_if_empty(rows, f"map_from_entries({entries})")


def _check_key(call: Bound) -> None:
    kind = call.arguments[0].type
    if kind.base in ("real", "double", "map", "json", "row", "array"):
        raise call.refuse(f"keys of {kind}")


def _map_agg(call: Bound) -> str:
    _check_key(call)
    return _keyed(call, "$m[0].v1")


def _multimap_agg(call: Bound) -> str:
    _check_key(call)
    return _keyed(call, "transform($m, e -> e.v1)")


def _histogram(call: Bound) -> str:
    _check_key(call)
    return _keyed(call, "CAST(size($m) AS BIGINT)")


aggregate("map_agg", "(K, V) -> map(K, V)", _map_agg,
          "Aggregates all the rows (key/value pairs) into a single map")  # fmt: skip
aggregate("multimap_agg", "(K, V) -> map(K, array(V))", _multimap_agg,
          "Aggregates all the rows (key/value pairs) into a single multimap")  # fmt: skip
aggregate("histogram", "(T) -> map(T, bigint)", _histogram,
          "Count the number of times each value occurs")  # fmt: skip


def _map_union(call: Bound) -> str:
    """Of a key that several maps have, the first value that comes along."""
    maps = call.aggregate("collect_list", call.sql(0))
    none = f"CAST(map() AS {spark_type(call.returns, call.at)})"
    new = "map_filter(m, (k, v) -> NOT map_contains_key(a, k))"
    return f"IF(size({maps}) = 0, NULL, aggregate({maps}, {none}, (a, m) -> map_concat(a, {new})))"


aggregate("map_union", "(map(K, V)) -> map(K, V)", _map_union,
          "Aggregate all the maps into a single map")  # fmt: skip


def _reduce_agg(call: Bound) -> str:
    values = call.aggregate("collect_list", call.sql(0))
    return f"IF(size({values}) = 0, NULL, aggregate({values}, {call.sql(1)}, {call.sql(2)}))"


aggregate("reduce_agg", "(T, S, function(S, T, S), function(S, S, S)) -> S", _reduce_agg,
          "Reduce input elements into a single value")  # fmt: skip


@special("listagg")
def _listagg(site: CallSite) -> Typed:
    """LISTAGG(x, separator) WITHIN GROUP (ORDER BY …); more than a megabyte is no error here."""
    node = site.node
    if node.window is not None:
        message = "Window with LISTAGG is not supported"
        raise Refused("NOT_SUPPORTED", message, node.at)
    truncates = len(node.arguments) > 2 and node.arguments[2] != nodes.BooleanLiteral(0, True)
    separator = site.argument(1) if len(node.arguments) > 1 else Typed(VARCHAR, "''", "")
    if truncates or not isinstance(separator.constant, str):
        raise not_supported("LISTAGG … ON OVERFLOW TRUNCATE", node.at)
    value = site.argument(0)
    if value.type.base != "varchar":
        message = f"Expected expression of varchar, but 'x' has {value.type} type"
        raise Refused("TYPE_MISMATCH", message, node.at)
    order = ", ".join(site.analyzer.sort(one, site.scope) for one in node.order_by)
    distinct = "DISTINCT " if node.distinct else ""
    text = f"listagg({distinct}{value.sql}, {string(separator.constant)})"
    text += f" WITHIN GROUP (ORDER BY {order})" if order else ""
    if node.filter is not None:
        text += f" FILTER (WHERE {site.condition()})"
    return Typed(VARCHAR, text)


aggregate("listagg", "(varchar, varchar) -> varchar", lambda call: call.sql(0),
          "concatenates the input values with the specified separator")  # fmt: skip


# ----------------------------------------------------------------- approximate


def _approx_distinct(call: Bound) -> str:
    """Trino's default error is 2.3 %."""
    error = "0.023D"
    if len(call.arguments) > 1:
        given = call.arguments[1].constant
        if not isinstance(given, int | float | str) or not 0.0040625 <= float(given) <= 0.26:
            message = "Standard error must be in [0.0040625, 0.26000]"
            raise Refused("INVALID_FUNCTION_ARGUMENT", message, None)
        error = f"{float(given)!r}D"
    return call.aggregate("approx_count_distinct", call.sql(0), error)


aggregate("approx_distinct", ["(T) -> bigint", "(T, double) -> bigint"], _approx_distinct, "")


def _percentile(value: object, call: Bound) -> str:
    """Spark takes the value of rank ⌈pn⌉, Trino that of ⌊pn⌋ + 1."""
    if not isinstance(value, int | float | str):
        raise call.refuse("the percentile must be constant")
    number = float(value)
    if not 0 <= number <= 1:
        message = "Percentile must be between 0 and 1"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message, None)
    return f"{min(1.0, number + 1e-9)!r}D"


def _approx_percentile(call: Bound) -> str:
    wanted = _percentile(call.arguments[1].constant, call)
    return call.aggregate("percentile_approx", call.sql(0), wanted, "10000")


aggregate("approx_percentile",
          ["(bigint, double) -> bigint", "(double, double) -> double", "(real, double) -> real"],
          _approx_percentile, "")  # fmt: skip
