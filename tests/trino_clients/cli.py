"""Trino's command line, as people run it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from sqe.engines.spark.java import Java
from tests.flight_clients.cache import artifact

JAR = artifact(
    "io.trino:trino-cli:476:executable",
    "fe4e9c7fb569cd67673afa1622945f6308e1e59bdb825419352b80887661757b",
)


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@dataclass(frozen=True)
class Cli:
    java: Java
    jar: Path
    address: str

    def run(self, *options: str, typed: str = "", schema: str = "") -> Said:
        """One process: with ``--execute`` among the options, or with what is typed into it."""
        command = [str(self.java.executable), "-Xmx256m", "-XX:TieredStopAtLevel=1"]
        command += ["-Dorg.jline.terminal.dumb=true", "-jar", str(self.jar)]
        command += ["--server", self.address, "--user", "ann", "--catalog", "lake"]
        command += ["--schema", schema] if schema else []
        done = subprocess.run(
            [*command, *options], input=typed, capture_output=True, text=True, check=False
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def execute(self, text: str, *options: str, schema: str = "") -> Said:
        return self.run("--execute", text, *options, schema=schema)
