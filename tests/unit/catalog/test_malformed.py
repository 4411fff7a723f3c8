"""Whatever JSON comes in, the answer is one of SQE's errors or valid metadata."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.table.metadata import TableMetadataUtil

from sqe.catalog.commit.new_table import new_table
from sqe.catalog.commit.requirements import TABLE_REQUIREMENTS, check_table, check_view
from sqe.catalog.commit.table_updates import TABLE_UPDATES, apply_updates
from sqe.catalog.commit.view_updates import VIEW_UPDATES, apply_view_updates, new_view
from sqe.catalog.protocol import Json
from sqe.errors import ErrorCode, UserError
from tests.unit.catalog.commit.test_view_updates import view
from tests.unit.catalog.tables import SCHEMA, with_snapshots

KEYS = st.sampled_from(
    [
        "action",
        "fields",
        "field-id",
        "id",
        "identifier-field-ids",
        "manifest-list",
        "name",
        "ref",
        "ref-name",
        "removals",
        "required",
        "representations",
        "schema",
        "schema-id",
        "schema-ids",
        "snapshot",
        "snapshot-id",
        "snapshot-ids",
        "sort-order",
        "sort-order-id",
        "source-id",
        "spec",
        "spec-id",
        "spec-ids",
        "statistics",
        "statistics-path",
        "summary",
        "timestamp-ms",
        "transform",
        "type",
        "updates",
        "uuid",
        "version-id",
        "view-version",
        "view-version-id",
        "direction",
        "null-order",
        "encryption-key",
        "key-id",
        "location",
        "format-version",
        "struct",
        "element",
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.sampled_from(
        [
            "struct",
            "list",
            "map",
            "long",
            "decimal(9,2)",
            "identity",
            "bucket[x]",
            "branch",
            "tag",
            "x",
        ]
    )
)
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, ANY, max_size=6)
OURS = (ErrorCode.INVALID_ARGUMENT, ErrorCode.COMMIT_CONFLICT)


@settings(max_examples=400, deadline=None)
@given(
    action=st.sampled_from(sorted(TABLE_UPDATES)), body=OBJECTS, version=st.sampled_from([1, 2, 3])
)
def test_any_table_update(action: str, body: Json, version: int) -> None:
    try:
        metadata = apply_updates(with_snapshots(version, 1, 2), [{**body, "action": action}])
    except UserError as error:
        assert error.code in OURS
    else:
        assert metadata is None or metadata["format-version"] >= version


@settings(max_examples=200, deadline=None)
@given(action=st.sampled_from(sorted(VIEW_UPDATES)), body=OBJECTS)
def test_any_view_update(action: str, body: Json) -> None:
    try:
        apply_view_updates(view(), [{**body, "action": action}])
    except UserError as error:
        assert error.code in OURS


@settings(max_examples=200, deadline=None)
@given(kind=st.sampled_from([*TABLE_REQUIREMENTS, "assert-view-uuid"]), body=OBJECTS)
def test_any_requirement(kind: str, body: Json) -> None:
    for checker in (check_table, check_view):
        try:
            checker(with_snapshots(2, 1), [{**body, "type": kind}])
        except UserError as error:
            assert error.code in OURS


@settings(max_examples=300, deadline=None)
@given(schema=ANY, spec=ANY, order=ANY, properties=ANY)
def test_any_new_table_or_view(schema: Json, spec: Json, order: Json, properties: Json) -> None:
    requests: list[Json] = [
        {"schema": schema},
        {"schema": SCHEMA, "partition-spec": spec},
        {"schema": SCHEMA, "write-order": order},
        {"schema": SCHEMA, "properties": properties},
    ]
    for request in requests:
        try:
            TableMetadataUtil.parse_obj(new_table(request, "/w/t"))
        except UserError as error:
            assert error.code in OURS
    try:
        new_view({"schema": schema, "view-version": spec, "properties": properties}, "/w/v")
    except UserError as error:
        assert error.code in OURS
