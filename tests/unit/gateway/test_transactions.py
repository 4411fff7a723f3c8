"""Open transactions: whose they are, and what is said of a commit that the catalog did not end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.overlay import Overlay
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.errors import ErrorCode, SqeError, UpstreamError
from sqe.gateway.transactions import Transactions
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.results.cancellation import Cancellation
from sqe.sessions.session import Session
from sqe.sessions.store import SessionStore
from tests.unit.catalog.tables import SCHEMA, add, point

T = Ident(("s",), "t")


class Failing(EmbeddedCatalog):
    """Fails like a catalog behind a network: before or after the commit is made."""

    fails = ""

    def commit_table(self, ident: Ident, request: Json) -> Loaded:
        if self.fails == "before":
            raise UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "It is down.")
        loaded = super().commit_table(ident, request)
        if self.fails == "after":
            raise UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "The answer was lost.")
        return loaded

    def load_table(self, ident: Ident) -> Loaded:
        if self.fails == "for good":
            raise UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "It is down.")
        return super().load_table(ident)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Failing]:
    made = Failing(tmp_path / "c.db", tmp_path / "w")
    made.create_namespace(("s",), {})
    made.create_table(("s",), {"name": "t", "schema": SCHEMA})
    yield made
    made.close()


@pytest.fixture
def session() -> Session:
    return SessionStore(SchemaName("lake", ("s",))).open(Identity("ann"))


def changed(transactions: Transactions, session: Session, catalog: Failing) -> str:
    """A transaction that has added a snapshot to the table."""
    name = transactions.begin(session)
    transaction = transactions.of(session.id, name)
    assert transaction is not None
    location = catalog.load_table(T).metadata["location"]
    snapshot = add(1, **{"manifest-list": f"{location}/metadata/snap-1.avro"})
    updates = {"requirements": [], "updates": [snapshot, point("main", 1)]}
    Overlay("lake", catalog, transaction).commit_table(T, updates)
    return name


def code(call: Any, *arguments: Any) -> ErrorCode:
    with pytest.raises(SqeError) as raised:
        call(*arguments)
    return raised.value.code


def test_a_commit_whose_answer_is_lost_has_happened(session: Session, catalog: Failing) -> None:
    transactions = Transactions()
    name = changed(transactions, session, catalog)
    catalog.fails = "after"
    transactions.commit(session.id, name, Cancellation())
    assert catalog.load_table(T).metadata["current-snapshot-id"] == 1


def test_a_commit_that_may_have_happened_is_said_to_be_unknown(
    session: Session, catalog: Failing
) -> None:
    transactions = Transactions()
    name = changed(transactions, session, catalog)
    catalog.fails = "before"  # and to look again does not tell: it may still come
    assert code(transactions.commit, session.id, name, Cancellation()) is ErrorCode.COMMIT_UNKNOWN
    assert code(transactions.commit, session.id, name, Cancellation()) is (
        ErrorCode.TRANSACTION_NOT_FOUND
    )


def test_a_cancelled_commit_has_not_happened(session: Session, catalog: Failing) -> None:
    transactions = Transactions()
    name = changed(transactions, session, catalog)
    cancelled = Cancellation()
    cancelled.cancel()
    assert code(transactions.commit, session.id, name, cancelled) is ErrorCode.CANCELLED
    assert catalog.load_table(T).metadata.get("current-snapshot-id") in (None, -1)


def test_transactions_end_with_their_session(session: Session, catalog: Failing) -> None:
    transactions = Transactions()
    name = changed(transactions, session, catalog)
    held = transactions.of(session.id, name)
    transactions.end_session(session.id)
    assert code(transactions.of, session.id, name) is ErrorCode.TRANSACTION_NOT_FOUND
    assert held is not None
    request = {"requirements": [], "updates": [add(2)]}
    late = Overlay("lake", catalog, held)
    assert code(late.commit_table, T, request) is ErrorCode.TRANSACTION_NOT_FOUND
    assert transactions.of(session.id, "") is None


def test_a_session_has_so_many_transactions_and_no_more(session: Session) -> None:
    transactions = Transactions()
    names = [transactions.begin(session) for _ in range(100)]
    assert code(transactions.begin, session) is ErrorCode.TOO_MANY_QUERIES
    transactions.rollback(session.id, names[0])
    transactions.begin(session)


def test_the_clients_only_transaction_is_known(session: Session) -> None:
    transactions = Transactions()
    assert transactions.only(session.id) == ""
    transactions.begin(session, internal=True)
    assert transactions.only(session.id) == ""
    first = transactions.begin(session)
    assert transactions.only(session.id) == first
    second = transactions.begin(session)
    assert transactions.only(session.id) == ""
    transactions.rollback(session.id, first)
    assert transactions.only(session.id) == second


def test_a_session_that_has_ended_begins_none(session: Session) -> None:
    transactions = Transactions()
    session.close()
    assert code(transactions.begin, session) is ErrorCode.TRANSACTION_NOT_FOUND
