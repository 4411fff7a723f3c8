"""The engine of record: Spark, through Spark Connect, with handles for names."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pyarrow as pa

from sqe.binding.bound import BoundAbsent, BoundMetadata, BoundTable
from sqe.broker.commit_outcome import CommitOutcome
from sqe.broker.handles import GrantedTable, HandleGrant
from sqe.catalog.protocol import Catalogs, Ident
from sqe.catalog.transaction import current
from sqe.engines.direct import DirectStatement
from sqe.engines.protocol import Explanation, Run
from sqe.engines.spark.affected import rows_affected, write_target
from sqe.engines.spark.copying import Copy, PlanRunner, check_files, copy_edits, copy_of
from sqe.engines.spark.csv_copying import Loading, StagedCopy, stage_csv
from sqe.engines.spark.errors import translate
from sqe.engines.spark.execution_spans import trace_execution
from sqe.engines.spark.guards import Guards
from sqe.engines.spark.metrics import operators, work_of
from sqe.engines.spark.operation import Operation
from sqe.engines.spark.outcome import report_written, settle_result
from sqe.engines.spark.parameter_rows import InsertedRows, prepare_rows
from sqe.engines.spark.parameters import marker_edits
from sqe.engines.spark.plan_check import Only, check_plan
from sqe.engines.spark.procedures import call_edits, check_call
from sqe.engines.spark.repairs.repairs import REPAIRS, Repairs
from sqe.engines.spark.sessions import SparkSession, SparkSessions
from sqe.engines.spark.types import arrow_schema_of_struct, columns_of_struct
from sqe.engines.spark.variants import Variants
from sqe.engines.staging import REJECTS, REJECTS_SCHEMA
from sqe.errors import ErrorCode, SqeError, UpstreamError, UserError
from sqe.maintenance.floors import Floors
from sqe.model.names import RelationName
from sqe.model.query import Column, Profile, Progress, RowsAffected
from sqe.model.spans import SPARK_ANALYZE, SPARK_SESSION
from sqe.model.tracing import trace
from sqe.results.arrow_types import arrow_schema
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.checked_table import not_checked
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.render import render
from sqe.rewrite.rendering import Names
from sqe.sessions.session import Session
from sqe.sql.copy import CopyInto
from sqe.sql.counting import edits_of_count
from sqe.sql.procedures import Procedure
from sqe.sql.settings import TIME_ZONE
from sqe.sql.splice import Spliced
from sqe.sql.statement import Access, StatementKind

_log = logging.getLogger(__name__)

MetadataRows = Callable[[BoundMetadata, Run], str]
_ANALYZED_PLAN, _OPTIMIZED_PLAN = "== Analyzed Logical Plan ==", "== Optimized Logical Plan =="
_PHYSICAL_PLAN = "== Physical Plan =="
_NUMBERS = re.compile(r"#\d+L?\b|, \[plan_id=\d+\]")
_CHECKABLE = (
    "Give every column a value of its own type, and conditions that are true or false. Where that"
    " is not it, the administrator of the policy can mend it."
)


@dataclass(frozen=True)
class _Prepared:
    """A statement in Spark's hands: its session, its handles, the text and the plan made of it."""

    spark: SparkSession
    grant: HandleGrant
    names: Names
    spliced: Spliced
    plan: Any
    guards: Guards
    procedure: Procedure | None = None  # of CALL
    copy: Copy | None = None
    rows: InsertedRows | None = None
    analysed: str = field(default="", repr=False)  # its plan, as Spark has explained it
    metrics: list[Any] = field(default_factory=list, repr=False)  # of its operators, at the end

    def profile(self) -> Profile:
        """The plan as it was checked: Spark's physical one is only made when it runs."""
        plan = self.analysed[self.analysed.find(_ANALYZED_PLAN) :].partition(_OPTIMIZED_PLAN)[0]
        return Profile(
            self.to_user(_NUMBERS.sub("", plan.strip())), self.to_user(operators(self.metrics))
        )

    def translate_error(self, error: Exception) -> SqeError:
        loading = self.copy and (self.copy.entry.refusal or self.copy.file_error(error))
        translated = loading or translate(error, self.grant, self.spliced, self.guards)
        if self.copy is not None:
            translated = self.copy.name_error(translated)
        return translated if self.rows is None else self.rows.locate(translated)

    def to_user(self, text: str) -> str:
        """With the names that the user knows."""
        text = self.grant.to_user(text)
        return text if self.copy is None else self.copy.name_objects(text)

    def explain(self, mode: str) -> str:
        if self.procedure is not None:
            return self.spark.connection.explain_command(self.spliced.text, mode)
        return self.spark.connection.explain(self.plan, mode)


