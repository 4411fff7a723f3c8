"""Function calls: the ordinary ones, windows, and the functions with a syntax of their own."""

from __future__ import annotations

from typing import NamedTuple

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.grammar import Grammar

_EXTRACT_FIELDS = (
    "YEAR, QUARTER, MONTH, WEEK, DAY, DAY_OF_MONTH, DAY_OF_WEEK, DOW, DAY_OF_YEAR, DOY, "
    "YEAR_OF_WEEK, YOW, HOUR, MINUTE, SECOND, TIMEZONE_MINUTE, TIMEZONE_HOUR"
)
_FRAME_UNITS = ("ROWS", "RANGE", "GROUPS")
_FRAME_STARTS = frozenset(_FRAME_UNITS) | {"MEASURES"}
_AFTER_WINDOW_NAME = _FRAME_STARTS | {")", "ORDER", "PARTITION"}
_PATTERN_CLAUSES = frozenset({"AFTER", "INITIAL", "SEEK", "PATTERN", "SUBSET", "DEFINE"})
_TRIM_FROM = (
    "The 'trim' function must have specification, char or both arguments when it takes FROM"
)
_TRIMS = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}

# Trino makes expressions of these and says so when they are called in any other way.
_COUNTS = {
    "if": (2, 3, "Invalid number of arguments for 'if' function"),
    "nullif": (2, 2, "Invalid number of arguments for 'nullif' function"),
    "coalesce": (2, None, "The 'coalesce' function must have at least two arguments"),
    "try": (1, 1, "The 'try' function must have exactly one argument"),
    "format": (2, None, "The 'format' function must have at least two arguments"),
}

# What cannot begin the first argument of SUBSTRING and POSITION in their own syntax.
_NO_VALUE = (")", "*", "NOT", "DISTINCT", "ALL", "ORDER")


class _AfterCall(NamedTuple):
    filter: n.Expression | None
    null_treatment: str | None
    window: n.WindowSpec | n.Identifier | None


