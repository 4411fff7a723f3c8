"""The broker knows what became of a query's changes, and lets none pass after its end."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from sqe.broker.broker import BrokerSession
from sqe.broker.commit_outcome import CommitOutcome
from sqe.broker.handles import GrantedTable, HandleGrant
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json, Loaded, snapshots_of_commit
from sqe.errors import ErrorCode, ResourceError, SqeError, Unanswered, UpstreamError, UserError
from sqe.model.names import RelationName, SchemaName
from sqe.results.cancellation import Cancellation
from sqe.sql.statement import Access
from tests.unit.broker.emp import EMP, NAME, SCHEMA


def append(base: Loaded, number: int) -> dict[str, Any]:
    """A commit that adds a snapshot to main."""
    current = base.metadata.get("current-snapshot-id")
    head = None if current in (None, -1) else current
    snapshot = {
        "snapshot-id": number,
        "sequence-number": number,
        "timestamp-ms": base.metadata["last-updated-ms"] + number,
        "manifest-list": f"{base.metadata['location']}/metadata/{number}.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
    }
    if head is not None:
        snapshot["parent-snapshot-id"] = head
    to_main = {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch"}
    return {
        "requirements": [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": head}],
        "updates": [
            {"action": "add-snapshot", "snapshot": snapshot},
            {**to_main, "snapshot-id": number},
        ],
    }


def table(catalog: EmbeddedCatalog, *accesses: Access, merged: bool = False) -> GrantedTable:
    return GrantedTable(NAME, EMP, catalog, frozenset(accesses), merged=merged)


def handle(grant: HandleGrant) -> Ident:
    _, namespace, name = grant.spell(NAME)
    return Ident((namespace,), name)


def test_a_commit_that_arrived_is_known_after_the_query(catalog: EmbeddedCatalog) -> None:
    session, granted = BrokerSession(), table(catalog, Access.WRITE)
    with session.grant([granted]) as grant:
        base = session.catalog.load_table(handle(grant))
        session.catalog.commit_table(handle(grant), append(base, 1))
    assert (granted.fate.changed, granted.fate.unknown) == (True, False)


def test_a_refused_commit_changed_nothing(catalog: EmbeddedCatalog) -> None:
    session, granted = BrokerSession(), table(catalog, Access.WRITE)
    with session.grant([granted]) as grant:
        base = session.catalog.load_table(handle(grant))
        catalog.commit_table(EMP, append(base, 1))
        with pytest.raises(UserError) as raised:
            session.catalog.commit_table(handle(grant), append(base, 2))
    assert raised.value.code is ErrorCode.COMMIT_CONFLICT  # Iceberg may try again
    assert (granted.fate.changed, granted.fate.unknown) == (False, False)


@pytest.mark.parametrize(("accesses", "merged"), [([Access.READ], False), ([], True)])
def test_who_reads_what_it_writes_must_have_read_the_newest(
    catalog: EmbeddedCatalog, accesses: list[Access], merged: bool
) -> None:
    """Iceberg repeats an append on the newest snapshot; its rows come from an older one."""
    session, granted = BrokerSession(), table(catalog, Access.WRITE, *accesses, merged=merged)
    with session.grant([granted]) as grant:
        base = session.catalog.load_table(handle(grant))
        catalog.commit_table(EMP, append(base, 1))
        newest = catalog.load_table(EMP)
        with pytest.raises(UserError) as raised:
            session.catalog.commit_table(handle(grant), append(newest, 2))
    assert raised.value.code is ErrorCode.USER_ERROR  # Iceberg must not try again
    assert (granted.fate.conflict, granted.fate.changed) == (True, False)


def test_a_plain_append_goes_behind_the_newest(catalog: EmbeddedCatalog) -> None:
    session, granted = BrokerSession(), table(catalog, Access.WRITE)
    with session.grant([granted]) as grant:
        base = session.catalog.load_table(handle(grant))
        catalog.commit_table(EMP, append(base, 1))
        session.catalog.commit_table(handle(grant), append(catalog.load_table(EMP), 2))
    assert granted.fate.changed


class LosesAnswers(EmbeddedCatalog):
    def commit_table(self, ident: Ident, request: Json) -> Loaded:
        super().commit_table(ident, request)
        raise UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "gone")


def test_a_commit_whose_answer_is_lost_is_written_when_the_table_has_it(
    tmp_path: Path, catalog: EmbeddedCatalog
) -> None:
    losing = LosesAnswers(tmp_path / "c.db", tmp_path / "w")
    session, granted = BrokerSession(), table(losing, Access.WRITE)
    with session.grant([granted]) as grant:
        base = session.catalog.load_table(handle(grant))
        with pytest.raises(UpstreamError):
            session.catalog.commit_table(handle(grant), append(base, 1))
    before = [snapshot.snapshot_id for snapshot in granted.commits.snapshots]
    granted.look()
    after = [snapshot.snapshot_id for snapshot in granted.commits.snapshots]
    assert (before, after) == ([], [1])
    losing.close()


def test_nothing_passes_after_the_end() -> None:
    fate = CommitOutcome()
    fate.settle()
    with pytest.raises(SqeError), fate.change():
        pytest.fail("it passed")
    assert not fate.changed


def test_a_query_over_its_time_does_not_commit_and_that_is_known() -> None:
    cancellation = Cancellation()
    fate = CommitOutcome(cancellation)
    cancellation.cancel(ResourceError(ErrorCode.TIMEOUT, "too long"))
    with pytest.raises(ResourceError), fate.change():
        pytest.fail("it passed")
    assert (fate.changed, fate.unknown) == (False, False)


def test_the_end_waits_for_what_is_on_its_way() -> None:
    fate, entered, go = CommitOutcome(), threading.Event(), threading.Event()

    def commit() -> None:
        with fate.change():
            entered.set()
            assert go.wait(10)

    worker = threading.Thread(target=commit)
    worker.start()
    assert entered.wait(10)
    threading.Timer(0.05, go.set).start()
    fate.settle()
    assert (fate.changed, fate.unknown) == (True, False)
    worker.join()


def test_a_catalog_that_fails_in_the_middle_leaves_it_open_until_someone_looks(
    catalog: EmbeddedCatalog,
) -> None:
    fate = CommitOutcome()
    commit = append(catalog.load_table(EMP), 1)
    with (
        pytest.raises(UpstreamError),
        fate.change(snapshot["snapshot-id"] for snapshot in snapshots_of_commit(commit)),
    ):
        raise UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "gone")
    fate.look(lambda: catalog.load_table(EMP))
    assert (fate.changed, fate.unknown) == (False, True)
    catalog.commit_table(EMP, commit)
    fate.look(lambda: catalog.load_table(EMP))
    assert (fate.changed, fate.unknown) == (True, False)


@pytest.mark.parametrize("maybe_done", [True, False])
def test_a_catalog_that_never_got_the_change_leaves_nothing_open(maybe_done: bool) -> None:
    fate = CommitOutcome()
    with pytest.raises(Unanswered), fate.change([7]):
        raise Unanswered(
            ErrorCode.CATALOG_UNAVAILABLE, "gone", timed_out=False, maybe_done=maybe_done
        )
    fate.settle()
    assert (fate.changed, fate.unknown) == (False, maybe_done)


def test_the_files_of_a_table_that_was_never_made_are_removed(
    catalog: EmbeddedCatalog, tmp_path: Path
) -> None:
    session = BrokerSession()
    name = RelationName(SchemaName("lake", ("hr",)), "new")
    granted = GrantedTable(name, Ident(("hr",), "new"), catalog, frozenset({Access.CREATE}))
    with session.grant([granted]) as grant:
        _, namespace, _ = grant.spell(name)
        request = {"name": "new", "schema": SCHEMA, "stage-create": True}
        staged = session.catalog.create_table((namespace,), request)
        data = Path(staged.metadata["location"]) / "data"
        data.mkdir()
        (data / "1.parquet").write_bytes(b"x")
    assert not data.parent.exists()
    assert (tmp_path / "w" / "hr" / "emp").exists()
