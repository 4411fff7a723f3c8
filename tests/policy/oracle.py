"""Asks each question twice, of a table under rules and of a copy that needs none, and compares."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from random import Random

from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity
from sqe.model.masks import ConstantMask
from sqe.model.names import SchemaName
from sqe.model.query import ClientState, QueryRequest
from sqe.server.build import Server
from sqe.sessions.session import Session
from tests.differential.compare import compare, describe
from tests.differential.judge import OF_VALUES
from tests.differential.outcome import Answer, Failure, Outcome, Refusal
from tests.policy.changes import UNTOLD, Change, Sides, answered, change, judged
from tests.policy.conditions import Asker
from tests.policy.questions import TRINO, Asked, Question, fill_names, question
from tests.policy.told import is_seen
from tests.policy.worlds import CATALOG, OWNERS, PEOPLE, Generated, World, world, written_to

SCRATCH = "scratch"
PER_WORLD = 200  # questions, of all people together
AT_ONCE = 2
REDRAWN = 6
CHANGED = 40  # one of so many questions is a write to a table that is seen in part
ENGINES = ("local", "auto", "spark")
SHARES = (88, 4, 8)  # of them
# Which value it is that they tell depends on the row that is met first.
TELL_A_VALUE = frozenset({*OF_VALUES, "INVALID_ARGUMENT", "USER_ERROR"})
_OWN = (
    "CREATE TABLE {X} AS SELECT * FROM VALUES (1, 1, 'ann'), (2, 2, 'bob'), (3, 3, 'pear'),"
    " (4, NULL, NULL), (5, 0, 'name17') AS v(id, k, s1)"
)
_COPIED = (
    "CREATE TABLE {name} TBLPROPERTIES ('write.update.mode' = '{mode}', 'write.delete.mode' ="
    " '{mode}', 'write.merge.mode' = '{mode}') AS SELECT * FROM {of} WHERE {where}"
)


@dataclass(frozen=True)
class Difference:
    question: Question
    who: str
    engine: str
    limits: str
    expected: str
    found: str
    detail: str

    def __str__(self) -> str:
        return (
            f"## {self.question}\nas {self.who}, engine {self.engine}\n{self.limits}\n"
            f"of the copy:  {self.expected}\nof the table: {self.found}\n{self.detail}"
        )


@dataclass
class Tally:
    """``left``: what the local engine runs over the copy, but not over the table under rules."""

    cases: int = 0
    by: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    excused: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    def summary(self) -> str:
        return (
            f"policy oracle: cases {self.cases}, {dict(self.by)}, "
            f"same errors {sum(self.failures.values())}, left to Spark {sum(self.left.values())}, "
            f"writes {dict(self.changes)}, "
            f"excused {dict(self.excused)}, differences {len(self.differences)}"
        )


@dataclass
class Desk:
    """One person's sessions, over the tables under rules and over their copies."""

    server: Server
    asked: Asked
    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)

    def ask(self, one: Question, schema: str, engine: str) -> Outcome:
        """``schema`` is the session's own: it decides which of the two is asked."""
        tables = {name: f"{SCRATCH}.{name}_{next(_NUMBERS)}" for name in "XY"}
        texts = [fill_names(text, {"schema": schema, **tables}) for text in one.statements]
        setup = [_OWN.format(X=tables["X"])] if one.writes and "{X}" in one.statements[0] else []
        outcome: Outcome = Refusal("nothing was asked")
        for text in (*setup, *texts):
            outcome = self._ask(text, one.dialect, schema, engine)
            if not isinstance(outcome, Answer):
                break
        for made in tables.values() if one.writes else ():
            self._ask(f"DROP TABLE IF EXISTS {made}", one.dialect, schema, engine)
        return outcome

    def _ask(self, text: str, dialect: str, schema: str, engine: str) -> Outcome:
        if engine == "local":  # the second answer counts: that of an instance that was used
            self._ask_once(text, dialect, schema, engine)
        return self._ask_once(text, dialect, schema, engine)

    def _ask_once(self, text: str, dialect: str, schema: str, engine: str) -> Outcome:
        session = self._session(schema, engine)
        client = None
        if dialect == TRINO:
            client = ClientState(CATALOG, schema, properties={"sqe.engine": engine})
        gateway = self.server.gateway
        try:
            query_id = gateway.submit(QueryRequest(session.id, text, client=client))
            with gateway.fetch(query_id) as result:
                return Answer(result.read_all())
        except SqeError as error:
            if error.code is ErrorCode.NOT_SUPPORTED and engine == "local":
                return Refusal(error.message)
            return Failure(error.code.name, error.message)

    def _session(self, schema: str, engine: str) -> Session:
        if (schema, engine) not in self.sessions:
            who = self.asked.who
            session = self.server.gateway.open_session(
                Identity(who.user, who.groups), SchemaName(CATALOG, (schema,))
            )
            session.set_property("sqe.engine", engine)
            self.sessions[(schema, engine)] = session
        return self.sessions[(schema, engine)]

    def close(self) -> None:
        for session in self.sessions.values():
            session.close()