class CallParser(Grammar):
    def call(self) -> n.Expression:
        """``name(…)`` with all that may follow."""
        at = self.here
        mode = self.accept_any("RUNNING", "FINAL") if self.is_identifier(1) else None
        if mode:
            self.complaints.append(not_supported(f"{mode} (row pattern recognition)", at))
        name = self.name()
        self.expect("(")
        if self.accept("*"):
            return self._star_call(at, name)
        if self.word_ahead(1) == "." and self.word_ahead(2) == "*" and self.is_identifier():
            self.complaints.append(not_supported("label.* (row pattern recognition)", self.here))
            self.index += 3
            return self._star_call(at, name)
        return self.arguments(at, name, None)

    def _star_call(self, at: int, name: n.Name) -> n.Expression:
        self.expect(")")
        rest = self._after_call(nulls=False)
        return self._check_call(n.Call(at, name, star=True, filter=rest.filter, window=rest.window))

    def arguments(self, at: int, name: n.Name, first: n.Expression | None) -> n.Expression:
        """What follows the opening bracket and ``first``, a value that was read there already."""
        distinct = False
        arguments: tuple[n.Expression, ...] = ()
        if first is not None:
            arguments = (self.expression(first),)
            while self.accept(","):
                arguments += (self.expression(),)
        elif not self.looking_at(")") and not self.looking_at("ORDER"):
            distinct = self.quantifier()
            arguments = self.comma_list(self.expression)
        order_by = self.order_by()
        self.expect(")")
        rest = self._after_call(nulls=True)
        return self._check_call(
            n.Call(
                at,
                name,
                arguments,
                distinct=distinct,
                order_by=order_by,
                filter=rest.filter,
                null_treatment=rest.null_treatment,
                window=rest.window,
            )
        )

    def _check_call(self, call: n.Call) -> n.Call:
        name = call.name[0].name.lower()
        if len(call.name) > 1 or name not in _COUNTS:
            return call
        least, most, message = _COUNTS[name]
        if len(call.arguments) < least or (most is not None and len(call.arguments) > most):
            self.complain(message, call.at)
        for wrong, what in (
            (call.window, "OVER clause"),
            (call.distinct, "DISTINCT"),
            (call.null_treatment, "Null treatment clause"),
            (call.filter, "FILTER"),
        ):
            if wrong:
                self.complain(f"{what} not valid for '{name}' function", call.at)
        return call

    # ------------------------------------------------- FILTER, OVER, ORDER BY

    def _after_call(self, nulls: bool) -> _AfterCall:
        """``FILTER (…) [IGNORE NULLS] OVER …``; ``nulls``: may they be ignored?"""
        condition, treatment, window = None, None, None
        if self.looking_at("FILTER", "("):
            self.expect("FILTER", "(", "WHERE")
            condition = self.expression()
            self.expect(")")
        if nulls and self.looking_at_any("IGNORE", "RESPECT") and self.word_ahead(1) == "NULLS":
            treatment = f"{self.take().word} {self.take().word}"
            if not self.looking_at("OVER"):
                self.fail("'OVER'")
        if self.is_over():
            window = self.over()
        return _AfterCall(condition, treatment, window)

    def is_over(self, ahead: int = 0) -> bool:
        """``OVER`` that begins a window; the word is also a name."""
        self.note_labels("'OVER'")
        return self.word_ahead(ahead) == "OVER" and (
            self.word_ahead(ahead + 1) == "(" or self.is_identifier(ahead + 1)
        )

    def over(self) -> n.WindowSpec | n.Identifier:
        self.expect("OVER")
        if not self.looking_at("("):
            return self.identifier()
        return self.window_in_brackets()

    def window_in_brackets(self) -> n.WindowSpec:
        self.expect("(")
        at = self.here
        existing = self.identifier() if self._is_window_name() else None
        partition_by: tuple[n.Expression, ...] = ()
        if self.accept("PARTITION"):
            self.expect("BY")
            partition_by = self.comma_list(self.expression)
        order_at = self.here
        order_by = self.order_by()
        frame = self._frame() if self.looking_at_any(*_FRAME_UNITS, "MEASURES") else None
        self.expect(")")
        return n.WindowSpec(at, existing, partition_by, order_by, frame, order_at)

    def _is_window_name(self) -> bool:
        if not self.is_identifier():
            return False
        word, following = self.words[self.index], self.word_ahead(1)
        if word == "PARTITION":
            return following != "BY"
        return word not in _FRAME_STARTS or following in _AFTER_WINDOW_NAME

    def _frame(self) -> n.Frame:
        at = self.here
        if self.looking_at("MEASURES"):
            raise not_supported("MEASURES in a window", at)
        unit = self.expect_any(*_FRAME_UNITS)
        end = None
        if self.accept("BETWEEN"):
            start = self._frame_bound()
            self.expect("AND")
            end = self._frame_bound()
        else:
            start = self._frame_bound()
        if self.words[self.index] in _PATTERN_CLAUSES:
            raise not_supported(f"{self.token.word} in a window", self.here)
        return n.Frame(at, unit, start, end)

    def _frame_bound(self) -> n.FrameBound:
        at = self.here
        if self.looking_at("UNBOUNDED") and self.word_ahead(1) in ("PRECEDING", "FOLLOWING"):
            return n.FrameBound(at, f"{self.take().word} {self.take().word}")
        if self.accept("CURRENT", "ROW"):
            return n.FrameBound(at, "CURRENT ROW")
        value = self.expression()
        return n.FrameBound(at, self.expect_any("PRECEDING", "FOLLOWING"), value)

    def order_by(self) -> tuple[n.SortItem, ...]:
        if not self.accept("ORDER"):
            return ()
        self.expect("BY")
        return self.comma_list(self.sort_item)

    def sort_item(self) -> n.SortItem:
        at = self.here
        expression = self.expression()
        ascending = self.accept_any("ASC", "DESC") != "DESC"
        nulls = self.expect_any("FIRST", "LAST") if self.accept("NULLS") else None
        return n.SortItem(at, expression, ascending, None if nulls is None else nulls == "FIRST")

    # -------------------------------------- functions with a syntax of their own

    def _name_and_first(self) -> tuple[int, n.Name, n.Expression]:
        """``name(value``, where a word may follow that is no argument's."""
        at = self.here
        name = self.name()
        self.expect("(")
        with self.scan():
            return at, name, self.value_expression()

    def substring(self) -> n.Expression:
        """``SUBSTRING(x FROM a FOR b)``, or an ordinary call."""
        if self.word_ahead(2) in _NO_VALUE:
            return self.call()
        at, name, value = self._name_and_first()
        if not self.accept("FROM"):
            return self.arguments(at, name, value)
        arguments = [value, self.value_expression()]
        if self.accept("FOR"):
            arguments.append(self.value_expression())
        self.expect(")")
        return _words("substr", at, *arguments)

    def position(self) -> n.Expression:
        """``POSITION(a IN b)``, or an ordinary call."""
        if self.word_ahead(2) in _NO_VALUE:
            return self.call()
        at, name, part = self._name_and_first()
        if not self.accept("IN"):
            return self.arguments(at, name, part)
        whole = self.value_expression()
        self.expect(")")
        return _words("position", at, part, whole)

    def trim(self) -> n.Expression:
        at = self.expect("TRIM", "(")
        mark = self.mark()
        side = ""
        if self.words[self.index] in _TRIMS and (
            self.word_ahead(1) == "FROM" or self.starts_expression(1)
        ):
            side = self.take().word
        if self.accept("FROM"):
            if not side:
                self.complain(_TRIM_FROM, at)
            return self._trim_call(at, side, self.value_expression())
        with self.scan():
            first = self.value_expression()
        if self.accept("FROM"):
            return self._trim_call(at, side, self.value_expression(), first)
        if side:  # the word was part of the value: ``both 'x'`` is a literal of a type
            self.rewind(mark)
            first = self.value_expression()
        if self.accept(","):
            return self._trim_call(at, "", first, self.value_expression())
        return self._trim_call(at, "", first)

    def _trim_call(self, at: int, side: str, *arguments: n.Expression) -> n.Expression:
        self.expect(")")
        return _words(_TRIMS[side or "BOTH"], at, *arguments)

    def normalize(self) -> n.Expression:
        at = self.expect("NORMALIZE", "(")
        value = self.value_expression()
        form = self.expect_any("NFD", "NFC", "NFKD", "NFKC") if self.accept(",") else "NFC"
        self.expect(")")
        return _words("normalize", at, value, n.StringLiteral(at, form))

    def extract(self) -> n.Expression:
        at = self.expect("EXTRACT", "(")
        field = self.identifier()
        self.expect("FROM")
        value = self.value_expression()
        self.expect(")")
        written = f'"{field.name}"' if field.quoted else field.name
        if written.upper() not in _EXTRACT_FIELDS.split(", "):
            self.complain(
                f"Invalid EXTRACT field {written}, valid fields are: {_EXTRACT_FIELDS}", at
            )
        return _words("extract", at, n.StringLiteral(field.at, field.name.upper()), value)

    def grouping(self) -> n.Expression:
        at = self.expect("GROUPING", "(")
        names: tuple[n.Name, ...] = ()
        if not self.looking_at(")"):
            names = self.comma_list(self.name)
        self.expect(")")
        return _words("grouping", at, *[_column(name) for name in names])

    def listagg(self) -> n.Expression:
        """Arguments as Trino's function has them: value, separator, is overflow an error, filler,
        is the count shown."""
        at = self.expect("LISTAGG", "(")
        distinct = self.quantifier()
        value = self.expression()
        separator = self.string() if self.accept(",") else n.StringLiteral(at, "")
        error, filler, count = True, n.StringLiteral(at, "..."), False
        if self.accept("ON"):
            self.expect("OVERFLOW")
            if self.expect_any("ERROR", "TRUNCATE") == "TRUNCATE":
                error = False
                filler = self.string() if self.is_string() else filler
                count = self.expect_any("WITH", "WITHOUT") == "WITH"
                self.expect("COUNT")
        self.expect(")")
        self.expect("WITHIN", "GROUP", "(")
        if not self.looking_at("ORDER"):
            self.fail("'ORDER'")
        order_by = self.order_by()
        self.expect(")")
        rest = self._after_call(nulls=False)
        flags = [n.BooleanLiteral(at, error), filler, n.BooleanLiteral(at, count)]
        return n.Call(
            at,
            (n.Identifier(at, "listagg"),),
            (value, separator, *flags),
            distinct=distinct,
            order_by=order_by,
            within_group=True,
            filter=rest.filter,
            window=rest.window,
        )


def _words(name: str, at: int, *arguments: n.Expression) -> n.Call:
    return n.Call(at, (n.Identifier(at, name),), arguments)


def _column(name: n.Name) -> n.Expression:
    column: n.Expression = n.Column(name[0].at, name[0])
    for part in name[1:]:
        column = n.Dereference(name[0].at, column, part)
    return column
