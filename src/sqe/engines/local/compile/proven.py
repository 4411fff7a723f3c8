"""What is proven to mean the same in DuckDB as in Spark. The list is the rule.

Each entry says what it takes and gives, in words for people; how it is written is in the files
beside. The reference page and the differential suite read this list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqe.engines.local.compile import functions_array as arrays
from sqe.engines.local.compile import functions_date as dates
from sqe.engines.local.compile import functions_group as groups
from sqe.engines.local.compile import functions_letters as letters
from sqe.engines.local.compile import functions_moments as moments
from sqe.engines.local.compile import functions_number as numbers
from sqe.engines.local.compile import functions_text as texts
from sqe.engines.local.compile import patterns
from sqe.engines.local.compile.built import Build
from sqe.engines.local.compile.casts import CASTS
from sqe.engines.local.compile.functions_group import Write
from sqe.engines.local.compile.value import Value, format_list_name, format_name

Show = Callable[[str, Sequence[Value]], str]


def _call_name(name: str, values: Sequence[Value]) -> str:
    return f"{name}()" if not values else format_list_name(f"{name}({{}})", tuple(values))


def _with(*defaults: str) -> Show:
    """Spark shows arguments that were left out; the last of ``defaults`` is the last argument's."""

    def show(name: str, values: Sequence[Value]) -> str:
        missing = max(0, len(defaults) - len(values))
        if not all(value.name for value in values):
            return ""
        names = [value.name for value in values] + list(defaults[len(defaults) - missing :])
        return f"{name}({', '.join(names)})"

    return show


def _capital(*names: str) -> Show:
    return lambda name, values: _call_name(name.upper() if name in names else name, values)


def _nameless(name: str, values: Sequence[Value]) -> str:
    """Spark shows what is not written, at length."""
    return ""


def _is(words: str) -> Show:
    return lambda name, values: format_name(f"({{}} {words})", *values)


def _as(other: str) -> Show:
    return lambda name, values: _call_name(other, values)


@dataclass(frozen=True)
class Function:
    """A scalar function: names Spark knows it by, argument kinds in words, and how it is written.

    ``build`` raises NotLocal for other arguments; ``show`` gives Spark's name for the column.
    """

    names: tuple[str, ...]
    arguments: str
    result: str
    build: Build
    show: Show = _call_name


