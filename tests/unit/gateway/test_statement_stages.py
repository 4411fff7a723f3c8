"""Every stage has an answer for every statement, and all of them go by its traits."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from sqe.access.privileges import Privileges
from sqe.access.scopes import check_scope
from sqe.binding.bound import BoundStatement
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.transaction import Transaction, current, inside
from sqe.coordinator.engine import ANSWERS
from sqe.coordinator.works import WORKS
from sqe.errors import AccessError, ErrorCode, InternalError, SqeError, UserError
from sqe.gateway.transactions import join_transaction
from sqe.model.decision import Allow, Decision, Deny, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import EngineKind
from sqe.model.rules import SYSTEM, Object, Privilege
from sqe.policy.policy import Policy
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.choose import choose
from sqe.routing.facts import LocalFacts, RoutingLimits
from sqe.sessions.store import SessionStore
from sqe.sql.parse import parse
from sqe.sql.statement import Command, Statement, StatementKind
from sqe.sql.traits import DecidedBy, RunsOn
from tests.unit.sql.examples import STATEMENTS, all_commands, is_details

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "statements.md"
# Nothing but the policy of tables, or of grants, decides on these.
ELSEWHERE = (
    DecidedBy.RELATIONS,
    DecidedBy.EVERYBODY,
    DecidedBy.GRANT_AUTHORITY,
    DecidedBy.QUERY_OWNER,
    DecidedBy.FUNCTION_OWNER,
    DecidedBy.ADMINISTRATION,
)
ENGINES = {
    RunsOn.COORDINATOR: EngineKind.COORDINATOR,
    RunsOn.COORDINATOR_AND_ENGINE: EngineKind.COORDINATOR,
    RunsOn.SPARK: EngineKind.SPARK,
    RunsOn.ANY_ENGINE: EngineKind.LOCAL,
}


class Forgotten(Command):
    """A command whose author has thought of nothing."""


FORGOTTEN = Statement("FORGOTTEN", StatementKind.COMMAND, command=Forgotten())


class Rules:
    """Allows everything, or nothing but to run statements."""

    name = "test"

    def __init__(self, *, allows: bool) -> None:
        self._allows = allows

    def version(self) -> Hashable:
        return 0

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        return Allow("yes") if self._allows else Deny("no")

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        return Allow("yes") if self._allows or on == SYSTEM else Deny("no")

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        return [self._allows] * len(objects)


class OneCatalog:
    def __init__(self, catalog: EmbeddedCatalog) -> None:
        self._catalog = catalog

    def names(self, identity: Identity | None = None) -> list[str]:
        return ["lake"]

    def open(self, name: str, identity: Identity) -> EmbeddedCatalog:
        return self._catalog


@pytest.fixture
def catalogs(tmp_path: Path) -> Iterator[OneCatalog]:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w")
    yield OneCatalog(catalog)
    catalog.close()


def permitted(statement: Statement, catalogs: OneCatalog, *, allows: bool) -> bool:
    session = SessionStore(SchemaName("lake", ("s",))).open(Identity("ann"))
    rights = Privileges(Policy([Rules(allows=allows)]), catalogs, catalogs)
    try:
        rights.check(statement, session)
    except AccessError:
        return False
    return True


def in_scope(statement: Statement) -> bool:
    try:
        check_scope(Identity("ann", scopes=frozenset({"read"})), statement)
    except AccessError:
        return False
    return True


def joined(statement: Statement, *, read_only: bool = False) -> str:
    """What becomes of the statement in a transaction that has changed nothing yet."""
    with inside(Transaction(read_only=read_only)):
        try:
            join_transaction(statement)
        except UserError as error:
            assert error.message == "Cannot execute write in a read-only transaction"
            return "refused"
        return "part of it" if current() is not None else "by itself"


@pytest.mark.parametrize("text", STATEMENTS)
def test_the_read_scope_and_read_only_transactions_let_no_write_pass(text: str) -> None:
    statement = parse(text)
    writes = statement.traits.writes
    assert in_scope(statement) is not writes
    assert (joined(statement, read_only=True) == "refused") is writes
    part = statement.traits.in_transaction
    assert joined(statement) == ("part of it" if part else "by itself")


@pytest.mark.parametrize(
    "text",
    [
        "SHOW STATS FOR t",
        "SHOW STATS FOR (SELECT * FROM t)",
        "SHOW MAINTENANCE FOR t",
        "SHOW MATERIALIZED VIEWS",
        "SHOW CREATE MATERIALIZED VIEW m",
        "EXPLAIN ANALYZE SELECT 1",
        "CREATE TEMPORARY VIEW v AS SELECT 1 AS a",
    ],
)
def test_what_reads_is_part_of_a_read_only_transaction(text: str) -> None:
    assert joined(parse(text), read_only=True) == "part of it"
    assert joined(parse(text)) == "part of it"


@pytest.mark.parametrize(
    "text",
    [
        "EXPLAIN ANALYZE INSERT INTO t VALUES (1)",
        "COPY (SELECT 1 AS a) TO 'out.csv'",
        "REFRESH MATERIALIZED VIEW m",
        "GRANT SELECT ON t TO ann",
    ],
)
def test_what_writes_is_not(text: str) -> None:
    assert joined(parse(text), read_only=True) == "refused"


@pytest.mark.parametrize("text", STATEMENTS)
def test_every_right_is_decided_on(text: str, catalogs: OneCatalog) -> None:
    statement = parse(text)
    assert permitted(statement, catalogs, allows=True)
    elsewhere = statement.traits.decided_by in ELSEWHERE
    assert permitted(statement, catalogs, allows=False) is elsewhere


@pytest.mark.parametrize("text", STATEMENTS)
def test_every_statement_has_an_engine(text: str) -> None:
    statement = parse(text)
    guarded = GuardedStatement(BoundStatement(statement, ()), {})
    route = choose(guarded, "auto", LocalFacts(bytes=1), RoutingLimits(1000, 10))
    assert route.engine is ENGINES[statement.traits.runs_on]
    assert route.reason


def test_the_coordinator_has_a_handler_for_every_command() -> None:
    handlers: dict[RunsOn, Iterable[type[Command]]] = {
        RunsOn.COORDINATOR: ANSWERS,
        RunsOn.COORDINATOR_AND_ENGINE: WORKS,
    }
    for runs_on, handled in handlers.items():
        commands = {
            one for one in all_commands() if not is_details(one) and one.traits.runs_on is runs_on
        }
        assert set(handled) == commands


@pytest.mark.parametrize("command", all_commands(), ids=lambda one: one.__name__)
def test_the_reference_lists_every_command(command: type[Command]) -> None:
    words = "".join(f" {char}" if char.isupper() else char.upper() for char in command.__name__)
    listed = f"| {words.strip()} |" in REFERENCE.read_text(encoding="utf-8")
    assert listed or is_details(command)


def test_the_reference_lists_every_kind() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    for kind in StatementKind:
        assert f"| {kind.label.upper()} |" in text or kind is StatementKind.COMMAND


def test_nobody_may_run_a_command_that_was_forgotten(catalogs: OneCatalog) -> None:
    assert not in_scope(FORGOTTEN)
    assert joined(FORGOTTEN, read_only=True) == "refused"
    assert joined(FORGOTTEN) == "by itself"
    assert not permitted(FORGOTTEN, catalogs, allows=True)
    guarded = GuardedStatement(BoundStatement(FORGOTTEN, ()), {})
    with pytest.raises(InternalError) as raised:
        choose(guarded, "auto", None, RoutingLimits(1000, 10))
    assert raised.value.code is ErrorCode.INTERNAL_ERROR


def test_a_command_about_tables_that_names_none_is_allowed_by_no_rule(
    catalogs: OneCatalog,
) -> None:
    described = parse("DESCRIBE t")
    nameless = Statement("DESCRIBE", StatementKind.COMMAND, command=described.command)
    assert permitted(described, catalogs, allows=True)
    assert not permitted(nameless, catalogs, allows=True)


def test_a_transaction_that_has_changed_tables_refuses_what_takes_effect_at_once() -> None:
    class Changed(Transaction):
        changed = True

    for text in STATEMENTS:
        statement = parse(text)
        with inside(Changed()):
            refused = None
            try:
                join_transaction(statement)
            except SqeError as error:
                refused = error.code
        wanted = None if statement.traits.in_transaction else ErrorCode.NOT_SUPPORTED
        assert refused is wanted, text
