"""A process that is killed leaves nothing for long; one that lives keeps what it has."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sqe.engines.local.spill import SpillFolder, remove_left_behind
from tests.unit.engines.local.runtime.conftest import MakeWorld

# Sorts more than fits in memory, tells when the first rows are there, and waits.
SPILLING = """
import sys
from pathlib import Path
import pyarrow as pa
from tests.unit.engines.local.runtime.world import make_world, new_run
from sqe.engines.local.options import MB
home = Path(sys.argv[1])
world = make_world(home, memory=96 * MB, memory_floor=64 * MB, memory_per_query=64 * MB)
sql = "SELECT n FROM range(10000000) r(n) ORDER BY hash(n)"
statement = world.statement(sql, pa.schema({"n": pa.int64()}), ())
result = world.run(statement, new_run())
next(iter(result))
print("spilled", flush=True)
sys.stdin.readline()
print(sum(batch.num_rows for batch in result), flush=True)
result.close()
world.engine.close()
"""


@contextmanager
def spilling(home: Path) -> Iterator[subprocess.Popen[str]]:
    home.mkdir(exist_ok=True)
    script = home / "spilling.py"
    script.write_text(SPILLING)
    process = subprocess.Popen(
        [sys.executable, str(script), str(home)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "spilled\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def spilled(folder: Path) -> list[Path]:
    return [path for path in folder.glob("process-*/query-*/*") if path.stat().st_size]


@pytest.mark.timeout(120)
def test_what_a_killed_process_spilled_is_gone_at_the_next_start(
    tmp_path: Path, make: MakeWorld
) -> None:
    home = tmp_path / "home of two"
    with spilling(home) as process:
        assert spilled(home / "spill")
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert spilled(home / "spill")  # the system does not clean up
    world = make(folder=home / "spill")
    world.engine.warm()
    assert len(list((home / "spill").iterdir())) == 1
    assert not spilled(home / "spill")
    world.engine.close()
    assert not list((home / "spill").iterdir())


@pytest.mark.timeout(120)
def test_two_processes_share_a_home(tmp_path: Path, make: MakeWorld) -> None:
    home = tmp_path / "home of two"
    with spilling(home) as process:
        before = spilled(home / "spill")
        world = make(folder=home / "spill")
        world.engine.warm()
        remove_left_behind(home / "spill")
        assert set(before) <= set(spilled(home / "spill"))
        world.engine.close()
        assert set(before) <= set(spilled(home / "spill"))
        out, _ = process.communicate("go on\n", timeout=60)
        first = 50_000
        assert int(out) == 10_000_000 - first
    assert not list((home / "spill").iterdir())


def test_a_folder_without_a_lock_is_one_whose_maker_died(tmp_path: Path) -> None:
    parent = tmp_path / "spill"
    (parent / "process-died" / "query-1").mkdir(parents=True)
    (parent / "somebody else's").mkdir()
    folder = SpillFolder(parent)
    assert set(parent.iterdir()) == {folder.path, parent / "somebody else's"}
    another = SpillFolder(parent)
    assert folder.path.is_dir()
    folder.close()
    another.close()
    assert list(parent.iterdir()) == [parent / "somebody else's"]


def test_cleaning_needs_no_folder(tmp_path: Path) -> None:
    remove_left_behind(tmp_path / "not there")
    assert not (tmp_path / "not there").exists()
