"""Aggregate functions that give one value."""

from __future__ import annotations

from dataclasses import replace

from sqe.model.trino_types import BIGINT, TrinoType, decimal
from sqe.trino.dialect.calls import CallSite, special
from sqe.trino.dialect.decimals import mean_of_decimals
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.functions.registry import AGGREGATE, Bound, Emit, Returns, declare
from sqe.trino.dialect.functions.signatures import Bindings
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, spark_type

_FLOATS = ("real", "double")


@special("count")
def _count(site: CallSite) -> Typed:
    """``count(*)``, ``count()`` and ``count(x)`` of any type."""
    if site.node.star or not site.node.arguments:
        return Typed(BIGINT, site.aggregate("count", ["*"]))
    if len(site.node.arguments) > 1:
        kinds = ", ".join(str(site.argument(i).type) for i in range(len(site.node.arguments)))
        message = f"Unexpected parameters ({kinds}) for function count. "
        message += "Expected: count(), count(t) T"
        raise Refused("FUNCTION_NOT_FOUND", message, site.node.at)
    value = site.argument(0)
    if site.node.distinct and site.node.window is not None:
        return Typed(BIGINT, _distinct_in_window(site, value))
    return Typed(BIGINT, site.aggregate("count", [value.sql]))


def _distinct_in_window(site: CallSite, value: Typed) -> str:
    """Spark counts distinct values of groups only, but has the set of those in a window."""
    if value.type.base in (*_FLOATS, "map", "json", "row", "array"):
        raise not_supported(f"count(DISTINCT …) OVER of {value.type}", site.node.at)
    plain = replace(site, node=replace(site.node, distinct=False))
    return f"CAST(size({plain.aggregate('collect_set', [value.sql])}) AS BIGINT)"


def _write_special(call: Bound) -> str:
    raise call.refuse("its calls are translated elsewhere")


def aggregate(name: str, signatures: str | list[str], spark: str | Emit, description: str,
              result: Returns | None = None) -> None:  # fmt: skip
    declare(name, signatures, spark, kind=AGGREGATE, result=result, description=description)


aggregate("count", ["() -> bigint", "(T) -> bigint"], _write_special,
          "Counts the non-null values")  # fmt: skip


# ------------------------------------------------------------- sums and means


def _through_double(name: str) -> Emit:
    """Reals are added up as doubles, or less would be left of them."""
    return lambda call: f"CAST({call.aggregate(name, f'CAST({call.sql(0)} AS DOUBLE)')} AS FLOAT)"


def _all_digits(bound: Bindings, kinds: tuple[TrinoType, ...]) -> TrinoType:
    return decimal(38, kinds[0].scale)


def _sum_of_decimals(call: Bound) -> str:
    return f"CAST({call.aggregate('sum', call.sql(0))} AS {spark_type(call.returns, call.at)})"


aggregate("sum", ["(bigint) -> bigint", "(double) -> double"], "sum", "")
aggregate("sum", "(real) -> real", _through_double("sum"), "")
aggregate("sum", "(decimal(p,s)) -> decimal(38,s)", _sum_of_decimals, "", _all_digits)
aggregate("sum", "(interval day to second) -> interval day to second", "sum", "")
aggregate("sum", "(interval year to month) -> interval year to month",
          lambda call: f"CAST({call.aggregate('sum', call.sql(0))} AS INT)", "")  # fmt: skip


def _mean_of_decimals(call: Bound) -> str:
    kind = call.arguments[0].type
    total = decimal(min(38, kind.precision + 10), kind.scale)
    written = f"CAST({call.aggregate('sum', call.sql(0))} AS {spark_type(total, call.at)})"
    count = call.aggregate("count", call.sql(0))
    return mean_of_decimals(Typed(total, written), count, kind)


def _mean_of_intervals(call: Bound) -> str:
    written = call.aggregate("avg", call.sql(0))
    return f"CAST(round({written}) AS {spark_type(call.returns, call.at)})"


aggregate("avg", ["(bigint) -> double", "(double) -> double"], "avg",
          "Returns the average value of the argument")  # fmt: skip
