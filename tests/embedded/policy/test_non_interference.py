"""Two lakehouses that differ only in what a person may not see: everything told is the same."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.model.decision import RowFilter
from sqe.model.masks import ExpressionMask
from sqe.server.build import Server
from tests.embedded.pipe.lake import Lake
from tests.policy.conditions import Condition
from tests.policy.limits import Limits
from tests.policy.maskings import Masking
from tests.policy.questions import Question
from tests.policy.serving import beside
from tests.policy.twins import House, Pair, compared, looks, pair
from tests.policy.worlds import PEOPLE, Generated, written_to

SEED = 2027
PAIRS = range(len(PEOPLE))
MARK = b"S3CR3T77"
CASES = {"local": 60, "auto": 12, "spark": 12}  # for each pair

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def servers(
    shared_lake: Lake, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[list[Server], Generated]]:
    rules = Generated()
    homes: list[Path] = [tmp_path_factory.mktemp("twin") for _ in range(2)]
    made = [beside(shared_lake.server, home, (rules,)) for home in homes]
    yield made, rules
    for server in made:
        server.close()


@pytest.fixture(scope="module", params=PAIRS)
def twins(
    servers: tuple[list[Server], Generated], request: pytest.FixtureRequest
) -> Iterator[Pair]:
    made = pair(*servers, SEED, request.param)
    yield made
    made.close()


@pytest.mark.rotating(parts=10)
@pytest.mark.parametrize("engine", CASES)
def test_no_question_tells_the_two_apart(twins: Pair, engine: str) -> None:
    told: list[str] = []
    bad = compared(twins, SEED, CASES[engine], engine, told.append)
    assert not bad, f"seed {SEED}, {bad} of {CASES[engine]}:\n" + "\n\n".join(told[:5])


def test_nothing_told_about_the_tables_tells_them_apart(twins: Pair) -> None:
    told = [found for one in looks(twins.asked) if (found := twins.differences(one, "auto"))]
    assert not told, "\n\n".join("\n".join(found) for found in told[:8])


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_what_is_not_shown_is_not_in_the_bytes_either(
    servers: tuple[list[Server], Generated], engine: str
) -> None:
    """Where Arrow has a NULL there is still room for a value, and clients are sent it."""
    made, rules = servers
    house = House(made[0], PEOPLE[0], f"raw_{engine}")
    hidden = struct.unpack("<q", MARK)[0]
    numbers = range(5000)
    table = pa.table(
        {
            "k": [number % 3 for number in numbers],
            "n": [hidden if number % 3 else number for number in numbers],
            "s": [MARK.hex() if number % 3 else "seen" for number in numbers],
        }
    )
    with written_to(made[0]) as rest:
        rest.create_namespace(house.schema)
        rest.create_table(f"{house.schema}.t", table.schema).append(table)
    masks = {
        name: Masking(ExpressionMask(f"CASE WHEN k = 0 THEN {name} END"), lambda row: None)
        for name in ("n", "s")
    }
    one = Condition("k <> 2", lambda row, who: row["k"] != 2)
    limits = Limits(((one, RowFilter(one.sql)),), masks)
    rules.add(PEOPLE[0].user, f"lake.{house.schema}.t", limits)
    for text in (
        "SELECT * FROM t",
        "SELECT n FROM t WHERE k = 1",
        "SELECT s, n, k FROM t ORDER BY k, n NULLS FIRST",
        "SELECT a.n, b.s FROM t a LEFT JOIN t b ON a.n = b.n WHERE a.k = 1",
        "SELECT max(n), min(s), count(n) FROM t GROUP BY k",
    ):
        told = house.ask(text, "spark", engine)
        assert not told.error, (text, told.error)
        assert MARK not in told.raw and MARK.hex().encode() not in told.raw, text
    house.close()


def test_a_difference_that_is_seen_is_noticed(twins: Pair) -> None:
    """The comparison itself is tried: of someone who sees all, the two houses are not the same."""
    owners = Question("seen", ("SELECT count(*), max(who) FROM owners",))
    assert not twins.differences(owners, "local")
    left, right = twins.houses
    one, other = (
        left.ask("SELECT 1 AS a", "spark", "local"),
        right.ask("SELECT 2 AS a", "spark", "local"),
    )
    assert one.differences(other)
