"""Several threads and processes on one home, and processes that are killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json
from sqe.errors import ErrorCode, UserError
from tests.embedded.catalog.test_embedded_catalog import NS, set_property
from tests.unit.catalog.tables import SCHEMA

_WORKER = """
    import sys
    from pathlib import Path
    from sqe.catalog.embedded import EmbeddedCatalog
    from sqe.catalog.embedded.sqlite_store import SqliteStore
    from sqe.catalog.protocol import Ident

    home, me, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    patient = SqliteStore(Path(home, "catalog.db"), busy_seconds=30)
    catalog = EmbeddedCatalog(patient, home + "/warehouse")
    table = Ident(("sales",), "orders")
    schema = {"type": "struct", "fields": [{"id": 1, "name": "a", "type": "int"}]}
    print("ready", flush=True)
    for number in range(count):
        update = {"action": "set-properties", "updates": {f"{me}-{number}": "1"}}
        catalog.commit_table(table, {"updates": [update]})
        if number % 5 == 0:
            catalog.create_table(("sales",), {"name": f"t-{me}-{number}", "schema": schema})
        print(number, flush=True)
"""


def worker(home: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_WORKER), str(home), name, str(count)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_two_processes_lose_no_commit(catalog: EmbeddedCatalog, table: Ident, home: Path) -> None:
    workers = [worker(home, name, 25) for name in ("one", "two")]
    for process in workers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    properties = catalog.load_table(table).metadata["properties"]
    assert {f"{name}-{n}" for name in ("one", "two") for n in range(25)} <= set(properties)
    assert len(catalog.list_tables(NS)) == 11


def test_many_may_open_a_new_home_at_once(home: Path) -> None:
    def first(_: int) -> list[tuple[str, ...]]:
        catalog = EmbeddedCatalog(home / "new.db", home / "new")
        try:
            return catalog.list_namespaces()
        finally:
            catalog.close()

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(first, range(6))) == [[]] * 6


def test_many_threads_lose_no_commit(catalog: EmbeddedCatalog, table: Ident) -> None:
    with ThreadPoolExecutor(8) as pool:
        jobs = [
            pool.submit(catalog.commit_table, table, set_property(f"p{number}", "1"))
            for number in range(40)
        ]
        assert all(job.result() for job in jobs)
    properties = catalog.load_table(table).metadata["properties"]
    assert {f"p{number}" for number in range(40)} <= set(properties)


def test_of_two_commits_on_the_same_state_one_wins(catalog: EmbeddedCatalog, table: Ident) -> None:
    def evolve(number: int) -> bool:
        extra = {"id": 3, "name": f"c{number}", "type": "int", "required": False}
        current = catalog.load_table(table).metadata["schemas"][0]
        request: Json = {
            "requirements": [
                {"type": "assert-current-schema-id", "current-schema-id": 0},
                {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 2},
            ],
            "updates": [
                {
                    "action": "add-schema",
                    "schema": {**current, "fields": [*current["fields"], extra]},
                },
                {"action": "set-current-schema", "schema-id": -1},
            ],
        }
        try:
            catalog.commit_table(table, request)
        except UserError as error:
            assert error.code is ErrorCode.COMMIT_CONFLICT
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(evolve, range(6))) == 1


def test_of_many_creates_one_wins(catalog: EmbeddedCatalog) -> None:
    def create(_: int) -> bool:
        try:
            catalog.create_table(NS, {"name": "t", "schema": SCHEMA})
        except UserError as error:
            assert error.code is ErrorCode.TABLE_ALREADY_EXISTS
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(create, range(12))) == 1


@pytest.mark.parametrize("attempt", range(4))
def test_a_killed_process_leaves_a_readable_catalog(
    catalog: EmbeddedCatalog, table: Ident, home: Path, attempt: int
) -> None:
    process = worker(home, "victim", 100_000)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.1 + 0.2 * random.random())  # any moment will do
    process.send_signal(signal.SIGKILL)
    printed = process.stdout.read().split()
    process.wait()
    process.stdout.close()
    done = int(printed[-1]) if printed and printed[-1].isdigit() else -1

    fresh = EmbeddedCatalog(home / "catalog.db", home / "warehouse")
    properties = fresh.load_table(table).metadata["properties"]
    assert {f"victim-{n}" for n in range(done)} <= set(properties)
    for name in fresh.list_tables(NS):
        loaded = fresh.load_table(Ident(NS, name))
        assert json.loads(loaded.metadata_json)["location"]
    fresh.commit_table(table, set_property("after", "1"))
    fresh.create_table(NS, {"name": "after", "schema": SCHEMA})
    fresh.close()
