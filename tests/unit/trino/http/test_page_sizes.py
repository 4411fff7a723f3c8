"""How much of a large result is in one page."""

from __future__ import annotations

import json
import threading

from sqe.trino.http.results import Results
from sqe.trino.http.segments import Packing

_FIRST = 1_000


def test_pages_of_a_large_result_grow_to_eight_times_the_first() -> None:
    results = Results(Packing(), _FIRST)
    row = b'["' + b"x" * 96 + b'"]'

    def fill() -> None:
        for _ in range(400):
            results.put(row, 1)
        results.finish()

    filling = threading.Thread(target=fill)
    filling.start()
    sizes: list[int] = []
    last = False
    while not last:
        if results.ready:
            part = results.take()
            last = part.last
            sizes.append(len(json.loads(part.data)))
    filling.join()
    assert sizes == [9, 19, 39, 79, 79, 79, 79, 17]