FUNCTIONS: tuple[Function, ...] = (
    # Choices
    Function(("coalesce", "nvl", "ifnull"), "any, any, …", "their common type", numbers.coalesce),
    Function(("nullif",), "any, same type", "the first's type", numbers.nullif),
    Function(("nvl2",), "any, any, any", "the common type of the last two", numbers.nvl2),
    Function(("zeroifnull",), "int or bigint", "same type", numbers.zeroifnull),
    Function(("nullifzero",), "int or bigint", "same type", numbers.nullifzero),
    Function(("isnull",), "any", "boolean", numbers.is_null("IS NULL"), _is("IS NULL")),
    Function(("isnotnull",), "any", "boolean", numbers.is_null("IS NOT NULL"), _is("IS NOT NULL")),
    Function(("isnan",), "float or double", "boolean", numbers.isnan),
    Function(("greatest",), "any, …", "common type", numbers.extreme("greatest")),
    Function(("least",), "any, …", "common type", numbers.extreme("least")),
    Function(("raise_error",), "string", "string", texts.raise_error),
    # Numbers
    Function(("abs",), "number", "same type", numbers.absolute),
    Function(("negative",), "number", "same type", numbers.negative),
    Function(("pmod",), "integer, positive literal", "common type", numbers.pmod),
    Function(
        ("round",),
        "integer, decimal(p,s), or double, literal n >= 0; of doubles 0",
        "same type or decimal(p-s+n+1,n)",
        numbers.round_,
        _with("", "0"),
    ),
    Function(
        ("ceil", "ceiling"),
        "number",
        "bigint or decimal(p-s+1,0)",
        numbers.round_to_integer("ceil"),
        _capital("ceil"),
    ),
    Function(
        ("floor",),
        "number",
        "bigint or decimal(p-s+1,0)",
        numbers.round_to_integer("floor"),
        _capital("floor"),
    ),
    Function(("sqrt",), "number", "double", numbers.sqrt, _capital("sqrt")),
    Function(("sign", "signum"), "number", "double", numbers.sign, _capital("signum")),
    Function(("nanvl",), "double, double", "double", numbers.nanvl),
    Function(("try_add",), "integer, integer", "common type", numbers.try_integers("+")),
    Function(("try_subtract",), "integer, integer", "common type", numbers.try_integers("-")),
    Function(("try_multiply",), "integer, integer", "common type", numbers.try_integers("*")),
    Function(("try_divide",), "integer or double", "double", numbers.try_quotient("/")),
    Function(("try_mod",), "integer, integer", "common type", numbers.try_quotient("%")),
    # Texts
    Function(
        ("length", "char_length", "character_length", "len"),
        "string or binary",
        "int",
        texts.length,
    ),
    Function(("octet_length",), "string or binary", "int", texts.octet_length),
    Function(("upper", "ucase"), "string", "string", texts.upper),
    Function(("lower", "lcase"), "string", "string", texts.lower),
    Function(
        ("substring", "substr"),
        "string, int, int",
        "string",
        texts.substring,
        _with("", "", "2147483647"),
    ),
    Function(("left",), "string, literal", "string", texts.side("left")),
    Function(("right",), "string, literal", "string", texts.side("right")),
    Function(("concat",), "string or array, …", "string or array", texts.concat),
    Function(("concat_ws",), "literal, string, …", "string", texts.concat_ws),
    Function(("trim", "btrim"), "string, literal", "string", texts.trim_text("trim")),
    Function(("ltrim",), "string", "string", texts.trim_text("ltrim")),
    Function(("rtrim",), "string", "string", texts.trim_text("rtrim")),
    Function(("split_part",), "string, literal, literal", "string", texts.split_part),
    Function(("replace",), "string, string, string", "string", texts.replace, _with("", "", "")),
    Function(
        ("lpad",),
        "string, literal, literal",
        "string",
        texts.pad_text("lpad"),
        _with("", "", " "),
    ),
    Function(
        ("rpad",),
        "string, literal, literal",
        "string",
        texts.pad_text("rpad"),
        _with("", "", " "),
    ),
    Function(("repeat",), "string, integer", "string", texts.repeat),
    Function(("startswith",), "string, string", "boolean", texts.test_text("starts_with")),
    Function(("endswith",), "string, string", "boolean", texts.test_text("ends_with")),
    Function(("contains",), "string, string", "boolean", texts.test_text("contains")),
    Function(("instr",), "string, string", "int", texts.find_text(0, 1)),
    Function(
        ("locate", "position"), "string, string", "int", texts.find_text(1, 0), _with("", "", "1")
    ),
    Function(("reverse",), "string or array", "same type", letters.reverse),
    Function(("translate",), "string, string, string", "string", letters.translate),
    Function(("levenshtein",), "string, string", "int", letters.levenshtein),
    Function(("hex",), "integer, string or binary", "string", letters.to_hex),
    Function(("unhex",), "string", "binary", letters.from_hex),
    Function(("md5",), "string or binary", "string", letters.md5),
    Function(("split",), "string, literal text, -1", "array", patterns.split, _with("", "", "-1")),
    Function(("regexp_extract",), "string, literal, literal", "string", patterns.extract),
    Function(
        ("regexp_replace",),
        "string, literal, literal",
        "string",
        patterns.replace,
        _with("", "", "", "1"),
    ),
    # Arrays and maps
    Function(("array",), "any, …", "array", arrays.make_array),
    Function(("size", "cardinality"), "array or map", "int", arrays.size),
    Function(("array_size",), "array", "int", arrays.size),
    Function(("array_join",), "array<string>, string, string", "string", arrays.join_texts),
    Function(("array_contains",), "array, element", "boolean", arrays.contains),
    Function(("array_position",), "array, element", "bigint", arrays.position),
    Function(("array_remove",), "array, element", "array", arrays.remove),
    Function(("array_append",), "array, element", "array", arrays.append("array_append")),
    Function(("array_prepend",), "array, element", "array", arrays.append("array_prepend")),
    Function(("arrays_overlap",), "array, array", "boolean", arrays.overlap),
    Function(("array_union",), "array, array", "array", arrays.combine("array_union")),
    Function(("array_intersect",), "array, array", "array", arrays.combine("array_intersect")),
    Function(("array_except",), "array, array", "array", arrays.combine("array_except")),
    Function(("array_distinct",), "array", "same type", arrays.distinct),
    Function(("array_sort",), "array", "same type", arrays.sort("array_sort"), _nameless),
    Function(
        ("sort_array",),
        "array, literal",
        "same type",
        arrays.sort("sort_array"),
        _with("", "true"),
    ),
    Function(("array_min",), "array", "element", arrays.extreme("array_min")),
    Function(("array_max",), "array", "element", arrays.extreme("array_max")),
    Function(("slice",), "array, int, int", "array", arrays.slice_),
    Function(("flatten",), "array of arrays", "array", arrays.flatten),
    Function(("array_repeat",), "any, int", "array", arrays.repeat),
    Function(("sequence",), "int or bigint, …", "array", arrays.sequence),
    Function(("get",), "array, int", "element", arrays.get),
    Function(("arrays_zip",), "array, … that are no columns", "array", arrays.zip_arrays),
    Function(("map_from_arrays",), "array, array", "map", arrays.map_of_arrays),
    Function(("map_from_entries",), "array of structs", "map", arrays.map_of_entries),
    Function(("map_keys",), "map", "array", arrays.entries_of_map("map_keys")),
    Function(("map_values",), "map", "array", arrays.entries_of_map("map_values")),
    # Dates and moments
    Function(("year",), "date or timestamp", "int", dates.date_part("year")),
    Function(("quarter",), "date or timestamp", "int", dates.date_part("quarter")),
    Function(("month",), "date or timestamp", "int", dates.date_part("month")),
    Function(("day", "dayofmonth"), "date or timestamp", "int", dates.date_part("day")),
    Function(("dayofyear",), "date or timestamp", "int", dates.date_part("dayofyear")),
    Function(("dayofweek",), "date or timestamp", "int", dates.date_part("dayofweek", 1)),
    Function(("weekday",), "date or timestamp", "int", dates.date_part("isodow", -1)),
    Function(("weekofyear",), "date or timestamp", "int", dates.date_part("weekofyear")),
    Function(("hour",), "timestamp", "int", dates.clock_part("hour")),
    Function(("minute",), "timestamp", "int", dates.clock_part("minute")),
    Function(("second",), "timestamp", "int", dates.clock_part("second")),
    Function(("date_part",), "literal part, date or timestamp", "int", dates.part_of),
    Function(
        ("date_format",),
        "date or timestamp, literal of yyyy MM dd HH mm ss SSSSSS EEEE",
        "string",
        dates.date_format,
    ),
    Function(("date_add",), "date, int", "date", dates.move_date("+")),
    Function(("dateadd",), "date, int", "date", dates.move_date("+"), _as("date_add")),
    Function(("date_sub",), "date, int", "date", dates.move_date("-")),
    Function(("add_months",), "date, int", "date", dates.add_months),
    Function(("datediff", "date_diff"), "date, date", "int", dates.datediff),
    Function(("last_day",), "date", "date", dates.last_day),
    Function(("unix_date",), "date", "int", dates.unix_date),
    Function(("to_date",), "date, timestamp or ISO literal", "date", dates.to_date),
    Function(("trunc",), "date, literal unit", "date", dates.trunc),
    Function(("date_trunc",), "literal unit, timestamp", "timestamp", dates.date_trunc),
    Function(
        ("convert_timezone",),
        "'UTC', 'UTC', timestamp_ntz",
        "timestamp_ntz",
        dates.convert_timezone,
    ),
    Function(("unix_micros",), "timestamp", "bigint", moments.since_epoch(1)),
    Function(("unix_millis",), "timestamp", "bigint", moments.since_epoch(1_000)),
    Function(("unix_seconds",), "timestamp", "bigint", moments.since_epoch(1_000_000)),
    Function(("timestamp_micros",), "integer", "timestamp", moments.after_epoch(1)),
    Function(("timestamp_millis",), "integer", "timestamp", moments.after_epoch(1_000)),
    Function(("timestamp_seconds",), "integer", "timestamp", moments.after_epoch(1_000_000)),
    Function(
        ("try_make_timestamp_ntz",),
        "int, int, int, 0, 0, 0",
        "timestamp_ntz",
        moments.try_make_midnight,
    ),
    Function(("current_date", "curdate"), "", "date", dates.current_date, _as("current_date")),
    Function(("current_timestamp", "now"), "", "timestamp", dates.current_timestamp),
)
BY_NAME = {name: function for function in FUNCTIONS for name in function.names}


