"""What statements that wait for their turn cost the server; their clients are in another process.

python -m benchmarks.programs.queued COUNT              the server; prints the JSON object
python -m benchmarks.programs.queued COUNT ADDRESS      its clients, of Trino's protocol
"""

from __future__ import annotations

import gc
import http.client
import json
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.memory import rss_mb
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest, QueryState
from sqe.server.build import Server, build
from sqe.settings import load_settings

_BUSY = "SELECT sum(a.id * b.id % 7) FROM range(1000000) a CROSS JOIN range(1000000) b"
_WAIT_S = 240.0


def main() -> None:
    count = int(sys.argv[1])
    if len(sys.argv) > 2:
        ask(count, sys.argv[2])
        return
    server = build(load_settings())
    address = server.listen_trino(port=0)
    session = server.gateway.open_session(Identity("busy"))
    first = server.gateway.submit(QueryRequest(session.id, _BUSY))  # it has the only place
    hold(server, 2, address)  # all that is loaded once
    before, threads = measure()
    answer = hold(server, count, address)
    json.dump({**answer, "before_mb": before, "threads_before": threads}, sys.stdout)
    server.gateway.cancel(first)
    server.close()


def hold(server: Server, count: int, address: str) -> dict[str, float]:
    """The server while that many wait. They end with their clients."""
    command = [sys.executable, "-m", "benchmarks.programs.queued", str(count), address]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as clients:
        deadline = time.monotonic() + _WAIT_S
        while waiting(server) < count:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{waiting(server)} of {count} wait")
            time.sleep(0.1)
        memory, threads = measure()
        clients.kill()
    for record in server.gateway.records():
        if record.state is QueryState.QUEUED:
            server.gateway.cancel(record.query_id)
    return {"after_mb": memory, "threads": threads, "waiting": count}


def waiting(server: Server) -> int:
    return sum(record.state is QueryState.QUEUED for record in server.gateway.records())


def measure() -> tuple[float, int]:
    """Memory in MB, and threads, those of libraries among them."""
    gc.collect()
    return round(rss_mb(), 1), len(list(Path("/proc/self/task").iterdir()))


def ask(count: int, address: str) -> None:
    where = urlsplit(address)
    for number in range(count):
        connection = http.client.HTTPConnection(where.hostname or "", where.port)
        connection.request("POST", "/v1/statement", f"SELECT {number}", {"X-Trino-User": "waits"})
        with suppress(OSError):
            connection.getresponse().read()
        connection.close()
    sys.stdin.read()


if __name__ == "__main__":
    main()
