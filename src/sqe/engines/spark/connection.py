"""One Spark session over Spark Connect: the few calls SQE makes, each with a bound on waiting.

Uses the client below ``SparkSession`` (pyspark is pinned): plans are sent as text, results come
as Arrow batches, nothing is collected.
"""

from __future__ import annotations

import logging
import re
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sqe.model.identity import Secret
from sqe.model.query import Progress

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StageProgress:
    """How far one of Spark's stages is."""

    id: int
    tasks: int
    tasks_done: int
    done: bool


_CALL_S = 5.0
_NO_SQL = "!"  # cannot be parsed
_PATTERN_SIGNS = re.compile(r"[*?\[\]{}\\]")  # Hadoop takes paths for patterns

# pyspark warns on stderr when it gives up on a lost server; the query's error says so already.
warnings.filterwarnings("ignore", message=r"\[RETRIES_EXCEEDED\]")


class Connection:
    """Safe to use from several threads, as the pyspark client is."""

    def __init__(self, url: Secret, user: str) -> None:
        from pyspark.sql.connect.client import SparkConnectClient
        from pyspark.sql.connect.client.retries import DefaultPolicy

        # pyspark prints every error of a query as JSON on stderr; ours go to the user alone.
        logging.getLogger("SQLQueryContextLogger").disabled = True
        logging.getLogger("DataFrameQueryContextLogger").disabled = True
        # On loopback a call succeeds or the server is gone: three tries, not ten minutes of them.
        retries = DefaultPolicy(
            max_retries=3, initial_backoff=50, max_backoff=500, backoff_multiplier=4.0
        )
        self._client: Any = SparkConnectClient(url.reveal(), user_id=user)
        self._client.set_retry_policies([retries])

    def set_conf(self, conf: Mapping[str, str]) -> None:
        from pyspark.sql.connect.proto import ConfigRequest

        operation = ConfigRequest.Operation(set=ConfigRequest.Set())
        for key, value in conf.items():
            operation.set.pairs.add(key=key, value=value)
        self._client.config(operation)

    def unset_conf(self, *keys: str) -> None:
        from pyspark.sql.connect.proto import ConfigRequest

        self._client.config(ConfigRequest.Operation(unset=ConfigRequest.Unset(keys=keys)))

    def plan(self, text: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """The text as a plan, with a literal for each of its named markers. Sending the same plan
        again lets the server reuse its analysis."""
        from pyspark.sql.connect.proto import Plan

        plan = Plan()
        plan.root.CopyFrom(self._relation(text, arguments))
        return plan

    def plan_without_rows(self, text: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """A query's plan under LIMIT 0. Analysing it is the same work, and the optimizer throws it
        away before any file is listed, so that explaining it costs little."""
        from pyspark.sql.connect.proto import Plan

        plan = Plan()
        plan.root.limit.input.CopyFrom(self._relation(text, arguments))
        plan.root.limit.limit = 0
        return plan

    def _relation(self, text: str, arguments: Mapping[str, Any] | None) -> Any:
        from pyspark.sql.connect.plan import SQL

        relation = SQL(text).plan(self._client)
        for name, literal in (arguments or {}).items():
            relation.sql.named_arguments[name].literal.CopyFrom(literal)
        return relation

    def read_files(
        self, file_format: str, schema: str, options: Mapping[str, str], urls: Sequence[str]
    ) -> Any:
        """A relation of exactly these files. Their names are not patterns."""
        from pyspark.sql.connect.plan import DataSource

        exact = [_PATTERN_SIGNS.sub(r"\\\g<0>", url) for url in urls]
        return DataSource(file_format, schema or None, options, exact)

    def local_relation(self, table: pa.Table) -> Any:
        """A relation of these rows, which are sent with the plan."""
        from pyspark.sql.connect.plan import LocalRelation

        return LocalRelation(table)

    def plan_of(self, relation: Any) -> Any:
        from pyspark.sql.connect.proto import Plan

        plan = Plan()
        plan.root.CopyFrom(relation.plan(self._client))
        return plan

    def plan_of_schema(self, relation: Any) -> Any:
        """Running it answers the relation's schema, and no rows. Spark may have to read whole files
        for that: unlike ``schema``, what runs can be cancelled."""
        from pyspark.sql.connect.proto import Plan

        plan = Plan()
        plan.root.limit.input.CopyFrom(relation.plan(self._client))
        plan.root.limit.limit = 0
        return plan

    def plan_of_view(self, name: str, relation: Any) -> Any:
        """Running it makes a temporary view of this Spark session, over a relation that is no
        SQL."""
        from pyspark.sql.connect.proto import Plan

        plan = Plan()
        plan.command.CopyFrom(self._view(name, relation))
        return plan

    def create_view(self, name: str, relation: Any) -> None:
        """Runs ``plan_of_view``, where that is quick."""
        self._client.execute_command(self._view(name, relation))

    def _view(self, name: str, relation: Any) -> Any:
        from pyspark.sql.connect.plan import CreateView

        view = CreateView(relation, name, is_global=False, replace=False)
        return view.command(self._client)

    def drop_view(self, name: str) -> None:
        from pyspark.sql.connect.plan import DropTempView

        try:
            for _ in self.execute(
                self.plan_of(DropTempView(name)), new_operation_id(), lambda _: None
            ):
                pass
        except Exception as error:  # noqa: BLE001
            # It ends with the session at the latest, and nothing else can name it.
            _log.warning("dropping a view failed: %s", type(error).__name__)

    def explain(self, plan: Any, mode: str = "extended") -> str:
        text: str = self._client.explain_string(plan, explain_mode=mode)
        return text

    def explain_command(self, text: str, mode: str = "EXTENDED") -> str:
        """Of a statement that Spark would run in order to analyse it, which only CALL is."""
        plan = self.plan(f"EXPLAIN {mode} {text}")
        items = self.execute(plan, new_operation_id(), lambda _: None)
        batches = [item for item in items if isinstance(item, pa.RecordBatch)]
        return "".join(str(value) for batch in batches for value in batch.column(0).to_pylist())

    def schema(self, plan: Any) -> Any:
        return self._client.schema(plan)

    def execute(
        self,
        plan: Any,
        operation_id: str,
        report: Callable[[Progress], None],
        watch: Callable[[Sequence[StageProgress]], None] | None = None,
    ) -> Iterator[Any]:
        """Yields a StructType, RecordBatches and PlanMetrics, as they come."""
        request = self._client._execute_plan_request_with_metadata(operation_id)
        request.plan.CopyFrom(plan)
        ticks = _Ticks(report, watch)
        for item in self._client._execute_and_fetch_as_iterator(request, {}, ticks):
            if _is_result(item):
                yield item

    def interrupt(self, operation_id: str) -> None:
        """Wakes the operation's own thread. Nothing happens where the plan has not arrived yet."""
        try:
            self._client.interrupt_operation(operation_id)
        except Exception as error:  # noqa: BLE001
            # The server may be gone already, which stops the operation just as well.
            _log.warning("interrupting an operation failed: %s", type(error).__name__)

    def cancel_jobs(self, operation_id: str) -> bool:
        """Cancels the jobs of an operation whose stream has ended. True if that was done.

        Spark Connect has no call for it. But an operation that fails cancels all jobs that carry
        its tag, and the tag is made of the operation's id: so one is run under the same id whose
        text cannot be parsed."""
        from grpc import RpcError
        from pyspark.sql.connect.proto import ReleaseExecuteRequest

        request = self._client._execute_plan_request_with_metadata(operation_id)
        request.plan.CopyFrom(self.plan(_NO_SQL))
        release = ReleaseExecuteRequest(
            session_id=request.session_id,
            user_context=request.user_context,
            operation_id=operation_id,
            release_all=ReleaseExecuteRequest.ReleaseAll(),
        )
        metadata = self._client._builder.metadata()
        try:
            # Its id is free again when the server has let go of it.
            self._client._stub.ReleaseExecute(release, metadata=metadata, timeout=_CALL_S)
            for _ in self._client._stub.ExecutePlan(request, metadata=metadata, timeout=_CALL_S):
                pass
        except RpcError as error:
            return "PARSE_SYNTAX_ERROR" in str(error)
        return False

    def close(self, *, server_alive: bool) -> None:
        """Gives the session back. Asks nothing of a server that is known to be dead."""
        try:
            if server_alive:
                self._client.release_session()
            self._client.close()
        except Exception as error:  # noqa: BLE001
            # Closing is best effort: the server drops the session when it ends.
            _log.warning("closing a Spark session failed: %s", type(error).__name__)


def new_operation_id() -> str:
    return str(uuid.uuid4())


def _is_result(item: Any) -> bool:
    from pyspark.sql.metrics import PlanMetrics
    from pyspark.sql.types import StructType

    return isinstance(item, pa.RecordBatch | StructType | PlanMetrics)


class _Ticks:
    """What the pyspark client calls with progress, in our terms."""

    def __init__(
        self,
        report: Callable[[Progress], None],
        watch: Callable[[Sequence[StageProgress]], None] | None,
    ) -> None:
        self._report = report
        self._watch = watch

    def update_ticks(self, stages: Any, inflight_tasks: int, operation_id: str = "") -> None:
        stages = list(stages)
        self._report(
            Progress(
                stages=len(stages),
                stages_done=sum(1 for stage in stages if stage.done),
                tasks=sum(stage.num_tasks for stage in stages),
                tasks_done=sum(stage.num_completed_tasks for stage in stages),
                bytes_read=sum(stage.num_bytes_read for stage in stages),
            )
        )
        if self._watch is not None:
            self._watch(
                [
                    StageProgress(s.stage_id, s.num_tasks, s.num_completed_tasks, s.done)
                    for s in stages
                ]
            )

    def finish(self) -> None:
        """Called when the client is interrupted; the query's own end says more."""
