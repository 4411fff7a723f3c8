"""A real PostgreSQL of the tests' own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_USER = "sqe"
_SETTINGS = {"fsync": "off", "listen_addresses": ""}


@dataclass(frozen=True)
class PostgreSQL:
    """On a socket in its folder, so that several never meet."""

    programs: Path
    folder: Path
    password: str

    @property
    def url(self) -> str:
        secret = f":{self.password}" if self.password else ""
        return f"postgresql+psycopg://{_USER}{secret}@/postgres?host={self.folder}"

    def start(self) -> None:
        settings = {**_SETTINGS, "unix_socket_directories": str(self.folder)}
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self.run(
            "pg_ctl", *self._data, "-w", "-l", str(self.folder / "log"), "-o", options, "start"
        )

    def stop(self) -> None:
        self.run("pg_ctl", *self._data, "-w", "-m", "immediate", "stop")

    def make(self) -> None:
        secret = self.folder / "password"
        secret.write_text(self.password)
        how = ["-A", "scram-sha-256", "--pwfile", str(secret)] if self.password else ["-A", "trust"]
        self.run("initdb", *self._data, "-U", _USER, *how)

    def run(self, program: str, *arguments: str) -> None:
        """As somebody who is not root: PostgreSQL refuses to be started by root."""
        root = os.getuid() == 0
        libraries = ":".join(str(one) for one in self.programs.parents[2].glob("*-linux-gnu"))
        subprocess.run(
            [str(self.programs / program), *arguments],
            check=True,
            capture_output=True,
            cwd=self.folder,
            env={**os.environ, "LD_LIBRARY_PATH": libraries},
            user="nobody" if root else None,
            group=pwd.getpwnam("nobody").pw_gid if root else None,
            extra_groups=[] if root else None,
        )

    @property
    def _data(self) -> tuple[str, str]:
        return "-D", str(self.folder / "data")


def installed() -> Path | None:
    """Where the machine has it."""
    folders = [*sorted(Path("/usr/lib/postgresql").glob("*/bin")), Path("/usr/local/bin")]
    return next((one for one in reversed(folders) if (one / "initdb").exists()), None)


@contextmanager
def place() -> Iterator[Path]:
    """A folder that PostgreSQL's user can reach, as few of root's are."""
    folder = Path(tempfile.mkdtemp(prefix="sqe-pg-"))
    if os.getuid() == 0:
        shutil.chown(folder, "nobody")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(programs: Path, folder: Path, password: str = "") -> Iterator[PostgreSQL]:
    made = PostgreSQL(programs, folder, password)
    made.make()
    made.start()
    try:
        yield made
    finally:
        made.stop()


def schema_in(address: str) -> str:
    """The address with an empty schema of its own."""
    from sqlalchemy import create_engine, text

    schema = f"s{uuid.uuid4().hex[:12]}"
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    engine.dispose()
    return f"{address}&options=-csearch_path%3D{schema}"
