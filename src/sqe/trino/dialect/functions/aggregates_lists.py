"""Aggregates that give arrays, maps and texts, and the approximate ones."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.model.trino_types import VARCHAR
from sqe.trino.dialect import nodes
from sqe.trino.dialect.calls import CallSite, special
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.functions.aggregates import aggregate
from sqe.trino.dialect.functions.registry import Bound
from sqe.trino.dialect.typed import Typed, fail, spark_type, string
from sqe.trino.dialect.windows import FLOATS


def _collect_list(call: Bound, *parts: str) -> str:
    """A list of rows, in the order that the call asks for; NULLs are kept."""
    site = call.site
    keys = [
        site.analyzer.expression(sort_item.expression, site.scope)
        for sort_item in site.node.order_by
    ]
    for key, sort_item in zip(keys, site.node.order_by, strict=True):
        if key.type.base in ("map", "json", "row", "array"):
            raise not_supported(f"ORDER BY {key.type} inside of an aggregate", sort_item.at)
        if site.node.distinct and key.sql not in parts:
            message = (
                "For aggregate function with DISTINCT, ORDER BY expressions must appear in "
                "arguments"
            )
            raise Refused("EXPRESSION_NOT_IN_DISTINCT", message, sort_item.at)
    named = [f"'v{i}', {part}" for i, part in enumerate(parts)]
    named += [f"'k{i}', {key.sql}" for i, key in enumerate(keys)]
    rows = call.aggregate("collect_list", f"named_struct({', '.join(named)})")
    if not keys:
        return rows
    return f"array_sort({rows}, (l, r) -> {_comparison(site.node.order_by, keys)})"


def _comparison(order_by: Sequence[nodes.SortItem], keys: Sequence[Typed]) -> str:
    """-1, 0 or 1 for two rows ``l`` and ``r``."""
    parts = []
    for i, (sort_item, key) in enumerate(zip(order_by, keys, strict=True)):
        left, right = f"l.k{i}", f"r.k{i}"
        before, after = ("-1", "1") if sort_item.ascending else ("1", "-1")
        nan = (
            f"WHEN isnan({left}) AND NOT isnan({right}) THEN {before} "
            f"WHEN NOT isnan({left}) AND isnan({right}) THEN {after} "
        )  # less than the numbers
        first, last = ("-1", "1") if sort_item.nulls_first else ("1", "-1")
        parts.append(
            f"WHEN {left} IS NULL AND {right} IS NOT NULL THEN {first} "
            f"WHEN {left} IS NOT NULL AND {right} IS NULL THEN {last} "
            f"{nan if sort_item.nulls_first and key.type.base in FLOATS else ''}"
            f"WHEN {left} < {right} THEN {before} WHEN {left} > {right} THEN {after}"
        )
    return f"CASE {' '.join(parts)} ELSE 0 END"


def _none_if_empty(rows: str, written: str) -> str:
    return f"IF(size({rows}) = 0, NULL, {written})"


def _array_agg(call: Bound) -> str:
    rows = _collect_list(call, call.sql(0))
    return _none_if_empty(rows, f"transform({rows}, e -> e.v0)")


aggregate("array_agg", "(T) -> array(T)", _array_agg, "return an array of values")


def _map_by_key(call: Bound, value: str) -> str:
    """A map from distinct keys that are not NULL; ``value`` is SQL over the list ``$m`` of the rows
    of one key."""
    collected = _collect_list(call, *(argument.sql for argument in call.arguments))
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
    return _map_by_key(call, "$m[0].v1")


def _multimap_agg(call: Bound) -> str:
    _check_key(call)
    return _map_by_key(call, "transform($m, e -> e.v1)")


def _histogram(call: Bound) -> str:
    _check_key(call)
    return _map_by_key(call, "CAST(size($m) AS BIGINT)")


aggregate("map_agg", "(K, V) -> map(K, V)", _map_agg,
          "Aggregates all the rows (key/value pairs) into a single map")  # fmt: skip
aggregate("multimap_agg", "(K, V) -> map(K, array(V))", _multimap_agg,
          "Aggregates all the rows (key/value pairs) into a single multimap")  # fmt: skip
aggregate("histogram", "(T) -> map(T, bigint)", _histogram,
          "Count the number of times each value occurs")  # fmt: skip


def _most_frequent(call: Bound) -> str:
    """Counted exactly, where Trino estimates as soon as there are more values than its third
    argument."""
    buckets = call.arguments[0].constant
    if not isinstance(buckets, int):
        raise call.refuse("the number of buckets must be constant")
    if buckets < 2:
        message = "approx_most_frequent bucket count must be greater than one"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message, None)
    values = call.aggregate("collect_list", call.sql(1))

    def write(listed: str) -> str:
        counted = f"struct(size(filter({listed}, e -> e = k)) AS n, k AS k)"
        counts = f"transform(array_distinct({listed}), k -> {counted})"
        by_count = "(l, r) -> CASE WHEN l.n > r.n THEN -1 WHEN l.n < r.n THEN 1 ELSE 0 END"
        most = f"slice(array_sort({counts}, {by_count}), 1, {buckets})"
        return f"map_from_entries(transform({most}, e -> struct(e.k, CAST(e.n AS BIGINT))))"

    return _none_if_empty(values, write(values))


aggregate("approx_most_frequent",
          ["(bigint, bigint, bigint) -> map(bigint, bigint)",
           "(bigint, varchar, bigint) -> map(varchar, bigint)"],
          _most_frequent, "")  # fmt: skip


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


_LONGEST_LIST = 1 << 20  # bytes


@special("listagg")
def _listagg(site: CallSite) -> Typed:
    """LISTAGG(x, separator [ON OVERFLOW …]) WITHIN GROUP (ORDER BY …)."""
    node = site.node
    if node.window is not None:
        message = "Window with LISTAGG is not supported"
        raise Refused("NOT_SUPPORTED", message, node.at)
    separator = site.argument(1) if len(node.arguments) > 1 else Typed(VARCHAR, "''", "")
    if not isinstance(separator.constant, str):
        raise not_supported("LISTAGG with a separator that is not constant", node.at)
    value = site.argument(0)
    if value.type.base != "varchar":
        message = f"Expected expression of varchar, but 'x' has {value.type} type"
        raise Refused("TYPE_MISMATCH", message, node.at)
    order = ", ".join(site.analyzer.sort(sort_item, site.scope) for sort_item in node.order_by)
    if node.distinct and len(node.order_by) == 1 and order.startswith(f"{value.sql} "):
        return Typed(VARCHAR, _limit_length(site, _list_once(site, value, separator.constant)))
    distinct = "DISTINCT " if node.distinct else ""
    text = f"listagg({distinct}{value.sql}, {string(separator.constant)})"
    text += f" WITHIN GROUP (ORDER BY {order})" if order else ""
    if node.filter is not None:
        text += f" FILTER (WHERE {site.condition()})"
    return Typed(VARCHAR, _limit_length(site, text))


def _limit_length(site: CallSite, text: str) -> str:
    """The text, where it is no longer than Trino lets it be."""
    node = site.node
    truncates = len(node.arguments) > 2 and node.arguments[2] != nodes.BooleanLiteral(0, True)
    if truncates:
        message = "LISTAGG … ON OVERFLOW TRUNCATE of more than a megabyte is not supported"
        beyond = fail("NOT_SUPPORTED", string(message), VARCHAR, node.at)
    else:
        message = (
            "Concatenated string has the length in bytes larger than the maximum output length "
            f"{_LONGEST_LIST}"
        )
        beyond = fail("EXCEEDED_FUNCTION_MEMORY_LIMIT", string(message), VARCHAR, node.at)
    return f"IF(octet_length({text}) > {_LONGEST_LIST}, {beyond}, {text})"


def _list_once(site: CallSite, value: Typed, separator: str) -> str:
    """Spark fails on a sorted DISTINCT listagg beside another DISTINCT."""
    values = f"collect_set({value.sql})"
    if site.node.filter is not None:
        values += f" FILTER (WHERE {site.condition()})"
    ascending = "true" if site.node.order_by[0].ascending else "false"
    text = f"array_join(sort_array({values}, {ascending}), {string(separator)})"
    return f"IF(size({values}) = 0, NULL, {text})"


aggregate("listagg", "(varchar, varchar) -> varchar", lambda call: call.sql(0),
          "concatenates the input values with the specified separator")  # fmt: skip


# ----------------------------------------------------------------- approximate


def _approx_distinct(call: Bound) -> str:
    """Trino's default error is 2.3 %."""
    error = "0.023D"
    if len(call.arguments) > 1:
        wanted_error = call.arguments[1].constant
        if (
            not isinstance(wanted_error, int | float | str)
            or not 0.0040625 <= float(wanted_error) <= 0.26
        ):
            message = "Standard error must be in [0.0040625, 0.26000]"
            raise Refused("INVALID_FUNCTION_ARGUMENT", message, None)
        error = f"{float(wanted_error)!r}D"
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


def _approx_percentiles(call: Bound) -> str:
    (_, listed) = call.site.node.arguments
    if not isinstance(listed, nodes.ArrayConstructor):
        raise call.refuse("the percentiles must be constant")
    values = [call.site.analyzer.expression(one, call.site.scope) for one in listed.items]
    wanted = ", ".join(_percentile(one.constant, call) for one in values)
    return call.aggregate("percentile_approx", call.sql(0), f"array({wanted})", "10000")


aggregate("approx_percentile",
          ["(bigint, double) -> bigint", "(double, double) -> double", "(real, double) -> real"],
          _approx_percentile, "")  # fmt: skip
aggregate("approx_percentile",
          ["(bigint, array(double)) -> array(bigint)", "(double, array(double)) -> array(double)",
           "(real, array(double)) -> array(real)"],
          _approx_percentiles, "")  # fmt: skip
