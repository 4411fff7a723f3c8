"""JSON_EXISTS, JSON_VALUE, JSON_QUERY, JSON_OBJECT and JSON_ARRAY.

The clauses of the ``SpecialCall``, each there only if it was written:

* ``FORMAT``: of the input, ``JSON`` or ``JSON ENCODING UTF8``; ``PATH NAME``: an Identifier
* ``PASSING``: ((Identifier, Expression, format or None), …)
* ``RETURNING``: a TypeName; ``RETURNING FORMAT``
* ``WRAPPER``: WITHOUT, CONDITIONAL or UNCONDITIONAL; ``QUOTES``: KEEP or OMIT, and
  ``QUOTES ON SCALAR``: True
* ``ON EMPTY``, ``ON ERROR``: a word (ERROR, NULL, TRUE, FALSE, UNKNOWN, EMPTY ARRAY, EMPTY OBJECT)
  or the Expression of DEFAULT
* ``FORMATS`` of JSON_OBJECT and JSON_ARRAY: for each value its format or None
* ``NULLS``: NULL or ABSENT; ``UNIQUE``: True or False

Arguments: input and path; of JSON_OBJECT key, value, key, value …; of JSON_ARRAY its values.
"""

from __future__ import annotations

from collections.abc import Callable

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.call_parser import CallParser

Clauses = list[tuple[str, object]]
_Behaviour = Callable[[], object | None]
_EXISTS_ERRORS = ("TRUE", "FALSE", "UNKNOWN", "ERROR")


