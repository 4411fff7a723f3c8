"""DatabaseMetaData of Trino's JDBC driver: what Java tools show of a server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.embedded.trino_clients.conftest import SCHEMA, Address
from tests.flight_clients.jdbc import Jdbc, errors, rows

# The first run on a machine fetches the driver.
pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def meta(trino_jdbc: Jdbc, trino: Address) -> Iterator[Any]:
    where = f"trino://{trino.host}:{trino.port}/lake/{SCHEMA}"
    connection = trino_jdbc.open(where, {"user": "ann"})
    with errors():
        yield connection.getMetaData()
        connection.close()


def _asked(result: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    described = result.getMetaData()
    names = [described.getColumnName(i + 1) for i in range(described.getColumnCount())]
    return names, rows(result)


def _statement(meta: Any) -> Any:
    return meta.getConnection().createStatement()


def test_the_server_says_who_it_is(meta: Any) -> None:
    with errors():
        assert meta.getDatabaseProductName() == "Trino"
        assert (
            meta.getUserName() == rows(_statement(meta).executeQuery("SELECT current_user"))[0][0]
        )
        assert meta.getDatabaseProductVersion().startswith("476")
        assert meta.getDatabaseMajorVersion() == 476


def test_catalogs_and_schemas_are_listed(meta: Any) -> None:
    with errors():
        assert _asked(meta.getCatalogs()) == (["TABLE_CAT"], [("lake",), ("system",)])
        names, found = _asked(meta.getSchemas("lake", "sho_"))
        every = rows(meta.getSchemas())
    assert (names, found) == (["TABLE_SCHEM", "TABLE_CATALOG"], [(SCHEMA, "lake")])
    assert {("information_schema", "lake"), (SCHEMA, "lake"), ("jdbc", "system")} <= set(every)


def test_kinds_of_tables_are_listed(meta: Any) -> None:
    with errors():
        assert rows(meta.getTableTypes()) == [("TABLE",), ("VIEW",)]


def test_tables_are_found_by_patterns(meta: Any, trino_jdbc: Jdbc) -> None:
    kinds = trino_jdbc._gateway.new_array(trino_jdbc.java.lang.String, 2)
    kinds[0], kinds[1] = "TABLE", "VIEW"
    with errors():
        names, found = _asked(meta.getTables("lake", SCHEMA, "n%", kinds))
    assert names[:5] == ["TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE", "REMARKS"]
    assert [row[:4] for row in found] == [("lake", SCHEMA, "nation", "TABLE")]


def test_columns_are_described(meta: Any) -> None:
    with errors():
        names, found = _asked(meta.getColumns("lake", SCHEMA, "nation", "n_n%"))
    assert len(names) == 24
    told = [dict(zip(names, row, strict=True)) for row in found]
    assert [(one["COLUMN_NAME"], one["TYPE_NAME"], one["DATA_TYPE"]) for one in told] == [
        ("n_nationkey", "bigint", -5),
        ("n_name", "varchar", 12),
    ]
    assert [one["ORDINAL_POSITION"] for one in told] == [1, 2]
    assert {one["IS_NULLABLE"] for one in told} == {"YES"}


def test_types_are_listed(meta: Any) -> None:
    with errors():
        found = {row[0]: row[1] for row in rows(meta.getTypeInfo())}
    # What Trino says of types whose length is not given: JAVA_OBJECT.
    assert (found["bigint"], found["varchar"], found["boolean"]) == (-5, 2000, 16)


EMPTY = [
    ("getPrimaryKeys", ("lake", SCHEMA, "nation"), 6),
    ("getImportedKeys", ("lake", SCHEMA, "nation"), 14),
    ("getProcedures", (None, None, None), 9),
    ("getProcedureColumns", (None, None, None, None), 20),
    ("getUDTs", (None, None, None, None), 7),
    ("getSuperTypes", (None, None, None), 6),
    ("getSuperTables", (None, None, None), 4),
    ("getAttributes", (None, None, None, None), 21),
    ("getPseudoColumns", (None, None, None, None), 12),
]


@pytest.mark.parametrize(("call", "arguments", "width"), EMPTY)
def test_what_trino_has_none_of_is_empty(
    meta: Any, call: str, arguments: tuple[Any, ...], width: int
) -> None:
    with errors():
        names, found = _asked(getattr(meta, call)(*arguments))
    assert (len(names), found) == (width, [])


def test_functions_of_the_driver_are_told(meta: Any) -> None:
    with errors():
        assert meta.supportsTransactions() is True
        assert meta.getIdentifierQuoteString() == '"'
        assert rows(meta.getClientInfoProperties())
