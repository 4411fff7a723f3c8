"""Columns wait for the rows they are made for: both are committed, or neither."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.broker.broker import BrokerSession
from sqe.broker.handles import GrantedTable
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.errors import ErrorCode, UserError
from sqe.sql.statement import Access
from tests.unit.broker.emp import EMP, NAME, SCHEMA
from tests.unit.broker.test_commits import commit, handle, snapshot

WIDER = {
    "type": "struct",
    "fields": [*SCHEMA["fields"], {"id": 2, "name": "b", "type": "int", "required": False}],
}
ADD_COLUMN: dict[str, Any] = {
    "requirements": [{"type": "assert-current-schema-id", "current-schema-id": 0}],
    "updates": [
        {"action": "add-schema", "schema": WIDER, "last-column-id": 2},
        {"action": "set-current-schema", "schema-id": -1},
    ],
}


def columns(metadata: dict[str, Any]) -> list[str]:
    current = metadata["current-schema-id"]
    (schema,) = [s for s in metadata["schemas"] if s["schema-id"] == current]
    return [field["name"] for field in schema["fields"]]


def table(catalog: EmbeddedCatalog, *accesses: Access) -> GrantedTable:
    return GrantedTable(NAME, EMP, catalog, frozenset(accesses))


def test_the_query_sees_the_column_and_nobody_else_does_before_the_rows(
    catalog: EmbeddedCatalog,
) -> None:
    session = BrokerSession()
    with session.grant([table(catalog, Access.WRITE, Access.ALTER)]) as grant:
        answered = session.catalog.commit_table(handle(grant), ADD_COLUMN)
        before = catalog.load_table(EMP)
        assert columns(answered.metadata) == ["a", "b"]
        assert columns(session.catalog.load_table(handle(grant)).metadata) == ["a", "b"]
        assert answered.metadata_location != before.metadata_location
        assert columns(before.metadata) == ["a"]
        session.catalog.commit_table(handle(grant), commit(*snapshot(catalog, 7)))
    after = catalog.load_table(EMP).metadata
    assert (columns(after), after["current-snapshot-id"]) == (["a", "b"], 7)


def test_without_rows_there_is_no_column(catalog: EmbeddedCatalog) -> None:
    session = BrokerSession()
    with session.grant([table(catalog, Access.WRITE, Access.ALTER)]) as grant:
        session.catalog.commit_table(handle(grant), ADD_COLUMN)
    assert columns(catalog.load_table(EMP).metadata) == ["a"]


def test_columns_that_someone_else_has_changed_meanwhile_are_a_conflict(
    catalog: EmbeddedCatalog,
) -> None:
    session = BrokerSession()
    with session.grant([table(catalog, Access.WRITE, Access.ALTER)]) as grant:
        session.catalog.commit_table(handle(grant), ADD_COLUMN)
        catalog.commit_table(EMP, ADD_COLUMN)
        with pytest.raises(UserError) as raised:
            session.catalog.commit_table(handle(grant), commit(*snapshot(catalog, 7)))
    assert raised.value.code is ErrorCode.COMMIT_CONFLICT


def test_an_alter_alone_is_committed_at_once(catalog: EmbeddedCatalog) -> None:
    session = BrokerSession()
    with session.grant([table(catalog, Access.ALTER)]) as grant:
        session.catalog.commit_table(handle(grant), ADD_COLUMN)
        assert columns(catalog.load_table(EMP).metadata) == ["a", "b"]
