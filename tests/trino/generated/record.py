"""``make trino-record``: makes queries by rule and keeps what a real Trino answers.

``python -m tests.trino.generated.record --seed NAME --count N --compare`` keeps nothing: it asks
SQE the same and prints what differs. A seed that nobody has looked at shows how well SQE does.
``--add`` keeps the answers that are there already, of other seeds or of an older grammar.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Options
from benchmarks.trino_server import trino_server
from tests.trino.asking import Answer, Client
from tests.trino.corpus import CATALOGS, Verdict, judge
from tests.trino.generated.kinds import generate
from tests.trino.generated.tables import SCHEMA, statements
from tests.trino.serving import serving

RECORDED = Path(__file__).parent / "recorded.jsonl.gz"
# What Trino cannot answer says nothing about what is right.
_LIMITS = frozenset({"NOT_SUPPORTED", "COMPILER_ERROR", "GENERIC_INTERNAL_ERROR"})
_AT_ONCE = 3


def recorded() -> list[dict[str, Any]]:
    with gzip.open(RECORDED, "rt") as lines:
        return [json.loads(line) for line in lines]


def record(address: str, seed: str, count: int) -> Iterator[dict[str, Any]]:
    """Trino's answers, but for queries that it does not take."""
    client = Client(address, "lake")
    client.ask(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    for text in statements():
        answer = client.ask(text)
        assert not answer.error, answer.message
    client.close()
    made = generate(seed, count)
    answers = _ask(address, [sql for _, sql in made])
    for number, ((kind, sql), answer) in enumerate(zip(made, answers, strict=True)):
        if answer.error not in _LIMITS:
            yield {"id": f"{kind}-{seed}-{number}", "sql": sql, **_kept(sql, answer)}


def _ask(address: str, texts: Sequence[str]) -> Iterable[Answer]:
    mine = threading.local()

    def ask(sql: str) -> Answer:
        if not hasattr(mine, "client"):
            mine.client = Client(address, "lake")
        answer: Answer = mine.client.ask(sql)
        return answer

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return list(threads.map(ask, texts))


def _kept(sql: str, answer: Answer) -> dict[str, Any]:
    if not answer.error:
        ordered = _is_ordered(sql)
        return {"ordered": ordered, "columns": answer.columns, "data": answer.data}
    error: dict[str, Any] = {"name": answer.error, "message": answer.message}
    if answer.location is not None:
        line, column = answer.location
        error["errorLocation"] = {"lineNumber": line, "columnNumber": column}
    return {"error": error}


def _is_ordered(sql: str) -> bool:
    """Whether there is an ORDER BY outside of all brackets."""
    depth, outside = 0, ""
    for character in sql:
        depth += {"(": 1, ")": -1}.get(character, 0)
        outside += character if not depth else ""
    return " ORDER BY " in outside


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="sqe")
    parser.add_argument("--count", type=int, default=2400)
    parser.add_argument("--address", help="of a Trino that runs, with a catalog lake of Iceberg's")
    parser.add_argument("--spark", help="a file with the address of a running Spark")
    parser.add_argument("--compare", action="store_true", help="with SQE, and keep nothing")
    parser.add_argument("--add", action="store_true", help="to the answers that are kept")
    options = parser.parse_args()
    with ExitStack() as stack:
        address = options.address
        if address is None:
            bench = stack.enter_context(Bench(Options()))
            address = stack.enter_context(trino_server(bench)).address
        cases = list(record(address, options.seed, options.count))
    if options.compare:
        _compare(cases, options.spark)
        return
    if options.add:
        new = {case["id"] for case in cases}
        cases = [*(case for case in recorded() if case["id"] not in new), *cases]
    text = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)
    RECORDED.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{len(cases)} answers, {RECORDED.stat().st_size // 1024} kB")


def _compare(cases: Sequence[dict[str, Any]], spark: str | None) -> None:
    given: dict[str, Any] = {"catalogs": CATALOGS}
    if spark:
        given["spark"] = {"remote": Path(spark).read_text().strip()}
    verdicts: collections.Counter[Verdict] = collections.Counter()
    with tempfile.TemporaryDirectory() as home, serving(Path(home), given) as served:
        for answer in served.answers(statements()[:1]):
            assert not answer.error, answer.message
        for text in statements()[1:]:
            assert not served.answers([text])[0].error
        answers = served.answers([case["sql"] for case in cases])
        for case, answer in zip(cases, answers, strict=True):
            verdict, why = judge(case, answer)
            verdicts[verdict] += 1
            if why:
                print(f"{verdict.value} {case['id']}: {case['sql']}\n    {why[:1000]}")
    print({verdict.value: count for verdict, count in verdicts.items()})


if __name__ == "__main__":
    main()
