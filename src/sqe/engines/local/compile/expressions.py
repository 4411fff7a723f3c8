"""Expressions: from sqlglot's nodes to DuckDB SQL of a known Spark type."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile import arithmetic, proven
from sqe.engines.local.compile.scope import Relation, Scope
from sqe.engines.local.compile.value import Value, any_aggregate, any_nullable
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    STRING,
    VOID,
    SparkType,
    common_type,
)

CompileQuery = Callable[[Any, Scope], Relation]
_ARITHMETIC = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
_COMPARISONS = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
_TYPES = {
    exp.DataType.Type.TINYINT: SparkType("tinyint"),
    exp.DataType.Type.SMALLINT: SparkType("smallint"),
    exp.DataType.Type.INT: INT,
    exp.DataType.Type.BIGINT: BIGINT,
    exp.DataType.Type.DOUBLE: DOUBLE,
    exp.DataType.Type.TEXT: STRING,
    exp.DataType.Type.DATE: DATE,
    exp.DataType.Type.BOOLEAN: BOOLEAN,
}
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
# Nodes whose meaning is in their class, whatever synonym was written; sqlglot negates the count
# of date_sub, for one. What such a column is called is then not certain.
_BY_CLASS: dict[Any, str] = {
    exp.TsOrDsAdd: "date_add",
    exp.DPipe: "concat",
    exp.Substring: "substring",
    exp.DateDiff: "datediff",
}
_NAMELESS = (exp.TsOrDsAdd, exp.Substring, exp.DateDiff)
_RANKING = {exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank"}


class Expressions:
    """Compiles expressions of one SELECT. ``aliases`` are its own outputs, where they count."""

    def __init__(
        self, text: str, scope: Scope, compile_query: CompileQuery, time_zone: str
    ) -> None:
        self._text = text
        self.scope = scope
        self._compile_query = compile_query
        self.time_zone = time_zone  # the session's: moments are shown and cut into days in it
        self.aliases: dict[str, Value] = {}

    def value(self, node: Any) -> Value:
        for kind, compile_node in _DISPATCH:
            if isinstance(node, kind):
                return compile_node(self, node)
        raise NotLocal(f"{_label(node)} is not on the local engine's list")

    def condition(self, node: Any) -> Value:
        value = self.value(node)
        if value.type != BOOLEAN:
            raise NotLocal(f"a condition of type {value.type} is Spark's")
        return value

    def column(self, node: exp.Column) -> Value:
        if isinstance(node.this, exp.Star):
            raise NotLocal("* inside an expression is Spark's")
        parts = [node.args.get(key) for key in ("catalog", "db", "table")]
        qualifier = tuple(part.name for part in parts if part is not None)
        if not qualifier and node.name.lower() in self.aliases:
            return self.aliases[node.name.lower()]
        found = self.scope.find(node.name, qualifier)
        # Spark names the column as it is written here, not as it is stored.
        return Value(found.sql, found.type, node.name, found.nullable, column=True)

    def literal(self, node: exp.Literal) -> Value:
        text = str(node.this)
        if node.is_string:
            sql = "'" + text.replace("'", "''") + "'"
            return Value(sql, STRING, text, False, text)
        if re.fullmatch(r"\d+", text):
            number = int(text)
            kind = INT if number < 2**31 else BIGINT
            if number >= 2**63:
                raise NotLocal("a number beyond bigint is Spark's")
            return Value(f"CAST({number} AS {kind.duckdb})", kind, text, False, number)
        if re.fullmatch(r"\d*\.\d*", text) and text != ".":
            digits = Decimal(text if not text.endswith(".") else text + "0")
            scale = max(0, -int(digits.as_tuple().exponent))
            precision = max(len(digits.as_tuple().digits), scale)
            kind = SparkType("decimal", precision, scale)
            return Value(f"CAST({digits} AS {kind.duckdb})", kind, text, False, float(digits))
        raise NotLocal(f"the number {text} is Spark's")

    def arithmetic(self, node: Any) -> Value:
        left, right = node.this, node.expression
        if isinstance(right, exp.Interval):
            return self._date_shift(node, self.value(left), right)
        value = arithmetic.binary(_ARITHMETIC[type(node)], self.value(left), self.value(right))
        if "start" in node.meta:  # mod(a, b), written as a function
            return replace(value, name="")
        return value

    def _date_shift(self, node: Any, day: Value, interval: exp.Interval) -> Value:
        unit = str(interval.args.get("unit") or "").upper().rstrip("S")
        amount = interval.this
        if (
            day.type != DATE
            or not isinstance(amount, exp.Literal)
            or not re.fullmatch(r"-?\d+", str(amount.this))
            or unit not in ("DAY", "MONTH", "YEAR")
            or type(node) not in (exp.Add, exp.Sub)
        ):
            raise NotLocal("this date arithmetic is Spark's")
        sign = _ARITHMETIC[type(node)]
        sql = f"CAST({day.sql} {sign} INTERVAL ({amount.this}) {unit} AS DATE)"
        return Value(sql, DATE, "", day.nullable, aggregate=day.aggregate)

    def negate(self, node: exp.Neg) -> Value:
        value = self.value(node.this)
        if not value.type.is_numeric or value.type.precision == 38:
            raise NotLocal(f"minus {value.type} is Spark's")
        if self._is_number(node.this) and isinstance(value.literal, int | float):
            plain = isinstance(node.this, exp.Literal)
            return _negative(value, -value.literal, plain=plain)
        sql, name = f"(- {value.sql})", f"(- {value.name})"
        return Value(sql, value.type, name, value.nullable, aggregate=value.aggregate)

    def _is_number(self, node: Any) -> bool:
        """A number as written, with or without a letter for its type behind it."""
        if isinstance(node, exp.Cast):
            return isinstance(node.this, exp.Literal) and not _spelled_cast(self._text, node)
        return isinstance(node, exp.Literal) and not node.is_string

    def comparison(self, node: Any) -> Value:
        left, right = self.value(node.this), self.value(node.expression)
        operator = _COMPARISONS[type(node)]
        left, right = _date_literal(left, right), _date_literal(right, left)
        kind = common_type(left.type, right.type)
        if kind.is_float and kind != DOUBLE:
            raise NotLocal("comparing floats is Spark's")
        sql = f"({left.cast(kind)} {operator} {right.cast(kind)})"
        name = f"({left.name} {operator} {right.name})"
        if operator == "<>":
            name = f"(NOT ({left.name} = {right.name}))"
        return Value(
            sql, BOOLEAN, name, any_nullable(left, right), aggregate=any_aggregate(left, right)
        )

    def connect(self, node: Any) -> Value:
        operator = "AND" if isinstance(node, exp.And) else "OR"
        left, right = self.condition(node.this), self.condition(node.expression)
        return Value(
            f"({left.sql} {operator} {right.sql})",
            BOOLEAN,
            f"({left.name} {operator} {right.name})",
            any_nullable(left, right),
            aggregate=any_aggregate(left, right),
        )

    def negation(self, node: exp.Not) -> Value:
        value = self.condition(node.this)
        name = f"(NOT {value.name})" if value.name else ""
        if isinstance(node.this, exp.Is) and name:
            name = value.name.replace(" IS NULL)", " IS NOT NULL)")
        return Value(f"(NOT {value.sql})", BOOLEAN, name, value.nullable, aggregate=value.aggregate)

    def is_null(self, node: exp.Is) -> Value:
        value = self.value(node.this)
        if not isinstance(node.expression, exp.Null):
            raise NotLocal("IS TRUE and its kin are Spark's")
        sql = f"({value.sql} IS NULL)"
        return Value(sql, BOOLEAN, f"({value.name} IS NULL)", False, aggregate=value.aggregate)

    def between(self, node: exp.Between) -> Value:
        low = exp.GTE(this=node.this, expression=node.args["low"])
        high = exp.LTE(this=node.this, expression=node.args["high"])
        both = self.connect(exp.And(this=low, expression=high))
        return Value(both.sql, BOOLEAN, "", both.nullable, aggregate=both.aggregate)

    def within(self, node: exp.In) -> Value:
        value = self.value(node.this)
        query = node.args.get("query")
        if query is not None:
            relation = self._compile_query(query.this, Scope(parent=self.scope))
            if len(relation.outputs) != 1 or relation.outputs[0].type != value.type:
                raise NotLocal("IN over a query of another type is Spark's")
            return Value(f"({value.sql} IN ({relation.sql}))", BOOLEAN, "")
        items = [_date_literal(self.value(item), value) for item in node.expressions]
        if not items:
            raise NotLocal("IN over nothing is Spark's")
        kind = value.type
        for item in items:
            kind = common_type(kind, item.type)
        if kind.is_float:
            raise NotLocal("IN over doubles is Spark's")
        listed = ", ".join(item.cast(kind) for item in items)
        name = f"({value.name} IN ({', '.join(item.name for item in items)}))"
        sql = f"({value.cast(kind)} IN ({listed}))"
        if any(not item.name for item in items):
            name = ""
        nullable = any_nullable(value, *items)
        return Value(sql, BOOLEAN, name, nullable, aggregate=any_aggregate(value, *items))

    def like(self, node: exp.Like) -> Value:
        value, pattern = self.value(node.this), self.value(node.expression)
        if value.type != STRING or not isinstance(pattern.literal, str):
            raise NotLocal("LIKE with a computed pattern is Spark's")
        if "\\" in pattern.literal:
            raise NotLocal("LIKE with an escape is Spark's")
        sql = f"({value.sql} LIKE {pattern.sql})"
        name = f"{value.name} LIKE {pattern.name}"
        if node.args.get("negate"):
            sql, name = f"(NOT {sql})", f"(NOT {name})"
        return Value(sql, BOOLEAN, name, value.nullable, aggregate=value.aggregate)

    def case(self, node: exp.Case) -> Value:
        operand = node.this
        conditions, results = [], []
        for branch in node.args["ifs"]:
            test = branch.this
            if operand is not None:
                test = exp.EQ(this=operand, expression=test)
            conditions.append(self.condition(test))
            results.append(self.value(branch.args["true"]))
        default = node.args.get("default")
        results.append(self.value(default) if default is not None else _null())
        return _choose(conditions, results)

    def when(self, node: exp.If) -> Value:
        false = node.args.get("false")
        results = [self.value(node.args["true"]), self.value(false) if false else _null()]
        chosen = _choose([self.condition(node.this)], results)
        return Value(chosen.sql, chosen.type, "", chosen.nullable, aggregate=chosen.aggregate)

    def cast(self, node: exp.Cast) -> Value:
        if node.args.get("safe") or node.args.get("format"):
            raise NotLocal("try_cast is Spark's")
        value, wanted = self.value(node.this), _wanted_type(node.args["to"])
        sql = _cast(value, wanted)
        name = f"CAST({value.name} AS {str(wanted).upper()})" if value.name else ""
        if value.column:
            name = value.name  # Spark keeps the name of a column it casts
        elif value.literal is not None and not _spelled_cast(self._text, node):
            name = f"DATE '{value.literal}'" if wanted == DATE else str(value.name)
        literal: object = _iso_date(value.literal) if wanted == DATE else None
        if wanted.is_integral and value.type.is_integral:
            literal = value.literal
        narrowing = value.type.is_decimal and wanted != value.type
        nullable = value.nullable or narrowing
        return Value(sql, wanted, name, nullable, literal, value.aggregate)

    def subquery(self, node: exp.Subquery) -> Value:
        relation = self._compile_query(node.this, Scope(parent=self.scope))
        if len(relation.outputs) != 1:
            raise NotLocal("a scalar subquery of several columns is Spark's")
        return Value(f"({relation.sql})", relation.outputs[0].type, "")

    def exists(self, node: exp.Exists) -> Value:
        relation = self._compile_query(node.this, Scope(parent=self.scope))
        return Value(f"EXISTS ({relation.sql})", BOOLEAN, "", False)

    def window(self, node: exp.Window) -> Value:
        over = self._over(node)
        inner = node.this
        for kind, name in _RANKING.items():
            if isinstance(inner, kind):
                return Value(f"CAST({name}(){over} AS INTEGER)", INT, "", False)
        value = self.aggregate(inner, over)
        return Value(value.sql, value.type, "", value.nullable, aggregate=value.aggregate)

    def _over(self, node: exp.Window) -> str:
        if node.args.get("alias") or node.args.get("first") is False:
            raise NotLocal("a named window is Spark's")
        parts = []
        keys = [self.value(key) for key in node.args.get("partition_by") or ()]
        if any(key.type.is_float for key in keys):
            raise NotLocal("partitioning by doubles is Spark's")
        if keys:
            parts.append("PARTITION BY " + ", ".join(key.sql for key in keys))
        order = node.args.get("order")
        if order is not None:
            parts.append("ORDER BY " + ", ".join(self.order_item(o) for o in order.expressions))
        spec = node.args.get("spec")
        if spec is not None:
            parts.append(_frame(spec))
        return f" OVER ({' '.join(parts)})"

    def order_item(self, node: Any) -> str:
        value = self.value(node.this if isinstance(node, exp.Ordered) else node)
        return ordered(value.sql, node)

    def aggregate(self, node: Any, over: str = "") -> Value:
        if isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
            return Value(f"count(*){over}", BIGINT, "count(1)", False, aggregate=not over)
        argument, distinct = node.this, ""
        if isinstance(argument, exp.Distinct):
            if len(argument.expressions) != 1:
                raise NotLocal("DISTINCT over several columns is Spark's")
            argument, distinct = argument.expressions[0], "DISTINCT "
        name = self._written(node)
        entry = proven.AGGREGATES.get({"std": "stddev_samp", "mean": "avg"}.get(name, name))
        if entry is None or getattr(node, "expressions", None):
            raise NotLocal(f"{name} is not on the local engine's list")
        value = self.value(argument)
        if value.aggregate and not over:
            raise NotLocal("an aggregate of an aggregate")
        if distinct and value.type.is_float:
            raise NotLocal("distinct doubles are Spark's")
        sql, kind, nullable = entry.write(value, distinct, over)
        shown = f"{name}({distinct}{value.name})" if value.name else ""
        return Value(sql, kind, shown, nullable, aggregate=not over or value.aggregate)

    def extract(self, node: exp.Extract) -> Value:
        entry = proven.BY_NAME.get(str(node.this).lower())
        if entry is None or str(node.this).lower() not in ("year", "month", "day", "quarter"):
            raise NotLocal(f"extract of {node.this} is Spark's")
        value = self.value(node.expression)
        sql, kind, nullable = entry.build([value])
        return Value(sql, kind, "", nullable, aggregate=value.aggregate)

    def grouping(self, node: Any) -> Value:
        arguments = node.expressions or [node.this]
        if len(arguments) != 1:
            raise NotLocal("grouping of several columns is Spark's")
        value = self.value(arguments[0])
        sql = f"CAST(GROUPING({value.sql}) AS TINYINT)"
        name = f"grouping({value.name})"
        return Value(sql, SparkType("tinyint"), name, False, aggregate=True)

    def function(self, node: Any) -> Value:
        name = _BY_CLASS.get(type(node)) or self._written(node)
        entry = proven.BY_NAME.get(name)
        if entry is None:
            raise NotLocal(f"{name} is not on the local engine's list")
        values = [self.value(argument) for argument in arguments_of(node)]
        if not values:
            raise NotLocal(f"{name} without arguments is Spark's")
        sql, kind, nullable = entry.build(values)
        shown = f"{name}({', '.join(value.name for value in values)})"
        if any(not value.name for value in values) or isinstance(node, _NAMELESS):
            shown = ""
        return Value(sql, kind, shown, nullable, aggregate=any_aggregate(*values))

    def _written(self, node: Any) -> str:
        """The function's name as the user wrote it: sqlglot merges synonyms."""
        start, end = node.meta.get("start"), node.meta.get("end")
        if start is None or end is None:
            raise NotLocal(f"{_label(node)} is not on the local engine's list")
        return self._text[start : end + 1].lower()


