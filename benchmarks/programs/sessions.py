"""What idle Flight SQL sessions cost the server; their clients are in a process of their own.

python -m benchmarks.programs.sessions COUNT              the server; prints the JSON object
python -m benchmarks.programs.sessions COUNT ADDRESS      its clients
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from contextlib import ExitStack

from benchmarks.memory import rss_mb
from sqe.server.build import Server, build
from sqe.settings import load_settings


def main() -> None:
    count = int(sys.argv[1])
    if len(sys.argv) > 2:
        connect(count, sys.argv[2])
        return
    server = build(load_settings())
    address = server.listen(port=0)
    before = held(server, 1, address)
    after = held(server, count, address)
    server.close()
    answer = {"session_mb": round(max(0.0, after - before) / (count - 1), 2), "sessions": count}
    json.dump({**answer, "before_mb": round(before, 1), "after_mb": round(after, 1)}, sys.stdout)


def held(server: Server, count: int, address: str) -> float:
    """The server's memory while that many clients are connected and have each asked something."""
    command = [sys.executable, "-m", "benchmarks.programs.sessions", str(count), address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as clients:
        assert clients.stdin is not None
        assert clients.stdout is not None
        if clients.stdout.readline() != b"connected\n":
            raise RuntimeError("the clients could not connect")
        sessions = server.status()["sessions"]
        if sessions < count:
            raise RuntimeError(f"{count} clients have {sessions} sessions")
        gc.collect()
        memory = rss_mb()
        clients.stdin.close()
    return memory


def connect(count: int, address: str) -> None:
    import adbc_driver_flightsql.dbapi as adbc

    with ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(adbc.connect(address, autocommit=True))
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
                cursor.fetchall()
        print("connected", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
