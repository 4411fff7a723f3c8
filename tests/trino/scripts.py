"""The recorded scripts: several statements each, of which a later one sees what earlier ones did.

``python -m tests.trino.scripts [--id 026] [--spark FILE] [--tpch]`` prints what is refused and
different.
"""

from __future__ import annotations

import argparse
import collections
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.trino.asking import Answer, Client
from tests.trino.corpus import Verdict, chosen, judge
from tests.trino.serving import Served, serving

CATALOG = "iceberg"  # of the recorded client
CATALOGS = {name: {"type": "embedded"} for name in ("iceberg", "tpch", "memory")}
_ANY = "<volatile>"
_PLACE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True)
class Judged:
    script: str
    step: int
    sql: str
    verdict: Verdict
    why: str = ""


def run_script(client: Client, script: dict[str, Any]) -> Iterator[Judged]:
    """Behind a change that was not made as Trino makes it, what differs is no news."""
    captured: dict[str, str] = {}
    spoiled = ""
    for number, step in enumerate(script["steps"]):
        sql = _PLACE.sub(lambda match: captured.get(match[1], "0"), step["sql"])
        answer = client.ask(sql)
        for name, (row, column) in (step.get("capture") or {}).items():
            if row < len(answer.data):
                captured[name] = str(answer.data[row][column])
        verdict, why = _judge(step, answer)
        if verdict is Verdict.DIFFERENT and spoiled:
            verdict, why = Verdict.REFUSED, f"follows {spoiled}"
        elif verdict is not Verdict.SAME and not step.get("error"):
            spoiled = spoiled or (sql if step.get("updateType") or step.get("capture") else "")
        yield Judged(script["id"], number, sql, verdict, why)


def _judge(step: dict[str, Any], answer: Answer) -> tuple[Verdict, str]:
    if step.get("error") or answer.error:
        return judge(step, answer)
    mine = answer.update_type, answer.update_count
    theirs = step.get("updateType") or "", step.get("updateCount")
    if mine != theirs:
        return Verdict.DIFFERENT, f"update {mine} instead of {theirs}"
    return judge(step, _blurred(step, answer))


def _blurred(step: dict[str, Any], answer: Answer) -> Answer:
    """The answer with ``<volatile>`` wherever the recording has it."""
    columns = list(answer.columns)
    for i, (mine, theirs) in enumerate(zip(columns, step["columns"], strict=False)):
        if theirs["type"] == _ANY:
            columns[i] = {**mine, "type": _ANY}
    data = [list(row) for row in answer.data]
    for place in step.get("volatile") or ():
        if isinstance(place, list) and place[0] < len(data) and place[1] < len(data[place[0]]):
            row, column = place[0], place[1]
            theirs = step["data"][row][column]
            if len(place) == 2 or _fits(str(data[row][column]), str(theirs)):
                data[row][column] = theirs
    return replace(answer, columns=columns, data=data)


def _fits(mine: str, theirs: str) -> bool:
    pattern = ".*?".join(re.escape(part) for part in theirs.split(_ANY))
    return re.fullmatch(pattern, mine, re.DOTALL) is not None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--id", default="")
    parser.add_argument("--group", default="")
    parser.add_argument("--tpch", action="store_true", help="with tpch.tiny")
    parser.add_argument("--spark", default="", help="a file with the address of a running Spark")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        given: dict[str, object] = {"catalogs": CATALOGS, "default_catalog": CATALOG}
        if options.spark:
            given["spark"] = {"remote": Path(options.spark).read_text().strip()}
        with serving(Path(home), given, Path(folder) if options.tpch else None) as served:
            _show(served, options)


def _show(served: Served, options: argparse.Namespace) -> None:
    counts: collections.Counter[Verdict] = collections.Counter()
    for script in chosen("scripts", options.group, options.id):
        for one in run_script(served.client(CATALOG), script):
            counts[one.verdict] += 1
            if one.verdict is not Verdict.SAME:
                where = f"{one.script}.{one.step}"
                print(f"{one.verdict.value:9} {where}: {one.sql}\n      {one.why[:400]}")  # noqa: T201
    for verdict in Verdict:
        print(f"{verdict.value:9} {counts[verdict]:5} of {counts.total()}")  # noqa: T201


if __name__ == "__main__":
    main()
