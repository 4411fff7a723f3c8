"""The proofs of ``tests/policy`` in a form that needs no Spark: small, for every change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.server.build import Server, build
from sqe.settings import Settings
from sqe.settings.settings import LocalSettings, LogSettings
from tests.policy.hashing import POLICY
from tests.policy.oracle import Oracle, Tally
from tests.policy.twins import compared, pair
from tests.policy.worlds import Generated

SEED = 5
CASES = 60
TWINS = 1
ASKED = 20  # questions of each pair


def serve(home: Path, rules: Generated) -> Server:
    local = LocalSettings(threads=1)
    settings = Settings(home=home, local=local, log=LogSettings(audit=False), policy=POLICY)
    return build(settings, (rules,))


@pytest.fixture
def rules() -> Generated:
    return Generated()


@pytest.fixture
def servers(tmp_path: Path, rules: Generated) -> Iterator[list[Server]]:
    made = [serve(tmp_path / name, rules) for name in ("one", "other")]
    yield made
    for server in made:
        server.close()


def test_a_table_under_rules_is_its_copy(servers: list[Server], rules: Generated) -> None:
    tally: Tally = Oracle(servers[0], rules, SEED, {"local": 1}).run(CASES)
    shown = "\n\n".join(map(str, tally.differences[:3]))
    assert not tally.differences, f"seed {SEED}: {tally.summary()}\n{shown}"


def test_two_lakehouses_are_not_told_apart(servers: list[Server], rules: Generated) -> None:
    told: list[str] = []
    for number in range(TWINS):
        made = pair(servers, rules, SEED, number)
        compared(made, SEED, ASKED, "local", told.append)
        made.close()
    assert not told, "\n\n".join(told[:3])