class JsonParser(CallParser):
    def json_exists(self) -> n.Expression:
        at = self.expect("JSON_EXISTS", "(")
        arguments, clauses = self.path_invocation()
        behaviour = self.accept_any(*_EXISTS_ERRORS)
        if behaviour:
            self.expect("ON", "ERROR")
            clauses.append(("ON ERROR", behaviour))
        self.expect(")")
        return n.SpecialCall(at, "json_exists", arguments, tuple(clauses))

    def json_value(self) -> n.Expression:
        at = self.expect("JSON_VALUE", "(")
        arguments, clauses = self.path_invocation()
        if self.accept("RETURNING"):
            clauses.append(("RETURNING", self.type_name()))
        self.value_clauses(clauses)
        self.expect(")")
        return n.SpecialCall(at, "json_value", arguments, tuple(clauses))

    def json_query(self) -> n.Expression:
        at = self.expect("JSON_QUERY", "(")
        arguments, clauses = self.path_invocation()
        self._parse_returning_clause(clauses)
        self.query_clauses(clauses)
        self.expect(")")
        return n.SpecialCall(at, "json_query", arguments, tuple(clauses))

    def query_clauses(self, clauses: Clauses) -> None:
        """What JSON_QUERY says of its answer."""
        if self.looking_at_any("WITH", "WITHOUT"):
            clauses.append(("WRAPPER", self._wrapper()))
        quotes = self.accept_any("KEEP", "OMIT")
        if quotes:
            self.expect("QUOTES")
            clauses.append(("QUOTES", quotes))
            if self.accept("ON"):
                self.expect("SCALAR", "STRING")
                clauses.append(("QUOTES ON SCALAR", True))
        self._behaviours(clauses, self._query_behaviour)

    def value_clauses(self, clauses: Clauses) -> None:
        """What JSON_VALUE says of its answer."""
        self._behaviours(clauses, self._value_behaviour)

    def json_object(self) -> n.Expression:
        at = self.expect("JSON_OBJECT", "(")
        arguments: list[n.Expression] = []
        clauses: Clauses = []
        if not self.looking_at(")") and not self._is_returning():
            formats = self.comma_list(lambda: self._member(arguments))
            clauses.append(("FORMATS", formats))
            self._nulls(clauses)
            unique = self.accept_any("WITH", "WITHOUT")
            if unique:
                self.expect("UNIQUE")
                self.accept("KEYS")
                clauses.append(("UNIQUE", unique == "WITH"))
        self._parse_returning_clause(clauses)
        self.expect(")")
        return n.SpecialCall(at, "json_object", tuple(arguments), tuple(clauses))

    def json_array(self) -> n.Expression:
        at = self.expect("JSON_ARRAY", "(")
        arguments: tuple[n.Expression, ...] = ()
        clauses: Clauses = []
        if not self.looking_at(")") and not self._is_returning():
            values = self.comma_list(self._json_expression)
            arguments = tuple(value for value, _ in values)
            clauses.append(("FORMATS", tuple(form for _, form in values)))
            self._nulls(clauses)
        self._parse_returning_clause(clauses)
        self.expect(")")
        return n.SpecialCall(at, "json_array", arguments, tuple(clauses))

    # -------------------------------------------------------------- clauses

    def path_invocation(self) -> tuple[tuple[n.Expression, ...], Clauses]:
        clauses: Clauses = []
        value, form = self._json_expression()
        if form:
            clauses.append(("FORMAT", form))
        self.expect(",")
        path = self.string()
        if self.accept("AS"):
            clauses.append(("PATH NAME", self.identifier()))
        if self.accept("PASSING"):
            clauses.append(("PASSING", self.comma_list(self._parse_passing_argument)))
        return (value, path), clauses

    def _parse_passing_argument(self) -> tuple[n.Identifier, n.Expression, str | None]:
        value, form = self._json_expression()
        self.expect("AS")
        return self.identifier(), value, form

    def _json_expression(self) -> tuple[n.Expression, str | None]:
        value = self.expression()
        return value, self.json_format() if self.accept("FORMAT") else None

    def json_format(self) -> str:
        self.expect("JSON")
        if self.accept("ENCODING"):
            return f"JSON ENCODING {self.expect_any('UTF8', 'UTF16', 'UTF32')}"
        return "JSON"

    def type_name(self) -> n.TypeName:
        text, at = self.type_text()
        return n.TypeName(at, text)

    def _is_returning(self) -> bool:
        """RETURNING is also a name, which nothing can follow that begins a type."""
        return self.words[self.index] == "RETURNING" and self.is_identifier(1)

    def _parse_returning_clause(self, clauses: Clauses) -> None:
        if self.accept("RETURNING"):
            clauses.append(("RETURNING", self.type_name()))
            if self.accept("FORMAT"):
                clauses.append(("RETURNING FORMAT", self.json_format()))

    def _wrapper(self) -> str:
        kind = "WITHOUT"
        if self.expect_any("WITH", "WITHOUT") == "WITH":
            kind = self.accept_any("CONDITIONAL", "UNCONDITIONAL") or "UNCONDITIONAL"
        self.accept("ARRAY")
        self.expect("WRAPPER")
        return kind

    def _behaviours(self, clauses: Clauses, one: _Behaviour) -> None:
        """``… ON EMPTY`` and ``… ON ERROR``, in this order."""
        behaviour = one()
        if behaviour is None:
            return
        self.expect("ON")
        on = self.expect_any("EMPTY", "ERROR")
        clauses.append((f"ON {on}", behaviour))
        if on == "EMPTY" and (behaviour := one()) is not None:
            self.expect("ON", "ERROR")
            clauses.append(("ON ERROR", behaviour))

    def _value_behaviour(self) -> object | None:
        if self.accept("DEFAULT"):
            return self.expression()
        return self.accept_any("ERROR", "NULL")

    def _query_behaviour(self) -> object | None:
        if self.accept("EMPTY"):
            return f"EMPTY {self.expect_any('ARRAY', 'OBJECT')}"
        return self.accept_any("ERROR", "NULL")

    def _member(self, arguments: list[n.Expression]) -> str | None:
        """``[KEY] k VALUE v`` or ``k : v``; the format of the value."""
        named = (
            self.words[self.index] == "KEY"
            and self.starts_expression(1)
            and self.word_ahead(1) != "VALUE"
        )
        if named:
            self.take()
        key = self.expression()
        if named or self.looking_at("VALUE"):
            self.expect("VALUE")
        else:
            self.expect(":")
        value, form = self._json_expression()
        arguments += [key, value]
        return form

    def _nulls(self, clauses: Clauses) -> None:
        word = self.accept_any("NULL", "ABSENT")
        if word:
            self.expect("ON", "NULL")
            clauses.append(("NULLS", word))
