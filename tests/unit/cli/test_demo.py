from __future__ import annotations

import pyarrow as pa

from sqe.cli.demo.steps import COUNTS, TABLES, prices, tour
from sqe.errors import ErrorCode, error_of
from tests.unit.cli.fakes import Answer, FakeGateway, nothing, run


def answers(**counts: int) -> dict[str, Answer]:
    """Every statement of the tour answered with nothing, but those it takes something from."""
    rows = {"customers": 500, "orders": 5000, "price_changes": 6, **counts}
    found: dict[str, Answer] = {COUNTS: pa.table({name: [n] for name, n in rows.items()})}
    return found | {asked.text: nothing for step in tour() for asked in step.statements}


def test_the_tour_shows_what_the_issue_asks_for() -> None:
    text = "\n".join(asked.text for step in tour() for asked in step.statements)
    for piece in (
        "CREATE TABLE",
        "JOIN",
        "COPY INTO",
        "MERGE INTO",
        "VERSION AS OF",
        "CALL",
        "EXPLAIN",
    ):
        assert piece in text
    assert all(f"lake.demo.{table}" in text for table in TABLES)
    assert all(step.words for step in tour())


def test_the_demo_ends_by_itself_and_says_how_to_go_on() -> None:
    result = run(FakeGateway(answers()), "demo")
    assert result.exit_code == 0, result.stderr
    assert f"COPY INTO lake.demo.price_changes FROM '{prices()}'" in result.stdout
    assert "sqe shell" in result.stdout
    assert "make serve" in result.stdout


def test_changed_tables_are_not_taken_for_the_tours() -> None:
    result = run(FakeGateway(answers(orders=4999)), "demo")
    assert result.exit_code == 1
    assert "sqe demo --reset" in result.stderr


def test_reset_drops_the_tables_first() -> None:
    drops = [f"DROP TABLE IF EXISTS lake.demo.{table}" for table in TABLES]
    gateway = FakeGateway({**answers(), **dict.fromkeys(drops, nothing)})
    assert run(gateway, "demo", "--reset").exit_code == 0
    assert gateway.texts[: len(drops)] == drops


def test_a_failing_step_is_said_with_its_code() -> None:
    first = tour()[0].statements[0].text
    down = error_of(ErrorCode.ENGINE_UNAVAILABLE, "Spark did not start.")
    result = run(FakeGateway({**answers(), first: down}), "demo")
    assert result.exit_code == 5
    assert "error[ENGINE_UNAVAILABLE] Spark did not start." in result.stderr