_NUMBERS: Iterator[int] = count()


@dataclass
class Oracle:
    """``engines`` with their shares; ``heard`` is told of each difference at once."""

    server: Server
    rules: Generated
    seed: int
    engines: dict[str, int] = field(default_factory=lambda: dict(zip(ENGINES, SHARES, strict=True)))
    heard: Callable[[Difference], None] = lambda _: None
    tally: Tally = field(default_factory=Tally)

    def run(self, cases: int, first_world: int = 0) -> Tally:
        with written_to(self.server) as rest:
            rest.create_namespace(SCRATCH)
        for number in count(first_world):
            wanted = min(PER_WORLD, cases - self.tally.cases)
            if wanted <= 0:
                return self.tally
            self._world(number, wanted)
        return self.tally

    def _world(self, number: int, cases: int) -> None:
        made = world(self.seed, number)
        with written_to(self.server) as rest:
            made.load(rest)
        made.rule(self.rules)
        views = "spark" in self.engines and self._views(made)
        desks = [Desk(self.server, Asked(made, who, views)) for who in PEOPLE]
        shares = [range(start, cases, len(desks)) for start in range(len(desks))]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda both: self._ask(*both), zip(desks, shares, strict=True)))
        if "spark" in self.engines:
            self._changes(made, desks, cases // CHANGED)
        for desk in desks:
            desk.close()

    def _changes(self, made: World, desks: Sequence[Desk], cases: int) -> None:
        """Not counted as cases: what they are compared with is made for each of them."""
        root = Desk(self.server, Asked(made, Asker("root", frozenset(), frozenset())))
        owners = f"{CATALOG}.{made.schema}.{OWNERS}"
        for number in range(cases):
            desk = desks[number % len(desks)]
            one = change(f"{self.seed}/{made.schema}/change/{number}", made.tables, owners)
            self._change(root, desk, one)
        root.close()

    def _change(self, root: Desk, desk: Desk, one: Change) -> None:
        who, schema = desk.asked.who, desk.asked.world.schema

        def ask(asking: Desk, text: str) -> Outcome:
            return asking._ask(text, "spark", schema, "spark")

        sides = Sides(
            lambda text: ask(desk, text),
            lambda name: answered(ask(root, f"SELECT * FROM {name}")),
            *(f"{SCRATCH}.{kind}_{next(_NUMBERS)}" for kind in ("table", "copy")),
        )
        shown = ", ".join(str(row["id"]) for row in one.visible(who)) or "NULL"
        for name, where in ((sides.table, "TRUE"), (sides.copy, f"id IN ({shown})")):
            answered(
                ask(root, _COPIED.format(name=name, mode=one.mode, of=one.table.name, where=where))
            )
        self.rules.add(who.user, f"{CATALOG}.{sides.table}", one.limits)
        what, why = judged(one, who, sides)
        self.tally.changes[what] += 1
        if why:
            limits = str(one.limits.decision())
            asked = Question(one.name, (one.text,))
            found = Difference(asked, who.user, f"spark, {one.mode}", limits, "", what, why)
            self.tally.differences.append(found)
            self.heard(found)
        for name in (sides.table, sides.copy):
            ask(root, f"DROP TABLE {name}")

    def _views(self, made: World) -> bool:
        """A view of a view, over the table and over each copy, made by someone without limits;
        where a table hides what they read, there are none."""
        hidden = {name for limits in made.limits.values() for name in limits.hidden}
        if hidden & {"id", "k", "s1"}:
            return False
        root = Desk(self.server, Asked(made, Asker("root", frozenset(), frozenset())))
        for schema in (made.schema, *(made.copy_of(who) for who in PEOPLE)):
            for text in (
                "CREATE VIEW seen AS SELECT id, k, s1 FROM t1 WHERE k IS NOT NULL",
                "CREATE VIEW seen_again AS SELECT s1, count(*) AS n FROM seen GROUP BY s1",
            ):
                answer = root._ask(text, "spark", schema, "spark")
                assert isinstance(answer, Answer), answer
        root.close()
        return True

    def _ask(self, desk: Desk, numbers: Iterable[int]) -> None:
        schema = desk.asked.world.schema
        for number in numbers:
            name = f"{self.seed}/{schema}/{number}"
            rng = Random(name)
            engine = rng.choices(list(self.engines), list(self.engines.values()))[0]
            self._judge(desk, name, engine)

    def _judge(self, desk: Desk, name: str, engine: str) -> None:
        """Drawn again while the local engine does not take it, over the copy or under the rules;
        of the latter not for ever, because a person's rules may be such."""
        copied, schema = desk.asked.world.copy_of(desk.asked.who), desk.asked.world.schema
        left = 0
        for turn in count():
            one = question(f"{name}/{turn}", desk.asked, engine=engine)
            expected = desk.ask(one, copied, engine)
            if isinstance(expected, Refusal):
                continue
            found = desk.ask(one, schema, engine)
            if not isinstance(found, Refusal):
                break
            self.tally.left[found.reason] += 1
            left += 1
            if left == REDRAWN:
                return
        tally = self.tally
        tally.cases += 1
        tally.by[f"{engine}/{one.dialect}"] += 1
        if isinstance(expected, Failure):
            tally.failures[expected.code] += 1
        why = differs(one, expected, found, (copied, schema))
        excuse = ""
        if why:
            seen = partial(is_seen, one, desk.asked)
            excuse = excused(one, expected, found, self._constants(desk), seen)
        if excuse:
            tally.excused[excuse] += 1
        elif why:
            self._report(desk, one, engine, expected, found, why)

    def _constants(self, desk: Desk) -> list[str]:
        """What masks show in every row, to this person."""
        asked = desk.asked
        masks = [asked.world.limits[(asked.who.user, one.name)].masks for one in asked.world.tables]
        found = [one.mask for by_name in masks for one in by_name.values()]
        return [one.text for one in found if isinstance(one, ConstantMask)]

    def _report(
        self, desk: Desk, one: Question, engine: str, expected: Outcome, found: Outcome, why: str
    ) -> None:
        who = desk.asked.who.user
        limits = "\n".join(
            f"  {table.name}{dict(table.columns.types)}: "
            f"{desk.asked.world.limits[(who, table.name)].decision()}"
            for table in desk.asked.world.tables
            if any(table.name in text or "seen" in text for text in one.statements)
        )
        made = Difference(one, who, engine, limits, describe(expected), describe(found), why)
        self.tally.differences.append(made)
        self.heard(made)


def differs(one: Question, expected: Outcome, found: Outcome, schemas: tuple[str, str]) -> str:
    """In what; nothing where the two are the same. Of errors the words count too, but for those
    that tell a value: rows come in any order, and so does the first one that fails."""
    if isinstance(expected, Failure) and isinstance(found, Failure):
        if {expected.code, found.code} <= OF_VALUES:
            return ""
        copied, asked = schemas
        same = _told(expected.message.replace(copied, asked)) == _told(found.message)
        tells_a_value = expected.code in TELL_A_VALUE
        return "" if expected.code == found.code and (same or tells_a_value) else "another error"
    if one.told and isinstance(expected, Answer) and isinstance(found, Answer):
        return ""
    comparison = compare(expected, found, ordered=one.ordered)
    if comparison.verdict.is_difference:
        return f"{comparison.verdict.value}: {comparison.detail}"
    return ""


def _told(message: str) -> str:
    """Without the numbers that Spark gives to its columns, new ones each time."""
    return re.sub(r"#\d+", "#", message)


def excused(
    one: Question,
    expected: Outcome,
    found: Outcome,
    constants: Sequence[str] = (),
    seen: Callable[[str], bool] = lambda message: False,
) -> str:
    """Why a difference is none; counted, so that it is seen how many there are. Only where the copy
    fails on a value of its own, or the table on one that a mask shows in every row or that is
    ``seen``: a table under rules that fails where its copy answers may have failed on a hidden
    row."""
    several = len(_RELATION.findall(one.statements[0])) > 1
    if isinstance(found, Failure) and found.code in OF_VALUES:
        quoted = [text.replace("'", "\\'") for text in constants]
        if any(f"'{text}'" in found.message for text in quoted):
            return "what a mask shows in every row is computed before there are any"
        if isinstance(expected, Answer) and several and seen(found.message):
            return _ONE_SIDE
    if not isinstance(expected, Failure) or expected.code not in TELL_A_VALUE:
        return ""
    if isinstance(found, Failure) and found.message.startswith(UNTOLD):
        return "of a subquery's error it is only told that there is one"
    return _ONE_SIDE if isinstance(found, Answer) and several else ""


_ONE_SIDE = "a join that has nothing on one side need not look at the other"
_RELATION = re.compile(r"\b(?:t\d|seen\w*)\b(?!\.)")
