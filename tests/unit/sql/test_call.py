"""CALL: the procedure, its table, and arguments that are right before Spark sees them."""

from __future__ import annotations

import datetime

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.sql.arguments import Moment, timestamp_literal
from sqe.sql.call import ProcedureCall, RegisterTable
from sqe.sql.parse import parse
from sqe.sql.procedures import PROCEDURES, RUNNABLE
from sqe.sql.statement import Access, StatementKind


def called(text: str) -> ProcedureCall:
    command = parse(text).command
    assert isinstance(command, ProcedureCall)
    return command


def refused(text: str) -> UserError:
    with pytest.raises(UserError) as raised:
        parse(text)
    return raised.value


def test_positional_and_named_arguments() -> None:
    text = "CALL lake.system.expire_snapshots('s.t', older_than => DATE '2020-01-31',"
    statement = parse(f"{text} snapshot_ids => array(1, 2), stream_results => FALSE)")
    call = statement.command
    assert isinstance(call, ProcedureCall)
    assert statement.kind is StatementKind.CALL
    assert (call.catalog, call.procedure.name) == ("lake", "expire_snapshots")
    assert call.value("snapshot_ids") == [1, 2]
    assert call.value("stream_results") is False
    assert call.value("retain_last") is None
    [reference] = statement.references
    assert (reference.parts, reference.access) == (("lake", "s", "t"), Access.ALTER)
    assert reference.span.of(statement.text) == "'s.t'"


def test_the_table_is_a_name_as_anywhere_else() -> None:
    [reference] = parse("CALL system.ancestors_of('s.`a.b; c`')").references
    assert reference.parts == ("s", "a.b; c")
    for name in ("", "s..t", "s.t x", "s.t; DROP", "(SELECT 1)"):
        assert refused(f"CALL system.ancestors_of('{name}')").code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TIMESTAMP '2020-01-31 10:00:00'", "2020-01-31 09:00:00.000000Z"),
        ("'2020-01-31T10:00:00.5Z'", "2020-01-31 10:00:00.500000Z"),
        ("'2020-01-31 10:00:00 America/New_York'", "2020-01-31 15:00:00.000000Z"),
        ("DATE '2020-01-31'", "2020-01-30 23:00:00.000000Z"),
    ],
)
def test_a_moment_without_a_zone_is_the_sessions(text: str, expected: str) -> None:
    moment = called(f"CALL system.rollback_to_timestamp('t', {text})").value("timestamp")
    assert timestamp_literal(moment.at("Europe/Vienna")) == f"TIMESTAMP '{expected}'"
    assert isinstance(moment, Moment)