def ordered(sql: str, node: Any) -> str:
    """A sort key with Spark's default place of NULLs: first ascending, last descending."""
    descending = isinstance(node, exp.Ordered) and bool(node.args.get("desc"))
    first = not descending
    if isinstance(node, exp.Ordered) and node.args.get("nulls_first") is not None:
        first = bool(node.args["nulls_first"])
    direction = "DESC" if descending else "ASC"
    return f"{sql} {direction} NULLS {'FIRST' if first else 'LAST'}"


def arguments_of(node: Any) -> list[Any]:
    """The arguments as written: sqlglot wraps some of them, and adds units of its own."""
    if isinstance(node, exp.TsOrDsAdd | exp.DateDiff):
        if str(node.args.get("unit") or "DAY").upper() != "DAY":
            raise NotLocal("this date arithmetic is Spark's")
        return [_unwrapped(node.this), _unwrapped(node.expression)]
    if isinstance(node, exp.DPipe):
        return [node.this, node.expression]
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    found: list[Any] = []
    for key in node.arg_types:
        argument = node.args.get(key)
        if isinstance(argument, list):
            found += argument
        elif isinstance(argument, exp.Expr):
            found.append(_unwrapped(argument))
    return found


def _unwrapped(node: Any) -> Any:
    return node.this if isinstance(node, exp.TsOrDsToDate) else node


