"""A hundred clients at once: equal answers, nobody sees another's, nothing stays behind."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.embedded.flight.serving import Serving, ask
from tests.embedded.pipe.lake import query_threads, until

CLIENTS = 100
USERS: tuple[dict[str, str], ...] = (
    {},
    {"username": "ann", "password": "correct horse"},
    {"username": "bob", "password": "battery staple"},
)


@pytest.mark.timeout(300)
def test_a_hundred_clients_get_their_own_answers(flight: Serving) -> None:
    together = threading.Barrier(CLIENTS, timeout=120)

    def client(number: int) -> list[object]:
        with flight.connect(**USERS[number % len(USERS)]) as connection:
            together.wait()
            zone = f"+{number // 60:02d}:{number % 60:02d}"
            with connection.cursor() as cursor:
                cursor.execute(f"SET SESSION sqe.time_zone = '{zone}'")
            rows = ask(
                connection,
                "SELECT n, t FROM shop.numbers WHERE n >= ? AND n < ? ORDER BY n",
                (number * 10, number * 10 + 3),
            )
            count = ask(connection, f"SELECT count(*), sum(n) FROM shop.numbers WHERE n < {number}")
            kept = {name: value for name, value, *_ in ask(connection, "SHOW SESSION")}
            return [rows, count, kept["sqe.time_zone"] == zone]

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(client, range(CLIENTS)))
    for number, (rows, count, kept) in enumerate(answers):
        first = number * 10
        assert rows == [(n, f"row {n}") for n in range(first, first + 3)]
        assert count == [(number, sum(range(number)) if number else None)]
        assert kept
    assert until(lambda: not flight.running() and not query_threads(), 60)
