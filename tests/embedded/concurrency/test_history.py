"""Several sessions change one table at once: what is left is what some serial order leaves."""

from __future__ import annotations

import pytest

from tests.embedded.concurrency.history import History
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("version", [2, 3])
def test_a_serial_order_explains_a_concurrent_history(lake: Lake, version: int, mode: str) -> None:
    history = History.of(lake, f"history_{version}_{mode[:4]}", version, mode)
    history.run(seed=version * 10 + len(mode), sessions=3, each=4)
    reader = lake.another_session(engine="auto")
    history.check(reader)
    reader.close()