aggregate("avg", "(real) -> real", _through_double("avg"), "")
aggregate("avg", "(decimal(p,s)) -> decimal(p,s)", _mean_of_decimals, "")
aggregate("avg", ["(interval day to second) -> interval day to second",
                  "(interval year to month) -> interval year to month"],
          _mean_of_intervals, "")  # fmt: skip


def _logarithm(value: str) -> str:
    """Java's, which has one for every number; Spark's is NULL for zero and below."""

    def write(sql: str) -> str:
        below = f"IF({sql} = 0, double('-Infinity'), double('NaN'))"
        return f"IF({sql} <= 0, {below}, ln({sql}))"

    return with_variable(value, write)


aggregate("geometric_mean", ["(bigint) -> double", "(double) -> double"],
          lambda call: f"exp({call.aggregate('avg', _logarithm(call.sql(0)))})",
          "Returns the geometric mean of the argument")  # fmt: skip


# ----------------------------------------------------------- least and greatest


def _extreme(name: str) -> Emit:
    def write(call: Bound) -> str:
        kind, value = call.arguments[0].type, call.sql(0)
        if kind.base in ("map", "json"):
            message = f"Unexpected parameters ({kind}) for function {name}"
            raise Refused("FUNCTION_NOT_FOUND", message, call.at)
        if kind.base not in _FLOATS:
            return call.aggregate(name, value)
        # NaN is neither the least nor the greatest, unless there is nothing else.
        number = call.aggregate(name, f"IF(isnan({value}), NULL, {value})")
        return f"coalesce({number}, {call.aggregate(name, value)})"

    return write


aggregate("min", "(T) -> T", _extreme("min"), "Returns the minimum value of the argument")
aggregate("max", "(T) -> T", _extreme("max"), "Returns the maximum value of the argument")


def _several(least: bool) -> Emit:
    def write(call: Bound) -> str:
        kind, count = call.arguments[0].type, call.arguments[1].constant
        if not isinstance(count, int) or kind.base in (*_FLOATS, "map", "json", "row"):
            raise call.refuse(f"the number of values must be constant, of {kind}")
        if not 0 < count <= 10_000:
            message = "third argument of max_n/min_n must be a positive integer"
            raise Refused("INVALID_FUNCTION_ARGUMENT", message, None)
        values = call.aggregate("collect_list", call.sql(0))
        ordered = f"sort_array({values}, {'true' if least else 'false'})"
        return f"nullif(slice({ordered}, 1, {count}), array())"

    return write


aggregate("min", "(T, bigint) -> array(T)", _several(True), "")
aggregate("max", "(T, bigint) -> array(T)", _several(False), "")


def _by(name: str) -> Emit:
    def write(call: Bound) -> str:
        order = call.arguments[1]
        if order.type.base in (*_FLOATS, "map", "json"):
            if order.type.base not in _FLOATS:
                raise call.refuse(f"values of {order.type} have no order")
            # NaN comes into play only where there is nothing else.
            number = f"IF(isnan({order.sql}), NULL, {order.sql})"
            picked = call.aggregate(name, call.sql(0), number)
            any_number = call.aggregate("count", number)
            return f"IF({any_number} > 0, {picked}, {call.aggregate(name, call.sql(0), order.sql)})"
        return call.aggregate(name, call.sql(0), order.sql)

    return write


aggregate("min_by", "(V, K) -> V", _by("min_by"),
          "Returns the value of the first argument, associated with the minimum value of the second"
          " argument")  # fmt: skip
aggregate("max_by", "(V, K) -> V", _by("max_by"),
          "Returns the value of the first argument, associated with the maximum value of the second"
          " argument")  # fmt: skip


