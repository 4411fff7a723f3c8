"""The engine of record: Spark, through Spark Connect, with handles for names."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from sqe.broker.handles import Grant, GrantedTable
from sqe.catalog.bound import BoundAbsent, BoundMetadata, BoundTable
from sqe.catalog.protocol import Catalogs, Ident
from sqe.engines.protocol import Explanation, Run
from sqe.engines.spark.connection import new_operation_id
from sqe.engines.spark.errors import translate
from sqe.engines.spark.metrics import operators
from sqe.engines.spark.plan_check import check_plan
from sqe.engines.spark.sessions import SparkSession, SparkSessions
from sqe.engines.spark.types import arrow_schema_of_struct, columns_of_struct
from sqe.errors import ErrorCode, UpstreamError
from sqe.model.names import RelationName
from sqe.model.query import Column
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.render import Names, render
from sqe.sql.splice import Spliced
from sqe.sql.statement import Access, StatementKind

MetadataRows = Callable[[BoundMetadata, Run], str]
_PHYSICAL_PLAN = "== Physical Plan =="
_NUMBERS = re.compile(r"#\d+L?\b|, \[plan_id=\d+\]")
_MUST_SCAN = (StatementKind.QUERY, StatementKind.INSERT, StatementKind.MERGE)


@dataclass(frozen=True)
class _Prepared:
    """A statement in Spark's hands: its session, its handles, the text and the plan made of it."""

    spark: SparkSession
    grant: Grant
    spliced: Spliced
    plan: Any


