"""What stands in FROM."""

from __future__ import annotations

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.json_table_parser import JsonTableParser
from sqe.trino.dialect.lexer import END, RESERVED

# Words that begin a clause but are names too: a name if what follows may follow a name.
_SELECT_CLAUSES = frozenset({"LIMIT", "OFFSET", "FETCH", "WINDOW"})
_CLAUSES = _SELECT_CLAUSES | {"TABLESAMPLE", "MATCH_RECOGNIZE"}
_RELATION_STARTS = ("'('", "'JSON_TABLE'", "'LATERAL'", "'TABLE'", "'UNNEST'", "<identifier>")
_AFTER_ALIAS = RESERVED | _CLAUSES | {")", ",", "("}


class RelationParser(JsonTableParser):
    def relation(self) -> n.Relation:
        """Tables with their joins, up to a comma."""
        self.deeper()
        at = self.here
        relation = self._parse_sampled_relation()
        while True:
            if self.accept("CROSS"):
                self.expect("JOIN")
                relation = n.Join(at, "CROSS", relation, self._parse_sampled_relation())
            elif self.accept("NATURAL"):
                kind = self._join_kind()
                relation = n.Join(at, kind, relation, self._parse_sampled_relation(), natural=True)
            elif self.looking_at_any("JOIN", "INNER", "LEFT", "RIGHT", "FULL"):
                relation = self._parse_qualified_join(at, relation)
            else:
                self.depth -= 1
                return relation

    def _join_kind(self) -> str:
        kind = self.accept_any("INNER", "LEFT", "RIGHT", "FULL") or "INNER"
        if kind != "INNER":
            self.accept("OUTER")
        self.expect("JOIN")
        return kind

    def _parse_qualified_join(self, at: int, left: n.Relation) -> n.Relation:
        kind = self._join_kind()
        right = self.relation()
        if self.accept("ON"):
            return n.Join(at, kind, left, right, self.expression())
        if not self.accept("USING"):
            self.fail("'ON'", "'USING'")
        return n.Join(at, kind, left, right, using=self.identifiers())

    def _parse_sampled_relation(self) -> n.Relation:
        at = self.here
        relation = self._parse_aliased_relation(self._relation_primary(), at)
        if self.looking_at("MATCH_RECOGNIZE"):
            relation = self._match_recognize(relation, at)
        if not self.accept("TABLESAMPLE"):
            return relation
        method = self.expect_any("BERNOULLI", "SYSTEM")
        self.expect("(")
        percentage = self.expression()
        self.expect(")")
        return n.Sampled(at, relation, method, percentage)

    def is_column_alias(self) -> bool:
        return self._is_alias(_SELECT_CLAUSES)

    def _is_alias(self, clauses: frozenset[str]) -> bool:
        """A name without AS, not the word of a clause that follows."""
        self.note_labels("'AS'", "<identifier>")
        if not self.is_identifier():
            return False
        word = self.words[self.index]
        if word not in clauses:
            return True
        following = self.tokens[self.index + 1]
        if following.word == "(" and word == "MATCH_RECOGNIZE":
            return False
        if word == "WINDOW" and self.is_identifier(1) and self.word_ahead(2) == "AS":
            return False
        return following.kind == END or following.word in _AFTER_ALIAS

    def _parse_aliased_relation(self, relation: n.Relation, at: int) -> n.Relation:
        if not self.accept("AS") and not self._is_alias(_CLAUSES):
            return relation
        alias = self.identifier()
        columns = self.identifiers() if self.looking_at("(") else ()
        return n.Aliased(at, relation, alias, columns)

    def _match_recognize(self, relation: n.Relation, at: int) -> n.Relation:
        """Not read further than its brackets: SQE refuses it, and says so."""
        self.expect("MATCH_RECOGNIZE", "(")
        self.index = self._closing_bracket(self.index)
        self.expect(")")
        return self._parse_aliased_relation(n.MatchRecognize(at, relation), at)

    # ------------------------------------------------------------- primaries

    def _relation_primary(self) -> n.Relation:
        token = self.token
        following = self.word_ahead(1)
        if token.word == "(":
            return self._parse_bracketed_relation()
        if token.word == "UNNEST":
            return self._unnest()
        if token.word == "LATERAL" and following == "(":
            self.take()
            return n.Lateral(token.at, self.query_in_brackets())
        if token.word == "TABLE":
            return self._table_function()
        if token.word == "JSON_TABLE":
            return self.json_table()
        return self.table()

    def table(self) -> n.TableRef:
        """A table's name, with the version or the moment it is read at."""
        at = self.here
        if not self.is_identifier():
            self.fail(*_RELATION_STARTS)
        name = self.name()
        travel_at = self.here
        if not self.accept("FOR"):
            return n.TableRef(at, name)
        kind = self.expect_any("TIMESTAMP", "VERSION")
        self.expect("AS", "OF")
        value = self.value_expression()
        if kind == "VERSION":
            return n.TableRef(at, name, version=value, travel_at=travel_at)
        return n.TableRef(at, name, moment=value, travel_at=travel_at)

    def _parse_bracketed_relation(self) -> n.Relation:
        at = self.here
        if self.is_bracketed_query():
            return n.Subquery(at, self.query_in_brackets())
        self.expect("(")
        self.note_labels("<query>")
        relation = self.relation()
        self.expect(")")
        return relation

    def _unnest(self) -> n.Relation:
        at = self.expect("UNNEST")
        expressions = self.take_bracketed_list(self.expression)
        return n.Unnest(at, expressions, self.accept("WITH", "ORDINALITY"))

    # -------------------------------------------------------- table functions

    def _table_function(self) -> n.Relation:
        self.expect("TABLE", "(")
        at = self.here
        name = self.name()
        self.expect("(")
        arguments: tuple[tuple[n.Identifier | None, n.Node], ...] = ()
        if not self.looking_at(")") and not self._is_copartition():
            arguments = self.comma_list(self._table_function_argument)
        copartition: tuple[tuple[n.Name, ...], ...] = ()
        if self.accept("COPARTITION"):
            copartition = self.comma_list(self._copartition)
        self.expect(")", ")")
        return n.TableFunction(at, name, arguments, copartition)

    def _is_copartition(self) -> bool:
        return self.looking_at("COPARTITION", "(")

    def _copartition(self) -> tuple[n.Name, ...]:
        self.expect("(")
        first = self.name()
        self.expect(",")
        rest = self.comma_list(self.name)
        self.expect(")")
        return (first, *rest)

    def _table_function_argument(self) -> tuple[n.Identifier | None, n.Node]:
        name = None
        if self.is_identifier() and self.word_ahead(1) == "=>":
            name = self.identifier()
            self.take()
        if self.looking_at("TABLE"):
            return name, self._table_argument()
        if self.looking_at("DESCRIPTOR", "("):
            return name, self._descriptor()
        if self.looking_at("CAST", "(", "NULL", "AS", "DESCRIPTOR"):
            at = self.expect("CAST", "(", "NULL", "AS", "DESCRIPTOR", ")")
            return name, n.Descriptor(at, None)
        return name, self.expression()

    def _table_argument(self) -> n.TableArgument:
        at = self.expect("TABLE")
        relation: n.Relation
        if self.is_bracketed_query():
            relation = n.Subquery(at, self.query_in_brackets())
        else:
            self.expect("(")
            relation = n.TableRef(at, self.name())
            self.expect(")")
        if self.looking_at("AS") or not self._is_argument_clause():
            relation = self._parse_aliased_relation(relation, at)
        partition_by = None
        if self.accept("PARTITION"):
            self.expect("BY")
            partition_by = self._partition()
        when_empty = self.accept_any("PRUNE", "KEEP")
        if when_empty:
            self.expect("WHEN", "EMPTY")
        order_by: tuple[n.SortItem, ...] = ()
        if self.accept("ORDER"):
            self.expect("BY")
            order_by = self._order()
        return n.TableArgument(at, relation, partition_by, order_by, when_empty)

    def _is_argument_clause(self) -> bool:
        word, following = self.words[self.index], self.word_ahead(1)
        return (
            (word == "PARTITION" and following == "BY")
            or (word in ("PRUNE", "KEEP") and following == "WHEN")
            or self._is_copartition()
        )

    def _partition(self) -> tuple[n.Expression, ...]:
        if self.looking_at("(", ")"):
            self.index += 2
            return ()
        if self.looking_at("("):
            return self.take_bracketed_list(self.expression)
        return (self.expression(),)

    def _order(self) -> tuple[n.SortItem, ...]:
        if self.looking_at("("):
            return self.take_bracketed_list(self.sort_item)
        return (self.sort_item(),)

    def _descriptor(self) -> n.Descriptor:
        at = self.expect("DESCRIPTOR")
        return n.Descriptor(at, self.take_bracketed_list(self._descriptor_field))

    def _descriptor_field(self) -> tuple[n.Identifier, n.TypeName | None]:
        name = self.identifier()
        if self.looking_at_any(",", ")"):
            return name, None
        text, at = self.type_text()
        return name, n.TypeName(at, text)