@dataclass(frozen=True)
class Aggregate:
    """An aggregate over one argument; ``write`` gets it, DISTINCT or not, and what comes after."""

    names: tuple[str, ...]
    arguments: str
    result: str
    write: Write


_BAG = "array, where its order does not show"
_AGGREGATES = (
    Aggregate(("sum",), "number", "bigint, double or decimal(p+10,s)", groups.total),
    Aggregate(("avg", "mean"), "number", "double or decimal(p+4,s+4)", groups.mean),
    Aggregate(("min",), "any", "same type", groups.extreme("min")),
    Aggregate(("max",), "any", "same type", groups.extreme("max")),
    Aggregate(("count",), "any, …", "bigint", groups.count),
    Aggregate(("count_if",), "boolean", "bigint", groups.count_if),
    Aggregate(("bool_and", "every"), "boolean", "boolean", groups.logical("bool_and")),
    Aggregate(("bool_or", "some", "any"), "boolean", "boolean", groups.logical("bool_or")),
    Aggregate(("stddev_samp", "stddev", "std"), "number", "double", groups.spread("stddev_samp")),
    Aggregate(("stddev_pop",), "number", "double", groups.spread("stddev_pop")),
    Aggregate(("var_samp", "variance"), "number", "double", groups.spread("var_samp")),
    Aggregate(("var_pop",), "number", "double", groups.spread("var_pop")),
    Aggregate(("bit_and",), "integer", "same type", groups.bits("bit_and")),
    Aggregate(("bit_or",), "integer", "same type", groups.bits("bit_or")),
    Aggregate(("bit_xor",), "integer", "same type", groups.bits("bit_xor")),
    Aggregate(("collect_list", "array_agg"), "any", _BAG, groups.collect),
    Aggregate(("collect_set",), "any", _BAG, groups.collect_set),
)
AGGREGATES: dict[str, Aggregate] = {
    name: aggregate for aggregate in _AGGREGATES for name in aggregate.names
}


