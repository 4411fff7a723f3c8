"""SHOW CATALOGS, SCHEMAS, TABLES, VIEWS, FUNCTIONS."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode
from tests.unit.coordinator.lake import Lake


def test_show_catalogs(lake: Lake) -> None:
    assert lake.names("SHOW CATALOGS") == ["catalog"]
    assert lake.column("SHOW CATALOGS") == ["attic", "lake"]
    assert lake.column("SHOW CATALOGS LIKE 'l*'") == ["lake"]


@pytest.mark.parametrize(
    ("text", "schemas"),
    [
        ("SHOW SCHEMAS", ["hr", "sales"]),
        ("SHOW DATABASES FROM attic", ["default"]),
        ("SHOW SCHEMAS IN ATTIC", ["default"]),
        ("SHOW NAMESPACES IN lake.hr", ["hr.old"]),
        ("SHOW NAMESPACES IN hr", ["hr.old"]),
        ("SHOW SCHEMAS LIKE 's*|x'", ["sales"]),
        ("SHOW SCHEMAS LIKE 'sal%'", ["sales"]),
    ],
)
def test_show_schemas(lake: Lake, text: str, schemas: list[str]) -> None:
    assert lake.names(text) == ["namespace"]
    assert lake.column(text) == schemas


def test_show_tables_of_the_session_schema_with_temporary_views(lake: Lake) -> None:
    lake.keep_view("mine")
    assert lake.names("SHOW TABLES") == ["namespace", "tableName", "isTemporary"]
    assert lake.rows("SHOW TABLES") == [
        ("hr", "dept", False),
        ("hr", "emp", False),
        ("", "mine", True),
    ]


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("SHOW TABLES IN sales", ["orders"]),
        ("SHOW TABLES IN SALES", ["orders"]),
        ("SHOW TABLES IN lake.sales", ["orders"]),
        ("SHOW TABLES FROM hr.old", ["emp"]),
        ("SHOW TABLES IN lake.hr.old", ["emp"]),
        ("SHOW TABLES LIKE 'E*'", ["emp"]),
        ("SHOW TABLES 'e*|dep*'", ["dept", "emp"]),
        ("SHOW TABLES IN information_schema LIKE 's*'", ["schemata"]),
        ("SHOW TABLES IN attic.default", []),
    ],
)
def test_show_tables_elsewhere(lake: Lake, text: str, tables: list[str]) -> None:
    assert [row[1] for row in lake.rows(text)] == tables


def test_show_views(lake: Lake) -> None:
    assert lake.names("SHOW VIEWS") == ["namespace", "viewName", "isTemporary"]
    assert lake.rows("SHOW VIEWS") == [("hr", "names", False)]
    assert lake.rows("SHOW VIEWS IN sales") == []


def test_show_functions(lake: Lake) -> None:
    assert lake.column("SHOW FUNCTIONS LIKE 'upper|lower'") == ["lower", "upper"]
    assert lake.column("SHOW USER FUNCTIONS") == []


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("SHOW TABLES IN sale", ErrorCode.SCHEMA_NOT_FOUND, "Did you mean sales?"),
        ("SHOW TABLES IN attic.defalt", ErrorCode.SCHEMA_NOT_FOUND, "Did you mean default?"),
        ("SHOW TABLES IN hr.od", ErrorCode.SCHEMA_NOT_FOUND, "Did you mean hr.old?"),
        ("SHOW VIEWS IN attic", ErrorCode.SCHEMA_NOT_FOUND, "attic is a catalog"),
        ("SHOW SCHEMAS FROM atic", ErrorCode.CATALOG_NOT_FOUND, "Did you mean attic?"),
        ("SHOW SCHEMAS FROM lake.x", ErrorCode.SCHEMA_NOT_FOUND, ""),
    ],
)
def test_an_unknown_name_is_an_error_at_its_place(
    lake: Lake, text: str, code: ErrorCode, hint: str
) -> None:
    error = lake.refusal(text)
    assert error.code is code
    assert hint in error.hint
    assert error.position is not None
    assert text.endswith(error.position.fragment)
