"""Aggregate and window functions the generator draws from, as entries of the same catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from tests.differential.catalogue import Entry, Risk

_SUMMED = ("tinyint", "smallint", "int", "bigint", "double", "float", "decimal")
_SUM_RESULT = {"double": "double", "float": "double", "decimal": "decimal"}
_COMPARED = (
    "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "string", "boolean",
    "date", "timestamp", "timestamp_ntz",
)  # fmt: skip


_SOME = "size(filter(collect_list({0}) FILTER (WHERE {1}), x -> x IS NOT NULL))"
# As the Trino dialect keeps NULLs.
_JOINED = (
    "array_join(array_sort(transform(collect_list(DISTINCT named_struct('v', {0})), e -> e.v)), "
    "',', '-')"
)


def _aggregates() -> Iterator[Entry]:
    """RANGE risk: the argument is a tame column, so that no sum depends on the order of rows."""
    for kind in _SUMMED:
        result = _SUM_RESULT.get(kind, "bigint")
        yield Entry("sum", (kind,), result, "sum({0})", Risk.RANGE)
        yield Entry("try_sum", (kind,), result, "try_sum({0})", Risk.RANGE)
        yield Entry("sum", (kind,), result, "sum(DISTINCT {0})", Risk.RANGE)
        average = "decimal" if kind == "decimal" else "double"
        yield Entry("avg", (kind,), average, "avg({0})", Risk.RANGE)
        yield Entry("mean", (kind,), average, "mean({0})", Risk.RANGE)
    for kind in _COMPARED:
        yield Entry("min", (kind,), kind, "min({0})")
        yield Entry("max", (kind,), kind, "max({0})")
        yield Entry("count", (kind,), "bigint", "count({0})")
        yield Entry("count", (kind,), "bigint", "count(DISTINCT {0})")
    yield Entry("count", (), "bigint", "count(*)")
    yield Entry("count", ("int", "string"), "bigint", "count({0}, {1})")
    yield Entry("count", ("int", "string"), "bigint", "count(DISTINCT {0}, {1})")
    for name in ("stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"):
        yield Entry(name, ("int",), "double", f"{name}({{0}})", Risk.RANGE)
        yield Entry(name, ("double",), "double", f"{name}({{0}})", Risk.RANGE)
    for name in ("bool_and", "bool_or", "every", "some", "any"):
        yield Entry(name, ("boolean",), "boolean", f"{name}({{0}})")
    yield Entry("count_if", ("boolean",), "bigint", "count_if({0})")
    for name in ("bit_and", "bit_or", "bit_xor"):
        yield Entry(name, ("int",), "int", f"{name}({{0}})")
    for name in ("corr", "covar_pop", "covar_samp"):
        yield Entry(name, ("double", "double"), "double", f"{name}({{0}}, {{1}})", Risk.RANGE)
    yield Entry("median", ("double",), "double", "median({0})", Risk.RANGE)
    yield Entry("percentile", ("int",), "double", "percentile({0}, 0.3)", Risk.RANGE)
    yield Entry("skewness", ("double",), "double", "skewness({0})", Risk.RANGE)
    yield from _collected()
    for kind in ("int", "bigint", "decimal"):
        result = _SUM_RESULT.get(kind, "bigint")
        text = "sum({0}) FILTER (WHERE {1})"
        yield Entry("filter", (kind, "boolean"), result, text, Risk.RANGE)
    yield Entry("filter", ("boolean",), "bigint", "count(*) FILTER (WHERE {0})")


def _collected() -> Iterator[Entry]:
    # Collected in any order, so sorted before anybody looks.
    for name in ("collect_list", "collect_set", "array_agg"):
        for kind in ("int", "string"):
            yield Entry(name, (kind,), f"array<{kind}>", f"sort_array({name}({{0}}))")
    for kind in ("int", "string", "double"):
        yield Entry("collect_list", (kind,), "int", "size(collect_list({0}))")
        yield Entry("collect_list", (kind, "boolean"), "int", f"{_SOME}")
    yield Entry("collect_list", ("string",), "string", _JOINED)
    yield Entry("collect_set", ("int",), "int", "array_max(collect_set({0}))")


def _ranking() -> Iterator[Entry]:
    """Same for all rows that compare equal, so any order will do."""
    yield Entry("rank", (), "int", "rank()")
    yield Entry("dense_rank", (), "int", "dense_rank()")
    yield Entry("percent_rank", (), "double", "percent_rank()")
    yield Entry("cume_dist", (), "double", "cume_dist()")


def _positional() -> Iterator[Entry]:
    """The order has to be total."""
    yield Entry("row_number", (), "int", "row_number()")
    yield Entry("ntile", (), "int", "ntile(3)")
    for kind in ("int", "string", "date", "decimal"):
        for name in ("lag", "lead"):
            yield Entry(name, (kind,), kind, f"{name}({{0}})")
            yield Entry(name, (kind,), kind, f"{name}({{0}}, 2)")
        yield Entry("lag", (kind, kind), kind, "lag({0}, 1, {1})")
        for name in ("first_value", "last_value"):
            yield Entry(name, (kind,), kind, f"{name}({{0}})")
        yield Entry("nth_value", (kind,), kind, "nth_value({0}, 2)")


AGGREGATES: tuple[Entry, ...] = tuple(_aggregates())
RANKING: tuple[Entry, ...] = tuple(_ranking())
POSITIONAL: tuple[Entry, ...] = tuple(_positional())
# Those that a window may take, with a frame: no DISTINCT, no FILTER, nothing collected.
WINDOWED: tuple[Entry, ...] = tuple(
    entry
    for entry in AGGREGATES
    if entry.name in ("sum", "avg", "min", "max", "count", "stddev_samp", "bool_and")
    and "DISTINCT" not in entry.text
    and len(entry.args) < 2
)
