"""What stands alone in an expression: literals, names, calls, brackets, CASE, CAST."""

from __future__ import annotations

from collections.abc import Callable

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.json_parser import JsonParser
from sqe.trino.dialect.lexer import BINARY

CHAIN_LIMIT = 2_000  # operators of one level; each is one level of the tree

_PRECISE = ("CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP")
_CALL_STARTS = (")", "*", "DISTINCT", "ORDER")
_CURRENT = ("CURRENT_DATE", "CURRENT_USER", "CURRENT_CATALOG", "CURRENT_SCHEMA", "CURRENT_PATH")


class PrimaryParser(JsonParser):
    def primary(self) -> n.Expression:
        """What needs no operator, with its ``.field`` and ``[index]``."""
        if self.scan_next:
            self.scan_next = False
            with self.scan():
                return self.primary()
        at = self.here
        value = self._primary()
        length = 0
        while True:
            if self.looking_at(".") and self._is_field():
                self.take()
                value = n.Dereference(at, value, self.identifier())
            elif self.looking_at("["):
                self.take()
                value = n.Subscript(at, value, self.value_expression())
                self.expect("]")
            else:
                return value
            length += 1
            self.check_chain(length)

    def check_chain(self, length: int) -> None:
        if length > CHAIN_LIMIT:
            raise Refused(
                "STATEMENT_TOO_COMPLEX",
                f"The expression has more than {CHAIN_LIMIT} operators in a row.",
                self.here,
            )

    def _is_field(self) -> bool:
        if self.is_identifier(1):
            return True
        if self.scanning:
            return self.word_ahead(1) != "*"
        self.forget_tried()
        return False

    def _primary(self) -> n.Expression:
        self.note_labels("<expression>")
        token = self.tokens[self.index]
        special = _SPECIAL.get(token.word)
        if special is not None:
            return special(self)
        after = _WITH_LOOKAHEAD.get(token.word)
        if after is not None and self.word_ahead(1) == after[0] and self._opens():
            return after[1](self)
        if self.is_number() or (token.word == "-" and self.is_number(1)):
            return self.number()
        if self.is_string():
            return self.string()
        if token.kind == BINARY:
            return self.binary()
        if self.is_interval():
            return self.interval()
        if not self.is_identifier():
            self.fail("<expression>")
        return self._parse_named_expression()

    def _parse_named_expression(self) -> n.Expression:
        """What begins with a name: a literal of a type, a lambda, a call, a column."""
        at = self.here
        following = self.word_ahead(1)
        if self.is_string(1):
            return self._parse_typed_literal()
        if following == "->":
            parameter = self.identifier()
            self.take()
            return n.Lambda(at, (parameter,), self.expression())
        if following == "PRECISION" and self.looking_at("DOUBLE") and self.is_string(2):
            self.index += 2
            return n.GenericLiteral(at, "DOUBLE", self.string().value)
        if self._is_call():
            return self.call()
        column = n.Column(at, self.identifier())
        if following == "OVER" and self.is_over():
            self.complaints.append(not_supported("A measure of row pattern recognition", at))
            self.over()
        return column

    def _parse_typed_literal(self) -> n.Expression:
        kind = self.identifier()
        if kind.name.upper() == "X":
            self.complain(
                "Spaces are not allowed between 'X' and the starting quote of a binary literal",
                kind.at,
            )
        written = f'"{kind.name}"' if kind.quoted else kind.name
        return n.GenericLiteral(kind.at, written, self.string().value)

    def _is_call(self) -> bool:
        """``a.b.c(``, or ``FINAL a(``."""
        ahead = 1
        if self.words[self.index] in ("RUNNING", "FINAL") and self.is_identifier(1):
            ahead = 2
        while self.word_ahead(ahead) == "." and self.is_identifier(ahead + 1):
            ahead += 2
        return self.word_ahead(ahead) == "(" and (ahead > 1 or self._opens())

    def _opens(self) -> bool:
        """Can ``name (`` be a call, by the token after it? See ``scanning``."""
        return (
            self.scanning
            or self.word_ahead(2) in _CALL_STARTS
            or self.word_ahead(1) != "("
            or self.starts_expression(2)
        )

    # ------------------------------------------------- brackets and the rest

    def _brackets(self) -> n.Expression:
        """A lambda, a query, a row or just brackets."""
        if self._is_lambda():
            at = self.here
            parameters = () if self.word_ahead(1) == ")" else self.identifiers()
            if not parameters:
                self.expect("(", ")")
            self.expect("->")
            return n.Lambda(at, parameters, self.expression())
        if self.is_bracketed_query():
            return n.ScalarQuery(self.here, self.query_in_brackets())
        at = self.expect("(")
        self.note_labels("<query>")
        with self.scan():
            items = [self.expression()]
        while self.accept(","):
            items.append(self.expression())
        self.expect(")")
        return items[0] if len(items) == 1 else n.RowConstructor(at, tuple(items))

    def _is_lambda(self) -> bool:
        ahead = 1
        if self.word_ahead(1) == ")":
            return True  # nothing else may be empty
        while self.is_identifier(ahead) and self.word_ahead(ahead + 1) == ",":
            ahead += 2
        if self.is_identifier(ahead):
            ahead += 1
        return self.word_ahead(ahead) == ")" and self.word_ahead(ahead + 1) == "->"

    def query_in_brackets(self) -> n.Query:
        self.expect("(")
        query = self.query()
        self.expect(")")
        return query

    def _array(self) -> n.Expression:
        at = self.here
        self.accept("ARRAY")
        self.expect("[")
        items = () if self.looking_at("]") else self.comma_list(self.expression)
        self.expect("]")
        return n.ArrayConstructor(at, items)

    def _row(self) -> n.Expression:
        if self.word_ahead(2) in _CALL_STARTS:
            return self.call()
        at = self.expect("ROW")
        return n.RowConstructor(at, self.take_bracketed_list(self.expression))

    def _exists(self) -> n.Expression:
        at = self.expect("EXISTS")
        return n.Exists(at, self.query_in_brackets())

    def _case(self) -> n.Expression:
        at = self.expect("CASE")
        operand = None if self.looking_at("WHEN") else self.expression()
        whens = [self._when()]
        while self.looking_at("WHEN"):
            whens.append(self._when())
        default = self.expression() if self.accept("ELSE") else None
        self.expect("END")
        return n.Case(at, operand, tuple(whens), default)

    def _when(self) -> n.When:
        at = self.expect("WHEN")
        condition = self.expression()
        self.expect("THEN")
        return n.When(at, condition, self.expression())

    def _cast(self) -> n.Expression:
        at = self.expect("CAST", "(")
        return self._cast_of(self.expression(), at, safe=False)

    def _try_cast(self) -> n.Expression:
        """Or a call of a function of that name, which is no reserved word."""
        if self.word_ahead(2) in _CALL_STARTS:
            return self.call()
        at = self.here
        name = self.name()
        self.expect("(")
        with self.scan():
            value = self.expression()
        if self.looking_at("AS"):
            return self._cast_of(value, at, safe=True)
        return self.arguments(at, name, value)

    def _cast_of(self, value: n.Expression, at: int, *, safe: bool) -> n.Expression:
        self.expect("AS")
        text, type_at = self.type_text()
        self.expect(")")
        return n.Cast(at, value, text, type_at, safe)

    def _null(self) -> n.Expression:
        return n.NullLiteral(self.take().at)

    def _boolean(self) -> n.Expression:
        token = self.take()
        return n.BooleanLiteral(token.at, token.word == "TRUE")

    def _word_call(self) -> n.Expression:
        """``current_date`` and the like; some take a precision."""
        token = self.take()
        arguments: tuple[n.Expression, ...] = ()
        if token.word in _PRECISE and self.accept("("):
            at = self.here
            arguments = (n.LongLiteral(at, self.integer()),)
            self.expect(")")
        name = (n.Identifier(token.at, token.word.lower()),)
        return n.Call(token.at, name, arguments, words=True)


