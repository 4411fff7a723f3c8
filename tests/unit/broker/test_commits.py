"""What the broker sees of a query's commits, and what it adds to them."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.broker.broker import BrokerSession
from sqe.broker.commits import QUERY_ID, CommitExtras
from sqe.broker.handles import GrantedTable, HandleGrant
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident
from sqe.errors import AccessError, ErrorCode, UserError
from sqe.sql.statement import Access
from tests.unit.broker.emp import EMP, NAME, SCHEMA


def table(catalog: EmbeddedCatalog, extras: CommitExtras | None = None) -> GrantedTable:
    return GrantedTable(
        NAME, EMP, catalog, frozenset({Access.WRITE}), extras=extras, query_id="query 1"
    )


def handle(grant: HandleGrant) -> Ident:
    _, namespace, name = grant.spell(NAME)
    return Ident((namespace,), name)


def snapshot(
    catalog: EmbeddedCatalog, number: int, parent: int | None = None, **summary: str
) -> list[dict[str, Any]]:
    location = catalog.load_table(EMP).metadata["location"]
    return [
        {
            "action": "add-snapshot",
            "snapshot": {
                "snapshot-id": number,
                "parent-snapshot-id": parent,
                "sequence-number": number,
                "timestamp-ms": 1_900_000_000_000 + number,
                "manifest-list": f"{location}/metadata/{number}.avro",
                "summary": {"operation": "append", **summary},
                "schema-id": 0,
            },
        },
        {
            "action": "set-snapshot-ref",
            "ref-name": "main",
            "type": "branch",
            "snapshot-id": number,
        },
    ]


def commit(*updates: dict[str, Any]) -> dict[str, Any]:
    return {"requirements": [], "updates": list(updates)}


def test_a_commit_is_seen_with_its_figures_and_signed_with_the_query(
    catalog: EmbeddedCatalog,
) -> None:
    session = BrokerSession()
    with session.grant([table(catalog)]) as grant:
        added = snapshot(catalog, 7, None, **{"added-records": "3"})
        session.catalog.commit_table(handle(grant), commit(*added))
    (written,) = grant.commits(NAME).snapshots
    assert (written.snapshot_id, written.operation) == (7, "append")
    assert (written.count("added-records"), written.count("deleted-records")) == (3, 0)
    (stored,) = catalog.load_table(EMP).metadata["snapshots"]
    assert stored["summary"][QUERY_ID] == "query 1"


def test_a_refused_commit_is_none(catalog: EmbeddedCatalog) -> None:
    session = BrokerSession()
    refused = {
        "requirements": [{"type": "assert-table-uuid", "uuid": "another"}],
        "updates": snapshot(catalog, 7),
    }
    with session.grant([table(catalog)]) as grant, pytest.raises(UserError):
        session.catalog.commit_table(handle(grant), refused)
    assert grant.commits(NAME).snapshots == ()


def test_what_is_added_holds_together_with_the_commit_or_not_at_all(
    catalog: EmbeddedCatalog,
) -> None:
    session = BrokerSession()
    extras = CommitExtras(
        updates=({"action": "set-properties", "updates": {"made": "yes"}},),
        requirements=({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None},),
    )
    with session.grant([table(catalog, extras)]) as grant:
        session.catalog.commit_table(handle(grant), commit(*snapshot(catalog, 7)))
        assert catalog.load_table(EMP).metadata["properties"]["made"] == "yes"
        with pytest.raises(UserError) as raised:
            session.catalog.commit_table(handle(grant), commit(*snapshot(catalog, 8, 7)))
    assert raised.value.code is ErrorCode.COMMIT_CONFLICT
    assert catalog.load_table(EMP).metadata["current-snapshot-id"] == 7


def test_a_schema_can_be_changed_on_its_way(catalog: EmbeddedCatalog) -> None:
    def documented(schema: dict[str, Any]) -> dict[str, Any]:
        return {**schema, "fields": [{**field, "doc": "ours"} for field in schema["fields"]]}

    session = BrokerSession()
    changed = {**SCHEMA, "schema-id": 1}
    updates = (
        {"action": "add-schema", "schema": changed, "last-column-id": 1},
        {"action": "set-current-schema", "schema-id": -1},
    )
    with session.grant([table(catalog, CommitExtras(schema=documented))]) as grant:
        session.catalog.commit_table(handle(grant), commit(*updates))
    schema = catalog.load_table(EMP).metadata["schemas"][-1]
    assert schema["fields"][0]["doc"] == "ours"


def test_the_table_a_query_worked_on_is_known_if_it_was_always_the_same(
    catalog: EmbeddedCatalog,
) -> None:
    session = BrokerSession()
    with session.grant([table(catalog)]) as grant:
        first = session.catalog.load_table(handle(grant))
        session.catalog.load_table(handle(grant))
        base = grant.commits(NAME).base()
        assert base is not None
        assert base.metadata_location == first.metadata_location
        catalog.commit_table(EMP, commit(*snapshot(catalog, 8)))  # someone else's
        session.catalog.load_table(handle(grant))
        assert grant.commits(NAME).base() is None


def test_what_is_loaded_after_the_commit_is_not_what_the_query_worked_on(
    catalog: EmbeddedCatalog,
) -> None:
    session = BrokerSession()
    with session.grant([table(catalog)]) as grant:
        session.catalog.load_table(handle(grant))
        session.catalog.commit_table(handle(grant), commit(*snapshot(catalog, 8)))
        session.catalog.load_table(handle(grant))
        base = grant.commits(NAME).base()
    assert base is not None
    assert base.metadata["snapshots"] == []


def test_the_table_as_it_was_can_be_read_when_it_has_changed(catalog: EmbeddedCatalog) -> None:
    session = BrokerSession()
    changed = table(catalog)
    before = catalog.load_table(EMP)
    catalog.commit_table(EMP, commit(*snapshot(catalog, 8)))
    with session.grant([changed.as_read(before)]) as grant:
        assert session.catalog.load_table(handle(grant)) is before
        with pytest.raises(AccessError):
            session.catalog.commit_table(handle(grant), commit(*snapshot(catalog, 9, 8)))