def _negative(value: Value, number: float, *, plain: bool) -> Value:
    """-1 is a number of its own: the smallest int is not minus a number that fits an int."""
    kind = INT if plain and value.type == BIGINT and number == -(2**31) else value.type
    shown = str(number) if value.type.is_integral else f"-{value.name}"
    return Value(f"CAST({shown} AS {kind.duckdb})", kind, f"-{value.name}", False, number)


def _label(node: Any) -> str:
    return str(getattr(node, "key", type(node).__name__))


def _null() -> Value:
    return Value("NULL", VOID, "NULL")


def _iso_date(value: object) -> datetime.date | None:
    if isinstance(value, str) and _ISO_DATE.match(value):
        try:
            return datetime.date.fromisoformat(value)
        except ValueError:
            return None
    return None


def _date_literal(value: Value, other: Value) -> Value:
    """A string literal beside a date is a date, where it is one beyond doubt."""
    day = _iso_date(value.literal) if value.type == STRING and other.type == DATE else None
    if day is None:
        return value
    return Value(f"DATE '{day.isoformat()}'", DATE, value.name, False, day)


def _choose(conditions: list[Value], results: list[Value]) -> Value:
    kind = results[0].type
    for result in results[1:]:
        kind = common_type(kind, result.type)
    branches = " ".join(
        f"WHEN {condition.sql} THEN {result.cast(kind)}"
        for condition, result in zip(conditions, results, strict=False)
    )
    sql = f"CASE {branches} ELSE {results[-1].cast(kind)} END"
    everything = [*conditions, *results]
    name = ""
    if all(value.name for value in everything):
        shown = " ".join(
            f"WHEN {condition.name} THEN {result.name}"
            for condition, result in zip(conditions, results, strict=False)
        )
        tail = "" if results[-1].sql == "NULL" else f" ELSE {results[-1].name}"
        name = f"CASE {shown}{tail} END"
    nullable = any_nullable(*results)
    return Value(sql, kind, name, nullable, aggregate=any_aggregate(*everything))


