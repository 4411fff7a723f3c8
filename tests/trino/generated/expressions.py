"""Expressions of every family of types over the columns of a scope."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

FAMILIES = ("int", "num", "str", "bool", "date", "ts", "arr")
_SCALAR = ("int", "int", "num", "str", "str", "bool", "date", "ts")
LITERALS = {
    "int": ("0", "1", "2", "3", "-1", "20", "BIGINT '2'", "SMALLINT '1'", "TINYINT '3'"),
    "num": ("1.5", "0.25", "-0.5", "2e0", "1.5e0", "DECIMAL '10.05'", "REAL '1.5'"),
    "str": ("'p'", "''", "'ab'", "'Q'", "'é'", "' a'", "'1'", "'p_'", "VARCHAR 'ab'"),
    "bool": ("true", "false"),
    "date": ("DATE '2024-01-31'", "DATE '1999-12-31'", "DATE '2024-03-01'"),
    "ts": ("TIMESTAMP '2024-01-31 10:20:30.123456'", "TIMESTAMP '2024-01-31 00:00:00'"),
    "arr": ("ARRAY[1, 2]", "ARRAY[NULL, 3]", "ARRAY[2]"),
}
TYPES = {"int": "bigint", "num": "double", "str": "varchar", "bool": "boolean", "date": "date",
         "ts": "timestamp(6)", "arr": "array(integer)"}  # fmt: skip


@dataclass(frozen=True)
class Column:
    sql: str
    family: str


@dataclass(frozen=True)
class Scope:
    """``unique``: columns that together tell a row from every other; None if nothing does.
    ``subqueries``: how deep they may nest from here."""

    columns: tuple[Column, ...] = ()
    unique: tuple[str, ...] | None = ()
    outer: tuple[Column, ...] = ()
    subqueries: int = 1

    def of(self, family: str) -> list[Column]:
        return [column for column in self.columns if column.family == family]


Form = Callable[["Expressions", Scope, int], str]


@dataclass
class Expressions:
    """``subquery``: makes a query of one column of a family, correlated with a scope."""

    chance: random.Random
    subquery: Callable[[str, Scope, str], str] | None = None
    _numbers: list[int] = field(default_factory=lambda: [0])

    def name(self, prefix: str) -> str:
        self._numbers[0] += 1
        return f"{prefix}{self._numbers[0]}"

    def family(self, scope: Scope) -> str:
        """One that the scope has, mostly."""
        if scope.columns and self.chance.random() < 0.8:
            return self.chance.choice(scope.columns).family
        return self.chance.choice(_SCALAR)

    def of(self, family: str, scope: Scope, depth: int = 2) -> str:
        dice = self.chance.random()
        if depth <= 0 or dice < 0.35:
            return self.leaf(family, scope)
        if dice < 0.45:
            return self.any_of(family, scope, depth - 1)
        if dice < 0.5 and self.subquery is not None and scope.subqueries > 0 and family != "arr":
            return f"({self.subquery(family, scope, 'scalar')})"
        return self.chance.choice(_FORMS[family])(self, scope, depth - 1)

    def leaf(self, family: str, scope: Scope) -> str:
        columns = scope.of(family)
        outer = [column for column in scope.outer if column.family == family]
        if outer and self.chance.random() < 0.35:
            return self.chance.choice(outer).sql
        if columns and self.chance.random() < 0.8:
            return self.chance.choice(columns).sql
        if self.chance.random() < 0.08:
            return f"CAST(NULL AS {TYPES[family]})"
        return self.chance.choice(LITERALS[family])

    def column(self, family: str, scope: Scope) -> str:
        columns = scope.of(family)
        return self.chance.choice(columns).sql if columns else self.leaf(family, scope)

    def any_of(self, family: str, scope: Scope, depth: int) -> str:
        """What every family has."""
        one, other = self.of(family, scope, depth), self.of(family, scope, depth)
        test, literal = self.of("bool", scope, depth), self.chance.choice(LITERALS[family])
        return self.chance.choice(
            (
                f"coalesce({one}, {other})", f"nullif({one}, {other})",
                f"CASE WHEN {test} THEN {one} ELSE {other} END", f"CASE WHEN {test} THEN {one} END",
                f"if({test}, {one}, {other})", f"if({test}, {one})",
                f"CASE {other} WHEN {literal} THEN {one} ELSE {other} END",
                f"coalesce({one}, NULL, {other})", f"TRY({one})",
            )
        )  # fmt: skip

    def condition(self, scope: Scope, depth: int = 2) -> str:
        """A condition that has a column in it, where there are columns."""
        return _compare(self, scope, depth) if self.chance.random() < 0.5 else self.of(
            "bool", scope, depth
        )  # fmt: skip


def _compare(make: Expressions, scope: Scope, depth: int) -> str:
    family = make.family(scope)
    operators: tuple[str, ...] = (
        "=",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "IS DISTINCT FROM",
        "IS NOT DISTINCT FROM",
    )
    if family == "arr":
        operators = ("=", "<>", "IS DISTINCT FROM")
    operator = make.chance.choice(operators)
    left = make.column(family, scope) if scope.columns else make.of(family, scope, depth)
    return f"{left} {operator} {make.of(family, scope, depth - 1)}"


def _in_list(make: Expressions, scope: Scope, depth: int) -> str:
    family = make.chance.choice(("int", "str", "num", "date"))
    items = [make.of(family, scope, 0) for _ in range(make.chance.choice((1, 2, 3)))]
    items += ["NULL"] * (make.chance.random() < 0.25)
    negated = make.chance.choice(("", "", "NOT "))
    return f"{make.of(family, scope, depth)} {negated}IN ({', '.join(items)})"


def _between(make: Expressions, scope: Scope, depth: int) -> str:
    family = make.chance.choice(("int", "num", "str", "date", "ts"))
    low, high = make.of(family, scope, 0), make.of(family, scope, 0)
    negated = make.chance.choice(("", "", "NOT "))
    return f"{make.of(family, scope, depth)} {negated}BETWEEN {low} AND {high}"


def _asked(kind: str) -> Form:
    def form(make: Expressions, scope: Scope, depth: int) -> str:
        if make.subquery is None or scope.subqueries <= 0:
            return _compare(make, scope, depth)
        negated = make.chance.choice(("", "NOT "))
        family = make.chance.choice(("int", "str", "int", "date"))
        if kind == "exists":
            return f"{negated}EXISTS ({make.subquery(family, scope, 'rows')})"
        value = make.of(family, scope, 1)
        inside = make.subquery(family, scope, "rows")
        if kind == "in":
            return f"{value} {negated}IN ({inside})"
        operator = make.chance.choice(("=", "<>", "<", "<=", ">", ">="))
        return f"{value} {operator} {make.chance.choice(('ALL', 'ANY', 'SOME'))} ({inside})"

    return form


def _forms(*texts: str) -> list[Form]:
    """Texts with ``{int}``, ``{str}``, … in the place of arguments."""

    def made(text: str) -> Form:
        def form(make: Expressions, scope: Scope, depth: int) -> str:
            parts = text.split("{")
            written = parts[0]
            for part in parts[1:]:
                family, _, rest = part.partition("}")
                written += make.of(family, scope, depth) + rest
            return written

        return form

    return [made(text) for text in texts]


def _lambda(text: str) -> Form:
    """The text's ``?`` is an expression that may name ``x``, an integer."""

    def form(make: Expressions, scope: Scope, depth: int) -> str:
        x = make.name("x")
        inside = replace(scope, columns=(*scope.columns, Column(x, "int")), subqueries=0)
        family = "bool" if "?b" in text else "int"
        body = make.of(family, inside, 1)
        if family == "int":
            body = f"CAST({body} AS integer)"
        array = make.of("arr", scope, depth)
        return text.replace("?b", body).replace("?i", body).replace("{x}", x).replace("{a}", array)

    return form


