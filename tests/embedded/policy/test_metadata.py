"""Lists and descriptions show what the user may know of, in both dialects and protocols."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pytest

from sqe.catalog.materialized import DEFINITION, STATE, Definition, Source, State
from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode
from sqe.model.decision import Deny
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from tests.embedded.pipe.lake import Lake
from tests.embedded.policy.quiet import PLAIN, Quiet, quiet_lake
from tests.trino.asking import Client

SECRET = Deny("no")
HIDDEN = ("secret", "vault", "attic", "gold")


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Quiet]:
    with quiet_lake(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.fixture
def ann(quiet: Quiet) -> Iterator[Lake]:
    with quiet.hiding():
        yield quiet.lake


@pytest.fixture
def trino(quiet: Quiet) -> Iterator[Client]:
    with quiet.hiding():
        yield quiet.trino


def asked(client: Client, text: str) -> list[list[Any]]:
    answer = client.ask(text)
    assert not answer.error, answer.message
    return answer.data


SPARK_LISTS = [
    ("SHOW CATALOGS", "lake"),
    ("SHOW SCHEMAS", "hr"),
    ("SHOW SCHEMAS IN lake", "hr"),
    ("SHOW TABLES IN hr", "emp"),
    ("SHOW VIEWS IN hr", "names"),
    ("SELECT * FROM information_schema.schemata", "hr"),
    ("SELECT * FROM information_schema.tables", "dept"),
    ("SELECT * FROM information_schema.columns", "dept"),
    ("SELECT * FROM information_schema.views", "names"),
]
TRINO_LISTS = [
    ("SHOW CATALOGS", "lake"),
    ("SHOW SCHEMAS", "hr"),
    ("SHOW TABLES FROM hr", "emp"),
    ("SELECT * FROM information_schema.schemata", "hr"),
    ("SELECT * FROM information_schema.tables", "emp"),
    ("SELECT * FROM information_schema.columns", "emp"),
    ("SELECT * FROM system.jdbc.catalogs", "lake"),
    ("SELECT * FROM system.jdbc.schemas", "hr"),
    ("SELECT * FROM system.jdbc.tables", "emp"),
    ("SELECT * FROM system.jdbc.columns WHERE table_cat = 'lake'", "dept"),
    ("SELECT * FROM system.metadata.catalogs", "lake"),
    ("SELECT * FROM system.metadata.table_comments WHERE catalog_name = 'lake'", "dept"),
]


@pytest.mark.parametrize(("text", "shown"), SPARK_LISTS)
def test_a_list_has_only_what_one_may_know_of(quiet: Quiet, text: str, shown: str) -> None:
    if "information_schema" not in text:
        assert any(word in str(quiet.lake.rows(text)) for word in HIDDEN) or shown == "names"
    with quiet.hiding():
        told = str(quiet.lake.rows(text))
    assert shown in told
    assert not [word for word in HIDDEN if word in told]


@pytest.mark.parametrize(("text", "shown"), TRINO_LISTS)
def test_so_it_is_for_clients_of_trino(trino: Client, text: str, shown: str) -> None:
    told = str(asked(trino, text))
    assert shown in told
    assert not [word for word in HIDDEN if word in told]


DESCRIPTIONS = [
    "DESCRIBE hr.emp",
    "DESCRIBE EXTENDED hr.emp",
    "SHOW COLUMNS IN hr.emp",
    "SHOW CREATE TABLE hr.emp",
    "SHOW TBLPROPERTIES hr.emp",
    "SELECT * FROM information_schema.columns WHERE table_name = 'emp'",
]
TRINO_DESCRIPTIONS = [
    "DESCRIBE hr.emp",
    "SHOW COLUMNS FROM hr.emp",
    "SHOW CREATE TABLE hr.emp",
    "SELECT * FROM information_schema.columns WHERE table_name = 'emp'",
    "SELECT * FROM system.jdbc.columns WHERE table_cat = 'lake' AND table_name = 'emp'",
    "SELECT * FROM system.metadata.table_comments WHERE catalog_name = 'lake'",
]


@pytest.mark.parametrize("text", DESCRIPTIONS)
def test_a_hidden_column_is_in_no_description(quiet: Quiet, text: str) -> None:
    assert "pay" in str(quiet.lake.rows(text)).lower()
    with quiet.hiding():
        told = str(quiet.lake.rows(text)).lower()
    assert "pay" not in told and "thousands" not in told
    assert "ssn" in told or "PROPERTIES" in text


@pytest.mark.parametrize("text", TRINO_DESCRIPTIONS)
def test_nor_in_one_for_clients_of_trino(quiet: Quiet, text: str) -> None:
    assert "pay" in str(asked(quiet.trino, text)).lower()
    with quiet.hiding():
        told = str(asked(quiet.trino, text)).lower()
    assert "pay" not in told and "thousands" not in told


@pytest.mark.parametrize("text", [*DESCRIPTIONS[:2], *DESCRIPTIONS[3:4], DESCRIPTIONS[-1]])
def test_of_a_masked_column_there_is_only_the_type(quiet: Quiet, text: str) -> None:
    assert "starts with 9" in str(quiet.lake.rows(text))
    with quiet.hiding():
        assert "starts with 9" not in str(quiet.lake.rows(text))


def test_changes_of_a_restricted_table_are_not_told(quiet: Quiet) -> None:
    text = "SHOW TBLPROPERTIES hr.emp"
    assert "current-snapshot-id" in dict(quiet.lake.rows(text))
    with quiet.hiding():
        assert "current-snapshot-id" not in dict(quiet.lake.rows(text))


def test_a_table_like_a_restricted_one_has_what_is_seen_of_it(ann: Lake) -> None:
    ann.run("CREATE TABLE hr.like_emp LIKE hr.emp")
    made = str(ann.rows("SHOW CREATE TABLE hr.like_emp")).lower()
    ann.run("DROP TABLE hr.like_emp")
    assert "ssn" in made
    assert "pay" not in made and "starts with 9" not in made


@pytest.mark.parametrize(
    "text",
    [
        "SHOW STATS FOR hr.emp",
        "SHOW STATS FOR (SELECT * FROM hr.emp)",
        "SHOW STATS FOR (SELECT * FROM hr.names)",
        "SELECT * FROM hr.emp.snapshots",
        "SELECT * FROM lake.hr.emp.files",
    ],
)
def test_what_tells_of_all_rows_is_refused(ann: Lake, text: str) -> None:
    assert ann.fails(text).code is ErrorCode.ACCESS_DENIED


def test_hints_know_only_what_one_may_know_of(quiet: Quiet) -> None:
    for text in ("SELECT * FROM hr.secre", "DESCRIBE hr.secre", "SHOW TABLES IN vaul"):
        assert "secret" in quiet.lake.fails(text).hint or "vault" in quiet.lake.fails(text).hint
        with quiet.hiding():
            assert not quiet.lake.fails(text).hint
    assert "pay" in quiet.lake.fails("SELECT e.pai FROM hr.emp e").hint
    with quiet.hiding():
        error = quiet.lake.fails("SELECT e.pai FROM hr.emp e")
        assert error.code is ErrorCode.COLUMN_NOT_FOUND and "pay" not in str(error)
        assert quiet.lake.fails("SELECT e.pay FROM hr.emp e").code is error.code


@pytest.fixture
def copy(quiet: Quiet) -> Iterator[None]:
    """``hr.copy``, a materialized view of ``hr.emp`` as it was before it had rows."""
    catalog = quiet.lake.server.catalogs.open("lake", Identity("ann"))
    schema = SchemaName("lake", ("hr",))
    uuid = catalog.load_table(Ident(("hr",), "emp")).metadata["table-uuid"]
    state = State((Source(RelationName(schema, "emp"), uuid, 5, 0),), 1, "full", None, "UTC")
    definition = Definition("SELECT id, dept FROM emp", schema, ("id", "dept"))
    properties = {DEFINITION: definition.to_json(), STATE: state.to_json()}
    catalog.create_table(("hr",), {"name": "copy", "schema": PLAIN, "properties": properties})
    yield
    catalog.drop_table(Ident(("hr",), "copy"))


def test_how_far_a_copy_is_behind_is_told_of_tables_that_one_sees_all_of(
    quiet: Quiet, copy: None
) -> None:
    ((*_, freshness, _, _, sources),) = quiet.lake.rows("SHOW MATERIALIZED VIEWS IN hr")
    assert freshness == "stale" and sources.startswith("lake.hr.emp at 5")
    with quiet.hiding():
        ((*_, freshness, _, _, sources),) = quiet.lake.rows("SHOW MATERIALIZED VIEWS IN hr")
        assert (freshness, sources) == ("unknown", "")
        for text in ("SHOW TBLPROPERTIES hr.copy", "SHOW CREATE TABLE hr.copy"):
            assert STATE not in str(quiet.lake.rows(text))


def test_a_view_does_not_tell_the_name_of_a_hidden_column(ann: Lake) -> None:
    error = ann.fails("SELECT * FROM hr.paid")
    assert error.code is ErrorCode.ACCESS_DENIED and "pay " not in str(error)
    assert ann.rows("SELECT * FROM hr.names ORDER BY id") == [(1, "it"), (3, "it")]


def test_the_files_of_a_hidden_table_are_not_registered_as_anothers(quiet: Quiet) -> None:
    catalog = quiet.lake.server.catalogs.open("lake", Identity("ann"))
    file = catalog.load_table(Ident(("hr",), "secret")).metadata_location
    text = f"CALL system.register_table(table => 'hr.mine', metadata_file => '{file}')"
    assert "belongs to the table hr.secret" in quiet.lake.fails(text).message
    with quiet.hiding():
        error = quiet.lake.fails(text)
    assert error.code is ErrorCode.INVALID_ARGUMENT
    assert "belongs to another table" in error.message and "hr.secret" not in error.message


def test_a_schema_is_dropped_with_what_is_in_it_only_by_who_may_drop_each(quiet: Quiet) -> None:
    quiet.lake.run("CREATE SCHEMA filled")
    quiet.lake.run("CREATE TABLE filled.copy LIKE hr.dept")
    with quiet.lake.rules.on("lake.filled.copy", SECRET, "drop"):
        error = quiet.lake.fails("DROP SCHEMA filled CASCADE")
        assert error.code is ErrorCode.ACCESS_DENIED
        assert quiet.lake.rows("SHOW TABLES IN filled") == [("filled", "copy", False)]
    quiet.lake.run("DROP SCHEMA filled CASCADE")
    assert ("filled",) not in quiet.lake.rows("SHOW SCHEMAS")


def test_flight_lists_only_what_one_may_know_of(quiet: Quiet) -> None:
    with quiet.hiding(), adbc.connect(quiet.flight, autocommit=True) as connection:
        told = str(connection.adbc_get_objects(depth="all").read_all().to_pylist())
    assert "emp" in told and "ssn" in told
    assert not [word for word in (*HIDDEN, "'pay'", "starts with 9") if word in told]