class SparkConnectEngine:
    """``metadata_rows`` writes a relation of information_schema as a query of literals."""

    repairs: Repairs = REPAIRS

    def __init__(
        self,
        sessions: SparkSessions,
        catalogs: Catalogs,
        metadata_rows: MetadataRows,
        floors: Floors | None = None,
        loading: Loading | None = None,
    ) -> None:
        self._sessions = sessions
        self._catalogs = catalogs
        self._metadata_rows = metadata_rows
        self._floors = floors or Floors()
        self._loading = loading or Loading()

    def prepare(self, statement: GuardedStatement, session: Session) -> DirectStatement:
        return DirectStatement(self, statement)

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        copy = copy_of(statement, run, self._loading.places)
        if copy is not None and not copy.new:
            columns, schema = _columns_of_copy(copy.command)
            return ResultStream(columns, schema, (), affected=lambda: RowsAffected(inserted=0))
        stack = ExitStack()
        prepared: _Prepared | None = None
        try:
            prepared = self._prepare(statement, run, stack, copy)
            run.offer_profile(prepared.profile)
            items = self._execute(prepared, run)
            stack.callback(items.close)  # stops Spark's work where nobody reads on
            struct = _struct(items)
            zone = run.session.property(TIME_ZONE)
            schema = arrow_schema_of_struct(struct, zone)
            variants = Variants(struct, zone)
            # Most queries that fail do so here.
            schema, batches = _peek(schema, items, known=not variants)
        except BaseException as error:
            stack.close()
            if not isinstance(error, SqeError):
                raise
            return settle_result(error, statement, prepared.grant if prepared else None)
        columns = _real_names(columns_of_struct(struct), prepared.grant)
        names = [column.name for column in columns]
        schema = _rename_fields(schema, columns)

        affected: list[RowsAffected] = []

        def stream() -> Iterator[pa.RecordBatch]:
            with stack:
                for item in batches:
                    # Spark's batches of no rows lack buffers that pyarrow reads: it would crash.
                    if isinstance(item, pa.RecordBatch) and item.num_rows:
                        yield variants.as_text(item.rename_columns(names), schema)
                affected.extend(self._count_affected(statement, prepared, run))
                if isinstance(prepared.copy, StagedCopy):
                    yield from prepared.copy.rejects()

        if prepared.copy is not None:
            columns, schema = _columns_of_copy(prepared.copy.command)
        return ResultStream(columns, schema, stream(), stack.close, lambda: _only(affected))

    def describe(self, statement: GuardedStatement, run: Run) -> Description:
        """Of a query Spark is asked; what other statements answer is known without it."""
        procedure = check_call(statement, run.session, self._catalogs, self._floors)
        if statement.bound.statement.kind is not StatementKind.QUERY:
            columns = procedure.result if procedure is not None else ()
            command = statement.bound.statement.command
            if isinstance(command, CopyInto):
                columns, _ = _columns_of_copy(command)
            return Description(columns, arrow_schema(columns))
        with ExitStack() as stack:
            prepared = self._prepare(statement, run, stack)
            try:
                struct = prepared.spark.connection.schema(prepared.plan)
            except Exception as error:
                raise self._translate_error(prepared, error) from error
            columns = _real_names(columns_of_struct(struct), prepared.grant)
            schema = arrow_schema_of_struct(struct, run.session.property(TIME_ZONE))
            return Description(columns, _rename_fields(schema, columns))

    def explain(self, statement: GuardedStatement, run: Run, mode: str = "") -> Explanation:
        with ExitStack() as stack:
            prepared = self._prepare(statement, run, stack, rows=False)
            try:
                wanted = mode.lower() if mode in ("FORMATTED", "COST") else "extended"
                plan = prepared.explain(wanted)
            except Exception as error:
                raise self._translate_error(prepared, error) from error
            if not mode:
                # Without Spark's numbers for columns and plans: shorter, and the same every time.
                plan = _NUMBERS.sub("", plan[plan.find(_PHYSICAL_PLAN) :])
            to_user = prepared.to_user
            return Explanation(to_user(prepared.spliced.text.strip()), to_user(plan))

    def analyze(self, statement: GuardedStatement, run: Run) -> Explanation:
        with ExitStack() as stack:
            prepared = self._prepare(statement, run, stack)
            rows = 0
            for item in self._execute(prepared, run):
                if isinstance(item, pa.RecordBatch):
                    rows += item.num_rows
            affected_text = "".join(
                f"{affected}\n" for affected in self._count_affected(statement, prepared, run)
            )
            to_user = prepared.to_user
            return Explanation(
                to_user(prepared.spliced.text.strip()),
                to_user(f"{affected_text}{rows:,} rows returned\n{operators(prepared.metrics)}"),
            )

    def close(self) -> None:
        self._sessions.close()

    def _prepare(
        self,
        statement: GuardedStatement,
        run: Run,
        stack: ExitStack,
        copy: Copy | None = None,
        *,
        rows: bool = True,
    ) -> _Prepared:
        """Handles granted until ``stack`` closes, the text spliced, the plan checked.

        ``copy`` is the COPY that the statement is, where its files have been found already. Without
        ``rows`` the statement is not going to run."""
        procedure = check_call(statement, run.session, self._catalogs, self._floors)
        copy = copy or copy_of(statement, run, self._loading.places)
        if copy is None:
            return self._plan(statement, run, stack, procedure)
        files = self._loading.places.fetch(copy.files, run, stack)
        copy = replace(copy, found=files, new=files)
        with copy.name_errors():
            # What is wrong with the files is told before Spark starts.
            check_files(files, copy.command.format)
            if copy.command.format == "csv":
                copy = stage_csv(copy, self._loading.csv_reader(), run, stack, rows=rows)
            run = replace(run, extras={**run.extras, copy.target.name: copy.entry})
            return self._plan(statement, run, stack, procedure, copy)

    def _plan(
        self,
        statement: GuardedStatement,
        run: Run,
        stack: ExitStack,
        procedure: Procedure | None,
        copy: Copy | None = None,
    ) -> _Prepared:
        spark = stack.enter_context(self._session(run))
        reads = statement.bound.statement.kind is StatementKind.QUERY
        tables = self._tables(statement, run)
        stack.callback(report_written, tables, run, in_transaction=current() is not None)
        grant = stack.enter_context(spark.broker.grant(tables))
        guards = Guards(grant)
        names = self._names(run, grant, guards)
        edits = call_edits(statement, run.session)
        if copy is not None:
            runner = PlanRunner(spark.connection, partial(self._run_plan, spark, run))
            edits = copy_edits(copy, statement, names, runner, stack)
        inserted = prepare_rows(statement, spark.connection, stack)
        markers, values = marker_edits(statement, run.session.property(TIME_ZONE))
        edits = [*edits, *(inserted.edits if inserted is not None else markers)]
        spliced = render(statement, names, edits)
        values = {**values, **guards.arguments}
        plan = spark.connection.plan(spliced.text, values)
        prepared = _Prepared(spark, grant, names, spliced, plan, guards, procedure, copy, inserted)
        try:
            with trace(SPARK_ANALYZE):
                if reads:
                    checked = spark.connection.plan_without_rows(spliced.text, values)
                    explained = spark.connection.explain(checked)
                else:
                    explained = prepared.explain("extended")
        except Exception as error:
            failure = self._translate_error(prepared, error)
            if guards.checked is not None and isinstance(failure, UserError):
                bare = render(statement, names, edits, checked=False)
                failure = self._said_of(bare, values, prepared) or not_checked(
                    guards.checked, "Spark cannot check this one", hint=_CHECKABLE
                )
            raise failure from error
        check_plan(
            explained,
            grant.tables.keys(),
            must_scan=_must_scan(statement, grant),
            changes=not reads,
            only=Only(
                procedure.name if procedure else "",
                copy.view if copy else "",
                guards.must_be_below(statement),
            ),
        )
        return replace(prepared, analysed=explained)

    @contextmanager
    def _session(self, run: Run) -> Iterator[SparkSession]:
        """The session's Spark, which may have to start first."""
        run.cancellation.check()
        with ExitStack() as stack:
            with trace(SPARK_SESSION):
                use = self._sessions.use(
                    run.session, lambda phase: run.report(Progress(phase=phase))
                )
                spark = stack.enter_context(use)
            run.report(Progress())
            run.cancellation.check()
            yield spark

    def _names(self, run: Run, grant: HandleGrant, guards: Guards) -> Names:
        """How the text that Spark gets spells what the user's text names."""
        return Names(
            table=grant.spell,
            metadata=lambda relation: self._metadata_rows(relation, run),
            session_schema=run.session.schema,
            user=run.session.identity.user,
            guard=guards.name,
            key=guards.key,
            check=guards.check,
            repairs=self.repairs.texts,
        )

    def _tables(self, statement: GuardedStatement, run: Run) -> list[GrantedTable]:
        accesses: dict[RelationName, set[Access]] = {}
        targets: dict[RelationName, BoundTable | BoundAbsent] = {}
        for reference in statement.bound.walk():
            target = reference.target
            if isinstance(target, BoundTable | BoundAbsent):
                targets[target.name] = target
                accesses.setdefault(target.name, set()).add(reference.reference.access)
        granted = []
        kind = statement.bound.statement.kind
        for name, target in targets.items():
            granted.append(
                GrantedTable(
                    name=name,
                    ident=Ident(name.schema.path, name.name),
                    catalog=self._catalogs.open(name.catalog, run.session.identity),
                    accesses=frozenset(accesses[name]),
                    bound=target.loaded if isinstance(target, BoundTable) else None,
                    extras=run.extras.get(name),
                    query_id=run.query_id,
                    merged=kind is StatementKind.MERGE,
                    rows_only=kind.traits.row_by_row,
                    repair=self.repairs.show,
                    fate=CommitOutcome(run.cancellation, one_change=kind.traits.one_commit),
                )
            )
        return granted

    def _count_affected(
        self, statement: GuardedStatement, prepared: _Prepared, run: Run
    ) -> list[RowsAffected]:
        """At most one: what the statement, which has ended well, changed."""
        target = write_target(statement.bound)
        if target is None:
            return []
        for table in prepared.grant.tables.values():
            table.look()
        written = prepared.grant.commits(target.name).snapshots
        try:
            affected = rows_affected(
                statement.bound.statement.kind,
                written,
                lambda: self._count(statement, target.name, prepared, run),
            )
        except Exception as error:  # noqa: BLE001
            # The write is done and must not seem to have failed: its number is not known, then.
            _log.warning("counting the rows of a write failed: %s", type(error).__name__)
            return []
        return [] if affected is None else [affected]

    def _count(
        self, statement: GuardedStatement, target: RelationName, prepared: _Prepared, run: Run
    ) -> int | None:
        """Counts the rows a DELETE or UPDATE was about, in the table as it found it."""
        base = prepared.grant.commits(target).base()
        edits = edits_of_count(statement.bound.statement)
        if base is None or edits is None:
            return None
        connection = prepared.spark.connection
        before = [table.as_read(base) for table in prepared.grant.tables.values()]
        with prepared.spark.broker.grant(before) as grant:
            zone = run.session.property(TIME_ZONE)
            markers, values = marker_edits(statement, zone, edits)
            guards = Guards(grant)
            names = replace(
                prepared.names,
                table=grant.spell,
                guard=guards.name,
                key=guards.key,
                check=guards.check,
            )
            text = render(statement, names, [*edits, *markers]).text
            plan = connection.plan(text, {**values, **guards.arguments})
            check_plan(
                connection.explain(plan),
                grant.tables.keys(),
                must_scan=[grant.spell(target)[1]],
                changes=False,
                only=Only(below=guards.must_be_below(statement)),
            )
            items = self._run_plan(prepared.spark, run, plan)
            batches = [item for item in items if isinstance(item, pa.RecordBatch)]
        return int(batches[0].column(0)[0].as_py())

    def _translate_error(self, prepared: _Prepared, error: Exception) -> SqeError:
        translated = prepared.translate_error(error)
        if translated.code is ErrorCode.ENGINE_LOST:
            return self._sessions.settle(prepared.spark) or translated
        if translated.code is ErrorCode.DISK_FULL:
            self._sessions.free_disk(prepared.spark)
        return translated

    def _said_of(
        self, text: Spliced, values: dict[str, Any], prepared: _Prepared
    ) -> SqeError | None:
        """What Spark finds wrong with a text that is only analysed. Its words show conditions as a
        whole, and those that a write is held to are nobody's to see: so it is asked of the
        statement without them."""
        values = {**values, **prepared.guards.arguments}
        connection = prepared.spark.connection
        try:
            connection.explain(connection.plan(text.text, values))
        except Exception as error:  # noqa: BLE001  whatever it is, it is translated
            return self._translate_error(replace(prepared, spliced=text), error)
        return None

    def _execute(self, prepared: _Prepared, run: Run) -> Generator[Any]:
        prepared.grant.begin()
        progress = [Progress()]

        def report(now: Progress) -> None:
            progress[0] = now
            run.report(now)

        watched = replace(run, report=report)
        writes = prepared.grant.changes
        try:
            with closing(
                self._run_plan(prepared.spark, watched, prepared.plan, writes=writes)
            ) as items:
                for item in items:
                    if hasattr(item, "metrics"):
                        prepared.metrics.append(item)
                    yield item
            run.note_work(work_of(prepared.metrics, progress[0]))
        except SqeError:
            raise
        except Exception as error:
            raise self._translate_error(prepared, error) from error

    def _run_plan(
        self, spark: SparkSession, run: Run, plan: Any, *, writes: bool = False
    ) -> Generator[Any]:
        """A cancel ends Spark's work for it, and is the error; others are Spark's own."""
        operation = Operation(spark, self._sessions, run.cancellation, writes=writes)
        with trace_execution(run.span) as watch:
            try:
                yield from operation.run(plan, run.report, watch)
            except SqeError:
                raise
            except Exception:
                run.cancellation.check()
                raise


