"""Many users, each with a session, ask small questions one after the other without a pause."""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from dataclasses import dataclass, field

from benchmarks.memory import Watch
from benchmarks.timing import in_ms, p50, percentile
from sqe.engines.local.options import MB, LocalOptions
from sqe.errors import SqeError
from sqe.gateway.gateway import Gateway
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import QueryRequest
from sqe.server.build import build
from sqe.settings import load_settings

# Numbers are put in for {0}, so that hardly any text comes twice.
QUESTIONS = (
    "SELECT n_name, n_regionkey FROM nation WHERE n_nationkey < {0} ORDER BY n_name",
    "SELECT r_name, count(*) AS nations FROM region JOIN nation ON n_regionkey = r_regionkey"
    " GROUP BY r_name ORDER BY r_name",
    "SELECT s_name, s_acctbal FROM supplier WHERE s_suppkey = {0}",
    "SELECT n_name, count(*) AS suppliers, sum(s_acctbal) AS balance FROM supplier"
    " JOIN nation ON s_nationkey = n_nationkey WHERE s_suppkey > {0}"
    " GROUP BY n_name ORDER BY suppliers DESC, n_name LIMIT 5",
    "SELECT c_name, c_acctbal FROM customer WHERE c_custkey = {0}",
    "SELECT c_mktsegment, count(*) AS customers, max(c_acctbal) AS best FROM customer"
    " WHERE c_custkey > {0} GROUP BY c_mktsegment ORDER BY c_mktsegment",
    "SELECT o_orderkey, o_totalprice FROM orders WHERE o_custkey = {0} ORDER BY o_orderkey",
    "SELECT p_brand, count(*) AS parts FROM part WHERE p_size = 15 AND p_partkey < {0}"
    " GROUP BY p_brand ORDER BY parts DESC, p_brand LIMIT 10",
)


@dataclass
class Crowd:
    """What the users have in common, and what they saw together."""

    gateway: Gateway
    schema: SchemaName
    each: int  # questions of a user
    start: threading.Barrier
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def main(schema: str, users: int, each: int) -> None:
    server = build(load_settings())
    name = SchemaName("lake", (schema,))
    crowd = Crowd(server.gateway, name, each, threading.Barrier(users))
    threads = [threading.Thread(target=_user, args=(number, crowd)) for number in range(users)]
    watch = Watch()
    started = time.perf_counter()
    with watch.running():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    seconds = time.perf_counter() - started
    server.close()
    times = in_ms(crowd.seconds)
    json.dump(
        {
            "p99_ms": percentile(times, 0.99) if times else 0.0,
            "p50_ms": p50(times) if times else 0.0,
            "users": users,
            "queries": len(times),
            "queries_per_s": round(len(times) / seconds, 1),
            "failed": len(crowd.errors),
            "errors": sorted(set(crowd.errors))[:5],
            "peak_mb": round(watch.peak(), 1),
            "cap_mb": LocalOptions(folder=server.settings.home).memory // MB,
        },
        sys.stdout,
    )


def _user(number: int, crowd: Crowd) -> None:
    choice = random.Random(number)
    gateway = crowd.gateway
    session = gateway.open_session(Identity(f"user{number}"), crowd.schema)
    session.set_property("sqe.engine", "local")
    crowd.start.wait()
    for _ in range(crowd.each):
        text = choice.choice(QUESTIONS).format(choice.randrange(1, 10_000))
        began = time.perf_counter()
        try:
            with gateway.fetch(gateway.submit(QueryRequest(session.id, text))) as result:
                result.read_all()
        except SqeError as error:
            crowd.errors.append(f"{error.code.name}: {error}")
        else:
            crowd.seconds.append(time.perf_counter() - began)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
