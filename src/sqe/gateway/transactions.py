"""The open transactions of this process, by session, and what may be part of one."""

from __future__ import annotations

import logging
import threading

from sqe.binding.bound import BoundStatement, BoundTable
from sqe.binding.resolve import METADATA_TABLES
from sqe.broker.commit_outcome import CommitOutcome
from sqe.broker.commits import QUERY_ID, read_snapshot
from sqe.catalog.overlay import at_once
from sqe.catalog.transaction import Transaction, current, step_out, transaction_ended
from sqe.errors import ErrorCode, ResourceError, SqeError, UpstreamError, UserError
from sqe.model.query import WrittenSnapshot
from sqe.results.cancellation import Cancellation
from sqe.sessions.session import Session
from sqe.sql.statement import Access, Statement

_log = logging.getLogger(__name__)
_MOST = 100  # of one session


def join_transaction(statement: Statement) -> None:
    """A statement that a rollback could not undo is not part of a transaction. It runs by itself if
    the transaction has changed nothing yet, and is refused otherwise."""
    transaction = current()
    if transaction is None:
        return
    traits = statement.traits
    if transaction.read_only and traits.writes:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            "Cannot execute write in a read-only transaction",
            subcode="READ_ONLY_VIOLATION",
        )
    if traits.in_transaction:
        return
    if transaction.changed:
        raise at_once(statement.label.upper())
    step_out()


def check_transaction(bound: BoundStatement) -> None:
    """Refuses to read what does not exist before the commit."""
    transaction = current()
    if transaction is not None:
        for reference in bound.walk():
            if isinstance(reference.target, BoundTable):
                _check_table(reference.target, transaction)
                if transaction.one_statement and reference.reference.access is Access.READ:
                    _check_unchanged(reference.target, transaction)


def _check_table(table: BoundTable, transaction: Transaction) -> None:
    """Spark reads metadata tables from a file, and changes that are not committed have none."""
    held = transaction.find_table(table.name.catalog, table.ident)
    if held is not None and table.suffix and table.suffix[-1].lower() in METADATA_TABLES:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"{table.name}.{table.suffix[-1]} cannot be read in a transaction that has changed the"
            " table.",
            hint="Read it before, or after COMMIT.",
        )


def _check_unchanged(table: BoundTable, transaction: Transaction) -> None:
    """One statement reads all tables as they were before it."""
    if transaction.find_table(table.name.catalog, table.ident) is not None:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"An INSERT into several tables that reads {table.name}, which it has written, is not"
            " supported.",
            hint="Send an INSERT for each table.",
        )


class Transactions:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, dict[str, Transaction]] = {}
        self._internal: set[str] = set()

    def begin(
        self,
        session: Session,
        internal: bool = False,
        read_only: bool = False,
        one_statement: bool = False,
    ) -> str:
        transaction = Transaction(read_only=read_only, one_statement=one_statement)
        with self._lock:
            mine = self._open.setdefault(session.id, {})
            if len(mine) >= _MOST:
                raise ResourceError(
                    ErrorCode.TOO_MANY_QUERIES,
                    f"The session has {_MOST} open transactions; that is the limit.",
                    hint="Commit or roll back some of them.",
                )
            mine[transaction.id] = transaction
            if internal:
                self._internal.add(transaction.id)
        if session.ended:  # just now
            self.end_session(session.id)
            raise transaction_ended()
        return transaction.id

    def of(self, session_id: str, transaction_id: str) -> Transaction | None:
        """None for a statement outside of a transaction."""
        if not transaction_id:
            return None
        with self._lock:
            transaction = self._open.get(session_id, {}).get(transaction_id)
        if transaction is None:
            raise transaction_ended()
        return transaction

    def only(self, session_id: str) -> str:
        """The id of the client's open transaction, if there is exactly one."""
        with self._lock:
            ids = [
                transaction_id
                for transaction_id in self._open.get(session_id, ())
                if transaction_id not in self._internal
            ]
        return ids[0] if len(ids) == 1 else ""

    def commit(
        self, session_id: str, transaction_id: str, cancellation: Cancellation
    ) -> list[WrittenSnapshot]:
        """Commits what all of its statements have written."""
        transaction = self._take(session_id, transaction_id)
        written = _snapshots(transaction)
        fate = CommitOutcome(cancellation)
        try:
            with fate.change(snapshot.snapshot_id for snapshot in written):
                transaction.publish()
        except SqeError as error:
            fate.settle()
            fate.look(transaction.load_one)
            if fate.changed:
                _log.warning("a transaction was committed, then the catalog failed: %s", error)
                return written
            if fate.unknown:
                transaction.end()
                raise _not_known(error) from error
            transaction.discard()
            raise _not_committed(error) from error
        return written

    def rollback(self, session_id: str, transaction_id: str) -> None:
        self._take(session_id, transaction_id).discard()

    def end_session(self, session_id: str) -> None:
        with self._lock:
            mine = self._open.pop(session_id, {})
            self._internal.difference_update(mine)
        for transaction in mine.values():
            transaction.discard()

    def _take(self, session_id: str, transaction_id: str) -> Transaction:
        with self._lock:
            transaction = self._open.get(session_id, {}).pop(transaction_id, None)
            self._internal.discard(transaction_id)
        if transaction is None:
            raise transaction_ended()
        return transaction


def _snapshots(transaction: Transaction) -> list[WrittenSnapshot]:
    written = []
    for table, snapshot in transaction.snapshots():
        added = read_snapshot(snapshot)
        written.append(added.at(str(table), added.summary.get(QUERY_ID, "")))
    return written


# What the catalog says where a table is not any more as the transaction has found it.
_MOVED = (
    ErrorCode.COMMIT_CONFLICT,
    ErrorCode.TABLE_ALREADY_EXISTS,
    ErrorCode.TABLE_NOT_FOUND,
    ErrorCode.SCHEMA_NOT_FOUND,
)


def _not_committed(error: SqeError) -> SqeError:
    if error.code not in _MOVED:
        return error
    return UserError(
        ErrorCode.COMMIT_CONFLICT,
        "A table of the transaction was changed by someone else meanwhile.",
        hint="Nothing was written. Run the whole transaction again.",
    )


def _not_known(error: SqeError) -> UpstreamError:
    return UpstreamError(
        ErrorCode.COMMIT_UNKNOWN,
        f"It is not known whether the transaction was committed: {error.message}",
        hint="Look at the newest rows of its tables' .snapshots before you run it again.",
    )
