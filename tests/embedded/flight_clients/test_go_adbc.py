"""The Go ADBC driver's own validation suites; ``tests/flight_clients/go`` says what SQE is."""

from __future__ import annotations

import os
import re
import subprocess

import pyarrow as pa
import pytest

from sqe import __version__
from tests.embedded.flight_clients.conftest import PASSWORD, SCHEMA, Reachable
from tests.flight_clients.golang import SOURCE, NoGo, validation

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(1500)]

RESULT = re.compile(r"^\s*--- (PASS|FAIL|SKIP): (\S+)", re.MULTILINE)


def expected_failures() -> dict[str, str]:
    lines = (SOURCE / "expected_failures.txt").read_text().splitlines()
    parted = (line.partition("#") for line in lines if line and not line.startswith("#"))
    return {name.strip(): reason.strip() for name, _, reason in parted}


def parents(name: str) -> set[str]:
    """Go counts a test as failed if one inside it is."""
    parts = name.split("/")
    return {"/".join(parts[:length]) for length in range(1, len(parts) + 1)}


def test_the_suites_pass(writing: Reachable) -> None:
    try:
        suites = validation()
    except NoGo as why:
        pytest.skip(str(why))
    about = {
        "FLIGHT_URI": writing.uri.replace("grpc://", "grpc+tcp://"),
        "FLIGHT_USER": "ann",
        "FLIGHT_PASSWORD": PASSWORD,
        "FLIGHT_CATALOG": "lake",
        "FLIGHT_SCHEMA": SCHEMA,
        "SQE_VERSION": __version__,
        "ARROW_VERSION": pa.__version__,
    }
    done = subprocess.run(
        [suites, "-test.v"],
        cwd=SOURCE,
        env={**os.environ, **about},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    results = {name: outcome for outcome, name in RESULT.findall(done.stdout)}
    failed = {name for name, outcome in results.items() if outcome == "FAIL"}
    expected = {one for name in expected_failures() for one in parents(name)}
    assert failed == expected, done.stdout[-6000:]
    assert [name for name, outcome in results.items() if outcome == "SKIP"] == []
    assert len(results) > 40


def test_every_expected_failure_has_a_reason() -> None:
    assert all(len(reason) > 20 for reason in expected_failures().values())
