"""Users of Trino's Python client who ask the tiles of a dashboard, one after the other.

python -m benchmarks.programs.dashboard_users ADDRESS SCHEMA USERS SECONDS < texts, one a line
"""

from __future__ import annotations

import json
import sys
import threading
import time
from urllib.parse import urlsplit

import trino.dbapi


def main(address: str, schema: str, users: str, seconds: str) -> None:
    url, texts = urlsplit(address), [line.strip() for line in sys.stdin if line.strip()]
    took: list[float] = []
    failures: list[str] = []
    start = threading.Barrier(int(users))

    def work(number: int) -> None:
        connection = trino.dbapi.Connection(
            host=str(url.hostname), port=url.port, user="bench", catalog="lake", schema=schema
        )
        start.wait()
        end, at = time.perf_counter() + float(seconds), number
        while time.perf_counter() < end:
            began = time.perf_counter()
            try:
                cursor = connection.cursor()
                cursor.execute(texts[at % len(texts)])
                cursor.fetchall()
            except Exception as error:  # noqa: BLE001  told, and the run fails
                failures.append(f"{type(error).__name__}: {error}"[:200])
                return
            took.append(time.perf_counter() - began)
            at += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(int(users))]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - began
    print(json.dumps({"took": took, "failures": failures, "elapsed_s": elapsed}))


if __name__ == "__main__":
    main(*sys.argv[1:])
