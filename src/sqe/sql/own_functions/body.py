"""The body of a function: where it names its parameters, and how values get there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from sqe.model.functions import SqlFunction
from sqe.sql.functions import VOLATILE
from sqe.sql.own_functions.texts import body_as_query, names_in, quote_always, words_in
from sqe.sql.parse import parse
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Span, Statement
from sqe.sql.text import TextLimits

_QUERIES = (exp.Query, exp.Table, exp.Values)


@dataclass(frozen=True, slots=True)
class ParameterUse:
    """``variables`` are those of the lambdas around it, in small letters: inside of one, a value is
    computed for each element of an array."""

    name: str
    span: Span
    variables: frozenset[str]


@dataclass(frozen=True)
class Body:
    """``text`` calls no other function in SQL."""

    function: SqlFunction
    text: str
    limits: TextLimits

    @cached_property
    def _statement(self) -> Statement:
        return parse(body_as_query(self.text, self.function.is_query)[0], self.limits)

    @cached_property
    def reads(self) -> bool:
        """It is a query or holds one. Names in it may be columns of what it reads, which only the
        engine can tell from parameters."""
        tree = self._statement.tree
        inside = (node for node in tree.walk() if isinstance(node, _QUERIES) and node is not tree)
        return self.function.is_query or next(inside, None) is not None

    @property
    def short_names(self) -> set[str]:
        """Of temporary views that it reads, in small letters."""
        references = self._statement.references
        return {one.parts[0].lower() for one in references if len(one.parts) == 1}

    @cached_property
    def uses(self) -> tuple[ParameterUse, ...] | None:
        """Of an expression that reads nothing. None: the tree does not tell all of them."""
        names = {parameter.name.lower() for parameter in self.function.parameters}
        uses = tuple(self._find_uses(names))
        places = [use.span for use in uses]
        missed = any(
            name in names and not any(span.start <= at < span.end for span in places)
            for name, at in names_in(self._statement.text)
        )
        return None if missed else uses

    @property
    def leaves_out(self) -> bool:
        """A parameter is named nowhere."""
        used = {use.name for use in self.uses or ()}
        return any(one.name.lower() not in used for one in self.function.parameters)

    def _find_uses(self, names: set[str]) -> Iterator[ParameterUse]:
        own = self.function.short_name.lower()
        for column in self._statement.tree.find_all(exp.Column):
            keys = ("catalog", "db", "table", "this")
            path = [column.args[key] for key in keys if column.args.get(key) is not None]
            if any(not isinstance(part, exp.Identifier) for part in path):
                continue
            if any("start" not in part.meta for part in path):
                continue
            named = path[0]
            if len(path) > 1 and named.this.lower() == own and own not in names:
                named = path[1]
            if named.this.lower() in names:
                span = Span(path[0].meta["start"], named.meta["end"] + 1)
                around = frozenset(_variables_around(column))
                yield ParameterUse(named.this.lower(), span, around)

    def with_values(self, values: Mapping[str, str], fresh: Iterator[str]) -> str:
        """An expression that reads nothing, with SQL in place of its parameters. What must be
        computed once becomes the variable of a lambda."""
        assert self.uses is not None  # noqa: S101  the caller has looked
        written = dict(values)
        around: list[tuple[str, str]] = []
        for name, value in values.items():
            if self._must_be_bound(name, value):
                written[name] = next(fresh)
                around.append((value, written[name]))
        text, start = body_as_query(self.text, is_query=False)
        edits = [Edit(use.span, written[use.name]) for use in self.uses]
        body = splice(text, edits).text[start:-1]
        for value, variable in around:
            body = f"transform(array({value}), {variable} -> ({body}))[0]"
        return body

    def _must_be_bound(self, name: str, value: str) -> bool:
        """It may be another value each time, or names what means something else at its place."""
        uses = [use for use in self.uses or () if use.name == name]
        words = {word for word, _ in words_in(value)}
        if words & VOLATILE and (len(uses) > 1 or any(use.variables for use in uses)):
            return True
        return any(words & use.variables for use in uses)

    def with_relation(self, values: Mapping[str, str], fresh: Iterator[str]) -> str:
        """What to write behind FROM, so that the body finds its parameters there. Values stand
        alone in a SELECT of their own: no parameter's name can mean anything in them."""
        places = {name: next(fresh) for name in values}
        inside = ", ".join(f"{value} AS {places[name]}" for name, value in values.items())
        outside = ", ".join(
            f"{places[parameter.name.lower()]} AS {quote_always(parameter.name)}"
            for parameter in self.function.parameters
        )
        alias = quote_always(self.function.short_name)
        return f"(SELECT {outside} FROM (SELECT {inside})) AS {alias}"  # noqa: S608  SQL is its work


def _variables_around(node: exp.Expr) -> Iterator[str]:
    around = node.find_ancestor(exp.Lambda)
    while around is not None:
        yield from (variable.name.lower() for variable in around.expressions)
        around = around.find_ancestor(exp.Lambda)