_Primary = Callable[[PrimaryParser], n.Expression]

_SPECIAL: dict[str, _Primary] = {
    "(": PrimaryParser._brackets,
    "[": PrimaryParser._array,
    "?": PrimaryParser.parameter,
    "NULL": PrimaryParser._null,
    "TRUE": PrimaryParser._boolean,
    "FALSE": PrimaryParser._boolean,
    "CASE": PrimaryParser._case,
    "CAST": PrimaryParser._cast,
    "EXISTS": PrimaryParser._exists,
    "EXTRACT": PrimaryParser.extract,
    "TRIM": PrimaryParser.trim,
    "NORMALIZE": PrimaryParser.normalize,
    "GROUPING": PrimaryParser.grouping,
    "LISTAGG": PrimaryParser.listagg,
    "JSON_EXISTS": PrimaryParser.json_exists,
    "JSON_VALUE": PrimaryParser.json_value,
    "JSON_QUERY": PrimaryParser.json_query,
    "JSON_OBJECT": PrimaryParser.json_object,
    "JSON_ARRAY": PrimaryParser.json_array,
    **dict.fromkeys((*_PRECISE, *_CURRENT), PrimaryParser._word_call),
}

# Words that are names unless this symbol follows.
_WITH_LOOKAHEAD: dict[str, tuple[str, _Primary]] = {
    "ARRAY": ("[", PrimaryParser._array),
    "ROW": ("(", PrimaryParser._row),
    "TRY_CAST": ("(", PrimaryParser._try_cast),
    "SUBSTRING": ("(", PrimaryParser.substring),
    "POSITION": ("(", PrimaryParser.position),
}
