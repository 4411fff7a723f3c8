"""FROM: tables, views, derived tables, and the joins between them."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sqe.binding.bound import BoundMetadata, BoundReference, BoundTable, BoundView
from sqe.engines.local.compile.context import Context
from sqe.engines.local.compile.joins import Joins
from sqe.engines.local.compile.scans import Draft, MetadataDraft, ScanDraft, TableColumn
from sqe.engines.local.compile.scope import (
    Relation,
    Scope,
    Source,
    not_pruning,
    rename_outputs,
    source_columns,
)
from sqe.engines.local.compile.tables import (
    explode,
    explodes,
    inline_table,
    number_range,
)
from sqe.engines.local.compile.travel import read_at
from sqe.engines.local.plan import NotLocal
from sqe.errors import ErrorCode, InternalError
from sqe.sql.references import table_span

_ALL_OF, _SAMPLED = "SELECT * FROM", "USING SAMPLE 100 PERCENT (system)"
_TABLE_PARTS = frozenset({"this", "db", "catalog", "alias", "version"})


class Relations:
    """Adds what FROM names to a scope, and gives the FROM clause."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._joins = Joins(context, self._relation)

    def from_clause(self, node: exp.Select, scope: Scope) -> str:
        from_ = node.args.get("from_")
        if from_ is None:
            return ""
        sql = self._relation(from_.this, scope)
        for join in node.args.get("joins") or ():
            sql = self._joins.join(sql, join, scope)
        for view in self._lateral_views(node):
            sql = f"{sql} CROSS JOIN {self._lateral(view, scope)}"
        return f" FROM {sql}"

    def _lateral_views(self, node: exp.Select) -> list[exp.Lateral]:
        """LATERAL VIEW behind a table. What it stands behind among joins the tree does not say."""
        views = list(node.args.get("laterals") or ())
        if views and (node.args.get("joins") or not all(explodes(view.this) for view in views)):
            raise NotLocal("this LATERAL VIEW is Spark's")
        return views

    def _relation(self, node: Any, scope: Scope) -> str:
        if isinstance(node, exp.Table):
            return self._table(node, scope)
        if isinstance(node, exp.Subquery):
            return self._compile_derived_table(node, scope)
        if isinstance(node, exp.Lateral):
            return self._lateral(node, scope)
        if isinstance(node, exp.Values):
            name = self._context.name("v_")
            relation = inline_table(node, self._context)
            outputs = rename_outputs(relation.outputs, _alias_columns(node))
            scope.add(Source(_alias(node), source_columns(name, outputs)))
            return f"({relation.sql}) AS {name}"
        raise NotLocal(f"{node.key} in FROM is Spark's")

    def _compile_derived_table(
        self, node: exp.Subquery, scope: Scope, *, joined: bool = False
    ) -> str:
        """It sees CTEs, but not its neighbours in FROM. ``joined``: as of a table."""
        odd = ("pivots", "sample", "laterals", "order", "limit", "offset", "with_")
        if any(node.args.get(key) for key in odd) or (node.args.get("joins") and not joined):
            raise NotLocal("this subquery is Spark's")
        if _is_joins(node.this):
            return self._parenthesis(node, scope)
        inside = Scope(parent=scope.parent, ctes=scope.ctes, closed=True, derived_in=scope)
        relation = self._context.query(node.this, inside)
        outputs = rename_outputs(relation.outputs, _alias_columns(node))
        name = self._context.name("d_")
        scope.add(Source(_alias(node), source_columns(name, outputs)))
        return f"({relation.sql}) AS {name}"

    def _lateral(self, node: exp.Lateral, scope: Scope) -> str:
        """It sees what is left of it in FROM."""
        known = ("this", "alias", "view", "outer")
        odd = [key for key, value in node.args.items() if value and key not in known]
        if odd or not scope.sources:
            raise NotLocal("this lateral join is Spark's")
        if explodes(node.this):
            outer = bool(node.args.get("outer"))
            relation = explode(node.this, scope, self._context, outer=outer)
        elif isinstance(node.this, exp.Subquery):
            relation = self._context.query(node.this.this, Scope(parent=scope, ctes=scope.ctes))
        else:
            raise NotLocal("this lateral join is Spark's")
        outputs = rename_outputs(not_pruning(relation.outputs), _alias_columns(node))
        name = self._context.name("l_")
        scope.add(Source(_alias(node), source_columns(name, outputs)))
        return f"LATERAL ({relation.sql}) AS {name}"

    def _parenthesis(self, node: exp.Subquery, scope: Scope) -> str:
        """(a JOIN b ON …): what is inside sees its own tables only, what is outside sees all."""
        if node.args.get("alias"):
            raise NotLocal("a name for joins in parentheses is Spark's")
        inner = Scope(parent=scope.parent, ctes=scope.ctes)
        joins = node.this.args.get("joins") or ()
        first = self._table if isinstance(node.this, exp.Table) else self._compile_derived_table
        sql = first(node.this, inner, joined=True)
        for join in joins:
            sql = self._joins.join(sql, join, inner)
        scope.sources += inner.sources
        scope.visible = [*scope.visible, *inner.visible]
        scope.merged += inner.merged
        return f"({sql})" if joins else sql

    def _table(self, node: exp.Table, scope: Scope, *, joined: bool = False) -> str:
        """``joined``: the caller sees to the joins that hang on the table."""
        known = {*_TABLE_PARTS, "joins"} if joined else _TABLE_PARTS
        odd = [key for key, value in node.args.items() if value and key not in known]
        if odd:
            raise NotLocal(f"{odd[0]} is not on the local engine's list")
        if isinstance(node.this, exp.Anonymous) or explodes(node.this):
            return self._function(node, scope)
        name = self._context.name("t_")
        reference = self._reference(node)
        cte = scope.cte(node.name) if node.args.get("db") is None else None
        if cte is not None and reference is None and not node.args.get("version"):
            outputs = rename_outputs(cte[1], _alias_columns(node))
            scope.add(Source(node.alias_or_name, source_columns(name, outputs)))
            return f"{cte[0]} AS {name}"
        if cte is not None or reference is None:
            raise NotLocal(f"{node.name} is not certain to be a table")
        if isinstance(reference.target, BoundView):
            return self._view(reference.target, node, name, scope)
        return self._compile_stored_table(reference, node, name, scope)

    def _compile_stored_table(
        self, reference: BoundReference, node: exp.Table, name: str, scope: Scope
    ) -> str:
        target = reference.target
        if isinstance(target, BoundMetadata):
            return self._metadata(target, node, name, scope)
        if not isinstance(target, BoundTable):
            raise NotLocal(f"{node.name} is not certain to be a table")
        if self._context.guarded.restriction(reference) is not None:
            raise InternalError(ErrorCode.INTERNAL_ERROR, f"{target.name} has lost its guard.")
        snapshot_id, stored = read_at(target, node.args.get("version"), self._context.time_zone)
        draft = ScanDraft(
            relation=self._context.name("scan_"),
            table=target,
            columns=stored,
            snapshot_id=snapshot_id,
        )
        self._context.drafts.append(draft)
        path = target.name.parts if node.args.get("alias") is None and not target.suffix else ()
        return _add(draft, node, name, scope, path)

    def _metadata(self, target: BoundMetadata, node: exp.Table, name: str, scope: Scope) -> str:
        if node.args.get("version"):
            raise NotLocal("a list of the catalog's contents has no versions")
        relation = self._context.name("scan_")
        draft = MetadataDraft(relation=relation, metadata=target, columns=target.columns)
        self._context.metadata.append(draft)
        named = (target.catalog, target.schema, target.table)
        path = named if node.args.get("alias") is None and not target.provider else ()
        return _add(draft, node, name, scope, path)

    def _function(self, node: exp.Table, scope: Scope) -> str:
        name = self._context.name("f_")
        if explodes(node.this):
            relation = explode(node.this, Scope(closed=True), self._context)
        else:
            relation = number_range(node.this)
        outputs = rename_outputs(relation.outputs, _alias_columns(node))
        scope.add(Source(node.alias, source_columns(name, outputs)))
        return f"({relation.sql}) AS {name}"

    def _view(self, view: BoundView, node: exp.Table, name: str, scope: Scope) -> str:
        with self._context.open_statement(view.inner):
            relation = self._context.query(view.inner.statement.tree, Scope())
        if view.guard is not None:
            return self._guard(view, relation, node, name, scope)
        outputs = relation.outputs
        wanted = [column.name for column in view.columns]
        column_names = list(view.query_columns) or wanted
        if [output.name.lower() for output in outputs] != [g.lower() for g in column_names]:
            raise NotLocal("a view whose query has changed is Spark's")
        if view.types and [str(output.type) for output in outputs] != list(view.types):
            raise NotLocal("a view over a table whose types have changed is Spark's")
        outputs = rename_outputs(rename_outputs(outputs, wanted), _alias_columns(node))
        scope.add(Source(node.alias_or_name, source_columns(name, outputs)))
        return f"({relation.sql}) AS {name}"

    def _guard(
        self, view: BoundView, relation: Relation, node: exp.Table, name: str, scope: Scope
    ) -> str:
        """The rows and columns that are left of a table which is seen in part."""
        guard = view.guard
        if guard is None or guard.keys or guard.risky:
            raise NotLocal("this policy is carried out by Spark")
        outputs = relation.outputs
        if [output.name for output in outputs] != [column.name for column in view.columns]:
            raise NotLocal("a guard whose columns are not certain is Spark's")
        # DuckDB moves nothing through a sample, not even of all rows.
        sql = f"{_ALL_OF} ({relation.sql}) {_SAMPLED}" if guard.barrier else relation.sql
        of = guard.of
        stored = of.name if isinstance(of, BoundTable) else of.relation
        plain = node.args.get("alias") is None and not getattr(of, "suffix", ())
        path = stored.parts if plain and stored is not None else ()
        outputs = rename_outputs(outputs, _alias_columns(node))
        scope.add(Source(node.alias_or_name, source_columns(name, outputs), path))
        return f"({sql}) AS {name}"

    def _reference(self, node: exp.Table) -> BoundReference | None:
        span = table_span(node)
        for reference in self._context.statement.references:
            if span is not None and reference.reference.span == span:
                return reference
        return None


def _add(draft: Draft, node: exp.Table, name: str, scope: Scope, path: tuple[str, ...]) -> str:
    columns = [TableColumn(column, name, draft) for column in draft.columns]
    listed = _alias_columns(node)
    if listed:
        if len(listed) != len(columns):
            raise NotLocal("a list of column names that does not fit is Spark's")
        columns = [column.rename(new) for column, new in zip(columns, listed, strict=True)]
    scope.add(Source(node.alias_or_name, list(columns), path))
    return f"{draft.relation} AS {name}"


def _is_joins(node: Any) -> bool:
    """Whether relations stand between parentheses, and not a query."""
    named = isinstance(node, exp.Subquery) and (node.args.get("joins") or node.args.get("alias"))
    return bool(named) or isinstance(node, exp.Table)


def _alias(node: Any) -> str:
    alias = node.args.get("alias")
    return str(alias.name) if alias is not None and alias.this is not None else ""


def _alias_columns(node: Any) -> list[str]:
    """The names in ``AS t(a, b)``."""
    alias = node.args.get("alias")
    return [column.name for column in (alias.args.get("columns") or ())] if alias else []
