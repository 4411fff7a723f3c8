"""``sqe serve`` in a process of its own, over a home of the cache."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.local_lake import NO_SPARK
from benchmarks.processes import ServerProcess, environment, sqe_command

_READY = re.compile(r"Trino's protocol is at (http://\S+)")
_STOP_S = 30


@contextmanager
def sqe_server(home: Path, settings: Mapping[str, str] | None = None) -> Iterator[ServerProcess]:
    """Where it speaks Trino's protocol. Without Spark: a query that needs it fails."""
    process = subprocess.Popen(
        [
            *(sqe_command(), "--home", str(home), "serve"),
            *("--port", "0", "--flight-port", "0", "--trino-port", "0"),
        ],
        env=environment({"SQE_SPARK__REMOTE": NO_SPARK, **(settings or {})}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = []
        for line in process.stderr or ():
            said.append(line)
            if found := _READY.search(line):
                break
        else:
            raise RuntimeError(f"sqe serve ended: {''.join(said)}")
        yield ServerProcess(found.group(1), process.pid)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
