"""The way in: a guarded statement to a plan for the local engine, or the reason why not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pyarrow as pa
from sqlglot import exp

from sqe.binding.bound import BoundStatement, BoundView
from sqe.engines.local.compile.folding import values_in_text
from sqe.engines.local.compile.queries import QueryCompiler
from sqe.engines.local.plan import LocalPlan, NotLocal
from sqe.engines.local.types import VOID
from sqe.model.query import Column
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.statement import StatementKind

_FAILING = (
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Func, exp.Subquery,
)  # fmt: skip
_SAFE = (exp.Connector, exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Count, exp.Max, exp.Min)


def compile_statement(guarded: GuardedStatement, time_zone: str) -> LocalPlan:
    """NotLocal unless every operator, function, cast, type and clause is on the proven list."""
    statement = guarded.bound.statement
    if statement.kind is not StatementKind.QUERY:
        raise NotLocal(f"every {statement.kind.value} is Spark's")
    compiler = QueryCompiler(guarded, time_zone)
    relation = compiler.compile(guarded.bound)
    compiler.parameters.check()
    if any(not output.name for output in relation.outputs):
        raise NotLocal("a column without a name that is certain; give it an alias")
    columns = tuple(Column(o.name, str(o.type), o.nullable) for o in relation.outputs)
    schema = pa.schema(
        [
            pa.field(o.name, o.type.arrow(time_zone), o.nullable or o.type == VOID)
            for o in relation.outputs
        ]
    )
    doubtful = len(list(islice(_list_failing(guarded.bound), 2))) > 1
    values = values_in_text(relation.sql, compiler.parameters.values)
    return LocalPlan(
        relation.sql, compiler.scans(), columns, schema, doubtful, values, compiler.metadata()
    )


def _list_failing(bound: BoundStatement) -> Iterator[Any]:
    """Places in the text that some value can make fail. With more than one, it depends on the order
    of rows and on NULLs which fails first, or whether any does: Spark leaves out what it can."""
    for node in bound.statement.tree.walk():
        if isinstance(node, exp.Cast):
            if not isinstance(node.this, exp.Literal):
                yield node
        elif isinstance(node, _FAILING) and not isinstance(node, _SAFE):
            yield node
    for reference in bound.references:
        if isinstance(reference.target, BoundView):
            yield from _list_failing(reference.target.inner)
