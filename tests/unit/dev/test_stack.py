"""The stack's own machinery: programs that go on running and are really stopped, pinned files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from dev.stack.fetch import GoProgram, fetch
from dev.stack.messages import StackError
from dev.stack.people import PEOPLE, realms
from dev.stack.places import Places
from dev.stack.processes import Command, Processes
from dev.stack.summary import settings
from sqe.engines.spark.ivy import Artifact
from sqe.settings import load_settings

# A wrapper that does not hand its signals on, as Keycloak's start-up script is one.
WRAPPER = ("sh", "-c", "sleep 600 & echo $! > child; wait")
JAR = Artifact("org.example", "thing", "1.0", "0" * 64, "runner")


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    made = Processes(tmp_path)
    yield made
    made.stop("thing")


def _started(processes: Processes, folder: Path) -> psutil.Process:
    """The wrapper's child."""
    processes.start("thing", Command(WRAPPER, {}))
    child = folder / "thing" / "child"
    end = time.monotonic() + 30
    while not (child.exists() and child.read_text().strip()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return psutil.Process(int(child.read_text()))


def test_a_program_is_stopped_with_its_children(processes: Processes, tmp_path: Path) -> None:
    child = _started(processes, tmp_path)
    assert processes.record("thing") is not None
    assert processes.stop("thing")
    assert processes.record("thing") is None
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_stopping_what_does_not_run_is_no_error(processes: Processes) -> None:
    assert not processes.stop("thing")


def test_another_run_finds_what_was_started(processes: Processes, tmp_path: Path) -> None:
    _started(processes, tmp_path)
    processes.mark_provisioned("thing")
    found = Processes(tmp_path).record("thing")
    assert found is not None
    assert found.provisioned
    assert found.fingerprint == Command(WRAPPER, {}).fingerprint


def test_a_pid_that_now_belongs_to_another_program_is_left_alone(
    processes: Processes, tmp_path: Path
) -> None:
    child = _started(processes, tmp_path)
    file = tmp_path / "thing.json"
    ours = file.read_text()
    created = child.create_time()
    file.write_text(f'{{"pid": {child.pid}, "created": {created - 100}, "fingerprint": ""}}')
    assert processes.record("thing") is None
    assert not processes.stop("thing")
    assert child.is_running()
    file.write_text(ours)


def test_what_is_missing_on_the_machine_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StackError, match="no `go` on the PATH"):
        GoProgram("example.org/thing", "v1", "h1:").build(tmp_path / "thing")


def test_a_file_that_cannot_be_had_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"'\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("sqe.engines.spark.ivy._PAUSES_S", ())
    with pytest.raises(StackError, match=r"org\.example:thing:1\.0:runner could not be fetched"):
        fetch(JAR, tmp_path / "cache")


def test_the_settings_that_it_prints_are_settings(tmp_path: Path) -> None:
    file = tmp_path / "stack.toml"
    file.write_text(settings(Places(tmp_path, 7)))
    read = load_settings(file)
    assert set(read.catalogs) == {"lake", "nessie"}
    assert read.auth.oidc["keycloak"].issuer == "http://127.0.0.1:18187/realms/sqe"


def test_names_are_unique_in_a_realm() -> None:
    for realm in realms():
        names = [user["username"] for user in realm["users"]]
        assert len(set(names)) == len(names)
    assert {person.name for person in PEOPLE} >= {"alice", "bob", "carol"}
