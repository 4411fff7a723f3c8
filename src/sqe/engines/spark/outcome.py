"""The end of a statement that Spark did not end well: what is said of it must be true.

Spark's error says what Spark saw. Whether something was written the broker knows: it passed the
commit on, or did not. So a write whose commit arrived has succeeded, even if Spark died before it
could say so, and one without a commit has left no trace.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

import pyarrow as pa

from sqe.broker.handles import GrantedTable, HandleGrant
from sqe.engines.protocol import Run
from sqe.engines.spark.affected import rows_affected, write_target
from sqe.errors import ErrorCode, SqeError, UpstreamError, UserError, error_of
from sqe.model.query import RowsAffected
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.statement import StatementKind

_log = logging.getLogger(__name__)
_CONFLICT_HINT = "Nothing was written. Run the statement again."


def report_written(tables: Iterable[GrantedTable], run: Run, *, in_transaction: bool) -> None:
    """For the record. Called when the grant is withdrawn, whether the statement has ended well or
    not. In a transaction nothing is written before its commit."""
    for table in tables:
        try:
            table.look()
        except Exception as error:  # noqa: BLE001
            # What is done stays done: it is only not known, then.
            _log.warning("looking for a commit to %s failed: %s", table.name, type(error).__name__)
        if not in_transaction:
            run.wrote([snapshot.at(str(table.name)) for snapshot in table.commits.snapshots])


def settle_result(
    error: SqeError, statement: GuardedStatement, grant: HandleGrant | None
) -> ResultStream:
    """The result of a statement that has succeeded after all; otherwise raises the true error.

    Called after ``report_written``: no change of this statement can arrive any more. Without a
    grant none could ever."""
    tables = list(grant.tables.values()) if grant else []
    if any(table.fate.unknown for table in tables):
        raise _not_known(error, tables) from error
    kind = statement.bound.statement.kind
    if any(table.fate.changed for table in tables):
        if grant is not None and kind.traits.one_commit:
            _log.warning("a %s was committed, then Spark failed: %s", kind.label, error)
            return _result(statement, grant)
        raise _in_part(error) from error
    if any(table.fate.conflict for table in tables) or error.code is ErrorCode.COMMIT_CONFLICT:
        raise conflict(tables) from error
    if error.code is ErrorCode.ENGINE_LOST and kind is not StatementKind.QUERY:
        raise UpstreamError(error.code, f"{error.message} Nothing was written.", hint=error.hint)
    raise error


def conflict(tables: Iterable[GrantedTable]) -> UserError:
    """What Iceberg says of it names files and filters, which help nobody."""
    written = [str(table.name) for table in tables if table.changes]
    name = written[0] if len(written) == 1 else "The table"
    return UserError(
        ErrorCode.COMMIT_CONFLICT,
        f"{name} was changed by someone else while the statement ran.",
        hint=_CONFLICT_HINT,
    )


def _not_known(error: SqeError, tables: Iterable[GrantedTable]) -> UpstreamError:
    names = [str(table.name) for table in tables if table.fate.unknown]
    return UpstreamError(
        ErrorCode.COMMIT_UNKNOWN,
        f"It is not known whether the change of {' and '.join(names)} was committed: "
        f"{error.message}",
        hint=f"Look at the newest rows of {names[0]}.snapshots before you run it again.",
    )


def _in_part(error: SqeError) -> SqeError:
    """Of a procedure with several commits."""
    code = error.code if error.code is not ErrorCode.COMMIT_CONFLICT else ErrorCode.ENGINE_ERROR
    text = f"{error.message} What it had committed before stays."
    return error_of(code, text, hint=error.hint, position=error.position)


def _result(statement: GuardedStatement, grant: HandleGrant) -> ResultStream:
    target = write_target(statement.bound)
    affected: RowsAffected | None = None
    if target is not None:
        written = grant.commits(target.name).snapshots
        affected = rows_affected(statement.bound.statement.kind, written, lambda: None)
    return ResultStream((), pa.schema([]), (), affected=lambda: affected)