def _wanted_type(node: exp.DataType) -> SparkType:
    if node.this == exp.DataType.Type.DECIMAL:
        sizes = [int(str(size.this)) for size in node.expressions] or [10, 0]
        return SparkType("decimal", sizes[0], sizes[1] if len(sizes) > 1 else 0)
    kind = _TYPES.get(node.this)
    if kind is None or node.expressions:
        raise NotLocal(f"a cast to {node.sql(dialect='spark')} is Spark's")
    return kind


def _cast(value: Value, wanted: SparkType) -> str:
    """Only casts whose every value is known to come out as Spark's."""
    given = value.type
    plain = f"CAST({value.sql} AS {wanted.duckdb})"
    if given in (wanted, VOID):
        return plain
    day = _iso_date(value.literal)
    if wanted == DATE and day is not None:
        return f"DATE '{day.isoformat()}'"
    if given.is_integral and (wanted.is_integral or wanted.is_decimal or wanted == DOUBLE):
        return plain
    if given.is_decimal and wanted.is_decimal:
        return plain
    # Up to 15 digits the quotient of two doubles is the nearest double, as Java's is.
    if given.is_decimal and wanted == DOUBLE and given.precision <= 15:
        return plain
    if given.is_decimal and wanted.is_integral:
        return f"CAST(trunc({value.sql}) AS {wanted.duckdb})"
    if wanted == STRING and (given.is_integral or given in (DATE, BOOLEAN)):
        return plain
    raise NotLocal(f"a cast from {given} to {wanted} is Spark's")


