"""The columns that ALTER TABLE names are there, or may be made, before an engine is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from sqe.binding.bound import BoundStatement, BoundTable
from sqe.catalog.protocol import Loaded
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity
from sqe.rewrite.changes import check_changes
from sqe.rewrite.suffixes import refuse_odd_writes
from tests.unit.rewrite.bound_lake import BoundLake, bound_lake, struct

COLUMNS = struct(id="int", Name="string", day="date", kept="int")
PLACE = {
    "id": 5,
    "name": "Place",
    "required": False,
    "type": {"type": "struct", "fields": [
        {"id": 6, "name": "city", "required": False, "type": "string"},
    ]},
}  # fmt: skip
MANY = {
    "id": 7,
    "name": "many",
    "required": False,
    "type": {"type": "list", "element-id": 8, "element-required": False, "element": {
        "type": "struct",
        "fields": [{"id": 9, "name": "x", "required": False, "type": "int"}],
    }},
}  # fmt: skip


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    schema = {**COLUMNS, "fields": [*COLUMNS["fields"], PLACE, MANY]}
    with bound_lake(tmp_path_factory.mktemp("lake"), Identity("ann"), t=schema) as made:
        yield made


def _bound(lake: BoundLake, sql: str, **changed: Any) -> BoundStatement:
    """With other metadata of the table, if that is said."""
    bound = lake.bound(sql)
    [first, *others] = bound.references
    assert isinstance(first.target, BoundTable)
    metadata = {**first.target.metadata, **changed}
    loaded = Loaded(json.dumps(metadata).encode(), "file:///m.json")
    first = replace(first, target=replace(first.target, loaded=loaded))
    return replace(bound, references=(first, *others))


def _refused(bound: BoundStatement) -> tuple[ErrorCode, str, str]:
    with pytest.raises(UserError) as raised:
        check_changes(bound)
    assert raised.value.position is not None
    return raised.value.code, raised.value.message, raised.value.hint


@pytest.mark.parametrize(
    "change",
    [
        "ADD COLUMN new INT",
        "ADD COLUMN place.street STRING",
        "ADD COLUMN many.element.y INT",
        "DROP COLUMN kept",
        "DROP COLUMN NAME",
        "DROP COLUMN place.city",
        "DROP COLUMN IF EXISTS gone",
        "RENAME COLUMN id TO number",
        "ALTER COLUMN many.element.x COMMENT 'c'",
        "SET TBLPROPERTIES ('a' = 'b')",
    ],
)
def test_what_can_be_changed(lake: BoundLake, change: str) -> None:
    check_changes(_bound(lake, f"ALTER TABLE t {change}"))
    check_changes(lake.bound("SELECT gone FROM t"))


@pytest.mark.parametrize(
    ("change", "code", "message", "hint"),
    [
        ("ADD COLUMN name INT", ErrorCode.AMBIGUOUS_NAME, "already has a column name", ""),
        ("ADD COLUMN x INT NOT NULL", ErrorCode.CONSTRAINT_VIOLATION, "cannot be NOT NULL", "NOT"),
        ("ADD COLUMN gone.x INT", ErrorCode.COLUMN_NOT_FOUND, "no column gone.", ""),
        ("DROP COLUMN nam", ErrorCode.COLUMN_NOT_FOUND, "no column nam.", "Did you mean Name?"),
        ("DROP COLUMN zzzz", ErrorCode.COLUMN_NOT_FOUND, "no column zzzz.", ""),
        ("RENAME COLUMN zzzz TO y", ErrorCode.COLUMN_NOT_FOUND, "no column zzzz.", ""),
        ("ALTER COLUMN many.x COMMENT 'c'", ErrorCode.COLUMN_NOT_FOUND, "no column many.x", "many"),
    ],
)
def test_what_cannot_be_changed_is_said(
    lake: BoundLake, change: str, code: ErrorCode, message: str, hint: str
) -> None:
    found = _refused(_bound(lake, f"ALTER TABLE t {change}"))
    assert found[0] is code and message in found[1]
    assert hint in found[2] and bool(hint) == bool(found[2])


BY_KEPT = {"source-id": 4, "field-id": 1000, "name": "p", "transform": "identity"}
SPEC = {"spec-id": 3, "fields": [BY_KEPT]}
VOID = {"spec-id": 3, "fields": [{**BY_KEPT, "transform": "void"}]}
ORDER = {"order-id": 3, "fields": [{"source-id": 4, "transform": "identity"}]}
EMPTY = {"spec-id": 0, "order-id": 0, "fields": []}


def test_what_a_table_is_laid_out_by_is_not_dropped(lake: BoundLake) -> None:
    sql, other = "ALTER TABLE t DROP COLUMN kept", "ALTER TABLE t DROP COLUMN IF EXISTS id"
    specs = {"partition-specs": [EMPTY, SPEC], "default-spec-id": 3}
    code, message, hint = _refused(_bound(lake, sql, **specs))
    assert code is ErrorCode.INVALID_ARGUMENT and "partitioned by kept" in message and "p" in hint
    if_there = sql.replace("COLUMN", "COLUMN IF EXISTS")
    assert _refused(_bound(lake, if_there, **specs))[0] is ErrorCode.INVALID_ARGUMENT
    orders = {"sort-orders": [EMPTY, ORDER], "default-sort-order-id": 3}
    assert "in the order of kept" in _refused(_bound(lake, sql, **orders))[1]
    for fine in (
        _bound(lake, other, **specs, **orders),
        _bound(lake, sql, **{**specs, "default-spec-id": 0}),
        _bound(lake, sql, **{**specs, "partition-specs": [EMPTY, VOID]}),
        _bound(lake, sql, **{**orders, "default-sort-order-id": 0}),
        _bound(lake, "ALTER TABLE t RENAME COLUMN kept TO k", **specs, **orders),
    ):
        check_changes(fine)


def test_an_identifier_field_is_not_dropped(lake: BoundLake) -> None:
    [schema] = _bound(lake, "ALTER TABLE t DROP COLUMN id").references[0].target.metadata["schemas"]  # type: ignore[union-attr]
    schemas = [{**schema, "identifier-field-ids": [4]}]
    code, message, _ = _refused(_bound(lake, "ALTER TABLE t DROP COLUMN kept", schemas=schemas))
    assert code is ErrorCode.INVALID_ARGUMENT and "identifier field" in message
    check_changes(_bound(lake, "ALTER TABLE t DROP COLUMN id", schemas=schemas))


REFS = {"side": {"type": "branch", "snapshot-id": 1}, "old": {"type": "tag", "snapshot-id": 1}}


@pytest.mark.parametrize(
    ("sql", "code", "hint"),
    [
        ("INSERT INTO t.branch_side SELECT * FROM t", None, ""),
        ("INSERT INTO t.branch_main SELECT * FROM t", None, ""),
        ("SELECT * FROM t.branch_gone", None, ""),
        ("INSERT INTO t SELECT * FROM t.snapshots", None, ""),
        ("INSERT INTO t.branch_sid SELECT * FROM t", ErrorCode.SNAPSHOT_NOT_FOUND, "mean side"),
        ("INSERT INTO t.branch_zzzz SELECT * FROM t", ErrorCode.SNAPSHOT_NOT_FOUND, "makes it"),
        ("INSERT INTO t.branch_old SELECT * FROM t", ErrorCode.SNAPSHOT_NOT_FOUND, "makes it"),
        ("INSERT INTO t.tag_old SELECT * FROM t", ErrorCode.NOT_SUPPORTED, ""),
        ("INSERT INTO t.snapshots SELECT * FROM t", ErrorCode.NOT_SUPPORTED, ""),
        ("DELETE FROM t.files", ErrorCode.NOT_SUPPORTED, ""),
    ],
)
def test_only_branches_are_written_beside_tables(
    lake: BoundLake, sql: str, code: ErrorCode | None, hint: str
) -> None:
    bound = _bound(lake, sql, refs=REFS)
    around = replace(lake.bound("SELECT 1"), inner=bound)
    for one in (bound, around):
        if code is None:
            refuse_odd_writes(one)
            continue
        with pytest.raises(UserError) as raised:
            refuse_odd_writes(one)
        assert raised.value.code is code and hint in raised.value.hint
