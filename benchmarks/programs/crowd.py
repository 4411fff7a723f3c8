"""People of the stack, each with a token and a table of their own, ask a server over Flight SQL.

python -m benchmarks.programs.crowd USERS EACH            the server; prints its clients' answer
python -m benchmarks.programs.crowd USERS EACH ADDRESS    its clients, in a process of their own
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import sqe.client
from benchmarks.timing import in_ms, p50, percentile
from dev.stack.keycloak import token_of
from dev.stack.people import MANY, Person
from dev.stack.places import here
from sqe.server.build import build
from sqe.settings import load_settings


@dataclass
class Crowd:
    """What they have in common, and what they saw together. Tokens are made beforehand."""

    address: str
    each: int
    tokens: dict[str, str]
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    users, each = int(sys.argv[1]), int(sys.argv[2])
    if len(sys.argv) > 3:
        json.dump(clients(sys.argv[3], users, each), sys.stdout)
        return
    server = build(load_settings())
    address = server.listen(port=0)
    command = [sys.executable, "-m", "benchmarks.programs.crowd", str(users), str(each), address]
    subprocess.run(command, check=True)
    server.close()


def clients(address: str, users: int, each: int) -> dict[str, object]:
    people = MANY[:users]
    places = here()
    tokens = {person.name: token_of(places, person) for person in people}
    crowd = Crowd(address, each, tokens)
    warm, *others = people
    _new_session(crowd, warm)
    first = in_ms([_new_session(crowd, person) for person in others])
    start = threading.Barrier(users)
    with ThreadPoolExecutor(users) as pool:
        list(pool.map(lambda person: _ask(crowd, person, start), people))
    times = in_ms(crowd.seconds)
    return {
        "new_session_ms": p50(first),
        "new_session_p99_ms": percentile(first, 0.99),
        "p50_ms": p50(times) if times else 0.0,
        "p99_ms": percentile(times, 0.99) if times else 0.0,
        "users": users,
        "queries": len(times),
        "wrong": sorted(set(crowd.wrong))[:5],
    }


def _new_session(crowd: Crowd, person: Person) -> float:
    """Seconds from nothing to the first rows of a table of theirs."""
    began = time.perf_counter()
    with sqe.client.connect(crowd.address, token=crowd.tokens[person.name]) as connection:
        _check(crowd, person, connection)
        return time.perf_counter() - began


def _ask(crowd: Crowd, person: Person, start: threading.Barrier) -> None:
    with sqe.client.connect(crowd.address, token=crowd.tokens[person.name]) as connection:
        start.wait()
        for _ in range(crowd.each):
            began = time.perf_counter()
            _check(crowd, person, connection)
            crowd.seconds.append(time.perf_counter() - began)


def _check(crowd: Crowd, person: Person, connection: sqe.client.Connection) -> None:
    try:
        rows = connection.execute(f"SELECT owner FROM lake.crowd.{person.name}").fetchall()
    except sqe.client.Error as error:
        crowd.wrong.append(str(error))
        return
    if rows != [(person.name,)]:
        crowd.wrong.append(f"{person.name} was answered {rows}")


if __name__ == "__main__":
    main()
