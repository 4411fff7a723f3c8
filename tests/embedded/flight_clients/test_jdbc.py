"""Arrow's JDBC driver reads: logging in, types, parameters, metadata, errors, cancelling."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12Certificate,
    serialize_java_truststore,
)
from cryptography.x509 import load_pem_x509_certificate

from sqe import __version__
from tests.embedded.flight.serving import ENDLESS, ROWS, VALUES, Serving
from tests.embedded.flight_clients.conftest import PASSWORD, TOKEN, Reachable, users
from tests.flight_clients.jdbc import Jdbc, JdbcError, ask, columns, errors, prepared, rows
from tests.unit.server.certificates import Authority

pytestmark = [pytest.mark.java, pytest.mark.timeout(300)]

PLAIN = {"useEncryption": "false"}
BY_PASSWORD = {"user": "ann", "password": PASSWORD}


@pytest.fixture(scope="module")
def connection(jdbc: Jdbc, reading: Reachable) -> Iterator[Any]:
    opened = jdbc.connect(reading.port, PLAIN | BY_PASSWORD)
    yield opened
    opened.close()


def test_a_password_or_a_token_lets_one_in(jdbc: Jdbc, reading: Reachable) -> None:
    for credential in (BY_PASSWORD, {"token": TOKEN}):
        opened = jdbc.connect(reading.port, PLAIN | credential)
        assert ask(opened, "SELECT 1") == [(1,)]
        opened.close()


@pytest.mark.parametrize(
    "credential", [{"user": "ann", "password": "secret guess"}, {"token": "secret guess"}]
)
def test_a_wrong_credential_is_refused_and_never_shown(
    jdbc: Jdbc, reading: Reachable, credential: dict[str, str]
) -> None:
    with pytest.raises(JdbcError, match="AUTHENTICATION_FAILED") as refused:
        jdbc.connect(reading.port, PLAIN | credential)
    assert "guess" not in str(refused.value)


def test_without_a_credential_nothing_is_answered(jdbc: Jdbc, reading: Reachable) -> None:
    opened = jdbc.connect(reading.port, PLAIN)  # the driver connects without asking anything
    with pytest.raises(JdbcError, match="AUTHENTICATION_FAILED"):
        ask(opened, "SELECT 1")
    opened.close()


def test_rows_of_a_whole_table(connection: Any) -> None:
    assert ask(connection, "SELECT count(*), sum(n) FROM shop.numbers") == [
        (ROWS, ROWS * (ROWS - 1) // 2)
    ]
    with errors():
        statement = connection.createStatement()
        statement.setMaxRows(3)
        found = rows(statement.executeQuery("SELECT n, t FROM shop.numbers ORDER BY n"))
        statement.close()
    assert found == [(0, "row 0"), (1, "row 1"), (2, "row 2")]


def test_every_type_has_its_name_and_its_values(connection: Any) -> None:
    statement = connection.createStatement()
    result = statement.executeQuery("SELECT * FROM shop.types WHERE i IS NOT NULL")
    assert columns(result) == [
        ("b", "BOOLEAN"),
        ("i", "INTEGER"),
        ("l", "BIGINT"),
        ("f", "FLOAT"),
        ("d", "DOUBLE"),
        ("n", "DECIMAL"),
        ("s", "VARCHAR"),
        ("day", "DATE"),
        ("ts", "TIMESTAMP_WITH_TIMEZONE"),
        ("ntz", "TIMESTAMP"),
    ]
    with errors():
        assert result.next()
        assert [result.getObject(i) for i in range(1, 8)] == [
            *(True, -7, 2**62, 1.5, 1e300, Decimal("12345.6789"), "Grüße")
        ]
        assert result.getDate("day").toString() == "2026-02-28"
        # getObject of a timestamp with a zone is "not implemented" in this driver.
        assert result.getTimestamp("ts").toString() == "2026-02-28 01:02:03.000004"
        assert result.getObject("ntz").toString() == "2026-02-28 01:02:03.000004"
        assert not result.next()
    statement.close()


def test_null_is_null_in_every_type(connection: Any) -> None:
    statement = connection.createStatement()
    result = statement.executeQuery("SELECT * FROM shop.types WHERE i IS NULL")
    with errors():
        assert result.next()
        for name, _ in columns(result):
            assert (result.getString(name), result.wasNull()) == (None, True)
    statement.close()


def test_an_empty_result_has_its_columns(connection: Any) -> None:
    query = "SELECT n, t FROM shop.numbers WHERE n < 0"
    with prepared(connection, query) as statement:
        result = statement.executeQuery()
        assert columns(result) == [("n", "BIGINT"), ("t", "VARCHAR")]
        assert rows(result) == []
    # Of a statement that is not prepared the driver lists them twice, if no row comes.
    assert ask(connection, query) == []


def test_statements_that_are_no_select(connection: Any) -> None:
    assert ask(connection, "SHOW SCHEMAS LIKE 'shop'") == [("shop",)]
    assert ask(connection, "DESCRIBE shop.axb") == [("x", "int", None)]
    assert ask(connection, "VALUES (1), (2)") == [(1,), (2,)]
    ((plan,),) = ask(connection, "EXPLAIN SELECT 1")
    assert "Engine: local" in plan


def parameters(jdbc: Jdbc) -> list[tuple[str, str, Any]]:
    """Column, setter, value: what fits the row of ``shop.types``."""
    sql = jdbc.java.sql
    return [
        ("b", "setBoolean", True),
        ("i", "setInt", -7),
        ("i", "setLong", -7),
        ("i", "setShort", -7),
        ("l", "setLong", 2**62),
        ("f", "setFloat", 1.5),
        ("d", "setDouble", 1e300),
        ("n", "setBigDecimal", Decimal("12345.6789")),
        ("s", "setString", "Grüße"),
        ("day", "setDate", sql.Date.valueOf("2026-02-28")),
    ]


def test_a_parameter_of_each_type(jdbc: Jdbc, connection: Any) -> None:
    for name, setter, value in parameters(jdbc):
        with prepared(connection, f"SELECT i FROM shop.types WHERE {name} = ?") as statement:
            assert statement.getParameterMetaData().getParameterCount() == 1
            getattr(statement, setter)(1, value)
            assert rows(statement.executeQuery()) == [(-7,)], (name, setter)
            statement.setNull(1, 0)
            assert rows(statement.executeQuery()) == [], (name, setter)


@pytest.mark.parametrize("name", ["ts", "ntz"])
def test_a_timestamp_as_a_parameter_is_the_moment_it_says(
    jdbc: Jdbc, connection: Any, name: str
) -> None:
    query = f"SELECT count(*) FROM shop.types WHERE {name} BETWEEN ? AND ?"
    with prepared(connection, query) as statement:
        for index, text in enumerate(("2026-02-28 01:02:03.0", "2026-02-28 01:02:03.001"), 1):
            statement.setTimestamp(index, jdbc.java.sql.Timestamp.valueOf(text))
        assert rows(statement.executeQuery()) == [(1,)]


def test_quotes_stay_what_they_are(connection: Any) -> None:
    with prepared(connection, "SELECT count(*) FROM shop.types WHERE s = ?") as statement:
        statement.setString(1, "' OR '1' = '1")
        assert rows(statement.executeQuery()) == [(0,)]


def test_a_prepared_statement_runs_again_with_other_values(connection: Any) -> None:
    with prepared(connection, "SELECT t FROM shop.numbers WHERE n IN (?, ?)") as statement:
        for first in (3, 100):
            statement.setLong(1, first)
            statement.setLong(2, first)
            assert rows(statement.executeQuery()) == [(f"row {first}",)]


def told(result: Any, *names: str) -> list[tuple[Any, ...]]:
    """Some columns of a metadata result."""
    found = []
    with errors():
        while result.next():
            found.append(tuple(result.getObject(name) for name in names))
        result.close()
    return found


def test_what_tools_ask_about_catalogs_schemas_and_tables(connection: Any) -> None:
    about = connection.getMetaData()
    assert told(about.getCatalogs(), "TABLE_CAT") == [("lake",)]
    assert ("shop", "lake") in told(about.getSchemas(), "TABLE_SCHEM", "TABLE_CATALOG")
    assert told(about.getTableTypes(), "TABLE_TYPE") == [("TABLE",), ("VIEW",)]
    tables = about.getTables("lake", "shop", "%", None)
    names = ("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE")
    assert told(tables, *names) == [
        ("lake", "shop", name, "TABLE") for name in ("a_b", "axb", "numbers", "types")
    ]
    escaped = about.getTables(None, "shop", "a\\_b", None)
    assert told(escaped, "TABLE_NAME") == [("a_b",)]


def test_what_tools_ask_about_columns(connection: Any) -> None:
    about = connection.getMetaData()
    names = ("COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "ORDINAL_POSITION")
    found = told(about.getColumns(None, "shop", "types", "%"), *names)
    assert [name for name, *_ in found] == list(VALUES)
    assert ("n", "decimal(20,4)", 20, 4, 6) in found
    assert ("ntz", "timestamp_ntz", 26, 6, 10) in found
    assert told(about.getColumns(None, "shop", "types", "n%"), "COLUMN_NAME") == [("n",), ("ntz",)]
    for keys in (about.getPrimaryKeys, about.getImportedKeys, about.getExportedKeys):
        assert rows(keys("lake", "shop", "types")) == []
    assert rows(about.getCrossReference(None, "shop", "types", None, "shop", "axb")) == []
    assert rows(about.getTypeInfo()) == []  # the driver does not ask the server


def test_what_tools_ask_about_the_server(connection: Any) -> None:
    about = connection.getMetaData()
    assert (about.getDatabaseProductName(), about.getDatabaseProductVersion()) == (
        "SQE",
        __version__,
    )
    assert about.getIdentifierQuoteString() == "`"
    assert "abs" in about.getNumericFunctions().split(", ")
    assert (about.isReadOnly(), about.supportsGroupBy(), about.supportsOuterJoins()) == (
        False,
        True,
        True,
    )


# Getters whose answer the driver takes from GetSqlInfo: one that is missing breaks it.
def test_no_getter_of_the_metadata_fails(jdbc: Jdbc, connection: Any) -> None:
    about = connection.getMetaData()
    getters = [
        str(method.getName())
        for method in jdbc.java.lang.Class.forName("java.sql.DatabaseMetaData").getMethods()
        if method.getParameterCount() == 0
        and not method.isDefault()
        and str(method.getReturnType().getName()) in ("int", "boolean", "java.lang.String", "long")
    ]
    assert len(getters) > 100
    failed = {}
    for name in getters:
        try:
            with errors():
                getattr(about, name)()
        except JdbcError as error:
            failed[name] = str(error)
    assert failed == {}


def test_errors_have_our_code_and_hint_and_no_stack_of_ours(connection: Any) -> None:
    with pytest.raises(JdbcError, match="TABLE_NOT_FOUND") as missing:
        ask(connection, "SELECT * FROM shop.number")
    assert "Did you mean numbers?" in str(missing.value)
    with pytest.raises(JdbcError, match="SYNTAX_ERROR") as wrong:
        ask(connection, "SELCT 1")
    for error in (missing, wrong):
        assert "Traceback" not in str(error.value)
        assert ".py" not in str(error.value)


def test_an_error_in_the_middle_of_a_result_arrives(connection: Any) -> None:
    with pytest.raises(JdbcError, match="DIVISION_BY_ZERO"):
        ask(connection, f"SELECT 1 / (n - {ROWS - 1}) FROM shop.numbers")


def test_cancel_ends_a_result_that_would_not_end(connection: Any) -> None:
    statement = connection.createStatement()
    with errors():
        result = statement.executeQuery(ENDLESS)
        assert result.next()
        statement.cancel()
    with pytest.raises(JdbcError, match=r"(?i)cancel"), errors():
        while result.next():
            pass
    assert ask(connection, "SELECT 1") == [(1,)]


def test_a_catalog_in_the_url_is_the_sessions(jdbc: Jdbc, reading: Reachable) -> None:
    opened = jdbc.connect(reading.port, PLAIN | BY_PASSWORD | {"catalog": "lake"})
    assert ask(opened, "SHOW SCHEMAS LIKE 'shop'") == [("shop",)]
    # This version of the driver ends the session, closes the channel, then tries both again.
    with pytest.raises(JdbcError, match="Channel shutdown"), errors():
        opened.close()
    with pytest.raises(JdbcError, match="catalog"):
        jdbc.connect(reading.port, PLAIN | BY_PASSWORD | {"catalog": "nowhere"})


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="module")
def secure(
    clients_home: Path, authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Reachable]:
    folder = tmp_path_factory.mktemp("tls")
    pair = authority.server()
    (folder / "server.pem").write_bytes(pair.certificate)
    (folder / "server.key").write_bytes(pair.key)
    tls = {"certificate": folder / "server.pem", "key": folder / "server.key"}
    with Serving.start(clients_home, auth={"users": users()}, tls=tls) as serving:
        yield Reachable(serving.port, tls=True)


def java_trust_store(certificate: bytes, password: str) -> bytes:
    """What ``keytool -importcert`` makes."""
    trusted = PKCS12Certificate(load_pem_x509_certificate(certificate), b"ours")
    return serialize_java_truststore([trusted], BestAvailableEncryption(password.encode()))


def test_tls_with_an_authority_of_our_own(
    jdbc: Jdbc, secure: Reachable, authority: Authority, tmp_path: Path
) -> None:
    root = tmp_path / "ca.pem"
    root.write_bytes(authority.pem)
    store = tmp_path / "trust.p12"
    store.write_bytes(java_trust_store(authority.pem, "changeit"))
    by_store = {
        "trustStore": store,
        "trustStorePassword": "changeit",
        "useSystemTrustStore": "false",
    }
    for trust in ({"tlsRootCerts": root}, by_store):
        opened = jdbc.connect(secure.port, {**trust, **BY_PASSWORD}, host="localhost")
        assert ask(opened, "SELECT 1") == [(1,)]
        opened.close()


def test_a_server_that_nobody_vouches_for_is_not_talked_to(
    jdbc: Jdbc, secure: Reachable, tmp_path: Path
) -> None:
    stranger = tmp_path / "stranger.pem"
    stranger.write_bytes(Authority("stranger").pem)
    with pytest.raises(JdbcError, match="UNAVAILABLE"):
        jdbc.connect(secure.port, {"tlsRootCerts": stranger, **BY_PASSWORD}, host="localhost")
    with pytest.raises(JdbcError, match="UNAVAILABLE"):
        jdbc.connect(secure.port, PLAIN | BY_PASSWORD, host="localhost")
