"""What stands in FROM: tables, subqueries, joins, UNNEST."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqe.model.trino_types import VARCHAR
from sqe.trino.dialect import nodes
from sqe.trino.dialect.aggregation import check_scalar
from sqe.trino.dialect.built import Source
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.comparisons import compare
from sqe.trino.dialect.correlation import keep_inside
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.json_table import json_table
from sqe.trino.dialect.scope import Field, Origin, Scope
from sqe.trino.dialect.table_functions import table_function
from sqe.trino.dialect.travel import travel
from sqe.trino.dialect.typed import quote_name
from sqe.trino.dialect.unnest import (
    check_condition,
    explode,
    inner_relation,
    make_outer,
    sees_left,
)
from sqe.trino.dialect.zones import read_here

if TYPE_CHECKING:
    from sqe.trino.dialect.queries import Queries


class Relations:
    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self.analyzer = queries.analyzer
        self._readers: dict[type[nodes.Relation], Callable[[Any, Scope], Source]] = {
            nodes.TableRef: self._table,
            nodes.Subquery: self._subquery,
            nodes.Aliased: self._read_alias,
            nodes.Join: self._join,
            nodes.Unnest: self._unnest,
            nodes.Lateral: self._lateral,
            nodes.Sampled: self._read_sample,
            nodes.JsonTable: lambda node, scope: json_table(self, node, scope),
            nodes.TableFunction: lambda node, scope: table_function(self, node, scope),
        }

    def read(self, node: nodes.Relation, scope: Scope) -> Source:
        """``scope`` is the one around the query, or what stands before a LATERAL."""
        reader = self._readers.get(type(node))
        if reader is None:
            raise not_supported(_NAMES.get(type(node), type(node).__name__), node.at)
        return reader(node, scope)

    # ------------------------------------------------------------- tables

    def _table(self, node: nodes.TableRef, scope: Scope) -> Source:
        analyzer = self.analyzer
        name = analyzer.make_id("r")
        if len(node.name) == 1:
            named = scope.queries.get(node.name[0].name.lower())
            if named is not None:
                key = node.name[0].name.lower()
                fields = tuple(
                    replace(field, sql=f"{name}.{field.sql}", qualifier=(key,))
                    for field in named.fields
                )
                return Source(f"{named.name} AS {name}", fields)
        context = analyzer.context
        catalog, schema, table = context.table_name(node.name)
        known = context.lookup.relation(catalog, schema, table)
        if known is None:
            raise self._absent(catalog, schema, table, node.at)
        if known.broken:
            message = f"Failed analyzing stored view '{catalog}.{schema}.{table}': {known.broken}"
            raise Refused("INVALID_VIEW", message, node.at)
        qualifier = tuple(name_part.name.lower() for name_part in node.name)
        fields = tuple(
            Field(
                column.name.lower(),
                read_here(column.type),
                f"{name}.{quote_name(column.name)}",
                qualifier,
                column.hidden,
                Origin((catalog, schema, table)),
            )
            for column in known.columns
        )
        if known.tells_files:
            origin = Origin((catalog, schema, table))
            fields += (Field("$path", VARCHAR, f"{name}._file", qualifier, True, origin),)
        return Source(f"{known.text}{travel(analyzer, node, known)} AS {name}", fields)

    def _absent(self, catalog: str, schema: str, table: str, at: int) -> Refused:
        lookup = self.analyzer.context.lookup
        if catalog not in lookup.catalogs():
            return Refused("CATALOG_NOT_FOUND", f"Catalog '{catalog}' not found", at)
        if not lookup.schema_exists(catalog, schema):
            return Refused("SCHEMA_NOT_FOUND", f"Schema '{schema}' does not exist", at)
        return Refused("TABLE_NOT_FOUND", f"Table '{catalog}.{schema}.{table}' does not exist", at)

    def _subquery(self, node: nodes.Subquery, scope: Scope) -> Source:
        name = self.analyzer.make_id("r")
        built = self._queries.query(node.query, scope)
        return Source(f"({built.text}) AS {name}", built.fields(name))

    def _lateral(self, node: nodes.Lateral, scope: Scope) -> Source:
        name = self.analyzer.make_id("r")
        built = self._queries.subquery(node.query, scope)
        word = "LATERAL " if scope.fields else ""  # it may stand first, with nothing before it
        return Source(f"{word}({built.text}) AS {name}", built.fields(name))

    def _read_sample(self, node: nodes.Sampled, scope: Scope) -> Source:
        """Each row by its own chance, for both methods."""
        analyzer = self.analyzer
        source = self.read(node.relation, scope)
        share = analyzer.expression(node.percentage, Scope()).constant
        if not isinstance(share, int | float | str) or not 0 <= float(share) <= 100:
            message = "Sample percentage must be between 0 and 100"
            raise Refused("NUMERIC_VALUE_OUT_OF_RANGE", message, node.percentage.at)
        name = analyzer.make_id("r")
        listed = ", ".join(f"{field.sql} AS c{i}" for i, field in enumerate(source.fields))
        text = f"SELECT {listed} FROM {source.text} WHERE rand() * 100 < {float(share)!r}D"
        fields = tuple(replace(field, sql=f"{name}.c{i}") for i, field in enumerate(source.fields))
        return Source(f"({text}) AS {name}", fields)

    def _read_alias(self, node: nodes.Aliased, scope: Scope) -> Source:
        source = self.read(node.relation, scope)
        shown = [field for field in source.fields if not field.hidden]
        if node.columns and len(node.columns) != len(shown):
            message = (
                f"Column alias list has {len(node.columns)} entries but '{node.alias.name}' has "
                f"{len(shown)} columns available"
            )
            raise Refused("MISMATCHED_COLUMN_ALIASES", message, node.at)
        qualifier = (node.alias.name.lower(),)
        if not node.columns:
            fields = tuple(replace(field, qualifier=qualifier) for field in source.fields)
        else:
            fields = tuple(
                replace(shown_field, name=column.name, qualifier=qualifier)
                for shown_field, column in zip(shown, node.columns, strict=True)
            )
        return replace(source, fields=fields)

    # -------------------------------------------------------------- joins

    def _join(self, node: nodes.Join, scope: Scope) -> Source:
        if node.natural:
            raise Refused("NOT_SUPPORTED", "Natural join not supported", node.at)
        left = self.read(node.left, scope)
        beside = replace(scope.around(left.fields), variables=scope.variables)
        if sees_left(node.right):
            return self._join_lateral(node, left, beside)
        right = self.read(node.right, scope)
        if node.kind in ("CROSS", "IMPLICIT"):
            return _join_fields(
                f"{left.text} CROSS JOIN {right.operand}", left.fields + right.fields
            )
        word = {"INNER": "JOIN"}.get(node.kind, f"{node.kind} JOIN")
        both = f"{left.text} {word} {right.operand}"
        if node.using:
            return self._join_using(node, left, right, both)
        fields = left.fields + right.fields
        assert node.condition is not None  # noqa: S101  the parser wants ON or USING
        check_scalar(node.condition, "JOIN clause")
        inside = scope.around(fields)
        test = self.analyzer.predicate(node.condition, inside, "JOIN ON clause")
        test = keep_inside(self.analyzer, node.condition, inside, test)
        return _join_fields(f"{both} ON {test}", fields)

    def _join_lateral(self, node: nodes.Join, left: Source, beside: Scope) -> Source:
        """With UNNEST or LATERAL. LEFT JOIN UNNEST is a cross join with ``posexplode_outer``:
        Spark cannot correlate an outer join by a map."""
        if node.kind not in ("CROSS", "IMPLICIT"):
            check_condition(node)
        if node.kind == "LEFT":
            right = self.read(make_outer(node.right), beside)
            if isinstance(inner_relation(node.right), nodes.Lateral):
                return _join_fields(
                    f"{left.text} LEFT JOIN {right.text} ON true", left.fields + right.fields
                )
        else:
            right = self.read(node.right, beside)
        return _join_fields(f"{left.text} CROSS JOIN {right.text}", left.fields + right.fields)

    def _join_using(self, node: nodes.Join, left: Source, right: Source, both: str) -> Source:
        tests: list[str] = []
        merged: list[Field] = []
        used: list[Field] = []
        for column in node.using:
            name = column.name.lower()
            left_field = _only(left.fields, name, column, "left")
            other = _only(right.fields, name, column, "right")
            kind = common_type(left_field.type, other.type)
            if kind is None:
                message = f"Column types for JOIN USING '{column.name}' do not match"
                raise mismatch(message, column.at)
            tests.append(compare("=", left_field.as_typed, other.as_typed, column.at).sql)
            mine = coerce(left_field.as_typed, kind, column.at).sql
            theirs = coerce(other.as_typed, kind, column.at).sql
            sql = {"RIGHT": theirs, "FULL": f"coalesce({mine}, {theirs})"}.get(node.kind, mine)
            merged.append(Field(column.name, kind, sql))
            used += [left_field, other]
        rest = [
            left_field
            for left_field in left.fields + right.fields
            if not any(left_field is u for u in used)
        ]
        return _join_fields(f"{both} ON {' AND '.join(tests)}", (*merged, *rest))

    # ------------------------------------------------------------- UNNEST

    def _unnest(self, node: nodes.Unnest, scope: Scope) -> Source:
        analyzer = self.analyzer
        values = [analyzer.expression(expression, scope) for expression in node.expressions]
        text, columns = explode(node, values, analyzer.make_id("r"))
        return Source(("LATERAL " if scope.fields else "") + text, tuple(columns))


def _join_fields(text: str, fields: tuple[Field, ...]) -> Source:
    return Source(text, fields, joined=True)


def _only(fields: tuple[Field, ...], name: str, column: nodes.Identifier, side: str) -> Field:
    matching = [field for field in fields if field.answers((name,))]
    if len(matching) > 1:
        raise Refused("AMBIGUOUS_NAME", f"Column '{column.name}' is ambiguous", column.at)
    if not matching:
        message = f"Column '{column.name}' is missing from {side} side of join"
        raise Refused("COLUMN_NOT_FOUND", message, column.at)
    return matching[0]


_NAMES: dict[type[nodes.Relation], str] = {
    nodes.MatchRecognize: "MATCH_RECOGNIZE",
}
