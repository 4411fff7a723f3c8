"""What statements are: said by every kind and command, once, without contradiction."""

from __future__ import annotations

import pytest

from sqe.errors import UserError
from sqe.sql.access.commands import AccessChange
from sqe.sql.parse import parse
from sqe.sql.statement import Access, Command, Statement, StatementKind
from sqe.sql.traits import DecidedBy, Effect, RunsOn, Traits
from tests.unit.sql.examples import COMMANDS, KINDS, STATEMENTS, all_commands, is_details

LOOKING = (Access.READ, Access.DESCRIBE)
# Who may run these is decided by what they change.
CHANGING = (
    DecidedBy.PROCEDURE,
    DecidedBy.CREATED_SCHEMA,
    DecidedBy.DROPPED_SCHEMA,
    DecidedBy.ALTERED_SCHEMA,
)


def each_statement() -> list[tuple[str, Statement]]:
    return [(text, parse(text)) for text in STATEMENTS]


@pytest.mark.parametrize("command", all_commands(), ids=lambda one: one.__name__)
def test_every_command_says_for_itself_what_it_is(command: type[Command]) -> None:
    said = "traits" in vars(command)
    assert said is not is_details(command), f"{command.__name__} needs traits of its own"
    if said:
        assert command.traits.decided_by is not DecidedBy.NOBODY
        assert command.traits.by_coordinator


def test_every_command_has_an_example() -> None:
    names = {one.__name__ for one in all_commands() if not is_details(one)}
    assert set(COMMANDS) == names
    for name, text in COMMANDS.items():
        statement = parse(text)
        assert type(statement.command).__name__ == name, text
        assert statement.kind is StatementKind.COMMAND, text


def test_every_kind_has_an_example_and_is_something() -> None:
    assert set(KINDS) == set(StatementKind)
    for kind, text in KINDS.items():
        assert parse(text).kind is kind, text
        assert (kind.traits == Traits()) is (kind is StatementKind.COMMAND)
        if kind is not StatementKind.COMMAND:
            assert kind.traits.runs_on is not RunsOn.NOTHING
            assert kind.traits.decided_by is not DecidedBy.NOBODY


def test_details_belong_to_statements_of_other_kinds() -> None:
    for text, statement in each_statement():
        if statement.command is not None:
            belongs = is_details(type(statement.command))
            assert belongs is (statement.kind is not StatementKind.COMMAND), text


def test_what_changes_something_writes() -> None:
    for text, statement in each_statement():
        traits = statement.traits
        changes = (
            any(one.access not in LOOKING for one in statement.references)
            or traits.decided_by in CHANGING
            or isinstance(statement.command, AccessChange)
            or traits.one_commit
            or traits.row_by_row
            or traits.creates_table
            or traits.changes_views
            or traits.changes_materialized_views
            or traits.counts is not None
            or traits.runs_on is RunsOn.SPARK
        )
        assert traits.writes or not changes, text


def test_what_does_not_write_may_be_in_a_transaction() -> None:
    for text, statement in each_statement():
        assert statement.traits.writes or statement.traits.in_transaction, text


def test_what_counts_rows_is_one_commit() -> None:
    for text, statement in each_statement():
        traits = statement.traits
        assert traits.one_commit or (traits.counts is None and not traits.row_by_row), text


@pytest.mark.parametrize("text", STATEMENTS)
def test_explain_reads_and_analyze_does_what_it_explains(text: str) -> None:
    inside = parse(text).traits
    try:
        explained, analyzed = (parse(f"EXPLAIN {word} {text}") for word in ("", "ANALYZE"))
    except UserError:  # not every statement can be explained
        return
    if explained.kind is not StatementKind.EXPLAIN:  # EXPLAIN ANALYZE TABLE …, EXPLAIN POLICY …
        return
    assert explained.traits.effect is Effect.READ
    assert analyzed.traits.effect is inside.effect
    assert not analyzed.traits.one_commit
    for outer in (explained, analyzed):
        assert outer.traits.explains
        assert outer.traits.in_transaction is inside.in_transaction


def test_a_command_without_a_word_about_itself_has_the_strictest_traits() -> None:
    class Forgotten(Command):
        pass

    for statement in (
        Statement("x", StatementKind.COMMAND, command=Forgotten()),
        Statement("x", StatementKind.COMMAND),
    ):
        traits = statement.traits
        assert traits.writes and not traits.in_transaction and not traits.one_commit
        assert (traits.decided_by, traits.runs_on) == (DecidedBy.NOBODY, RunsOn.NOTHING)
        assert not traits.row_by_row and not traits.changes_views and traits.tables_in_plan
