"""The generator, without an engine."""

from __future__ import annotations

import sqlglot

from tests.differential import delicate
from tests.differential.catalogue import SCALARS
from tests.differential.expressions import EVERYTHING
from tests.differential.grammar import case
from tests.differential.literals import TAME, WILD
from tests.differential.runner import BUNDLE, bundles
from tests.differential.sweep import sweep


def test_a_seed_gives_the_same_queries_every_time() -> None:
    texts = [[case(7, n, EVERYTHING).sql for n in range(50)] for _ in range(2)]
    assert texts[0] == texts[1]
    assert len(set(texts[0])) > 45


def test_every_kind_of_argument_has_literals() -> None:
    kinds = {arg for entry in SCALARS for arg in entry.args if not arg.startswith("#")}
    assert kinds <= TAME.keys() == WILD.keys()


def test_generated_text_is_spark_sql() -> None:
    for number in range(200):
        sqlglot.parse_one(case(3, number, EVERYTHING).sql, read="spark")


def test_most_of_the_catalogue_occurs_soon() -> None:
    used = {name for n in range(3_000) for name in case(5, n, EVERYTHING).tree.used()}
    missing = {entry.name for entry in EVERYTHING.entries()} - used
    assert len(missing) < 10, missing


def test_the_sweep_has_every_entry() -> None:
    used = {name for one in sweep(1, EVERYTHING) for name in one.tree.used()}
    assert {entry.name for entry in EVERYTHING.entries()} <= used


def test_bundles_lose_nothing_and_mix_no_tables() -> None:
    cases = delicate.cases()
    groups = list(bundles(cases))
    assert sorted(one.name for group in groups for one in group) == sorted(c.name for c in cases)
    assert all(len({one.bundle for one in group}) == 1 and len(group) <= BUNDLE for group in groups)


def test_there_are_hundreds_of_delicate_cases() -> None:
    assert len({one.sql for one in delicate.cases()}) > 500