def _spelled_cast(text: str, node: exp.Cast) -> bool:
    """Whether the user wrote CAST(1 AS …) and not a typed literal, which sqlglot makes the same."""
    start = node.this.meta.get("start")
    return start is None or bool(re.search(r"(?i)\bcast\s*\(\s*\Z", text[:start]))


def _frame(spec: exp.WindowSpec) -> str:
    kind = str(spec.args.get("kind") or "").upper()
    sides = []
    for side in ("start", "end"):
        bound, direction = spec.args.get(side), spec.args.get(f"{side}_side") or ""
        if isinstance(bound, exp.Expr):
            if not isinstance(bound, exp.Literal) or bound.is_string or kind != "ROWS":
                raise NotLocal("this window frame is Spark's")
            bound = bound.this
        elif bound is None:
            bound = "CURRENT ROW"  # the end of a frame that only says where it starts
        sides.append(f"{bound} {direction}".strip())
    if kind not in ("ROWS", "RANGE") or spec.args.get("exclude"):
        raise NotLocal("this window frame is Spark's")
    return f"{kind} BETWEEN {sides[0]} AND {sides[1]}"


_DISPATCH: tuple[tuple[Any, Callable[[Expressions, Any], Value]], ...] = (
    (exp.Paren, lambda self, node: self.value(node.this)),
    (exp.Column, Expressions.column),
    (exp.Literal, Expressions.literal),
    (exp.Boolean, lambda self, node: _boolean(node)),
    (exp.Null, lambda self, node: _null()),
    (tuple(_ARITHMETIC), Expressions.arithmetic),
    (exp.Neg, Expressions.negate),
    (tuple(_COMPARISONS), Expressions.comparison),
    ((exp.And, exp.Or), Expressions.connect),
    (exp.Not, Expressions.negation),
    (exp.Is, Expressions.is_null),
    (exp.Between, Expressions.between),
    (exp.In, Expressions.within),
    (exp.Like, Expressions.like),
    (exp.Case, Expressions.case),
    (exp.If, Expressions.when),
    (exp.Cast, Expressions.cast),
    (exp.Subquery, Expressions.subquery),
    (exp.Exists, Expressions.exists),
    (exp.Window, Expressions.window),
    (exp.Extract, Expressions.extract),
    (exp.Grouping, Expressions.grouping),
    (exp.AggFunc, Expressions.aggregate),
    ((exp.Func, exp.DPipe), Expressions.function),
)


def _boolean(node: exp.Boolean) -> Value:
    text = "true" if node.this else "false"
    return Value(text, BOOLEAN, text, False, bool(node.this))