_FORMS: dict[str, list[Form]] = {
    "int": [
        *_forms(
            "({int} + {int})", "({int} - {int})", "({int} * 2)", "({int} % 3)", "({int} / 2)",
            "length({str})", "abs({int})", "sign({int})", "greatest({int}, {int})",
            "least({int}, {int})", "cardinality({arr})", "element_at({arr}, 1)",
            "element_at({arr}, -1)", "CAST({num} AS bigint)", "CAST({num} AS integer)",
            "TRY_CAST({str} AS integer)", "TRY_CAST({str} AS bigint)", "year({date})",
            "month({date})", "day_of_week({date})", "date_diff('day', {date}, {date})",
            "date_diff('month', {date}, {date})", "strpos({str}, {str})", "CAST({bool} AS integer)",
            "(- {int})", "mod({int}, 3)", "bitwise_and({int}, 3)", "extract(day FROM {date})",
            "hour({ts})", "TRY({int} / {int})", "({int} / nullif({int}, 0))", "floor({int})",
            "round({int})", "week({date})", "quarter({date})", "day_of_year({date})",
            "array_position({arr}, 3)", "array_max({arr})", "array_min({arr})",
            "position({str} IN {str})", "date_diff('hour', {ts}, {ts})", "year({ts})",
            "TRY(CAST({str} AS integer) + {int})", "length({str} || 'é')",
            "levenshtein_distance({str}, {str})",
            "TRY({arr}[{int}])", "crc32(to_utf8({str}))", "ROW({int}, {str})[1]",
            "CAST(ROW({int}, {str}) AS ROW(x bigint, y varchar)).x",
            "element_at(MAP(ARRAY[1, 2], ARRAY[{int}, {int}]), {int})",
            "cardinality(split({str}, 'a'))",
            "regexp_count({str}, '[a-p]')", "cardinality(regexp_extract_all({str}, '[a-z]'))",
            "cardinality(regexp_split({str}, '[ab]'))", "json_array_length(CAST({arr} AS json))",
            "CAST(json_extract(json_format(CAST({arr} AS json)), '$[0]') AS integer)",
            "json_size(json_format(CAST(MAP(ARRAY['k'], ARRAY[{int}]) AS json)), '$')",
            "json_value('[1, 2]', 'lax $[1]' RETURNING integer)",
            "date_diff('week', {date}, {date})", "date_diff('quarter', {date}, {date})",
            "date_diff('year', {ts}, {ts})", "date_diff('minute', {ts}, {date})",
            "minute({ts})", "second({ts})", "millisecond({ts})", "year_of_week({date})",
            "day({ts} - TIMESTAMP '2024-01-01 00:00:00')", "hour({ts} AT TIME ZONE 'Asia/Tokyo')",
            "timezone_hour(with_timezone({ts}, 'America/New_York'))",
            "day({ts} AT TIME ZONE 'America/New_York')", "extract(dow FROM {ts})",
            "bitwise_or({int}, 5)", "bitwise_xor({int}, 3)", "bit_count({int}, 64)",
            "CAST(CAST({num} AS decimal(12,3)) AS bigint)", "CAST(CAST({num} AS real) AS bigint)",
            "cardinality(map_filter(MAP(ARRAY[1, 2], ARRAY[{int}, {int}]), (k, v) -> v > 1))",
            "cardinality(sequence({date}, date_add('day', 3, {date})))",
            "strpos({str}, 'p', -1)",
        ),
        _lambda("cardinality(filter({a}, {x} -> ?b))"),
        _lambda("reduce({a}, 0, (y, {x}) -> y + coalesce(?i, 0), y -> y)"),
    ],
    "num": _forms(
        "({num} + {num})", "({num} - {num})", "({num} * {int})", "({num} / 4)", "({int} * 0.5)",
        "({int} + {num})", "round({num}, 1)", "round({num})", "CAST({int} AS double)",
        "CAST({num} AS decimal(12,3))", "abs({num})", "floor({num})", "ceil({num})",
        "truncate({num})", "(- {num})", "greatest({num}, {num})", "least({num}, {num})",
        "CAST({int} AS decimal(10,1))", "({num} % 2)", "sqrt(abs({num}))", "CAST({num} AS real)",
        "TRY_CAST({str} AS double)", "TRY_CAST({str} AS decimal(5,2))", "({num} * {num})",
        "sign({num})", "mod({num}, 1.5)", "power({num}, 2)", "({int} / 2.0)", "({int} / 4e0)",
        "CAST({num} AS double)", "nullif({num}, {int})", "coalesce({int}, {num})",
        "ln(abs({num}) + 1)",
        "to_unixtime({ts})", "to_unixtime({ts} AT TIME ZONE 'Asia/Tokyo')", "cbrt({num})",
        "round(CAST({num} AS decimal(12,3)), 1)", "CAST(CAST({num} AS real) AS double)",
        "truncate(CAST({num} AS decimal(12,3)), 1)", "round({num}, {int})", "({num} / {num})",
        "TRY({num} / {num})", "CAST(CAST({num} AS varchar) AS double)",
        "CAST(json_extract(json_format(CAST({num} AS json)), '$') AS double)",
        "round(CAST({num} AS real))", "(CAST({num} AS decimal(8,2)) * CAST({int} AS decimal(8,3)))",
        "atan2({num}, 2)", "TRY_CAST({num} AS decimal(3,1))", "CAST({bool} AS double)",
    ),
    "str": [
        *_forms(
            "({str} || {str})", "upper({str})", "lower({str})", "trim({str})", "substr({str}, 2)",
            "substr({str}, 1, 1)", "substr({str}, -1)", "replace({str}, 'a', 'b')",
            "reverse({str})",
            "CAST({int} AS varchar)", "CAST({date} AS varchar)", "CAST({num} AS varchar)",
            "CAST({bool} AS varchar)", "lpad({str}, 3, 'x')", "rpad({str}, 2, 'yz')",
            "split_part({str}, 'a', 1)", "concat({str}, {str}, {str})", "array_join({arr}, ',')",
            "array_join({arr}, ',', '-')", "date_format({ts}, '%Y-%m')", "CAST({ts} AS varchar)",
            "CAST({str} AS varchar(2))", "CAST({str} AS char(3))", "ltrim({str})", "rtrim({str})",
            "format('%s-%s', {int}, {str})", "greatest({str}, {str})", "least({str}, {str})",
            "concat_ws('/', {str}, {str})", "translate({str}, 'ap', 'xy')",
            "to_hex(to_utf8({str}))",
            "regexp_replace({str}, '[a-p]', '#')", "regexp_extract({str}, '([a-z])', 1)",
            "substring({str} FROM 1 FOR 1)",
            "date_format({date}, '%d.%m.%Y %W')", "format_datetime({ts}, 'yyyy/MM')",
            "typeof({int})",
            "typeof({num})", "typeof({str})", "json_format(CAST({arr} AS json))",
            "json_format(CAST({int} AS json))", "split({str}, 'a')[1]",
            "upper(to_hex(md5(to_utf8({str}))))",
            "regexp_replace({str}, '([a-z])', '$1$1')", "regexp_replace({str}, '(?i)[pq]')",
            "regexp_replace({str}, '([a-z])', m -> upper(m[1]) || '.')",
            "json_extract_scalar(json_format(CAST(ARRAY[{str}] AS json)), '$[0]')",
            "json_format(CAST(MAP(ARRAY['k'], ARRAY[{int}]) AS json))",
            "json_format(CAST(ROW({int}, {str}) AS json))", "json_format(CAST({str} AS json))",
            "json_format(CAST({date} AS json))", "json_array({int}, {str} NULL ON NULL)",
            "json_object('k' : {int}, 's' : {str} ABSENT ON NULL)", "to_iso8601({date})",
            "to_iso8601({ts})", "date_format({ts}, '%H:%i:%s.%f %p')",
            "date_format({ts}, '%a %e %b %y, %j')", "format_datetime({ts}, 'EEE d MMM HH:mm:ss')",
            "CAST(CAST({num} AS double) AS varchar)", "CAST(CAST({num} AS real) AS varchar)",
            "CAST({ts} - TIMESTAMP '2024-01-01 00:00:00' AS varchar)",
            "CAST(with_timezone({ts}, 'Asia/Tokyo') AS varchar)",
            "CAST({ts} AT TIME ZONE 'America/New_York' AS varchar)",
            "element_at(split({str}, 'a'), 2)", "array_join(regexp_extract_all({str}, '.'), '-')",
            "lpad(CAST({int} AS varchar), 5, '0')", "format('%,d|%5s', {int}, {str})",
            "typeof({date} + INTERVAL '1' DAY)", "typeof({ts})", "typeof({str} || {str})",
            "json_value('[\"x\", 1]', 'lax $[0]')", "substr({str}, {int})",
            "CAST(CAST({str} AS char(4)) AS varchar)", "concat(CAST({str} AS char(2)), 'z')",
            "array_join(map_keys(MAP(ARRAY['p', 'q'], ARRAY[{int}, {int}])), '+')",
            "CASE WHEN {str} IN ('p', 'Q') THEN 'x' WHEN {str} LIKE '%b' THEN {str} END",
            "to_base64(to_utf8({str}))", "url_encode({str})", "trim(BOTH 'p' FROM {str})",
        ),
    ],
    "bool": [
        _compare, _compare, _compare, _in_list, _between,
        *_forms(
            "({bool} AND {bool})", "({bool} OR {bool})", "(NOT {bool})", "({int} IS NULL)",
            "({str} IS NOT NULL)", "({bool} IS NULL)", "({str} LIKE 'p%')", "({str} LIKE '_')",
            "({str} NOT LIKE '%b')", "contains({arr}, {int})", "({bool} = {bool})",
            "({arr} IS NULL)",
            "starts_with({str}, {str})", "regexp_like({str}, '^[ap]')",
            "is_nan(CAST({num} AS double))",
            "({int} = {num})", "({num} > {int})", "({date} < {ts})", "({str} LIKE {str})",
            "({bool} IS NOT DISTINCT FROM {bool})",
            "(ROW({int}, {str}) = ROW({int}, {str}))", "arrays_overlap({arr}, {arr})",
            "({date} = CAST({ts} AS date))",
            "({str} LIKE '%$_' ESCAPE '$')", "({str} NOT LIKE '$%%' ESCAPE '$')",
            "regexp_like({str}, '(?i)q')", "json_exists('[1, 2]', 'lax $[1]')",
            "({ts} AT TIME ZONE 'Asia/Tokyo' > {ts} AT TIME ZONE 'UTC')",
            "({ts} BETWEEN {date} AND {ts})", "({date} IN ({date}, NULL))",
            "((({int}, {str}) = (1, 'p')) IS NULL)", "(ROW({int}, {num}) < ROW({int}, {num}))",
            "({arr} = {arr})", "({arr} < ARRAY[2])", "(CAST({str} AS char(3)) = 'p')",
            "({num} IN (1, 1.5, 2e0))", "({ts} - {ts} > INTERVAL '1' DAY)",
            "none_match({arr}, n -> n = 2)",
        ),
        _lambda("any_match({a}, {x} -> ?b)"),
        _lambda("all_match({a}, {x} -> ?b)"),
        _asked("exists"), _asked("in"), _asked("quantified"), _asked("in"),
    ],
    "date": _forms(
        "({date} + INTERVAL '1' DAY)", "({date} - INTERVAL '1' MONTH)",
        "date_trunc('month', {date})",
        "date_add('month', {int}, {date})", "CAST({ts} AS date)", "date_trunc('week', {date})",
        "greatest({date}, {date})", "last_day_of_month({date})", "TRY_CAST({str} AS date)",
        "date_add('day', 1, {date})", "TRY(date({str}))", "date_add('year', -1, {date})",
        "date_add('week', {int}, {date})", "date_add('quarter', -1, {date})",
        "from_iso8601_date(to_iso8601({date}))", "date_trunc('quarter', {date})",
        "date_trunc('year', {date})", "CAST(CAST({date} AS varchar) AS date)",
        "CAST(with_timezone({ts}, 'Asia/Tokyo') AT TIME ZONE 'America/New_York' AS date)",
        "({date} - INTERVAL '1' YEAR)", "date({ts})", "least({date}, {date})",
        "element_at(sequence({date}, date_add('month', 2, {date}), INTERVAL '1' MONTH), 2)",
    ),
    "ts": _forms(
        "({ts} + INTERVAL '2' HOUR)", "CAST({date} AS timestamp)", "date_trunc('hour', {ts})",
        "date_trunc('day', {ts})", "({ts} - INTERVAL '1' DAY)", "date_add('minute', {int}, {ts})",
        "CAST({ts} AS timestamp(0))", "({ts} + INTERVAL '1' MONTH)", "date_trunc('minute', {ts})",
        "date_trunc('quarter', {ts})", "date_trunc('week', {ts})", "date_trunc('year', {ts})",
        "date_add('second', {int}, {ts})", "CAST({ts} AT TIME ZONE 'Asia/Tokyo' AS timestamp(6))",
        "({ts} + INTERVAL '1 02:03' DAY TO MINUTE)", "CAST(from_unixtime({int}) AS timestamp(6))",
        "date_parse(date_format({ts}, '%Y-%m-%d %H'), '%Y-%m-%d %H')", "greatest({ts}, {ts})",
        "CAST(CAST({ts} AS varchar) AS timestamp(6))", "({ts} - INTERVAL '1' MONTH)",
        "CAST({date} AS timestamp(6))", "least({ts}, {ts})", "TRY_CAST({str} AS timestamp)",
    ),
    "arr": [
        *_forms(
            "ARRAY[1, 2, NULL]", "array_sort({arr})", "array_distinct({arr})", "({arr} || {arr})",
            "slice({arr}, 1, 2)", "reverse({arr})", "array_remove({arr}, 2)",
            "array_union({arr}, {arr})",
            "array_intersect({arr}, {arr})", "array_except({arr}, {arr})", "({arr} || 7)",
            "CAST({arr} AS array(integer))", "flatten(ARRAY[{arr}, {arr}])", "repeat(1, 2)",
            "zip_with({arr}, {arr}, (p, r) -> coalesce(p, 0) + coalesce(r, 1))",
            "CAST(json_parse(json_format(CAST({arr} AS json))) AS array(integer))",
            "map_keys(map_filter(MAP(ARRAY[1, 2], ARRAY[{int}, {int}]), (k, v) -> v > 1))",
            "transform(split({str}, 'a'), z -> CAST(length(z) AS integer))",
            "array_sort({arr}, (p, r) -> IF(p < r, 1, IF(p > r, -1, 0)))",
            "array_remove({arr}, 3)", "slice({arr}, -1, 1)", "filter({arr}, n -> n IS NOT NULL)",
        ),
        _lambda("transform({a}, {x} -> ?i)"),
        _lambda("filter({a}, {x} -> ?b)"),
    ],
}  # fmt: skip
