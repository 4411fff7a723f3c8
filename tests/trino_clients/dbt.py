"""dbt with Trino's adapter, in an environment of its own that ``requirements/dbt.lock`` pins."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.trino_clients.environments import environment

_PROFILE = """
lab:
  target: dev
  outputs:
    dev:
      type: trino
      method: none
      user: ann
      host: {host}
      port: {port}
      database: lake
      schema: {schema}
      http_scheme: http
      threads: 1
"""


@dataclass(frozen=True)
class Project:
    """A dbt project in a folder, for one server and schema."""

    folder: Path
    host: str
    port: int
    schema: str

    def write(self, files: dict[str, str]) -> None:
        profile = _PROFILE.format(host=self.host, port=self.port, schema=self.schema)
        for name, text in {"profiles.yml": profile, **files}.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run(self, *arguments: str) -> str:
        """What it printed. CalledProcessError with that if it failed."""
        done = subprocess.run(
            [environment("dbt") / "dbt", "--no-use-colors", *arguments, "--profiles-dir", "."],
            cwd=self.folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.folder),
                "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"dbt {' '.join(arguments)} failed:\n{done.stdout}")
        return done.stdout

    def made(self, name: str) -> Any:
        """A file of the target folder, as ``catalog.json``."""
        return json.loads((self.folder / "target" / name).read_text())