@dataclass(frozen=True)
class Feature:
    """Something else than a function, in words for people."""

    name: str
    note: str = ""


TYPES = (
    Feature("boolean"),
    Feature("tinyint, smallint, int, bigint"),
    Feature("float, double", "comparisons only if no file of the table holds NaN"),
    Feature("decimal(p,s)"),
    Feature("string"),
    Feature("binary"),
    Feature("date"),
    Feature("timestamp", "days, hours and texts of it only in the session time zone UTC"),
    Feature("timestamp_ntz"),
    Feature("array<int>, array<string>, struct<a:int,b:string>", "and of other types; no order"),
    Feature("map<string,int>", "and of other types; no comparisons"),
)
OPERATORS = (
    Feature("+ - *", "numbers; a date and an int; a date or timestamp and a literal interval"),
    Feature("/ %", "numbers"),
    Feature("div", "integers, decimals of scale 0"),
    Feature("& | ^ ~", "integers"),
    Feature("= <> < <= > >= <=> IS [NOT] DISTINCT FROM"),
    Feature("AND OR NOT"),
    Feature("IS [NOT] NULL, IS [NOT] TRUE, IS [NOT] FALSE"),
    Feature("[NOT] BETWEEN"),
    Feature("[NOT] IN", "literals, expressions, or a query"),
    Feature("[NOT] LIKE, ILIKE", "ILIKE with a literal pattern"),
    Feature("RLIKE", "a literal pattern; no lookarounds, backreferences, \\b, possessive *"),
    Feature("||", "strings"),
    Feature("CASE, IF"),
    Feature("transform(array(x), v -> …)[0]", "what gives x a name"),
    Feature("transform, filter, exists, forall, zip_with, aggregate", "of arrays; no other type"),
    Feature("a[i], element_at, try_element_at", "an array by a place, a map by a key of its type"),
    Feature("named_struct, struct, s.field", "no doubles of stored structs"),
    Feature("EXISTS, scalar subqueries"),
    Feature("EXTRACT", ", ".join(dates.EXTRACTED)),
)
WINDOW_FUNCTIONS = (
    Feature("row_number, rank, dense_rank, percent_rank, cume_dist"),
    Feature("ntile", "a literal"),
    Feature("lag, lead", "a literal offset, a default of the same type"),
    Feature("first_value, last_value", "also IGNORE NULLS"),
    Feature("nth_value", "a literal"),
    Feature("aggregates", "without DISTINCT; frames of ROWS, and of RANGE without numbers"),
)
CAST_KINDS = tuple((cast.source, cast.target) for cast in CASTS)
CLAUSES = (
    Feature("SELECT, [alias.]*, * EXCEPT (…), DISTINCT", "an alias may be used behind it"),
    Feature("queries without FROM, VALUES, range()", "range with literal numbers"),
    Feature("FROM tables, views, derived tables, CTEs", "with column lists; no sampling, no PIVOT"),
    Feature("VERSION AS OF, TIMESTAMP AS OF, t.branch_x, t.tag_x", "literals, no computed moments"),
    Feature("[INNER | LEFT | RIGHT | FULL] JOIN, CROSS JOIN, LEFT SEMI, LEFT ANTI, commas"),
    Feature("ON, USING, NATURAL", "no subqueries in ON"),
    Feature("[CROSS | LEFT] JOIN LATERAL", "a query or explode(); ON true"),
    Feature("explode, posexplode, explode_outer, posexplode_outer", "of arrays, in FROM"),
    Feature("WHERE"),
    Feature("GROUP BY", "columns, expressions, positions, aliases, ALL"),
    Feature(
        "ROLLUP, CUBE, GROUPING SETS, WITH ROLLUP, WITH CUBE",
        "several by different keys, not nested",
    ),
    Feature("HAVING", "with GROUP BY or aggregates"),
    Feature("WINDOW"),
    Feature("ORDER BY", "columns, expressions, positions, aliases, ALL; no subqueries"),
    Feature("LIMIT, OFFSET", "literal numbers, ALL"),
    Feature("UNION, INTERSECT, EXCEPT, MINUS", "[ALL]; columns by position"),
    Feature("WITH", "not RECURSIVE"),
    Feature("IN (query)", "as a filter in WHERE, HAVING and CASE WHEN, not as a value"),
    Feature(
        "correlated subqueries",
        "outer columns in WHERE only, also of derived tables; a value must be an aggregate, or a "
        "row by its row_number()",
    ),
)
