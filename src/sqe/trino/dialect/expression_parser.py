"""Expressions, by the precedence of Trino's grammar.

OR, AND, NOT; then at most one predicate (``a = b = c`` is an error); then ``||``, ``+ -``,
``* / %``, signs, AT TIME ZONE; then what stands alone with its ``.field`` and ``[index]``.
Chains of one operator are loops, so that their length costs no depth.
"""

from __future__ import annotations

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.cursor import Mismatch
from sqe.trino.dialect.primary_parser import PrimaryParser

_BINDING = {"||": 1, "+": 2, "-": 2, "*": 3, "/": 3, "%": 3}
_BINARY_LABELS = [f"'{operator}'" for operator in _BINDING]
_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_QUANTIFIERS = {"ALL": "ALL", "ANY": "ANY", "SOME": "ANY"}


class ExpressionParser(PrimaryParser):
    def expression(self, begun: n.Expression | None = None) -> n.Expression:
        self.note_labels("<expression>")
        self.deeper()
        expression = self._any_of(begun)
        self.depth -= 1
        return expression

    def _any_of(self, begun: n.Expression | None) -> n.Expression:
        at = self.here if begun is None else begun.at
        first = self._all_of(begun)
        if not self.looking_at("OR"):
            return first
        terms = [first]
        while self.accept("OR"):
            terms.append(self._all_of(None))
        return n.Logical(at, "OR", tuple(terms))

    def _all_of(self, begun: n.Expression | None) -> n.Expression:
        at = self.here if begun is None else begun.at
        first = self._negation(begun)
        if not self.looking_at("AND"):
            return first
        terms = [first]
        while self.accept("AND"):
            terms.append(self._negation(None))
        return n.Logical(at, "AND", tuple(terms))

    def _negation(self, begun: n.Expression | None) -> n.Expression:
        places = []
        while begun is None and self.words[self.index] == "NOT":
            places.append(self.take().at)
        expression = self._predicate(self._value(1) if begun is None else begun)
        self.check_chain(len(places))
        for at in reversed(places):
            expression = n.Not(at, expression)
        return expression

    # ----------------------------------------------------------- predicates

    def _predicate(self, value: n.Expression) -> n.Expression:
        self.note_labels("<predicate>")
        token = self.token
        if token.word in _COMPARISONS:
            return self._comparison(value)
        if token.word == "IS":
            return self._is(value)
        if token.word == "NOT":
            self.take()
            predicate = self._between_in_like(value, token.at)
            if predicate is None:
                self.fail("'BETWEEN'", "'IN'", "'LIKE'")
            return n.Not(token.at, predicate)
        return self._between_in_like(value, token.at) or value

    def _comparison(self, value: n.Expression) -> n.Expression:
        token = self.take()
        self.note_labels("'ALL'", "'ANY'", "'SOME'")
        word = self.words[self.index]
        if word in _QUANTIFIERS and self.is_query_only(1):
            mark = self.mark()
            try:
                self.take()
                query = self.query_in_brackets()
                return n.Quantified(token.at, token.word, _QUANTIFIERS[word], value, query)
            except Mismatch:
                if self.scanning:
                    raise
                self.give_up(mark)  # the word is a column then, and its bracket the error
        return n.Comparison(token.at, token.word, value, self.value_expression())

    def _is(self, value: n.Expression) -> n.Expression:
        at = self.expect("IS")
        negated = self.accept("NOT")
        if self.accept("NULL"):
            return n.IsNull(at, value, negated)
        if not self.accept("DISTINCT"):
            self.fail("'DISTINCT'", "'NULL'")
        self.expect("FROM")
        comparison = n.Comparison(at, "IS DISTINCT FROM", value, self.value_expression())
        return n.Not(at, comparison) if negated else comparison

    def _between_in_like(self, value: n.Expression, at: int) -> n.Expression | None:
        word = self.words[self.index]
        if word == "BETWEEN":
            self.take()
            low = self.value_expression()
            self.expect("AND")
            return n.Between(at, value, low, self.value_expression())
        if word == "LIKE":
            self.take()
            pattern = self.value_expression()
            escape = self.value_expression() if self.accept("ESCAPE") else None
            return n.Like(at, value, pattern, escape)
        if word == "IN" and at == self.here:
            mark = self.mark()
            try:
                return self._in(value, at)
            except Mismatch:
                if self.scanning:
                    raise
                self.give_up(mark)
        elif word == "IN":
            return self._in(value, at)
        return None

    def _in(self, value: n.Expression, at: int) -> n.Expression:
        self.expect("IN")
        if self.is_query_only():
            return n.InQuery(at, value, self.query_in_brackets())
        self.expect("(")
        self.note_labels("<query>")
        items = self.comma_list(self.expression)
        self.expect(")")
        return n.InList(at, value, items)

    # ---------------------------------------------------------------- values

    def value_expression(self) -> n.Expression:
        self.note_labels("<expression>")
        self.deeper()
        expression = self._value(1)
        self.depth -= 1
        return expression

    def _value(self, floor: int) -> n.Expression:
        left = self._parse_signed_value()
        length = 0
        while True:
            token = self.tokens[self.index]
            binding = _BINDING.get(token.word, 0)
            if binding < floor:
                self.note_labels(*_BINARY_LABELS)
                return left
            self.index += 1
            length += 1
            self.check_chain(length)
            right = self._value(binding + 1)
            if token.word == "||":
                left = n.Concat(token.at, left, right)
            else:
                left = n.Arithmetic(token.at, token.word, left, right)

    def _parse_signed_value(self) -> n.Expression:
        """Signs and AT TIME ZONE, which binds tighter. The minus of a number is the number's."""
        signs = []
        while self.words[self.index] in ("-", "+") and not (
            self.words[self.index] == "-" and self.is_number(1)
        ):
            signs.append(self.take())
        self.check_chain(len(signs))
        value = self.primary()
        self.note_labels("'AT'")
        while self.words[self.index] == "AT" and self.word_ahead(1) == "TIME":
            at = self.expect("AT", "TIME", "ZONE")
            zone = self.interval() if self.looking_at("INTERVAL") else self.string()
            value = n.AtTimeZone(at, value, zone)
        for sign in reversed(signs):
            value = n.Negative(sign.at, value, sign.word)
        return value
