"""Where a guard needs a barrier: what the user wrote can fail for some row, and an optimizer could
evaluate it before the guard has removed the rows that are not there for this user.

Such an error would tell of a row that is not shown. What cannot fail for any value may be moved
below a guard, and is: engines read much less then. So this is a list of what cannot fail. All that
is not on it can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from sqlglot import exp

from sqe.binding.bound import BoundStatement, BoundTable, BoundView
from sqe.rewrite.exact import WHOLE, comparable, is_date, is_date_literal, never_overflows
from sqe.rewrite.exact_types import DATE_PARTS, choices
from sqe.rewrite.expression_types import Types, element_type, is_plain
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.functions import GENERATORS

# They only say how things are put together; what they hold is looked at by itself.
_STRUCTURE = (
    exp.Select, exp.From, exp.Group, exp.Order, exp.Ordered, exp.Limit,
    exp.Offset, exp.Distinct, exp.With, exp.CTE, exp.TableAlias, exp.Table,
    exp.Version, exp.Identifier, exp.Alias, exp.Column, exp.Star, exp.Paren, exp.Tuple,
    exp.Hint, exp.Window, exp.WindowSpec, exp.TableSample, exp.Insert, exp.Create, exp.Schema,
    exp.WithTableHint, exp.Exists, exp.RowNumber, exp.Struct, exp.PropertyEQ,
)  # fmt: skip
_VALUES = (exp.Literal, exp.Boolean, exp.Null, exp.Var, exp.DataType)
_LOGIC = (exp.And, exp.Or, exp.Not)
_COMPARISONS = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Is,
)  # fmt: skip
_OF_TEXTS = (exp.Lower, exp.Upper, exp.Length, exp.StartsWith, exp.EndsWith)
_PIECES = (exp.Substring, exp.Left, exp.Right)
_AROUND_QUERIES = (exp.From, exp.Join, exp.CTE, exp.In, exp.Exists, exp.Insert, exp.Create)
_PLAIN = (*WHOLE, "string", "date", "boolean")
_LONGEST = 9  # digits of a whole number that fits


def can_fail(guarded: GuardedStatement) -> bool:
    """Whether anything in the statement, or in the views it reads, can fail where it may be moved
    below a guard. What the outermost SELECT shows, groups and sorts by is evaluated at the end."""
    return _fails(guarded, guarded.bound, outermost=True)


def _fails(guarded: GuardedStatement, bound: BoundStatement, *, outermost: bool) -> bool:
    for reference in bound.references:
        target = reference.target
        if isinstance(target, BoundView) and (
            _fails(guarded, target.inner, outermost=False) or _converts(guarded, target)
        ):
            return True
    if bound.inner is not None and _fails(guarded, bound.inner, outermost=outermost):
        return True
    statement = bound.statement
    if statement.tree is None:
        return bound.inner is None  # whose text it is, if there is one
    if "|>" in statement.text:
        return True  # the parser's tree is of another query, which gives the same
    shown = _outermost(statement.tree) if outermost else None
    harmless = Harmless(GuardedStatement(bound, guarded.decisions))
    return any(not harmless.by_itself(node) for node in _movable(statement.tree, shown))


def _converts(guarded: GuardedStatement, view: BoundView) -> bool:
    """Whether a column of the view is cast to the type that it had once. Not of aggregates, which
    are computed first."""
    tree = view.inner.statement.tree
    types = Types(GuardedStatement(view.inner, guarded.decisions), certain=True)
    column_names = view.query_columns or [column.name for column in view.columns]
    items = tree.expressions if isinstance(tree, exp.Select) else []
    later = {item.alias.lower() for item in items if isinstance(item.unalias(), exp.AggFunc)}
    return any(
        types.of_name(tree, name) != kind
        for name, kind in zip(column_names, view.types, strict=False)
        if is_plain(kind) and name.lower() not in later
    )


def _outermost(tree: Any) -> Any:
    """The SELECT whose items nothing can be moved below from, if there is one."""
    if isinstance(tree, exp.Insert | exp.Create):
        tree = tree.expression
    while isinstance(tree, exp.Subquery):
        tree = tree.this
    if not isinstance(tree, exp.Select) or tree.args.get("having") or tree.args.get("qualify"):
        return None
    return tree


def _movable(node: Any, shown: Any) -> Iterator[Any]:
    yield node
    if isinstance(node, exp.AggFunc) and not node.find_ancestor(exp.Exists, exp.In):
        # Evaluated on rows that have passed the guard, wherever it stands. In a condition it may be
        # about the rows that are to be found.
        yield from _queries(node, shown)
        return
    for child in node.iter_expressions():
        at_the_end = node is shown and child.arg_key in ("expressions", "group", "order")
        if at_the_end and not _multiplies(child):
            yield from _queries(child, shown)
        else:
            yield from _movable(child, shown)


def _multiplies(node: Any) -> bool:
    """Makes several rows of one: optimizers filter what goes into it."""
    functions = node.find_all(exp.UDTF, exp.Anonymous)
    return any(
        isinstance(function, exp.UDTF) or function.name.lower() in GENERATORS
        for function in functions
    )


def _queries(node: Any, shown: Any) -> Iterator[Any]:
    """Only what is inside queries that are part of it."""
    for child in node.iter_expressions():
        if isinstance(child, exp.Query):
            if isinstance(node, exp.In):
                yield node  # a join, which casts what it compares
            yield from _movable(child, shown)
        else:
            yield from _queries(child, shown)
    if isinstance(node, exp.Query):
        yield from _movable(node, shown)


class Harmless:
    """Of one statement: which of its expressions have a value for every row."""

    def __init__(self, guarded: GuardedStatement) -> None:
        self._types = Types(guarded, certain=True)
        self._bound = guarded.bound

    def __call__(self, expression: Any) -> bool:
        """With everything inside it."""
        return all(self.by_itself(node) for node in _movable(expression, None))

    def by_itself(self, node: Any) -> bool:
        if isinstance(node, exp.AggFunc):
            return True
        if isinstance(node, (*_STRUCTURE, *_VALUES)):
            return True
        for kinds, holds in _CHECKS:
            if isinstance(node, kinds):
                return holds(self, node)
        return False

    def _logic(self, node: Any) -> bool:
        """Of what is true or false: a text would have to be read first."""
        operands = (node.this, node.args.get("expression"))
        return all(
            self._types.of(operand) == "boolean" for operand in operands if operand is not None
        )

    def _subquery(self, node: exp.Subquery) -> bool:
        """Where a value stands, it may have several rows."""
        if node.parent is None:
            return True  # the statement itself
        keys = ("query",) if isinstance(node.parent, exp.In) else ("this", "expression")
        return node.arg_key in keys and isinstance(node.parent, (*_AROUND_QUERIES, exp.Query))

    def _values(self, node: exp.Values) -> bool:
        """All rows have the same types: else it is Spark that says which."""
        rows = [
            row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions
        ]
        kinds = {tuple(map(self._types.of, row)) for row in rows}
        return len(kinds) == 1 and None not in next(iter(kinds))

    def _join(self, node: exp.Join) -> bool:
        """With USING and NATURAL it is not said what is compared."""
        on = node.args.get("on")
        is_boolean = on is None or self._types.of(on) == "boolean"
        return is_boolean and not node.args.get("using") and node.args.get("method") is None

    def _comparison(self, node: Any) -> bool:
        return self._comparable(node.this, node.expression)

    def _in(self, node: exp.In) -> bool:
        query = node.args.get("query")
        if query is not None:
            operands = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
            kinds = [self._types.of(operand) for operand in operands]
            kinds_of_places = [self._types.of_column(query, place) for place in range(len(kinds))]
            return None not in kinds and kinds == kinds_of_places
        return self._comparable(node.this, *node.expressions)

    def _between(self, node: exp.Between) -> bool:
        ends = (node.args["low"], node.args["high"])
        return all(self._comparable(node.this, end) for end in ends)

    def _like(self, node: Any) -> bool:
        pattern = node.expression
        plain = pattern.is_string and "\\" not in pattern.name
        return plain and self._types.of(node.this) == "string" and not self._by_value

    @cached_property
    def _by_value(self) -> bool:
        """Whether a table is partitioned by values: Iceberg fails where it looks for the beginning
        of one that is NULL."""
        tables = (item.stored_target for item in self._bound.walk())
        specs = (
            spec
            for table in tables
            if isinstance(table, BoundTable)
            for spec in table.metadata.get("partition-specs") or ()
        )
        return any(field["transform"] == "identity" for spec in specs for field in spec["fields"])

    def _texts(self, node: Any) -> bool:
        operands = [node.this, node.args.get("expression"), *node.expressions]
        return all(
            self._types.of(operand) == "string" for operand in operands if operand is not None
        )

    def _together(self, node: exp.Concat) -> bool:
        """A text and what is short: of several, again and again, it could get too long."""
        texts = list(node.flatten()) if isinstance(node, exp.DPipe) else node.expressions
        long = [text for text in texts if not self._is_short(text)]
        return len(long) < 2 and not isinstance(node, exp.ConcatWs) and self._texts(node)

    def _is_short(self, node: Any) -> bool:
        """As it is written, a value as text, or a piece of a text."""
        if isinstance(node, exp.Cast):
            return self._types.of(node.this) not in (None, "string")
        length = node.args.get("length" if isinstance(node, exp.Substring) else "expression")
        return isinstance(node, exp.Literal) or (isinstance(node, _PIECES) and _is_whole(length))

    def _element(self, node: exp.ArrayContains) -> bool:
        """Of the very type that the array has: else one of them is cast."""
        kind = element_type(self._types.of(node.this))
        return kind is not None and kind == self._types.of(node.expression)

    def _size(self, node: exp.ArraySize) -> bool:
        return str(self._types.of(node.this)).startswith(("array<", "map<"))

    def _trim(self, node: exp.Trim) -> bool:
        return self._types.of(node.this) == "string" and node.args.get("expression") is None

    def _piece(self, node: Any) -> bool:
        places = [node.args.get(key) for key in ("start", "length", "expression")]
        whole = all(_is_whole(place) for place in places if place is not None)
        return whole and self._types.of(node.this) == "string"

    def _part_of_a_date(self, node: Any) -> bool:
        return self._types.of(node.this) == "date" and node.args.get("format") is None

    def _choice(self, node: Any) -> bool:
        """All that may come out of it have one type."""
        if isinstance(node, exp.Case) and node.this is not None:
            return False
        if isinstance(node, exp.If):
            if self._types.of(node.this) != "boolean":
                return False
            if isinstance(node.parent, exp.Case):
                return True  # a branch, looked at with the whole
        branches = [choice for choice in choices(node) if not isinstance(choice, exp.Null)]
        kinds = {self._types.of(kind) for kind in branches}
        return len(kinds) == 1 and None not in kinds

    def _cast(self, node: exp.Cast) -> bool:
        """To text, or a date as it is written; and NULL to anything."""
        if isinstance(node.this, exp.Null):
            return True
        to_text = node.args["to"].this == exp.DataType.Type.TEXT
        return is_date_literal(node) or (to_text and self._types.of(node.this) in _PLAIN)

    def _arithmetic(self, node: Any) -> bool:
        return never_overflows(node, self._types.of)

    def _remainder(self, node: exp.Mod) -> bool:
        """Of a whole number by one that is written and not zero."""
        by = node.expression
        return _is_whole(by) and int(by.name) > 0 and self._types.of(node.this) in WHOLE

    def _interval(self, node: exp.Interval) -> bool:
        """Looked at with the day that it is added to."""
        return isinstance(node.parent, exp.Add | exp.Sub)

    def _extract(self, node: exp.Extract) -> bool:
        return node.name.upper() in DATE_PARTS and self._types.of(node.expression) == "date"

    def _nullif(self, node: exp.Nullif) -> bool:
        return self._comparable(node.this, node.expression)

    def _set_operation(self, node: exp.SetOperation) -> bool:
        """Both sides have the same types, so that nothing is cast."""
        if node.args.get("by_name"):
            return False
        sides = [side.unnest() for side in (node.this, node.expression)]
        if not all(isinstance(side, exp.Select) for side in sides):
            return False
        left, right = ([self._types.of(item) for item in side.expressions] for side in sides)
        return None not in left and left == right

    def _comparable(self, *nodes: Any) -> bool:
        """All with each other: Spark finds one type for them."""
        operands = [node for node in nodes if not isinstance(node, exp.Null)]
        kinds = {self._types.of(kind) for kind in operands}
        if len(operands) < 2:
            return True
        if kinds == {"date", "string"}:
            texts = [kind for kind in operands if self._types.of(kind) == "string"]
            return all(isinstance(text, exp.Literal) and is_date(text.name) for text in texts)
        return None not in kinds and (len(kinds) == 1 or comparable(*map(str, kinds)))


def _is_whole(node: Any) -> bool:
    """A whole number as it is written, which fits any type that is asked for."""
    written = isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal()
    return written and len(node.name) <= _LONGEST


_CHECKS: tuple[tuple[Any, Callable[[Harmless, Any], bool]], ...] = (
    ((*_LOGIC, exp.Where, exp.Having, exp.Qualify), Harmless._logic),
    (exp.Subquery, Harmless._subquery),
    (exp.Values, Harmless._values),
    (exp.Join, Harmless._join),
    (_COMPARISONS, Harmless._comparison),
    (exp.In, Harmless._in),
    (exp.Between, Harmless._between),
    ((exp.Like, exp.ILike), Harmless._like),
    (_OF_TEXTS, Harmless._texts),
    ((exp.Concat, exp.DPipe), Harmless._together),
    (exp.ArrayContains, Harmless._element),
    (exp.ArraySize, Harmless._size),
    (exp.Trim, Harmless._trim),
    (_PIECES, Harmless._piece),
    ((exp.Year, exp.Month, exp.Day, exp.TsOrDsToDate), Harmless._part_of_a_date),
    ((exp.Case, exp.If, exp.Coalesce), Harmless._choice),
    (exp.Cast, Harmless._cast),
    ((exp.Add, exp.Sub, exp.Mul), Harmless._arithmetic),
    (exp.Mod, Harmless._remainder),
    (exp.Interval, Harmless._interval),
    (exp.Extract, Harmless._extract),
    (exp.Nullif, Harmless._nullif),
    (exp.SetOperation, Harmless._set_operation),
)
