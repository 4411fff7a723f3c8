"""A schema for the tests that write, and tables of every way to write them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from tests.embedded.pipe.lake import Lake

COPY_ON_WRITE = "'format-version' = '2'"
MERGE_ON_READ = ", ".join(
    f"'write.{verb}.mode' = 'merge-on-read'" for verb in ("delete", "update", "merge")
)
WAYS = {
    "copy-on-write": COPY_ON_WRITE,
    "position deletes": f"'format-version' = '2', {MERGE_ON_READ}",
    "deletion vectors": f"'format-version' = '3', {MERGE_ON_READ}",
}
NewTable = Callable[..., str]
_numbers = count()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--row-cases", type=int, help="how many generated changes of rows are tried")
    parser.addoption("--row-seed", type=int, help="which ones")


@pytest.fixture(scope="session")
def writes(shared_lake: Lake) -> Lake:
    shared_lake.run("CREATE SCHEMA writes")
    return shared_lake


@pytest.fixture
def new_table(writes: Lake) -> NewTable:
    """Makes a table of this test's own and answers its name."""

    def make(columns: str, way: str = "copy-on-write", rows: str = "", partition: str = "") -> str:
        name = f"writes.t{next(_numbers)}"
        by = f"PARTITIONED BY ({partition})" if partition else ""
        writes.run(f"CREATE TABLE {name} ({columns}) {by} TBLPROPERTIES ({WAYS[way]})")
        if rows:
            writes.run(f"INSERT INTO {name} {rows}")
        return name

    return make
