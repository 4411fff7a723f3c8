"""The short form: the same questions to Spark and to the local engine, the same answers."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.differential import delicate, tpc
from tests.differential.compare import Verdict
from tests.differential.coverage import untried
from tests.differential.expressions import EVERYTHING, Palette
from tests.differential.grammar import QUERY, Case
from tests.differential.judge import Judge
from tests.differential.outcome import Answer, Outcome, Side
from tests.differential.runner import Tally, run_cases, run_generated
from tests.differential.sides import SPARK, Lakehouse, pair
from tests.differential.sweep import sweep
from tests.differential.tree import listing, node

SEED = 2026
CASES = 300

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def tally() -> Tally:
    """Of all tests of this module: coverage is judged at the end."""
    return Tally()


def no_differences(tally: Tally) -> None:
    assert tally.passed, "\n\n".join([*map(str, tally.causes()), tally.summary()])


def test_what_is_known_to_be_delicate_has_sparks_answer(judges: list[Judge], tally: Tally) -> None:
    run_cases(delicate.cases(), judges, tally)
    no_differences(tally)


def test_every_entry_by_itself_has_sparks_answer(
    judges: list[Judge], palette: Palette, tally: Tally
) -> None:
    run_cases(sweep(SEED, palette), judges, tally)
    no_differences(tally)


def test_generated_queries_have_sparks_answers(
    judges: list[Judge], palette: Palette, tally: Tally
) -> None:
    run_generated(judges, palette, SEED, CASES, tally=tally)
    no_differences(tally)


def test_queries_of_anything_at_all_have_sparks_answers(judges: list[Judge], tally: Tally) -> None:
    run_generated(judges, EVERYTHING, SEED + 1, 60, tally=tally)
    no_differences(tally)


def test_moments_have_sparks_answers_where_clocks_change(
    lakehouse: Lakehouse, judges: list[Judge]
) -> None:
    berlin = Judge(*pair(lakehouse, "Europe/Berlin"))
    mine = Tally()
    run_cases([case for case in delicate.cases() if case.name.startswith("times:")], [berlin], mine)
    no_differences(mine)


def test_every_entry_of_the_proven_list_was_tried(tally: Tally) -> None:
    if not tally.cases:
        pytest.skip("nothing was run")
    missing = untried(set(tally.used))
    assert not missing, f"no case that ran locally used: {', '.join(missing)}"


@pytest.mark.parametrize("benchmark", [tpc.TPCH, tpc.TPCDS], ids=lambda found: found.name)
def test_the_benchmarks_queries_have_sparks_answers(
    benchmark: tpc.Benchmark, lakehouse: Lakehouse, judges: list[Judge]
) -> None:
    pytest.importorskip(f"duckdb_extension_{benchmark.name}")
    tpc.load(benchmark, lakehouse)
    own = [Judge(*pair(lakehouse, schema=benchmark.name)) for _ in range(2)]
    mine = Tally()
    run_cases(tpc.cases(benchmark), own, mine)
    no_differences(mine)
    assert mine.local / benchmark.queries >= 0.95, mine.reasons.most_common()


def test_nearly_all_generated_queries_run_on_spark(lakehouse: Lakehouse) -> None:
    """A generator of nonsense would find no differences either."""
    spark = lakehouse.side(SPARK)
    mine = Tally()
    run_generated([Judge(spark, spark)], EVERYTHING, SEED + 2, 60, tally=mine)
    assert sum(mine.unwanted_errors.values()) <= 0.1 * mine.cases, mine.unwanted_errors


@dataclass(frozen=True)
class Wrong:
    """An engine that takes every upper for lower."""

    right: Side

    def ask(self, sql: str) -> Outcome:
        return self.right.ask(sql.replace("upper(", "lower("))


def test_a_wrong_engine_is_found_out_and_its_query_shrunk(lakehouse: Lakehouse) -> None:
    spark = lakehouse.side(SPARK)
    called = node("string", "upper(", node("string", "s"), ")")
    items = [node("item", "id AS n"), node("item", "concat(", called, ", '!') AS x")]
    tree = node("query", "SELECT ", listing("items", items), " FROM texts")
    judged = Judge(spark, Wrong(spark)).judge(Case("wrong", QUERY, tree))
    assert judged.verdict is Verdict.ROWS
    assert judged.difference is not None
    assert "id AS n" not in judged.difference.sql


def test_the_tables_hold_what_the_suite_needs(lakehouse: Lakehouse) -> None:
    answer = lakehouse.side(SPARK).ask("SELECT count(*) AS n FROM evo_mor2.delete_files")
    assert isinstance(answer, Answer)
    assert answer.table.to_pylist()[0]["n"] > 0
