"""Trino's Python client: texts in, seconds and rows out.

python -m benchmarks.programs.trino_client ADDRESS
"""

from __future__ import annotations

import json
import sys
import time
from urllib.parse import urlsplit

import trino.dbapi

_ROWS = 10_000


def main(address: str) -> None:
    url = urlsplit(address)
    connection = trino.dbapi.Connection(host=str(url.hostname), port=url.port, user="bench")
    for line in sys.stdin:
        cursor = connection.cursor()
        started, rows = time.perf_counter(), 0
        cursor.execute(line)
        while got := cursor.fetchmany(_ROWS):
            rows += len(got)
        print(json.dumps([time.perf_counter() - started, rows]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
