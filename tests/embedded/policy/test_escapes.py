"""Every known way around a filter, a mask or a hidden column fails; see tests/policy/escapes.

``docs/reference/escapes.md`` is written from the same table.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.embedded.pipe.lake import Lake
from tests.policy.escapes.row import Escape
from tests.policy.escapes.table import ESCAPES
from tests.policy.escapes.trial import Eves, Trial, world
from tests.policy.serving import beside

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def trial(shared_lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    rules = Eves()
    server = beside(shared_lake.server, tmp_path_factory.mktemp("escapes"), (rules,))
    world(server)
    yield Trial(server, rules)
    server.close()


@pytest.mark.rotating(parts=10)
@pytest.mark.parametrize("escape", ESCAPES, ids=lambda one: f"{one.dialect}: {one.name}"[:120])
def test_a_trick_fails(trial: Trial, escape: Escape) -> None:
    faults = trial.faults(escape)
    assert not faults, f"{escape.tries}:\n{escape.statements}\n" + "\n".join(faults)
