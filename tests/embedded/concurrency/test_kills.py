"""SQE and Spark are killed in the middle of writes: the table is before or after, never between.

A few times here; ``make soak`` does it for minutes.
"""

from __future__ import annotations

import random

import pytest

from sqe.engines.spark.addresses import EmbeddedAddress
from sqe.settings import Settings
from tests.embedded.concurrency.killing import Table, Victim, kill_spark_during, remove_orphans
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


def test_a_killed_sqe_leaves_whole_tables_and_the_next_one_goes_on(
    lake: Lake, another: Another
) -> None:
    """Spark lives on here, as a cluster's would: a job of the dead SQE must not commit."""
    assert lake.server.spark is not None
    spark = EmbeddedAddress(lake.server.spark).reach().url.reveal()
    here = another(Settings())
    table = Table.made(here, here.another_session(engine="auto"), "killed", seed=1)
    rng = random.Random(1)
    for _ in range(3):
        Victim(table, here.home, spark).watch_and_kill(rng.randint(0, 2), rng.uniform(0, 1))
    remove_orphans(here, table)


def test_a_killed_spark_is_answered_truly(lake: Lake) -> None:
    """A write whose commit arrived has succeeded; otherwise nothing was written."""
    table = Table.made(lake, lake.another_session(engine="auto"), "lost", seed=2)
    rng = random.Random(2)
    for _ in range(2):
        error = kill_spark_during(lake, table, rng)
        assert error is None or "othing was written" in str(error)
    remove_orphans(lake, table)
