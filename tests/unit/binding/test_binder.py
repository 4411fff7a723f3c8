"""Names are resolved as the user, or the query is refused with a helpful word."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.binding.binder import Binder
from sqe.binding.bound import BoundAbsent, BoundStatement, BoundTable
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.errors import ErrorCode, UserError
from sqe.model.decision import Allow
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.rewrite.guard import guard
from sqe.rewrite.needs import needs_of
from sqe.sessions.session import Session
from sqe.sql.parse import parse
from sqe.sql.text import TextLimits

SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "required": False, "type": "long"},
        {"id": 2, "name": "Salary", "required": False, "type": "double"},
    ],
}


@pytest.fixture
def catalog(tmp_path: Path) -> EmbeddedCatalog:
    catalog = EmbeddedCatalog(tmp_path / "lake.db", tmp_path / "warehouse")
    for namespace in (("hr",), ("default",), ("deep",), ("deep", "er")):
        catalog.create_namespace(namespace, {})
    for namespace, name in ((("hr",), "Emp"), (("deep", "er"), "x"), (("default",), "t")):
        catalog.create_table(namespace, {"name": name, "schema": SCHEMA})
    return catalog


def bind(catalog: EmbeddedCatalog, sql: str) -> BoundStatement:
    session = Session(Identity("ann"), SchemaName("lake", ("default",)), lambda _: None)
    binder = Binder(ConfiguredCatalogs({"lake": catalog}), TextLimits())
    bound = binder.bind(parse(sql), session)
    # What is wrong with a name is said when it is allowed, as everything is here.
    return guard(bound, {need.key: Allow("a test") for need in needs_of(bound)}).bound


def table(catalog: EmbeddedCatalog, sql: str) -> BoundTable:
    (reference,) = bind(catalog, sql).references
    assert isinstance(reference.target, BoundTable)
    return reference.target


def refusal(catalog: EmbeddedCatalog, sql: str) -> UserError:
    with pytest.raises(UserError) as raised:
        bind(catalog, sql)
    return raised.value


@pytest.mark.parametrize("name", ["hr.Emp", "lake.hr.Emp", "HR.emp", "`hr`.`EMP`", "LAKE.hr.emp"])
def test_names_differ_in_case_and_still_mean_the_table(catalog: EmbeddedCatalog, name: str) -> None:
    assert str(table(catalog, f"SELECT * FROM {name}").name) == "lake.hr.Emp"


def test_a_schema_may_have_levels(catalog: EmbeddedCatalog) -> None:
    assert str(table(catalog, "SELECT * FROM deep.er.x").name) == "lake.deep.er.x"


@pytest.mark.parametrize("suffix", ["snapshots", "files", "branch_audit", "tag_v1"])
def test_what_stands_behind_a_table_is_not_a_table(catalog: EmbeddedCatalog, suffix: str) -> None:
    for name in ("t", "default.t", "lake.default.t"):
        found = table(catalog, f"SELECT * FROM {name}.{suffix}")
        assert (found.name.name, found.suffix) == ("t", (suffix,))


def test_a_common_table_expression_hides_a_table(catalog: EmbeddedCatalog) -> None:
    assert bind(catalog, "WITH t AS (SELECT 1) SELECT * FROM t").references == ()


def test_a_column_that_is_not_there_is_said_with_the_nearest(catalog: EmbeddedCatalog) -> None:
    for sql, column in (("SELECT e.salry FROM hr.emp e", 10), ("SELECT salry FROM hr.emp", 8)):
        error = refusal(catalog, sql)
        assert error.code is ErrorCode.COLUMN_NOT_FOUND
        assert error.message == "lake.hr.Emp has no column salry."
        assert error.hint == "Did you mean Salary?"
        assert error.position is not None and error.position.column == column


def test_the_hint_lists_the_columns_there_are(catalog: EmbeddedCatalog) -> None:
    assert refusal(catalog, "SELECT zz FROM hr.emp").hint == "It has id, Salary."
    two = refusal(catalog, "SELECT zz FROM hr.emp, t")
    assert (two.message, two.hint) == ("There is no column zz.", "There are id, Salary.")
    assert "'abc'" in refusal(catalog, "SELECT abc").hint


@pytest.mark.parametrize("past", ["VERSION AS OF 1", "TIMESTAMP AS OF '2020-01-01'"])
def test_the_past_may_have_had_other_columns(catalog: EmbeddedCatalog, past: str) -> None:
    assert table(catalog, f"SELECT t.gone, gone FROM t {past}").name.name == "t"


def test_a_table_to_be_made_is_absent_where_its_schema_is(catalog: EmbeddedCatalog) -> None:
    (reference,) = bind(catalog, "CREATE TABLE hr.new (a INT)").references
    assert isinstance(reference.target, BoundAbsent)
    assert refusal(catalog, "CREATE TABLE nope.new (a INT)").code is ErrorCode.SCHEMA_NOT_FOUND


def test_a_table_that_exists_is_not_made_again_in_another_case(catalog: EmbeddedCatalog) -> None:
    error = refusal(catalog, "CREATE TABLE hr.EMP (a INT)")
    assert error.code is ErrorCode.TABLE_ALREADY_EXISTS


@pytest.mark.parametrize(
    "text",
    [
        "CREATE OR REPLACE TABLE hr.v (a INT)",
        "CREATE TABLE IF NOT EXISTS hr.v LIKE hr.emp",
        "CREATE OR REPLACE MATERIALIZED VIEW hr.v AS SELECT 1 AS a",
        "COPY INTO hr.v FROM 'f' FILEFORMAT = CSV"
        " COPY_OPTIONS ('create' = 'true', 'overwrite' = 'true')",
    ],
)
def test_nothing_is_made_in_the_place_of_a_view(catalog: EmbeddedCatalog, text: str) -> None:
    version = {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": 1,
        "summary": {},
        "default-namespace": ["hr"],
        "representations": [{"type": "sql", "sql": "SELECT id FROM emp", "dialect": "spark"}],
    }
    request = {"name": "v", "schema": SCHEMA, "view-version": version, "properties": {}}
    catalog.create_view(("hr",), request)
    error = refusal(catalog, text)
    assert error.code is ErrorCode.TABLE_ALREADY_EXISTS
    assert error.message == "lake.hr.v is a view."