def _columns_of_copy(command: CopyInto) -> tuple[tuple[Column, ...], pa.Schema]:
    """What a COPY answers: the lines it left out, if it is to tell them."""
    return (REJECTS, REJECTS_SCHEMA) if command.rejects else ((), pa.schema([]))


def _only(affected: list[RowsAffected]) -> RowsAffected | None:
    return affected[0] if affected else None


def _real_names(columns: tuple[Column, ...], grant: HandleGrant) -> tuple[Column, ...]:
    """Spark names some expressions by the tables in them, which it knows by their handles."""
    return tuple(replace(column, name=grant.to_user(column.name)) for column in columns)


def _must_scan(statement: GuardedStatement, grant: HandleGrant) -> list[str]:
    """Handles that have to be in the plan."""
    return list(grant.tables) if statement.bound.statement.traits.tables_in_plan else []


def _struct(items: Iterator[Any]) -> Any:
    for item in items:
        if hasattr(item, "fields"):
            return item
    raise UpstreamError(ErrorCode.ENGINE_ERROR, "Spark sent no schema for the result.")


def _peek(
    schema: pa.Schema, items: Iterator[Any], *, known: bool
) -> tuple[pa.Schema, Iterator[Any]]:
    """If it is the ``known`` schema and Spark sends another one, rows are typed as they are."""
    for item in items:
        if isinstance(item, pa.RecordBatch):
            if known and not schema.equals(item.schema):
                _log.warning("Spark sent rows of %s for %s", item.schema.types, schema.types)
                schema = item.schema
            return schema, _chain(item, items)
    return schema, iter(())


def _rename_fields(schema: pa.Schema, columns: Sequence[Column]) -> pa.Schema:
    fields = zip(schema, columns, strict=True)
    return pa.schema([field.with_name(column.name) for field, column in fields])


def _chain(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest
