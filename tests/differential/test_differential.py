"""The short form: the same questions to Spark and to the local engine, the same answers."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.differential import delicate, order_names, tpc, translated
from tests.differential.compare import Verdict
from tests.differential.coverage import untried
from tests.differential.data import SCHEMA
from tests.differential.expressions import EVERYTHING, Palette
from tests.differential.grammar import QUERY, Case, case
from tests.differential.judge import Judge
from tests.differential.outcome import Answer, Failure, Outcome, Refusal, Side
from tests.differential.runner import Tally, run_cases, run_generated
from tests.differential.sides import AUTO, CATALOG, LOCAL, SPARK, Lakehouse, pair
from tests.differential.sweep import sweep
from tests.differential.tree import listing, node
from tests.rotation import Rotation

SEED = 2026
CASES = 300
PARTS = 10  # of the cases, a run tries one

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(1800)]


def no_differences(tally: Tally) -> None:
    assert tally.passed, "\n\n".join([*map(str, tally.causes()), tally.summary()])


def run_share(cases: list[Case], judges: list[Judge], rotation: Rotation) -> None:
    """The part of the cases that is tried now has Spark's answers."""
    tally, chosen = Tally(), rotation.share(cases, PARTS, lambda case: case.name)
    run_cases(chosen, judges, tally)
    different = {difference.name for difference in tally.differences}
    for one in chosen:
        rotation.note(one.name, one.name not in different)
    no_differences(tally)


def test_what_is_known_to_be_delicate_has_sparks_answer(
    judges: list[Judge], rotation: Rotation
) -> None:
    run_share(delicate.cases(), judges, rotation)


def test_names_that_may_mean_two_things_mean_what_they_mean_to_spark(
    judges: list[Judge], rotation: Rotation
) -> None:
    tally, chosen = Tally(), rotation.share(order_names.cases(), 40, lambda case: case.name)
    run_cases(chosen, judges, tally)
    no_differences(tally)


def test_every_entry_by_itself_has_sparks_answer(
    judges: list[Judge], palette: Palette, rotation: Rotation
) -> None:
    run_share(sweep(SEED, palette), judges, rotation)


def test_generated_queries_have_sparks_answers(
    judges: list[Judge], palette: Palette, rotation: Rotation
) -> None:
    run_share([case(SEED, n, palette) for n in range(CASES)], judges, rotation)


def test_whatever_auto_chooses_the_answer_is_sparks(lakehouse: Lakehouse) -> None:
    judges = [Judge(lakehouse.side(SPARK), lakehouse.side(AUTO)) for _ in range(2)]
    tally = run_generated([judges], EVERYTHING, SEED + 1, 40)
    no_differences(tally)
    assert tally.local == tally.cases, tally.reasons  # `auto` refuses nothing


def test_moments_have_sparks_answers_where_clocks_change(
    lakehouse: Lakehouse, judges: list[Judge]
) -> None:
    berlin = Judge(*pair(lakehouse, "Europe/Berlin"))
    mine = Tally()
    run_cases([case for case in delicate.cases() if case.name.startswith("times:")], [berlin], mine)
    no_differences(mine)


def test_every_entry_of_the_proven_list_is_in_a_case(
    lakehouse: Lakehouse, palette: Palette
) -> None:
    """Of all cases, not only those of which Spark is asked now."""
    local = lakehouse.side(LOCAL)
    tally = Tally()
    generated = [case(SEED, number, palette) for number in range(2 * CASES)]
    run_cases([*delicate.cases(), *sweep(SEED, palette), *generated], [Judge(local, local)], tally)
    missing = untried(set(tally.used))
    assert not missing, f"no case that ran locally used: {', '.join(missing)}"


@pytest.mark.parametrize("benchmark", [tpc.TPCH, tpc.TPCDS], ids=lambda found: found.name)
def test_the_benchmarks_queries_have_sparks_answers(
    benchmark: tpc.Benchmark, lakehouse: Lakehouse, rotation: Rotation
) -> None:
    """All of them run locally; Spark is asked about some, and in the long form about all."""
    tpc.load(benchmark, lakehouse)
    judges = [Judge(*pair(lakehouse, schema=benchmark.name)) for _ in range(2)]
    cases = tpc.cases(benchmark)
    run_share(cases, judges, rotation)
    local = lakehouse.side(LOCAL, schema=benchmark.name)
    outcomes = {case.name: local.ask(case.sql) for case in cases}
    assert not [name for name, outcome in outcomes.items() if isinstance(outcome, Failure)]
    refused = {name: found for name, found in outcomes.items() if isinstance(found, Refusal)}
    assert len(refused) <= 0.05 * len(cases), refused


def test_nearly_all_generated_queries_run_on_spark(lakehouse: Lakehouse) -> None:
    """A generator of nonsense would find no differences either."""
    spark = lakehouse.side(SPARK)
    mine = run_generated([[Judge(spark, spark)]], EVERYTHING, SEED + 2, 40)
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


def test_translated_statements_have_sparks_answers(
    lakehouse: Lakehouse, rotation: Rotation
) -> None:
    """What the Trino dialect writes, in each of the suites."""
    translated.load(lakehouse)
    chosen = [
        (CATALOG, SCHEMA, rotation.share(translated.delicate_cases(), 4, lambda case: case.name))
    ]
    for suite, cases in translated.cases():
        share = rotation.share(cases, PARTS * 4, lambda case: case.name)
        chosen.append((suite.catalog, suite.schema, share))
    tally = Tally()  # one: of a small share, two cases that Spark cannot answer are too many
    for catalog, schema, cases in chosen:
        run_cases(cases, [translated.judge(lakehouse, catalog, schema)], tally)
    no_differences(tally)