def _several_by(name: str) -> Emit:
    first, last = ("-1", "1") if name == "min_by" else ("1", "-1")

    def write(call: Bound) -> str:
        kind, count = call.arguments[1].type, call.arguments[2].constant
        if not isinstance(count, int) or kind.base in (*_FLOATS, "map", "json", "row", "array"):
            raise call.refuse(f"the number of values must be constant, and those ordered no {kind}")
        if not 0 < count <= 10_000:
            message = f"third argument of {name} must be a positive integer"
            raise Refused("INVALID_FUNCTION_ARGUMENT", message, None)
        rows = call.aggregate(
            "collect_list", f"named_struct('v', {call.sql(0)}, 'k', {call.sql(1)})"
        )
        compared = f"CASE WHEN l.k < r.k THEN {first} WHEN l.k > r.k THEN {last} ELSE 0 END"
        ordered = f"array_sort(filter({rows}, e -> e.k IS NOT NULL), (l, r) -> {compared})"
        return f"nullif(transform(slice({ordered}, 1, {count}), e -> e.v), array())"

    return write


for _name in ("min_by", "max_by"):
    aggregate(_name, "(V, K, bigint) -> array(V)", _several_by(_name), "")


# ---------------------------------------------------------------------- others

aggregate("count_if", "(boolean) -> bigint", "count_if", "")
aggregate("bool_and", "(boolean) -> boolean", "bool_and", "")
aggregate("every", "(boolean) -> boolean", "bool_and", "")
aggregate("bool_or", "(boolean) -> boolean", "bool_or", "")


def _any(call: Bound) -> str:
    return call.aggregate("max_by", call.sql(0), f"IF({call.sql(0)} IS NULL, NULL, 1)")


aggregate("arbitrary", "(T) -> T", _any, "Return an arbitrary non-null input value")
aggregate("any_value", "(T) -> T", _any, "Return an arbitrary non-null input value")
for _bits in ("and", "or", "xor"):
    aggregate(f"bitwise_{_bits}_agg", "(bigint) -> bigint", f"bit_{_bits}", "")


for _name, _spark in (
    ("stddev", "stddev_samp"), ("stddev_samp", "stddev_samp"), ("stddev_pop", "stddev_pop"),
    ("variance", "var_samp"), ("var_samp", "var_samp"), ("var_pop", "var_pop"),
):  # fmt: skip
    aggregate(_name, ["(bigint) -> double", "(double) -> double"], _spark, "")


def _skewness(call: Bound) -> str:
    count = call.aggregate("count", call.sql(0))
    skewness = call.aggregate("skewness", call.sql(0))
    return f"IF({count} < 3, NULL, coalesce({skewness}, double('NaN')))"  # of equal values


def _kurtosis(call: Bound) -> str:
    """Spark's is of the population, Trino's of a sample of it."""
    n = f"CAST({call.aggregate('count', call.sql(0))} AS DOUBLE)"
    population = f"coalesce({call.aggregate('kurtosis', call.sql(0))}, double('NaN'))"
    over = f"(({n} - 1) * ({n} + 1) * ({population} + 3) - 3 * ({n} - 1) * ({n} - 1))"
    return f"IF({n} < 4, NULL, {over} / (({n} - 2) * ({n} - 3)))"


aggregate("skewness", ["(bigint) -> double", "(double) -> double"], _skewness, "")
aggregate("kurtosis", ["(bigint) -> double", "(double) -> double"], _kurtosis, "")


def _of_pairs(name: str) -> None:
    aggregate(name, "(double, double) -> double", name, "")

    def as_real(call: Bound) -> str:
        values = (f"CAST({call.sql(i)} AS DOUBLE)" for i in (0, 1))
        return f"CAST({call.aggregate(name, *values)} AS FLOAT)"

    aggregate(name, "(real, real) -> real", as_real, "")


for _name in ("covar_pop", "covar_samp", "regr_slope", "regr_intercept"):
    _of_pairs(_name)


def _corr(call: Bound) -> str:
    """Spark's divides by zero where one side has a single value; Trino's is NULL."""
    pair = [f"CAST({call.sql(i)} AS DOUBLE)" for i in (0, 1)]
    spread, sign, square = (
        call.aggregate(name, *pair) for name in ("regr_syy", "covar_pop", "regr_r2")
    )
    written = f"IF({spread} = 0, NULL, sign({sign}) * sqrt({square}))"
    return f"CAST({written} AS {spark_type(call.returns, call.at)})"


aggregate("corr", ["(double, double) -> double", "(real, real) -> real"], _corr, "")
