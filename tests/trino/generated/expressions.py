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
            return self.subquery(family, scope, "scalar")
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
            "-{int}", "mod({int}, 3)", "bitwise_and({int}, 3)", "extract(day FROM {date})",
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
        ),
        _lambda("cardinality(filter({a}, {x} -> ?b))"),
        _lambda("reduce({a}, 0, (y, {x}) -> y + coalesce(?i, 0), y -> y)"),
    ],
    "num": _forms(
        "({num} + {num})", "({num} - {num})", "({num} * {int})", "({num} / 4)", "({int} * 0.5)",
        "({int} + {num})", "round({num}, 1)", "round({num})", "CAST({int} AS double)",
        "CAST({num} AS decimal(12,3))", "abs({num})", "floor({num})", "ceil({num})",
        "truncate({num})", "-{num}", "greatest({num}, {num})", "least({num}, {num})",
        "CAST({int} AS decimal(10,1))", "({num} % 2)", "sqrt(abs({num}))", "CAST({num} AS real)",
        "TRY_CAST({str} AS double)", "TRY_CAST({str} AS decimal(5,2))", "({num} * {num})",
        "sign({num})", "mod({num}, 1.5)", "power({num}, 2)", "({int} / 2.0)", "({int} / 4e0)",
        "CAST({num} AS double)", "nullif({num}, {int})", "coalesce({int}, {num})",
        "ln(abs({num}) + 1)",
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
    ),
    "ts": _forms(
        "({ts} + INTERVAL '2' HOUR)", "CAST({date} AS timestamp)", "date_trunc('hour', {ts})",
        "date_trunc('day', {ts})", "({ts} - INTERVAL '1' DAY)", "date_add('minute', {int}, {ts})",
        "CAST({ts} AS timestamp(0))", "({ts} + INTERVAL '1' MONTH)", "date_trunc('minute', {ts})",
        "CAST({date} AS timestamp(6))", "least({ts}, {ts})", "TRY_CAST({str} AS timestamp)",
    ),
    "arr": [
        *_forms(
            "ARRAY[1, 2, NULL]", "array_sort({arr})", "array_distinct({arr})", "({arr} || {arr})",
            "slice({arr}, 1, 2)", "reverse({arr})", "array_remove({arr}, 2)",
            "array_union({arr}, {arr})",
            "array_intersect({arr}, {arr})", "array_except({arr}, {arr})", "({arr} || 7)",
            "CAST({arr} AS array(integer))", "flatten(ARRAY[{arr}, {arr}])", "repeat(1, 2)",
        ),
        _lambda("transform({a}, {x} -> ?i)"),
        _lambda("filter({a}, {x} -> ?b)"),
    ],
}  # fmt: skip
