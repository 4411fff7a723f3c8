"""JSON_TABLE: its columns and its plan."""

from __future__ import annotations

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.expression_parser import ExpressionParser
from sqe.trino.dialect.json_parser import Clauses


class JsonTableParser(ExpressionParser):
    def json_table(self) -> n.JsonTable:
        at = self.expect("JSON_TABLE", "(")
        arguments, clauses = self.path_invocation()
        columns = self._json_columns()
        plan = self._plan() if self.accept("PLAN") else ()
        on_error = self.accept_any("ERROR", "EMPTY")
        if on_error:
            self.expect("ON", "ERROR")
        self.expect(")")
        call = n.SpecialCall(at, "json_table", arguments, tuple(clauses))
        return n.JsonTable(at, call, columns, plan, on_error == "ERROR")

    def _json_columns(self) -> tuple[n.JsonColumn, ...]:
        self.expect("COLUMNS")
        return self.take_bracketed_list(self._json_column)

    def _json_column(self) -> n.JsonColumn:
        at = self.here
        following = self.word_ahead(1)
        if self.looking_at("NESTED") and (following == "PATH" or self.is_string(1)):
            return self._parse_nested(at)
        name = self.identifier()
        if self.accept("FOR", "ORDINALITY"):
            return n.JsonColumn(at, "ORDINALITY", name)
        clauses: Clauses = [("RETURNING", self.type_name())]
        is_query = self.accept("FORMAT")
        if is_query:
            clauses.append(("RETURNING FORMAT", self.json_format()))
        path = self.string() if self.accept("PATH") else None
        if is_query:
            self.query_clauses(clauses)
        else:
            self.value_clauses(clauses)
        return n.JsonColumn(at, "QUERY" if is_query else "VALUE", name, path, tuple(clauses))

    def _parse_nested(self, at: int) -> n.JsonColumn:
        self.take()
        self.accept("PATH")
        path = self.string()
        name = self.identifier() if self.accept("AS") else None
        return n.JsonColumn(at, "NESTED", name, path, columns=self._json_columns())

    def _plan(self) -> tuple[tuple[str, str], ...]:
        """Of one path below another, in any brackets; paths beside each other are refused."""
        if self.accept("DEFAULT"):
            words = self.take_bracketed_list(
                lambda: self.expect_any("INNER", "OUTER", "UNION", "CROSS")
            )
            if "CROSS" in words:
                raise not_supported("JSON_TABLE with PLAN … CROSS", self.here)
            return (("", next((word for word in words if word != "UNION"), "OUTER")),)
        self.expect("(")
        plan, word, depth = [], "", 1
        while depth:
            if self.accept("("):
                depth += 1
            elif self.accept(")"):
                depth -= 1
            elif self.looking_at_any("UNION", "CROSS"):
                raise not_supported("JSON_TABLE with paths beside each other", self.here)
            elif chosen := self.accept_any("INNER", "OUTER"):
                word = chosen
            else:
                plan.append((_key_of(self.identifier()), word))
        return tuple(plan)


def _key_of(name: n.Identifier) -> str:
    return name.name if name.quoted else name.name.upper()
