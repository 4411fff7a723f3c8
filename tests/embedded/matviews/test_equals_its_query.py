"""Whatever happens to its sources, a refreshed view equals its query; two refreshes are one."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(600)]

VIEWS = {
    "joined": "SELECT a.id, b.name FROM eq.a JOIN eq.b ON a.k = b.k WHERE a.id % 5 <> 0"
    " UNION ALL SELECT id, 'only' FROM eq.a WHERE k > 2",
    "summed": "SELECT k, count(*) AS n, sum(id) AS s FROM eq.a GROUP BY k",
}


def _append_a(dice: random.Random) -> str:
    rows = ", ".join(f"({dice.randrange(100)}, {dice.randrange(5)})" for _ in range(3))
    return f"INSERT INTO eq.a VALUES {rows}"


def _append_b(dice: random.Random) -> str:
    return f"INSERT INTO eq.b VALUES ({dice.randrange(5)}, 'n{dice.randrange(9)}')"


def _delete(dice: random.Random) -> str:
    return f"DELETE FROM eq.a WHERE id % 7 = {dice.randrange(7)}"


def _compact(dice: random.Random) -> str:
    return "CALL system.rewrite_data_files('eq.a', options => map('rewrite-all', 'true'))"


CHANGES = (_append_a, _append_a, _append_a, _append_b, _delete, _compact)


def _sorted(lake: Lake, query: str) -> list[tuple[object, ...]]:
    return sorted(lake.rows(query), key=str)


@pytest.mark.parametrize("seed", [5])
def test_after_any_changes_it_equals_its_query(shared_lake: Lake, seed: int) -> None:
    lake, dice = shared_lake, random.Random(seed)
    reader = lake.another_session(engine="auto")
    lake.all(
        "CREATE SCHEMA eq",
        "CREATE TABLE eq.a (id BIGINT, k INT)"
        " TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')",
        "CREATE TABLE eq.b AS SELECT * FROM VALUES (1, 'x'), (3, 'y') v(k, name)",
        *(f"CREATE MATERIALIZED VIEW eq.{view} AS {query}" for view, query in VIEWS.items()),
    )
    kinds = set()
    for _ in range(6):
        for _ in range(dice.randrange(1, 3)):
            lake.run(dice.choice(CHANGES)(dice))
        for view, query in VIEWS.items():
            kinds.add((view, lake.rows(f"REFRESH MATERIALIZED VIEW eq.{view}")[0][0]))
            assert _sorted(reader, f"SELECT * FROM eq.{view}") == _sorted(reader, query)
    assert {("joined", "incremental"), ("joined", "full"), ("summed", "full")} <= kinds
    reader.close()


def test_two_refreshes_at_once_add_rows_once(shared_lake: Lake) -> None:
    lake = shared_lake
    lake.all(
        "CREATE SCHEMA two",
        "CREATE TABLE two.t AS SELECT id FROM range(10)",
        "CREATE MATERIALIZED VIEW two.v AS SELECT id FROM two.t",
        "INSERT INTO two.t SELECT id FROM range(10, 20)",
    )
    lakes = [lake.another_session() for _ in range(3)]

    def refresh(own: Lake) -> str:
        return str(own.rows("REFRESH MATERIALIZED VIEW two.v")[0][0])

    with ThreadPoolExecutor(3) as pool:
        kinds = sorted(pool.map(refresh, lakes))
    assert kinds == ["incremental", "none", "none"], "who loses looks again"
    assert lake.rows("SELECT count(*), count(DISTINCT id) FROM two.v") == [(20, 20)]
    assert lake.rows("REFRESH MATERIALIZED VIEW two.v")[0][0] == "none"
    for own in lakes:
        own.close()
