"""The recorded conversations of Trino's clients: SQE's answers have the shape of Trino's.

``capture_differences.txt`` lists what differs, and why; a line that nothing needs is an error, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from sqe.settings import Settings
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake
from tests.trino_clients.captures import FOLDER, ORDER, Replay, Statement, shape, statements

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the captures are not here"),
]
LISTED = Path(__file__).parent / "capture_differences.txt"
_LINE = re.compile(r"(?P<where>\S+) (?P<number>\S+) (?P<path>\S+): (?P<why>\S.+)")
NATION = "n_nationkey bigint, n_name string, n_regionkey bigint, n_comment string"
REGION = "r_regionkey bigint, r_name string, r_comment string"
LINEITEM = """l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber int,
    l_quantity decimal(12,2), l_extendedprice decimal(12,2), l_discount decimal(12,2),
    l_tax decimal(12,2), l_returnflag string, l_linestatus string, l_shipdate date,
    l_commitdate date, l_receiptdate date, l_shipinstruct string, l_shipmode string,
    l_comment string"""
TABLES = {
    "iceberg.tpch_sf1.nation": (NATION, "(7, 'GERMANY', 3, 'x'), (1, 'ARGENTINA', 1, 'y')"),
    "iceberg.tpch_sf1.region": (REGION, "(0, 'AFRICA', 'x'), (1, 'AMERICA', 'y')"),
    "iceberg.tpch_sf1.lineitem": (
        LINEITEM,
        "(1, 2, 3, 4, 5, 6, 7, 8, 'N', 'O', DATE'2020-01-01', DATE'2020-01-01',"
        " DATE'2020-01-01', 'x', 'y', 'z')",
    ),
    "tpch.tiny.nation": (NATION, "(7, 'GERMANY', 3, 'x')"),
    "tpch.tiny.region": (REGION, "(0, 'AFRICA', 'x')"),
}


@dataclass(frozen=True)
class Difference:
    where: str
    number: int
    path: str
    said: str

    def __str__(self) -> str:
        return f"{self.where} {self.number} {self.path}: {self.said}"


@dataclass(frozen=True)
class Rule:
    where: str
    number: str
    path: str

    def covers(self, found: Difference) -> bool:
        return (
            fnmatchcase(found.where, self.where)
            and self.number in ("*", str(found.number))
            and fnmatchcase(found.path, self.path)
        )


def _rules() -> list[Rule]:
    lines = [line for line in LISTED.read_text().splitlines() if line and line[0] != "#"]
    matches = [_LINE.fullmatch(line) for line in lines]
    assert all(matches), "every line is: file number path: reason"
    return [Rule(found["where"], found["number"], found["path"]) for found in matches if found]


@pytest.fixture
def replay(another: Another) -> Iterator[Replay]:
    """A server with catalogs of the names and tables that the clients had."""
    settings = Settings.model_validate(
        {"catalogs": {"iceberg": {}, "tpch": {}}, "default_catalog": "iceberg"}
    )
    lake = another(settings)
    _fill(lake)
    made = Replay(lake.server.listen_trino("127.0.0.1", 0))
    yield made
    made.close()


def _fill(lake: Lake) -> None:
    for schema in ("iceberg.tpch_sf1", "tpch.tiny"):
        lake.run(f"CREATE SCHEMA {schema}")
    for name, (columns, values) in TABLES.items():
        lake.run(f"CREATE TABLE {name} ({columns}) USING iceberg")
        lake.run(f"INSERT INTO {name} VALUES {values}")


def _compared(where: str, statement: Statement, replay: Replay) -> Iterator[Difference]:
    theirs, ours = shape(statement.pages), shape(replay.said(statement))
    name = "error.errorName"
    if theirs.get(name) != ours.get(name):
        # Then nothing else is the same either.
        yield _difference(where, statement, "error", theirs.get(name), ours.get(name))
        return
    for path in sorted(theirs.keys() | ours.keys()):
        if theirs.get(path) != ours.get(path):
            yield _difference(where, statement, path, theirs.get(path), ours.get(path))


def _difference(
    where: str, statement: Statement, path: str, theirs: object, ours: object
) -> Difference:
    said = f"{theirs or 'nothing'} there, {ours or 'nothing'} here ({statement.text[:60]!r})"
    return Difference(where, statement.number, path, said)


def test_the_same_requests_give_answers_of_the_same_shape(replay: Replay) -> None:
    found = [
        difference
        for name in ORDER
        for statement in statements(name)
        for difference in _compared(name, statement, replay)
    ]
    rules = _rules()
    unlisted = [str(one) for one in found if not any(rule.covers(one) for rule in rules)]
    assert not unlisted, "\n".join(unlisted)
    idle = [rule for rule in rules if not any(rule.covers(one) for one in found)]
    assert not idle
