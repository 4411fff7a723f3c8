"""Each kind of database that SQE may keep its things in."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.model.identity import Secret
from sqe.store.database import Database

_PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin")) or [Path("/usr/local/bin")]


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The address of a PostgreSQL of this run's own, on a socket."""
    programs = _PROGRAMS[-1]
    if not (programs / "initdb").exists():
        pytest.skip("there is no PostgreSQL on this machine")
    folder = Path(tempfile.mkdtemp(prefix="sqe-pg-"))
    user = ["runuser", "-u", "nobody", "--"] if os.getuid() == 0 else []
    if user:
        shutil.chown(folder, "nobody")
    data, sockets = folder / "data", folder
    start = f"-c listen_addresses= -c unix_socket_directories={sockets} -c fsync=off"

    def run(*command: str) -> None:
        subprocess.run([*user, *command], check=True, capture_output=True, cwd=folder)

    run(str(programs / "initdb"), "-A", "trust", "-U", "sqe", "-D", str(data))
    control = (str(programs / "pg_ctl"), "-D", str(data), "-w")
    run(*control, "-l", str(folder / "log"), "-o", start, "start")
    try:
        yield f"postgresql+psycopg://sqe@/postgres?host={sockets}"
    finally:
        run(*control, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> Secret | None:
    """None: the file in the home. A PostgreSQL has a schema of this test's own."""
    if request.param == "sqlite":
        return None
    address: str = request.getfixturevalue("postgresql")
    schema = f"s{uuid.uuid4().hex[:12]}"
    from sqlalchemy import create_engine, text

    engine = create_engine(address)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    engine.dispose()
    return Secret(f"{address}&options=-csearch_path%3D{schema}")


@pytest.fixture
def database(tmp_path: Path, url: Secret | None) -> Iterator[Database]:
    made = Database(tmp_path, url)
    yield made
    made.close()
