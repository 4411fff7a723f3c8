"""A large statement and a small one: the small one does not wait for the large one's end."""

from __future__ import annotations

import pytest

from sqe.settings import Settings
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake, until

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

SMALL = "SELECT count(*) FROM range(0, 10, 1, 2)"
# Short tasks, more of them than any machine does while a small write runs.
LARGE = "SELECT sum(hash(id)) FROM range(0, 8000000000, 1, 4000)"


def test_a_small_write_is_done_while_tasks_of_a_large_query_wait(lake: Lake) -> None:
    ann, again, bob = (lake.another_session(user) for user in ("ann", "ann", "bob"))
    assert bob.value(SMALL) == 10  # Spark runs
    large = ann.submit(LARGE)
    assert until(lambda: ann.record(large).progress.tasks_done > 0, 60), ann.record(large)
    assert again.value(SMALL) == 10
    bob.run("CREATE TABLE fair AS SELECT 1 AS id")
    record = ann.record(large)
    assert (record.state.ended, record.progress.tasks_done < record.progress.tasks) == (False, True)
    for session in (ann, again, bob):
        session.close()


def test_spark_runs_the_jobs_of_a_session_in_the_pool_of_its_settings(
    lake: Lake, another: Another
) -> None:
    """Spark warns of a pool that its file lacks. Those of users are in the file."""
    in_other_pool = another(Settings(), {"spark.scheduler.pool": "in-no-file"})
    assert [in_other_pool.value(SMALL), lake.value(SMALL)] == [10, 10]
    log = (lake.home / "logs" / "spark.log").read_text()
    assert "scheduler pool in-no-file, which has not been configured" in log
    assert "scheduler pool users-" not in log