class SparkConnectEngine:
    """``metadata_rows`` writes a relation of information_schema as a query of literals."""

    def __init__(
        self, sessions: SparkSessions, catalogs: Catalogs, metadata_rows: MetadataRows
    ) -> None:
        self._sessions = sessions
        self._catalogs = catalogs
        self._metadata_rows = metadata_rows

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        stack = ExitStack()
        try:
            prepared = self._prepare(statement, run, stack)
            items = self._execute(prepared, run)
            stack.callback(items.close)  # stops Spark's work where nobody reads on
            struct = _struct(items)
            schema, batches = _peek(struct, items)  # most queries that fail do so here
        except BaseException:
            stack.close()
            raise
        columns = _real_names(columns_of_struct(struct), prepared.grant)
        names = [column.name for column in columns]
        schema = pa.schema([f.with_name(n) for f, n in zip(schema, names, strict=True)])

        def stream() -> Iterator[pa.RecordBatch]:
            with stack:
                for item in batches:
                    # Spark's batches of no rows lack buffers that pyarrow reads: it would crash.
                    if isinstance(item, pa.RecordBatch) and item.num_rows:
                        yield item.rename_columns(names)

        return ResultStream(columns, schema, stream(), stack.close)

    def describe(self, statement: GuardedStatement, run: Run) -> tuple[Column, ...]:
        with ExitStack() as stack:
            prepared = self._prepare(statement, run, stack)
            try:
                struct = prepared.spark.connection.schema(prepared.plan)
                return _real_names(columns_of_struct(struct), prepared.grant)
            except Exception as error:
                raise translate(error, prepared.grant, prepared.spliced) from error

    def explain(self, statement: GuardedStatement, run: Run, mode: str = "") -> Explanation:
        with ExitStack() as stack:
            prepared = self._prepare(statement, run, stack)
            try:
                wanted = mode.lower() if mode in ("FORMATTED", "COST") else "extended"
                plan = prepared.spark.connection.explain(prepared.plan, wanted)
            except Exception as error:
                raise translate(error, prepared.grant, prepared.spliced) from error
            if not mode:
                # Without Spark's numbers for columns and plans: shorter, and the same every time.
                plan = _NUMBERS.sub("", plan[plan.find(_PHYSICAL_PLAN) :])
            to_user = prepared.grant.to_user
            return Explanation(to_user(prepared.spliced.text.strip()), to_user(plan))

    def analyze(self, statement: GuardedStatement, run: Run) -> Explanation:
        with ExitStack() as stack:
            prepared = self._prepare(statement, run, stack)
            metrics = []
            rows = 0
            for item in self._execute(prepared, run):
                if isinstance(item, pa.RecordBatch):
                    rows += item.num_rows
                elif hasattr(item, "metrics"):
                    metrics.append(item)
            to_user = prepared.grant.to_user
            return Explanation(
                to_user(prepared.spliced.text.strip()), to_user(operators(metrics, rows))
            )

    def close(self) -> None:
        self._sessions.close()

    def _prepare(self, statement: GuardedStatement, run: Run, stack: ExitStack) -> _Prepared:
        """Handles granted until ``stack`` closes, the text spliced, the plan checked."""
        spark = self._sessions.get(run.session)
        run.cancellation.check()
        reads = statement.bound.statement.kind is StatementKind.QUERY
        tables = self._tables(statement, run)
        grant = stack.enter_context(spark.broker.granted(tables))
        spliced = render(
            statement,
            Names(
                table=grant.spell,
                metadata=lambda relation: self._metadata_rows(relation, run),
                session_schema=run.session.schema,
                user=run.session.identity.user,
            ),
        )
        try:
            plan = spark.connection.plan(spliced.text)
            checked = spark.connection.plan_without_rows(spliced.text) if reads else plan
            explained = spark.connection.explain(checked)
        except Exception as error:
            raise translate(error, grant, spliced) from error
        check_plan(
            explained,
            grant.tables.keys(),
            must_scan=_must_scan(statement, grant),
            changes=not reads,
        )
        return _Prepared(spark, grant, spliced, plan)

    def _tables(self, statement: GuardedStatement, run: Run) -> list[GrantedTable]:
        accesses: dict[RelationName, set[Access]] = {}
        targets: dict[RelationName, BoundTable | BoundAbsent] = {}
        for reference in statement.bound.walk():
            target = reference.target
            if isinstance(target, BoundTable | BoundAbsent):
                targets[target.name] = target
                accesses.setdefault(target.name, set()).add(reference.reference.access)
        granted = []
        for name, target in targets.items():
            granted.append(
                GrantedTable(
                    name=name,
                    ident=Ident(name.schema.path, name.name),
                    catalog=self._catalogs.open(name.catalog, run.session.identity),
                    accesses=frozenset(accesses[name]),
                    bound=target.loaded if isinstance(target, BoundTable) else None,
                )
            )
        return granted

    def _execute(self, prepared: _Prepared, run: Run) -> Generator[Any]:
        """Runs the plan; a cancel interrupts it on the server."""
        operation_id = new_operation_id()
        connection = prepared.spark.connection
        run.cancellation.on_cancel(lambda: connection.interrupt(operation_id))
        finished = False
        try:
            for item in connection.execute(prepared.plan, operation_id, run.report):
                run.cancellation.check()
                yield item
            finished = True
        except GeneratorExit:
            raise
        except Exception as error:
            finished = True
            run.cancellation.check()
            raise translate(error, prepared.grant, prepared.spliced) from error
        finally:
            if not finished:
                connection.interrupt(operation_id)


def _real_names(columns: tuple[Column, ...], grant: Grant) -> tuple[Column, ...]:
    """Spark names some expressions by the tables in them, which it knows by their handles."""
    return tuple(replace(column, name=grant.to_user(column.name)) for column in columns)


def _must_scan(statement: GuardedStatement, grant: Grant) -> list[str]:
    """Handles that have to be in the plan. DDL is not explained by relation, so it has none."""
    if statement.bound.statement.kind not in _MUST_SCAN:
        return []
    return list(grant.tables)


def _struct(items: Iterator[Any]) -> Any:
    for item in items:
        if hasattr(item, "fields"):
            return item
    raise UpstreamError(ErrorCode.ENGINE_ERROR, "Spark sent no schema for the result.")


def _peek(struct: Any, items: Iterator[Any]) -> tuple[pa.Schema, Iterator[Any]]:
    """The Arrow schema: the first batch's own, or made from Spark's types if there is no batch."""
    for item in items:
        if isinstance(item, pa.RecordBatch):
            return item.schema, _chain(item, items)
    return arrow_schema_of_struct(struct), iter(())


def _chain(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest
