"""Two lakehouses that one person cannot tell apart, and everything that person is told.

They differ in rows the person does not see, in values behind masks and in hidden columns. Whatever
is asked, all that comes back must be the same to the byte.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pyarrow as pa

from sqe.errors import SqeError
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import ClientState, QueryRequest
from sqe.server.build import Server
from sqe.sessions.session import Session
from tests.policy.conditions import Asker
from tests.policy.limits import Limits
from tests.policy.oracle import TELL_A_VALUE
from tests.policy.questions import TRINO, Asked, Question, fill_names, question
from tests.policy.rows import VALUES, Columns, Row, Table
from tests.policy.worlds import CATALOG, PEOPLE, Generated, world, written_to

TRIES = 40


def twin(rng: Random, one: Table, limits: Limits, who: Asker) -> Table:
    """A table of which the same is seen."""
    first, second = (_other(rng, one.columns, rows, limits, who) for rows in one.steps)
    return replace(one, steps=(first, second))


def _other(
    rng: Random, columns: Columns, rows: Sequence[Row], limits: Limits, who: Asker
) -> tuple[Row, ...]:
    """Rows that are seen keep what is seen of them; of the others some go and some come."""
    made: list[Row] = []
    for row in rows:
        if limits.keeps(row, who):
            made.append(_behind(rng, columns, row, limits, who))
        else:
            made += [other for other in _unseen(rng, columns, limits, who) for _ in range(2)]
    return tuple(made)


def _behind(rng: Random, columns: Columns, row: Row, limits: Limits, who: Asker) -> Row:
    free = [name for name in columns.types if name in limits.masks or name in limits.hidden]
    for _ in range(TRIES):
        other = {**row, **{name: rng.choice(VALUES[columns.types[name]]) for name in free}}
        same = limits.shown(other, columns) == limits.shown(row, columns)
        if same and limits.keeps(other, who):
            return other
    return row


def _unseen(rng: Random, columns: Columns, limits: Limits, who: Asker) -> list[Row]:
    for _ in range(TRIES):
        row = {name: rng.choice(VALUES[kind]) for name, kind in columns.types.items()}
        row = {**row, "id": rng.randint(1000, 9999)}
        if not limits.keeps(row, who):
            return [row]
    return []


@dataclass(frozen=True)
class Told:
    """All that comes back of one statement. ``raw``: the answer's own buffers."""

    answer: bytes = b""
    error: tuple[str, ...] = ()
    record: tuple[str, ...] = ()
    raw: bytes = field(default=b"", compare=False)

    def differences(self, other: Told) -> list[str]:
        return [
            f"{name}: {mine!r}\n   against {theirs!r}"
            for name, mine, theirs in (
                ("answer", self.answer, other.answer),
                ("error", self.error, other.error),
                ("record", self.record, other.record),
            )
            if mine != theirs
        ]


@dataclass
class House:
    """One of the two, as one person has it. ``own``: what is its own by chance, such as the
    number of a snapshot, with a word for it."""

    server: Server
    who: Asker
    schema: str
    own: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)

    def ask(self, text: str, dialect: str, engine: str, *, alone: bool = True) -> Told:
        """``alone``: it reads one table, so that nobody has a choice of what comes first. The local
        engine's second answer counts: that of an instance that was used. The third is that of the
        result cache, where it is kept, and has to be the same; so has Spark's second."""
        session = self._session(engine)
        if engine == "local":
            self._ask(text, dialect, engine, alone)
            session.set_property("sqe.result_cache", "off")
        told = self._ask(text, dialect, engine, alone)
        session.set_property("sqe.result_cache", "on")
        if text.startswith("SELECT") and not told.error:
            kept = self._ask(text, dialect, engine, alone)
            assert kept.answer == told.answer, text
        return told

    def _ask(self, text: str, dialect: str, engine: str, alone: bool) -> Told:
        session = self._session(engine)
        client = ClientState(CATALOG, self.schema, properties={"sqe.engine": engine})
        request = QueryRequest(session.id, text, client=client if dialect == TRINO else None)
        gateway = self.server.gateway
        answer, raw = b"", b""
        error: tuple[str, ...] = ()
        query_id = gateway.submit(request)
        try:
            with gateway.fetch(query_id) as result:
                table = result.read_all()
            answer, raw = self._plain(table, alone or "ORDER BY" in text), buffers(table)
        except SqeError as failed:
            place = getattr(failed, "position", None)
            told = (failed.code.name, failed.message, failed.hint or "", str(place))
            error = tuple(map(self._words, told))
            if not alone and failed.code.name in TELL_A_VALUE:
                error = (failed.code.name,)
        record = self._record(query_id)
        return Told(answer, error, record if alone or not error else record[:-3], raw)

    def _plain(self, table: pa.Table, ordered: bool) -> bytes:
        """Its schema and values as Arrow writes them."""
        rows = [
            [self._words(value) if isinstance(value, str) else value for value in row]
            for row in zip(*(column.to_pylist() for column in table.columns), strict=True)
        ]
        rows = rows if ordered else sorted(rows, key=repr)
        columns = [
            pa.array([row[place] for row in rows], table.schema.field(place).type)
            for place in range(table.num_columns)
        ]
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            if columns:
                writer.write_batch(pa.record_batch(columns, schema=table.schema))
        return bytes(sink.getvalue().to_pybytes())

    def _record(self, query_id: str) -> tuple[str, ...]:
        found = self.server.gateway.record(query_id)
        while not found.state.ended:  # its last row is here, its end is being noted
            time.sleep(0.001)
            found = self.server.gateway.record(query_id)
        shown = found.shown_route
        route = shown and (shown.engine, shown.reason, shown.remedy)
        # Where nothing is hidden, how far it is seen to have come is chance.
        progress = found.progress if found.restricted else ""
        told: tuple[Any, ...] = (
            found.kind, found.state, route, found.rows, found.bytes, found.affected,
            found.error_code, found.error_message, progress,
        )  # fmt: skip
        return tuple(self._words(str(one)) for one in told)

    def _words(self, text: str) -> str:
        for own, word in self.own.items():
            text = text.replace(own, word)
        return _CHANCE.sub("<chance>", text)

    def _session(self, engine: str) -> Session:
        if engine not in self.sessions:
            session = self.server.gateway.open_session(
                Identity(self.who.user, self.who.groups), SchemaName(CATALOG, (self.schema,))
            )
            session.set_property("sqe.engine", engine)
            self.sessions[engine] = session
        return self.sessions[engine]

    def close(self) -> None:
        for session in self.sessions.values():
            session.close()


# Ids that are drawn anew in every lakehouse, and moments.
_CHANCE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|q_[0-9a-f]{8,}"
    r"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+|#\d+L?|plan_id=\d+"
)


def buffers(table: pa.Table) -> bytes:
    """Everything that a client would be sent, the places of NULLs included."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def _alone(text: str) -> bool:
    """Joins are made in an order that the sizes of files decide: the order of their rows, and the
    first row that fails, are not part of the answer unless the query says an order."""
    return len(re.findall(r"\b(?:t\d|owners|seen\w*)\b", text)) < 2


@dataclass
class Pair:
    """``ask`` asks both and compares."""

    asked: Asked
    houses: tuple[House, House]

    def differences(self, one: Question, engine: str) -> list[str]:
        for text in one.statements:
            text = fill_names(text, {"schema": self.asked.world.schema})
            left, right = (
                house.ask(text, one.dialect, engine, alone=_alone(text)) for house in self.houses
            )
            found = left.differences(right)
            if found:
                who = self.asked.who.user
                limits = {
                    table.name: self.asked.world.limits[(who, table.name)].decision()
                    for table in self.asked.world.tables
                    if table.name in text
                }
                return [f"## {text}\nas {who}, {engine}, {one.dialect}: {limits}", *found]
        return []

    def close(self) -> None:
        for house in self.houses:
            house.close()


def pair(servers: Sequence[Server], rules: Generated, seed: int, number: int) -> Pair:
    """The same rules over both; the second one's tables are the first one's twins."""
    who = PEOPLE[number % len(PEOPLE)]
    made = world(seed, number)
    rng = Random(f"{seed}/{number}/twin")
    other = replace(
        made,
        tables=tuple(twin(rng, one, made.limits[(who.user, one.name)], who) for one in made.tables),
    )
    made.rule(rules)
    houses = []
    for server, one in zip(servers, (made, other), strict=True):
        with written_to(server) as rest:
            one.load_tables(rest, whole=True)
            own = {str(server.settings.home): "<home>"}
            for table in one.tables:
                loaded = rest.load_table(f"{one.schema}.{table.name}")
                own |= {str(s.snapshot_id): "<snapshot>" for s in loaded.snapshots()}
        houses.append(House(server, who, made.schema, own))
    return Pair(Asked(made, who), (houses[0], houses[1]))


def looks(asked: Asked) -> Iterable[Question]:
    """Statements that tell about tables rather than read them. Of one that is seen whole, what
    differs is when it was made."""
    limits = asked.world.limits
    for table in asked.world.tables:
        if limits[(asked.who.user, table.name)] == Limits():
            continue
        for text in (
            "DESCRIBE {t}", "DESCRIBE EXTENDED {t}", "SHOW CREATE TABLE {t}", "SHOW COLUMNS IN {t}",
            "SHOW TBLPROPERTIES {t}", "SHOW TABLE EXTENDED LIKE '{t}'", "SHOW PARTITIONS {t}",
            "EXPLAIN SELECT * FROM {t}", "EXPLAIN EXTENDED SELECT * FROM {t} WHERE k = 1",
            "EXPLAIN COST SELECT count(*) FROM {t}", "EXPLAIN FORMATTED SELECT k FROM {t}",
            "SELECT * FROM {t}.snapshots", "SELECT * FROM {t}.files",
        ):  # fmt: skip
            yield Question(text, (text.format(t=table.name),))
        for text in (
            "SHOW STATS FOR {t}", "SHOW COLUMNS FROM {t}", "EXPLAIN SELECT * FROM {t}",
            "EXPLAIN (TYPE IO, FORMAT JSON) SELECT * FROM {t}", "SHOW CREATE TABLE {t}",
            "EXPLAIN (TYPE DISTRIBUTED) SELECT k, count(*) FROM {t} GROUP BY k",
            'SELECT * FROM "{t}$files"',
        ):  # fmt: skip
            yield Question(text, (text.format(t=table.name),), TRINO)
    schema = asked.world.schema
    yield Question("columns", ("SELECT * FROM lake.information_schema.columns ORDER BY ALL",))
    yield Question("tables", (f"SHOW TABLES IN {schema}",))


def compared(made: Pair, seed: int, cases: int, engine: str, heard: Callable[[str], None]) -> int:
    """How many of the questions could be told apart."""
    bad = 0
    for number in range(cases):
        one = question(f"{seed}/{made.asked.world.schema}/{number}", made.asked, engine="local")
        found = made.differences(one, engine)
        if found:
            bad += 1
            heard("\n".join(found))
    return bad
