"""BEGIN … END, taken apart."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.sql.scripts import Block, Choice, ForEach, Leave, Loop, Sql, parse_script
from sqe.sql.text import TextLimits

LIMITS = TextLimits()


def read(text: str) -> Block:
    block = parse_script(text, LIMITS)
    assert block is not None
    return block


@pytest.mark.parametrize("text", ["SELECT 1", "BEGIN", "BEGIN TRANSACTION", "SELECT 'BEGIN'", "'"])
def test_other_texts_are_no_scripts(text: str) -> None:
    assert parse_script(text, LIMITS) is None


def test_statements_keep_their_place_in_the_text() -> None:
    block = read("BEGIN\n  SELECT 'a;b' AS x;\n  INSERT INTO t VALUES (1);\nEND;")
    select, insert = block.steps
    assert isinstance(select, Sql) and isinstance(insert, Sql)
    assert select.text == "     \n  SELECT 'a;b' AS x"
    assert insert.text.count("\n") == 2
    assert (select.answers, insert.answers) == (True, False)


def test_set_is_of_variables() -> None:
    block = read("BEGIN DECLARE x INT; SET x = 1; SET VAR x = 2; END")
    texts = [step.text.split() for step in block.steps if isinstance(step, Sql)]
    assert texts == [["SET", "VARIABLE", "x", "=", "1"], ["SET", "VAR", "x", "=", "2"]]
    assert [text.split() for text in block.declarations] == [["DECLARE", "x", "INT"]]


def test_case_in_a_condition_ends_where_it_ends() -> None:
    block = read("BEGIN IF CASE WHEN a THEN b ELSE c END THEN SELECT 1; ELSE SELECT 2; END IF; END")
    (choice,) = block.steps
    assert isinstance(choice, Choice)
    assert "CASE WHEN a THEN b ELSE c END" in choice.branches[0][0]
    assert len(choice.otherwise) == 1


def test_loops_know_their_labels() -> None:
    block = read(
        "BEGIN w: WHILE a < 3 DO LEAVE w; END WHILE w; l: LOOP LEAVE l; END LOOP; "
        "REPEAT SELECT 1; UNTIL true END REPEAT; FOR r AS SELECT 1 AS a DO SELECT a; END FOR; END"
    )
    first, second, third, fourth = block.steps
    assert isinstance(first, Loop) and first.steps == (Leave("w"),) and first.go_on_if
    assert isinstance(second, Loop) and not second.go_on_if and not second.until
    assert isinstance(third, Loop) and "true" in third.until
    assert isinstance(fourth, ForEach) and fourth.row == "r"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("BEGIN SELECT 1 END", ErrorCode.SYNTAX_ERROR),
        ("BEGIN SELECT 1;", ErrorCode.SYNTAX_ERROR),
        ("BEGIN SELECT 1; END SELECT 2", ErrorCode.SYNTAX_ERROR),
        ("BEGIN SELECT 1; END; SELECT 2", ErrorCode.MULTIPLE_STATEMENTS),
        ("BEGIN SELECT 1; DECLARE x INT; END", ErrorCode.SYNTAX_ERROR),
        ("BEGIN DECLARE session.x INT; END", ErrorCode.SYNTAX_ERROR),
        ("BEGIN LEAVE nowhere; END", ErrorCode.SYNTAX_ERROR),
        ("BEGIN b: BEGIN ITERATE b; END; END", ErrorCode.SYNTAX_ERROR),
        ("BEGIN l: LOOP l: LOOP SELECT 1; END LOOP; END LOOP; END", ErrorCode.SYNTAX_ERROR),
        ("BEGIN IF THEN SELECT 1; END IF; END", ErrorCode.SYNTAX_ERROR),
        ("BEGIN WHILE true DO SELECT 1; END LOOP; END", ErrorCode.SYNTAX_ERROR),
        ("BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SELECT 1; END", ErrorCode.NOT_SUPPORTED),
        ("BEGIN DECLARE c CONDITION FOR SQLSTATE '22012'; END", ErrorCode.NOT_SUPPORTED),
        ("BEGIN " * 40 + "END; " * 39 + "END", ErrorCode.NOT_SUPPORTED),
        ("BEGIN " + "IF true THEN " * 40 + "END IF; " * 40 + "END", ErrorCode.NOT_SUPPORTED),
        ("BEGIN SELECT '\x00'; END", ErrorCode.INVALID_TEXT),
    ],
)
def test_what_is_wrong_is_said(text: str, code: ErrorCode) -> None:
    with pytest.raises(SqeError) as caught:
        parse_script(text, LIMITS)
    assert caught.value.code is code
