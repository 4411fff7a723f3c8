"""A view's columns and its query are told to those who may read what it is made of."""

from __future__ import annotations

from collections.abc import Iterator

import adbc_driver_flightsql.dbapi as adbc
import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Deny
from tests.embedded.pipe.lake import Lake
from tests.embedded.policy.quiet import Quiet, quiet_lake

OF_PAID = [
    "SHOW CREATE VIEW hr.paid",
    "SHOW CREATE TABLE hr.paid",
    "DESCRIBE hr.paid",
    "DESCRIBE EXTENDED hr.paid",
    "SHOW COLUMNS IN hr.paid",
    "SHOW TBLPROPERTIES hr.paid",
]
LISTS = [
    "SELECT * FROM information_schema.views",
    "SELECT * FROM information_schema.columns WHERE table_name IN ('paid', 'names')",
]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Quiet]:
    with quiet_lake(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.mark.parametrize("text", OF_PAID)
def test_a_view_over_a_hidden_column_is_a_name_and_nothing_more(quiet: Quiet, text: str) -> None:
    quiet.lake.run(text)
    with quiet.hiding():
        error = quiet.lake.fails(text)
        assert error.code is ErrorCode.ACCESS_DENIED
        assert "pay " not in str(error) and "pay>" not in str(error)
        quiet.lake.run(text.replace("paid", "names"))
        assert ("hr", "paid", False) in quiet.lake.rows("SHOW VIEWS IN hr")


@pytest.mark.parametrize("text", LISTS)
def test_no_list_tells_more_of_it(quiet: Quiet, text: str) -> None:
    for rows in (lambda: quiet.lake.rows(text), lambda: quiet.trino.ask(text).data):
        assert "paid" in str(rows()) and "names" in str(rows())
        with quiet.hiding():
            assert "paid" not in str(rows()) and "names" in str(rows())


def test_nor_does_flight(quiet: Quiet) -> None:
    with quiet.hiding(), adbc.connect(quiet.flight, autocommit=True) as connection:
        connection.adbc_get_table_schema("names", db_schema_filter="hr")
        with pytest.raises(Exception, match="NOT_FOUND"):
            connection.adbc_get_table_schema("paid", db_schema_filter="hr")


def test_a_view_that_has_lost_its_table_is_told_to_who_sees_everything(quiet: Quiet) -> None:
    assert "no_such_table" in str(quiet.lake.rows("SHOW CREATE VIEW hr.ghosts"))
    with quiet.lake.rules.on("lake.hr.no_such_table", Deny("no")):
        assert quiet.lake.fails("SHOW CREATE VIEW hr.ghosts").code is ErrorCode.ACCESS_DENIED
        assert "no_such_table" not in str(quiet.lake.rows(LISTS[0]))


@pytest.fixture(scope="module")
def lent(shared_lake: Lake) -> Iterator[Lake]:
    """``texts.lent`` is ann's, and read with her rights."""
    shared_lake.all(
        "CREATE SCHEMA texts",
        "CREATE TABLE texts.emp AS SELECT 1 AS id, 'it' AS dept",
        "CREATE VIEW texts.lent SECURITY DEFINER AS SELECT id FROM texts.emp WHERE dept = 'it'",
    )
    yield shared_lake


@pytest.mark.spark
@pytest.mark.java
def test_who_reads_by_the_owners_rights_is_not_told_the_query(lent: Lake) -> None:
    bob = lent.another_session("bob")
    text = "SELECT id FROM texts.emp WHERE dept = 'it'"
    views = "SELECT view_definition FROM information_schema.views"
    listed = f"{views} WHERE table_name = 'lent' AND table_schema = 'texts'"
    for one in (lent, bob):
        assert text in str(one.rows("SHOW CREATE VIEW texts.lent"))
        assert one.rows(listed) == [(text,)]
    with lent.rules.on("lake.texts.emp", Deny("no"), user="bob"):
        assert bob.rows("SELECT * FROM texts.lent") == [(1,)]
        assert bob.fails("SHOW CREATE VIEW texts.lent").code is ErrorCode.ACCESS_DENIED
        assert "texts.emp" not in str(bob.rows("DESCRIBE EXTENDED texts.lent"))
        assert bob.rows("DESCRIBE texts.lent") == [("id", "int", None)]
        assert bob.rows(listed) == []
        assert text in str(lent.rows("SHOW CREATE VIEW texts.lent"))
    bob.close()