@pytest.mark.parametrize(
    "text",
    [
        "now() - INTERVAL 7 DAYS",
        "current_timestamp - INTERVAL '7' DAY",
        "NOW() - INTERVAL '7 days'",
    ],
)
def test_a_moment_may_be_counted_from_now(text: str) -> None:
    moment = called(f"CALL system.expire_snapshots('t', {text})").value("older_than")
    age = datetime.datetime.now(datetime.UTC) - moment.at("UTC")
    assert datetime.timedelta(days=7) <= age < datetime.timedelta(days=7, minutes=5)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("CALL system.expire_snapshot('t')", "FUNCTION_NOT_FOUND", "mean expire_snapshots"),
        ("CALL system.drop_everything('t')", "FUNCTION_NOT_FOUND", "rewrite_data_files"),
        ("CALL expire_snapshots('t')", "FUNCTION_NOT_FOUND", "CALL system.expire_snapshots"),
        ("CALL s.expire_snapshots('t')", "FUNCTION_NOT_FOUND", "CALL system.expire_snapshots"),
        ("CALL system.rollback_to_snapshot('t')", "INVALID_ARGUMENT", "needs snapshot_id"),
        ("CALL system.rollback_to_snapshot('t', 'x')", "INVALID_ARGUMENT", "whole number"),
        ("CALL system.rollback_to_snapshot('t', 1.5)", "INVALID_ARGUMENT", "whole number"),
        ("CALL system.rollback_to_snapshot('t', NULL)", "INVALID_ARGUMENT", "may not be NULL"),
        ("CALL system.rollback_to_snapshot('t', 99999999999999999999)", "INVALID_ARGUMENT", "64"),
        ("CALL system.rollback_to_snapshot('t', 1, 2)", "INVALID_ARGUMENT", "2 arguments"),
        ("CALL system.ancestors_of('t', table => 'u')", "INVALID_ARGUMENT", "given twice"),
        ("CALL system.ancestors_of(table => 't', 5)", "INVALID_ARGUMENT", "without a name"),
        ("CALL system.ancestors_of(table => 't', snap_id => 5)", "INVALID_ARGUMENT", "snapshot_id"),
        ("CALL system.ancestors_of(t)", "SYNTAX_ERROR", "a string in quotes"),
        ("CALL system.ancestors_of('t' || 'u')", "SYNTAX_ERROR", "Expected"),
        ("CALL system.ancestors_of((SELECT 't'))", "SYNTAX_ERROR", "a string in quotes"),
        ("CALL system.ancestors_of('t') x", "SYNTAX_ERROR", "the end"),
        ("CALL system.expire_snapshots('t', 'soon')", "INVALID_ARGUMENT", "not a moment"),
        ("CALL system.expire_snapshots('t', retain_last => 3000000000)", "INVALID_ARGUMENT", "32"),
        ("CALL system.remove_orphan_files('t', file_list_view => 'v')", "INVALID_ARGUMENT", "view"),
        ("CALL system.migrate('t')", "NOT_SUPPORTED", "session catalog"),
        ("CALL system.snapshot('t', 'u')", "NOT_SUPPORTED", "CREATE TABLE"),
        ("CALL system.add_files('t', '`parquet`.`/x`')", "NOT_SUPPORTED", "sqe load"),
        ("CALL system.create_changelog_view('t')", "NOT_SUPPORTED", "t.changes"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(text: str, code: str, said: str) -> None:
    error = refused(text)
    assert error.code.name == code
    assert said in str(error)
    assert error.position is not None


@pytest.mark.parametrize(
    "condition",
    [
        "id IN (SELECT 1)",
        "EXISTS (SELECT 1 FROM other)",
        "reflect('java.lang.System', 'exit') = 1",
        "no_such_function(id)",
        "1 = 1) UNION SELECT (1",
        "1 = 1) GROUP BY (1",
        "1 = 1; DROP TABLE t",
        "id = (",
        "",
    ],
)
def test_a_condition_is_one_on_the_tables_columns(condition: str) -> None:
    written = condition.replace("'", "\\'")
    text = f"CALL system.rewrite_data_files(table => 't', where => '{written}')"
    assert refused(text).code is ErrorCode.NOT_SUPPORTED


def test_a_condition_as_it_should_be() -> None:
    text = "CALL system.rewrite_data_files('t', where => \"day > DATE '2020-01-01' AND n IN (1)\")"
    assert called(text).value("where") == "day > DATE '2020-01-01' AND n IN (1)"


def test_registering_is_the_catalogs_work() -> None:
    statement = parse("CALL system.register_table('s.t', '/w/s/t/metadata/1.json')")
    assert isinstance(statement.command, RegisterTable)
    assert statement.kind is StatementKind.COMMAND
    assert statement.references[0].access is Access.CREATE


def test_the_table_of_procedures_is_in_order() -> None:
    for procedure in RUNNABLE:
        assert procedure.result and procedure.about and procedure.parameters[0].name == "table"
        required = [parameter.required for parameter in procedure.parameters]
        assert required == sorted(required, reverse=True)
    assert all(procedure.instead for procedure in PROCEDURES.values() if procedure.refused)


def test_a_condition_calls_no_function_that_somebody_has_written() -> None:
    """The pipe's parser lets such calls through elsewhere, for their bodies to be written there."""
    text = "CALL system.rewrite_data_files(table => 's.t', where => 'mine(a) = 1')"
    for own_functions in (False, True):
        with pytest.raises(UserError, match="mine") as refused:
            parse(text, own_functions=own_functions)
        assert refused.value.code is ErrorCode.NOT_SUPPORTED
