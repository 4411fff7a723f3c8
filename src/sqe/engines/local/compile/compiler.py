"""The way in: a guarded statement to a plan for the local engine, or the reason why not."""

from __future__ import annotations

import pyarrow as pa

from sqe.engines.local.compile.queries import QueryCompiler
from sqe.engines.local.plan import LocalPlan, NotLocal
from sqe.engines.local.types import VOID
from sqe.model.query import Column
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.statement import StatementKind


def compile_statement(guarded: GuardedStatement, time_zone: str) -> LocalPlan:
    """NotLocal unless every operator, function, cast, type and clause is on the proven list."""
    statement = guarded.bound.statement
    if statement.kind is not StatementKind.QUERY:
        raise NotLocal(f"every {statement.kind.value} is Spark's")
    compiler = QueryCompiler(guarded, time_zone)
    relation = compiler.compile(guarded.bound)
    if any(output.type == VOID for output in relation.outputs):
        raise NotLocal("a column of NULLs without a type is Spark's")
    if any(not output.name for output in relation.outputs):
        raise NotLocal("a column without a name that is certain; give it an alias")
    columns = tuple(Column(o.name, str(o.type), o.nullable) for o in relation.outputs)
    schema = pa.schema(
        [pa.field(o.name, o.type.arrow(time_zone), o.nullable) for o in relation.outputs]
    )
    return LocalPlan(relation.sql, compiler.scans(), columns, schema)
