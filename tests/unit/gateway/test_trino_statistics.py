"""SHOW STATS in Trino's dialect, from its text to the rows, without any Spark."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.model.identity import Identity
from sqe.server.build import build
from sqe.settings import Settings
from tests.trino.asking import Answer, Client

NOWHERE = "sc://127.0.0.1:9"  # a statement that needs Spark fails
NOON = dt.datetime(2024, 3, 31, 12, 0, 0, 123456)
DATA = pa.table(
    {
        "id": pa.array([1, 2, 3, 4], pa.int32()),
        "Big": pa.array([0, 0, None, 2**53 + 1]),
        "price": pa.array([Decimal("1.50"), None, None, Decimal("12345678.00")]),
        "half": pa.array([0.1, 0.1, 1e-4, 1e10], pa.float32()),
        "double": pa.array([0.5, 0.5, 1e-4, float("inf")]),
        "name": pa.array(["a", "b", "b", None]),
        "day": pa.array([dt.date(2024, 1, 1), None, None, dt.date(2024, 1, 31)]),
        "at": pa.array([NOON] * 4, pa.timestamp("us")),
        "moment": pa.array([NOON.replace(tzinfo=dt.UTC)] * 4, pa.timestamp("us", "UTC")),
    }
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    home = tmp_path_factory.mktemp("home")
    given = {
        "home": home,
        "spark": {"remote": NOWHERE},
        "trino": {"port": 0, "impersonation": ["anonymous -> ann"]},
    }
    with closing(build(Settings.model_validate(given))) as server:
        catalog = server.catalogs.open("lake", Identity("ann"))
        catalog.create_namespace(("s",), {})
        written = {"mixed": DATA, "t": DATA.drop_columns("Big"), "none": DATA.slice(0, 0)}
        for name, location in _write(home / "warehouse" / "written", written).items():
            catalog.register_table(("s",), {"name": name, "metadata-location": location})
        with closing(Client(server.listen_trino(), "lake", "s", "ann")) as client:
            yield client


def _write(folder: Path, tables: dict[str, pa.Table]) -> dict[str, str]:
    """Where the metadata of each is."""
    folder.mkdir(parents=True)
    catalog = SqlCatalog("w", uri=f"sqlite:///{folder / 'c.db'}", warehouse=f"file://{folder}")
    catalog.create_namespace("s")
    found = {}
    for name, data in tables.items():
        table = catalog.create_table(f"s.{name}", data.schema)
        if data.num_rows:
            table.append(data)
        found[name] = table.metadata_location
    catalog.close()
    return found


def stats(client: Client, of: str) -> dict[str | None, list[Any]]:
    """Everything but the size, by column."""
    answer = client.ask(f"SHOW STATS FOR {of}")
    assert not answer.error, f"{answer.error}: {answer.message}"
    return {row[0]: row[2:] for row in answer.data}


def failed(client: Client, text: str) -> Answer:
    answer = client.ask(text)
    assert answer.error
    return answer


def test_the_columns_are_trinos(client: Client) -> None:
    columns = client.ask("SHOW STATS FOR t").columns
    assert [(one["name"], one["type"]) for one in columns] == [
        ("column_name", "varchar"),
        ("data_size", "double"),
        ("distinct_values_count", "double"),
        ("nulls_fraction", "double"),
        ("row_count", "double"),
        ("low_value", "varchar"),
        ("high_value", "varchar"),
    ]


def test_bounds_are_printed_as_trino_prints_doubles_of_that_type(client: Client) -> None:
    at, moment = "2024-03-31 12:00:00.123456", "2024-03-31 12:00:00.123 UTC"
    expected = {
        "id": [None, 0.0, None, "1", "4"],
        "price": [None, 0.5, None, "1.5", "1.2345678E7"],
        "half": [None, 0.0, None, "1.0E-4", "1.0E10"],
        "double": [None, 0.0, None, "1.0E-4", None],
        "name": [None, 0.25, None, None, None],
        "day": [None, 0.5, None, "2024-01-01", "2024-01-31"],
        "at": [None, 0.0, None, at, at],
        "moment": [None, 0.0, None, moment, moment],
        None: [None, None, 4.0, None, None],
    }
    assert stats(client, "t") == expected
    assert stats(client, "(SELECT * FROM t)") == expected


def test_names_are_in_lower_case_and_integers_pass_through_a_double(client: Client) -> None:
    assert stats(client, "mixed")["big"] == [None, 0.25, None, "0", str(2**53)]


def test_a_filtered_query_is_estimated(client: Client) -> None:
    found = stats(client, "(SELECT id AS key, id + 1 FROM s.t WHERE id > 1)")
    assert found == {
        "key": [None, None, None, "1", "4"],
        "_col1": [None, None, None, None, None],
        None: [None, None, 4.0, None, None],
    }


def test_without_rows_everything_is_known(client: Client) -> None:
    found = stats(client, "none")
    assert found.pop(None) == [None, None, 0.0, None, None]
    assert list(found.values()) == [[0.0, 1.0, None, None, None]] * len(DATA.column_names)


def test_what_is_not_there_is_refused_without_a_place(client: Client) -> None:
    answer = failed(client, "SHOW STATS FOR nosuch")
    assert (answer.error, answer.location) == ("TABLE_NOT_FOUND", None)
    assert answer.message == "Table 'lake.s.nosuch' does not exist"
    assert failed(client, "SHOW STATS FOR no.such").error == "SCHEMA_NOT_FOUND"
    assert failed(client, "SHOW STATS FOR no.such.t").error == "CATALOG_NOT_FOUND"


def test_mistakes_inside_the_query_have_their_place(client: Client) -> None:
    answer = failed(client, "SHOW STATS FOR (SELECT nosuch FROM t)")
    assert (answer.error, answer.location) == ("COLUMN_NOT_FOUND", (1, 24))
    assert failed(client, "SHOW STATS FOR (SELECT 1").location == (1, 25)
