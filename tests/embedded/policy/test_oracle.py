"""Whatever is asked of a table under rules has the answer of a copy that holds what may be seen.

``make policy-proof CASES=20000 SEED=…`` is the long form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sqe.model.decision import RowFilter
from sqe.server.build import Server
from tests.embedded.pipe.lake import Lake
from tests.policy.limits import Limits
from tests.policy.oracle import PER_WORLD, Oracle
from tests.policy.serving import beside
from tests.policy.worlds import CATALOG, PEOPLE, Generated, world

SEED = 2026
WORLDS = 5
EXCUSED = 0.02  # of the cases, at most

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture
def rules() -> Generated:
    return Generated()


@pytest.fixture
def server(shared_lake: Lake, tmp_path: Path, rules: Generated) -> Iterator[Server]:
    made = beside(shared_lake.server, tmp_path / "oracle", (rules,))
    yield made
    made.close()


@pytest.mark.rotating(parts=WORLDS)
@pytest.mark.parametrize("first_world", range(WORLDS))
def test_a_table_under_rules_is_its_filtered_and_masked_copy(
    server: Server, rules: Generated, first_world: int
) -> None:
    tally = Oracle(server, rules, SEED).run(PER_WORLD, first_world)
    shown = "\n\n".join(map(str, tally.differences[:5]))
    assert not tally.differences, f"seed {SEED}: {tally.summary()}\n{shown}"
    assert tally.excused.total() <= EXCUSED * tally.cases, tally.summary()
    figures = server.state.local.figures
    assert figures is not None and figures.reused, "no instance was used twice"


def test_a_rule_that_is_not_carried_out_is_noticed(server: Server, rules: Generated) -> None:
    """The oracle itself is tried: one filter of a person is left out, and it must say so."""
    who = PEOPLE[0]
    made = world(SEED, 0)
    oracle = Oracle(server, rules, SEED, {"local": 1})

    class Forgetful(Generated):
        def add(self, user: str, table: str, limits: Limits) -> None:
            all_rows = tuple((one, RowFilter("true")) for one, _ in limits.conditions)
            rules.add(user, table, replace(limits, conditions=all_rows))

    oracle.rules = Forgetful()
    tally = oracle.run(60)
    limited = [limits for (user, _), limits in made.limits.items() if user == who.user]
    assert any(limits.conditions for limits in limited)
    assert tally.differences, f"{CATALOG}: {tally.summary()}"
