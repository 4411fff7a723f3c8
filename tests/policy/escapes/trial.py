"""Tries one trick on a server, and says what is wrong with what came of it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqe.errors import SqeError
from sqe.model.decision import Allow, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import NullMask, PartialMask, TruncateMask
from sqe.model.query import ClientState, EngineKind, QueryRequest
from sqe.policy.source import AllowAll
from sqe.server.build import Server
from sqe.sessions.session import Session
from tests.differential.compare import compare, describe
from tests.differential.outcome import Answer, Failure, Outcome
from tests.policy.escapes.row import QUIET, SAME, TRINO, Escape

EVE, ROOT = Identity("eve", groups=frozenset({"staff"})), Identity("root")
REAL, COPY = "hr", "hr_copy"
# What must not be seen anywhere: values of hidden rows, masked and hidden values, the name of a
# hidden column where the user has not said it first, and the words of the rule.
VALUES = ("S3CR3T", "77700", "GUARD-WORD")
NAMES = ("x_hidden_pay", "x_hidden_info")

SEEN = Restrict(
    "test",
    filters=(RowFilter("dept <> 'GUARD-WORD' AND (dept = 'it' OR name = current_user())"),),
    masks={"ssn": PartialMask(0, 0), "born": TruncateMask("year")},
    hidden=frozenset(NAMES),
)
SEEN_RENAMED = Restrict("test", masks={"ssn": NullMask()})
_DATA = (
    "(1, 'ann', 'it', 'S3CR3T-1', DATE'1990-05-17', '10', 77700, struct(7, 'S3CR3T'))",
    "(2, 'eve', 'ops', 'S3CR3T-2', DATE'1991-06-18', '20', 77700, struct(7, 'S3CR3T'))",
    "(3, 'S3CR3T-row', 'hr', 'S3CR3T-3', DATE'1992-07-19', 'S3CR3T-[', 77700, struct(7, 'S3CR3T'))",
    "(4, 'S3CR3T-too', 'hr', 'S3CR3T-4', DATE'1993-08-20', 'S3CR3T-(', 77700, struct(7, 'S3CR3T'))",
    "(5, 'bob', 'it', 'S3CR3T-5', DATE'1994-09-21', '30', 77700, struct(7, 'S3CR3T'))",
)
_SHOWN = (
    "(1, 'ann', 'it', '********', DATE'1990-01-01', '10')",
    "(2, 'eve', 'ops', '********', DATE'1991-01-01', '20')",
    "(5, 'bob', 'it', '********', DATE'1994-01-01', '30')",
)


def world(server: Server) -> None:
    """The tables under rules, and what may be seen of them, written out by hand."""
    root = _Asking(server, ROOT)
    hidden = ", x_hidden_pay INT, x_hidden_info STRUCT<a: INT, b: STRING>"
    for schema, rows, more, tin in (
        (REAL, _DATA, hidden, "'S3CR3T-r'"),
        (COPY, _SHOWN, "", "NULL"),
    ):
        old, new = (", ".join(rows[:-1]), rows[-1])
        for text in (
            f"CREATE SCHEMA {schema}",
            f"CREATE TABLE {schema}.emp (id INT, name STRING, dept STRING, ssn STRING, born DATE,"
            f" code STRING{more}) PARTITIONED BY (dept)",
            f"INSERT INTO {schema}.emp VALUES {old}",
            f"ALTER TABLE {schema}.emp CREATE TAG old",
            f"ALTER TABLE {schema}.emp CREATE BRANCH audit",
            f"INSERT INTO {schema}.emp VALUES {new}",
            f"CREATE TABLE {schema}.note AS SELECT * FROM VALUES (1, 'a'), (3, 'c') AS v(id, txt)",
            f"CREATE TABLE {schema}.guess AS SELECT * FROM VALUES (1, 'S3CR3T-1', 77700),"
            " (3, 'S3CR3T-3', 1) AS v(id, ssn, x_hidden_pay)",
            f"CREATE TABLE {schema}.renamed AS SELECT 1 AS id, CAST({tin} AS STRING) AS tin",
            f"ALTER TABLE {schema}.renamed CREATE TAG old",
            f"ALTER TABLE {schema}.renamed RENAME COLUMN tin TO ssn",
            f"CREATE VIEW {schema}.emp_view AS SELECT id, name, dept, ssn FROM {schema}.emp",
            f"CREATE VIEW {schema}.emp_view_again AS SELECT ssn FROM {schema}.emp_view",
            f"CREATE VIEW {schema}.emp_sum AS SELECT dept, max(ssn) AS s FROM {schema}.emp"
            " GROUP BY dept",
            f"CREATE VIEW {schema}.emp_old_view AS SELECT ssn FROM {schema}.emp"
            " VERSION AS OF 'old'",
        ):
            root.must(text)
    root.must(f"CREATE VIEW {REAL}.pay_view AS SELECT x_hidden_pay FROM {REAL}.emp")
    root.must(f"CREATE TABLE {REAL}.vault AS SELECT 'S3CR3T-v' AS x")
    root.session.close()


class Eves(AllowAll):
    """The rules of the trials: they are about one user."""

    name = "trials"

    def __init__(self) -> None:
        self.lifted = False

    def version(self) -> Hashable:
        return self.lifted

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        known = identity.user == EVE.user and not self.lifted
        match str(table.name):
            case "lake.hr.emp" if known:
                return SEEN
            case "lake.hr.renamed" if known:
                return SEEN_RENAMED
            case "lake.hr.vault" | "lake.hr.ghost" | "lake.hr_copy.vault" if known:
                return Deny("test")
            case "lake.hr_copy.ghost" if known:
                return Deny("test")
        return Allow("no rule")

    @contextmanager
    def lifting(self) -> Iterator[None]:
        yield
        self.lifted = False


@dataclass
class _Asking:
    server: Server
    identity: Identity
    engine: str = "spark"
    session: Session = field(init=False)
    told: list[str] = field(default_factory=list)  # everything that was said to the user

    def __post_init__(self) -> None:
        self.session = self.server.gateway.open_session(self.identity)
        self.session.set_property("sqe.engine", self.engine)

    def ask(self, text: str, dialect: str = "spark") -> Outcome:
        """What the local engine answers is asked again, in an instance that was used."""
        query_id, outcome = self._ask(text, dialect)
        route = self.server.gateway.record(query_id).route
        if route is not None and route.engine is EngineKind.LOCAL:
            _, outcome = self._ask(text, dialect)
        return outcome

    def _ask(self, text: str, dialect: str) -> tuple[str, Outcome]:
        gateway = self.server.gateway
        client = ClientState("lake", "default", properties={"sqe.engine": self.engine})
        request = QueryRequest(self.session.id, text, client=client if dialect == TRINO else None)
        query_id = gateway.submit(request)
        try:
            with gateway.fetch(query_id) as result:
                table = result.read_all()
                self.told += [str(table.schema), repr(table.to_pylist())]
                return query_id, Answer(table)
        except SqeError as error:
            self.told += [error.message, error.hint or ""]
            return query_id, Failure(error.code.name, error.message)

    def must(self, text: str) -> Answer:
        outcome = self.ask(text)
        assert isinstance(outcome, Answer), f"{text}\n{outcome}"
        return outcome


@dataclass
class Trial:
    """One trick, on tables under rules and on their copies."""

    server: Server
    rules: Eves
    engine: str = "auto"
    past: dict[str, dict[str, str]] = field(default_factory=dict)

    def faults(self, escape: Escape) -> list[str]:
        """What is wrong; nothing where the trick has failed as it must."""
        outcome, told = self._tried(escape, REAL)
        said = "; ".join(escape.statements)
        hidden = [*VALUES, *(name for name in NAMES if name not in said)]
        found = [f"it tells {word}" for word in hidden if word in _without(said, told)]
        if escape.must == SAME:
            expected, _ = self._tried(escape, COPY)
            found += _difference(expected, outcome)
        elif escape.must != QUIET and not (
            isinstance(outcome, Failure) and outcome.code == escape.must
        ):
            found.append(f"wanted {escape.must}, found {describe(outcome)}")
        return found

    def _tried(self, escape: Escape, schema: str) -> tuple[Outcome, str]:
        user = _Asking(self.server, EVE, self.engine)
        outcome: Outcome = Failure("NOTHING", "")
        with self.rules.lifting():
            for text in escape.statements:
                if text in ("@open", "@close"):
                    self.rules.lifted = text == "@open"
                    continue
                outcome = user.ask(text.format(s=schema, **self._past(schema)), escape.dialect)
                if self.rules.lifted:
                    user.told.clear()
                if isinstance(outcome, Failure):
                    break
        user.session.close()
        if any("CREATE" in text for text in escape.statements):
            self._clean(schema)
        return outcome, "\n".join(user.told)

    def _past(self, schema: str) -> dict[str, str]:
        if schema not in self.past:
            root = _Asking(self.server, ROOT)
            rows = root.must(
                "SELECT snapshot_id, unix_micros(committed_at) AS at"
                f" FROM {schema}.emp.snapshots ORDER BY committed_at"
            ).table.to_pylist()
            moment = dt.datetime.fromtimestamp(rows[0]["at"] / 1e6 + 0.001, dt.UTC)
            self.past[schema] = {
                "old": str(rows[0]["snapshot_id"]),
                "moment": moment.strftime("%Y-%m-%d %H:%M:%S.%fZ"),
            }
            root.session.close()
        return self.past[schema]

    def _clean(self, schema: str) -> None:
        """Whatever the trick has made is not there for the next one."""
        root = _Asking(self.server, ROOT)
        kept = {"emp", "note", "guess", "renamed", "vault"}
        views = {"emp_view", "emp_view_again", "emp_sum", "emp_old_view", "pay_view"}
        for kind, known in (("VIEW", views), ("TABLE", kept | views)):
            listed = root.must(f"SHOW {kind}S IN {schema}").table
            names = {str(name) for name in listed.column(1).to_pylist()}
            for name in sorted(names - known):
                root.ask(f"DROP {kind} {schema}.{name}")
        for name in root.must(f"SHOW USER FUNCTIONS IN {schema}").table.column(0).to_pylist():
            root.ask(f"DROP FUNCTION {name}")
        root.session.close()


def _without(said: str, told: str) -> str:
    """What is told, without the user's own words: who asks about a word may read it again."""
    for word in VALUES:
        if word in said:
            told = told.replace(f"'{word}", "").replace(f"{word}-", "").replace(f"{word}%", "")
    return told


# A table is known by its full name, what stands in its place by its last part.
_QUALIFIER = re.compile(r"lake\.hr(_copy)?\.(emp\.)?|`emp`\.")


def _difference(expected: Outcome, found: Outcome) -> list[str]:
    if isinstance(expected, Failure) and isinstance(found, Failure):
        same = expected.code == found.code
        told = [_QUALIFIER.sub("", one.message) for one in (expected, found)]
        if same and (told[0] == told[1] or expected.code != "COLUMN_NOT_FOUND"):
            return []
        return [f"of the copy: {describe(expected)}; of the table: {describe(found)}"]
    verdict = compare(expected, found)
    return [f"{verdict.verdict.value}: {verdict.detail}"] if verdict.verdict.is_difference else []
