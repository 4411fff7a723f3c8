"""Queries: SELECT, VALUES, TABLE, set operations, WITH, and what stands around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.function_parser import specification
from sqe.trino.dialect.grammar import QUERY_STARTS
from sqe.trino.dialect.lexer import INTEGER
from sqe.trino.dialect.relation_parser import RelationParser

_Operand = Callable[[], n.Body]
# What goes on with an expression that began with a bracket.
_CONTINUES = frozenset({
    ".", "[", "||", "+", "-", "*", "/", "%", "=", "<>", "<", "<=", ">", ">=", "->", "AT", "IS",
    "IN", "NOT", "LIKE", "BETWEEN", "AND", "OR",
})  # fmt: skip


class QueryParser(RelationParser):
    def root_query(self) -> n.Query:
        """A query that may have functions of its own; only statements have those."""
        if self.looking_at("WITH", "SESSION") and self.is_identifier(2):
            raise not_supported("WITH SESSION", self.here)
        if not (self.looking_at("WITH", "FUNCTION") and self.is_identifier(2)):
            return self.query()
        self.expect("WITH")
        functions = self.comma_list(lambda: specification(self))
        return replace(self.query(), functions=functions)

    def query(self) -> n.Query:
        if self.words[self.index] not in QUERY_STARTS and not self.looking_at("("):
            self.fail("<query>")
        at = self.here
        recursive = False
        withs: tuple[n.With, ...] = ()
        if self.words[self.index] == "WITH":
            self.take()
            recursive = self.accept("RECURSIVE")
            withs = self.comma_list(self._with)
        return self._without_with(at, withs, recursive)

    def _with(self) -> n.With:
        at = self.here
        name = self.identifier()
        columns = self.identifiers() if self.looking_at("(") else ()
        self.expect("AS")
        return n.With(at, name, columns, self.query_in_brackets())

    def _without_with(
        self, at: int, withs: tuple[n.With, ...] = (), recursive: bool = False
    ) -> n.Query:
        self.deeper()
        body = self._set_operation()
        order_by = self.order_by()
        offset = None
        if self.accept("OFFSET"):
            offset = self._row_count()
            self.accept_any("ROW", "ROWS")
        limit_at = self.here
        limit: n.Expression | None = None
        fetch = with_ties = False
        if self.accept("LIMIT"):
            limit = None if self.accept("ALL") else self._row_count()
        elif self.accept("FETCH"):
            fetch = True
            limit, with_ties = self._fetch()
        self.depth -= 1
        return n.Query(
            at,
            body,
            withs,
            recursive,
            order_by,
            offset,
            limit,
            with_ties,
            fetch,
            limit_at,
        )

    def _row_count(self) -> n.Expression:
        self.note_labels("'?'", "<integer>")
        if self.looking_at("?"):
            return self.parameter()
        if self.token.kind != INTEGER:
            self.fail("'?'", "<integer>")
        return self.number()

    def _fetch(self) -> tuple[n.Expression, bool]:
        at = self.here
        self.expect_any("FIRST", "NEXT")
        count: n.Expression = n.LongLiteral(at, 1)
        if not self.looking_at_any("ROW", "ROWS"):
            count = self._row_count()
        self.expect_any("ROW", "ROWS")
        if self.accept("ONLY"):
            return count, False
        if not self.accept("WITH"):
            self.fail("'ONLY'", "'WITH'")
        self.expect("TIES")
        return count, True

    # -------------------------------------------------------- set operations

    def _set_operation(self) -> n.Body:
        """UNION and EXCEPT from the left; INTERSECT binds tighter."""
        left = self._intersection()
        while self.looking_at_any("UNION", "EXCEPT"):
            left = self._combine(left, self._intersection)
        return left

    def _intersection(self) -> n.Body:
        left = self._query_primary()
        while self.looking_at("INTERSECT"):
            left = self._combine(left, self._query_primary)
        return left

    def _combine(self, left: n.Body, operand: _Operand) -> n.SetOperation:
        at = self.here
        operator = self.take().word
        distinct = self.accept_any("ALL", "DISTINCT") != "ALL"
        corresponding = self.accept("CORRESPONDING")
        if corresponding and self.accept("BY"):
            self.identifiers()
            self.complain("CORRESPONDING with columns is unsupported", at, "NOT_SUPPORTED")
        return n.SetOperation(at, operator, distinct, left, operand(), corresponding)

    def _query_primary(self) -> n.Body:
        token = self.token
        if token.word == "SELECT":
            return self._select()
        if token.word == "VALUES":
            self.take()
            return n.Values(token.at, self.comma_list(self.expression))
        if token.word == "TABLE":
            self.take()
            return n.TableQuery(token.at, n.TableRef(token.at, self.name()))
        if token.word == "(":
            self.take()
            query = self._without_with(self.here)
            self.expect(")")
            return query
        self.fail("'('", "'SELECT'", "'TABLE'", "'VALUES'")

    # ---------------------------------------------------------------- SELECT

    def _select(self) -> n.Select:
        at = self.expect("SELECT")
        distinct = self.quantifier("*")
        items = self.comma_list(self._select_item)
        source = self._from() if self.accept("FROM") else None
        where = self.expression() if self.accept("WHERE") else None
        group_by = None
        group_at = self.here
        if self.accept("GROUP"):
            self.expect("BY")
            group_by = self._group_by(group_at)
        having = self.expression() if self.accept("HAVING") else None
        windows: tuple[tuple[n.Identifier, n.WindowSpec], ...] = ()
        if self.accept("WINDOW"):
            windows = self.comma_list(self._window)
        return n.Select(at, items, distinct, source, where, group_by, having, windows)

    def _select_item(self) -> n.SelectItem | n.Star:
        at = self.here
        if self.accept("*"):
            return n.Star(at)
        mark = self.mark()
        self.scan_next = self.words[self.index] not in ("NOT", "+", "-")
        expression = self.expression()
        if self.looking_at(".", "*"):
            return self._star_of(mark.place, expression, at)
        alias = None
        if self.accept("AS") or self.is_column_alias():
            alias = self.identifier()
        return n.SelectItem(at, expression, alias)

    def _star_of(self, start: int, target: n.Expression, at: int) -> n.Star:
        """``target.*``: only of something that needs no operator, so it must be one primary."""
        mark = self.mark()
        self.index = start
        self.primary()
        whole = self.index == mark.place
        self.rewind(mark)
        if not whole:
            self.fail("<EOF>")
        self.expect(".", "*")
        aliases = self.identifiers() if self.accept("AS") else ()
        return n.Star(at, target, aliases)

    def _from(self) -> n.Relation:
        at = self.here
        relation = self.relation()
        while self.accept(","):
            relation = n.Join(at, "IMPLICIT", relation, self.relation())
        return relation

    def _window(self) -> tuple[n.Identifier, n.WindowSpec]:
        name = self.identifier()
        self.expect("AS")
        return name, self.window_in_brackets()

    # -------------------------------------------------------------- GROUP BY

    def _group_by(self, at: int) -> n.GroupBy:
        distinct = self.quantifier("CUBE", "ROLLUP", "AUTO")
        return n.GroupBy(at, self.comma_list(self._grouping_element), distinct)

    def _grouping_element(self) -> n.GroupingElement:
        at = self.here
        if self.accept("AUTO"):
            return n.GroupingElement(at, "AUTO", ())
        kind = self.accept_any("ROLLUP", "CUBE")
        if kind:
            self.expect("(")
            sets = () if self.looking_at(")") else self.comma_list(self._grouping_set)
            self.expect(")")
            return n.GroupingElement(at, kind, sets)
        if self.accept("GROUPING", "SETS"):
            return n.GroupingElement(at, "SETS", self.take_bracketed_list(self._grouping_set))
        return n.GroupingElement(at, "SIMPLE", (self._grouping_set(),))

    def _grouping_set(self) -> tuple[n.Expression, ...]:
        """``(a, b)`` or one expression, which may begin with a bracket as well."""
        if not self.looking_at("(") or self.is_bracketed_query():
            return (self.expression(),)
        after = self._closing_bracket(self.index + 1) + 1
        if self.words[after] in _CONTINUES:
            return (self.expression(),)
        if self.word_ahead(1) == ")":
            self.index += 2
            return ()
        return self.take_bracketed_list(self.expression)
