"""The scoreboard grades what the public matrix asks for, and names only proofs that are there."""

from __future__ import annotations

import json
from pathlib import Path

from dev import scoreboard

FEATURES = Path(__file__).parents[4] / "shared" / "corpora" / "iceberg-matrix" / "features.json"


def test_every_capability_of_the_public_matrix_is_graded() -> None:
    wanted = [(one["id"], one["name"]) for one in json.loads(FEATURES.read_text())["features"]]
    assert [(one.id, one.name) for one in scoreboard.CAPABILITIES] == wanted


def test_every_proof_is_a_row_that_works_or_a_test() -> None:
    assert scoreboard.find_unproven() == []


def test_a_cell_that_is_not_full_says_why_and_a_full_one_is_shown() -> None:
    for one in scoreboard.CAPABILITIES:
        for cell in (one.v2, one.v3):
            assert cell.why or cell.proof, one.id
