"""The recorded scripts: several statements each, of which a later one sees what earlier ones did.

``python -m tests.trino.scripts [--id 026] [--spark FILE] [--tpch]`` prints what is refused and
different.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqe.errors import SqeError
from sqe.gateway.gateway import Gateway
from sqe.model.identity import Identity
from sqe.model.query import ClientChanges, ClientState, QueryRequest
from sqe.protocols.trino_http.encode import RowEncoder
from sqe.protocols.trino_http.errors import trino_error
from sqe.protocols.trino_http.wire import columns_json
from sqe.server.build import build
from sqe.settings import Settings
from tests.trino.asking import CAPABILITIES, Answer, Asker
from tests.trino.corpus import Verdict, chosen, judge
from tests.trino.tpch import make_tiny

USER = "lab"
CATALOGS = {name: {"type": "embedded"} for name in ("iceberg", "tpch", "memory")}
_ANY = "<volatile>"
_PLACE = re.compile(r"\$\{(\w+)\}")


@dataclass
class Client:
    """What a client of Trino's keeps from one statement to the next."""

    gateway: Gateway
    session: str
    state: ClientState = field(
        default_factory=lambda: ClientState("iceberg", "", capabilities=CAPABILITIES)
    )

    def ask(self, sql: str) -> tuple[Answer, str]:
        """The answer, and the update's type."""
        request = QueryRequest(self.session, sql, client=self.state)
        try:
            with self.gateway.fetch(self.gateway.submit(request)) as result:
                columns = columns_json(result.columns, CAPABILITIES)
                encoder = RowEncoder(result.columns, result.schema, CAPABILITIES)
                texts = [rows.text for batch in result for rows in encoder.encode(batch)]
                data = json.loads(b"[" + b",".join(texts) + b"]")
                outcome = result.outcome
        except SqeError as error:
            place = (error.position.line, error.position.column) if error.position else None
            return Answer([], [], trino_error(error).name, error.message, place), ""
        self.keep(outcome.changes)
        shown = [{"name": str(one["name"]), "type": str(one["type"])} for one in columns]
        return Answer(shown, data), outcome.update_type

    def keep(self, changes: ClientChanges) -> None:
        properties = {**self.state.properties, **changes.set_properties}
        prepared = {**self.state.prepared, **changes.added_prepared}
        for name in changes.reset_properties:
            properties.pop(name, None)
        for name in changes.dropped_prepared:
            prepared.pop(name, None)
        self.state = replace(
            self.state,
            catalog=changes.catalog or self.state.catalog,
            schema=changes.schema or self.state.schema,
            properties=properties,
            prepared=prepared,
        )


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
        answer, update_type = client.ask(sql)
        for name, (row, column) in (step.get("capture") or {}).items():
            if row < len(answer.data):
                captured[name] = str(answer.data[row][column])
        verdict, why = _judge(step, answer, update_type)
        if verdict is Verdict.DIFFERENT and spoiled:
            verdict, why = Verdict.REFUSED, f"follows {spoiled}"
        elif verdict is not Verdict.SAME and not step.get("error"):
            spoiled = spoiled or (sql if step.get("updateType") or step.get("capture") else "")
        yield Judged(script["id"], number, sql, verdict, why)


def _judge(step: dict[str, Any], answer: Answer, update_type: str) -> tuple[Verdict, str]:
    if step.get("error") or answer.error:
        return judge(step, answer)
    expected = step.get("updateType") or ""
    if update_type != expected:
        return Verdict.DIFFERENT, f"update type {update_type!r} instead of {expected!r}"
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
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as loadable:
        spark = {"remote": Path(options.spark).read_text()} if options.spark else {}
        settings = Settings.model_validate(
            {
                "home": folder,
                "default_catalog": "iceberg",
                "catalogs": CATALOGS,
                "spark": spark,
                "load": {"folders": [loadable]},
            }
        )
        server = build(settings)
        try:
            session = server.gateway.open_session(Identity(user=USER)).id
            if options.tpch:
                make_tiny(Asker(server.gateway, session), Path(loadable))
            _show(server.gateway, session, options)
        finally:
            server.close()


def _show(gateway: Gateway, session: str, options: argparse.Namespace) -> None:
    counts: collections.Counter[Verdict] = collections.Counter()
    for script in chosen("scripts", options.group, options.id):
        for one in run_script(Client(gateway, session), script):
            counts[one.verdict] += 1
            if one.verdict is not Verdict.SAME:
                where = f"{one.script}.{one.step}"
                print(f"{one.verdict.value:9} {where}: {one.sql}\n      {one.why[:400]}")  # noqa: T201
    for verdict in Verdict:
        print(f"{verdict.value:9} {counts[verdict]:5} of {counts.total()}")  # noqa: T201


if __name__ == "__main__":
    main()
