"""The way in: a guarded statement to a plan for the local engine, or the reason why not."""

from __future__ import annotations

import pyarrow as pa
from sqlglot import TokenType

from sqe.engines.local.compile.queries import QueryCompiler
from sqe.engines.local.plan import LocalPlan, NotLocal
from sqe.engines.local.types import VOID
from sqe.model.query import Column
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.dialect import DIALECT
from sqe.sql.statement import StatementKind


def compile_statement(guarded: GuardedStatement) -> LocalPlan:
    """NotLocal unless every operator, function, cast, type and clause is on the proven list."""
    statement = guarded.bound.statement
    if statement.kind is not StatementKind.QUERY:
        raise NotLocal(f"every {statement.kind.value} is Spark's")
    if statement.session_functions:
        raise NotLocal("session functions are Spark's so far")
    _check_strings(statement.text)
    compiler = QueryCompiler(guarded)
    relation = compiler.compile(guarded.bound)
    if not compiler.drafts:
        raise NotLocal("a query without tables is Spark's")
    if any(output.type == VOID for output in relation.outputs):
        raise NotLocal("a column of NULLs without a type is Spark's")
    if any(not output.name for output in relation.outputs):
        raise NotLocal("a column without a name that is certain; give it an alias")
    columns = tuple(Column(o.name, str(o.type), o.nullable) for o in relation.outputs)
    schema = pa.schema([pa.field(o.name, o.type.arrow, o.nullable) for o in relation.outputs])
    return LocalPlan(relation.sql, compiler.scans(), columns, schema)


def _check_strings(text: str) -> None:
    """Spark joins neighbouring strings and reads escapes; sqlglot does neither as Spark does."""
    previous = None
    for token in DIALECT.tokenize(text):
        if token.token_type is TokenType.STRING:
            raw = text[token.start : token.end + 1]
            if raw[1:-1] != token.text or raw[0] != raw[-1] or "\\" in raw:
                raise NotLocal("strings with escapes are Spark's")
            if previous is TokenType.STRING:
                raise NotLocal("neighbouring strings are Spark's")
        previous = token.token_type
