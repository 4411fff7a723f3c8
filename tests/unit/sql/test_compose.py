"""Text put into a statement moves every place the statement knows."""

from __future__ import annotations

from sqe.sql.compose import insert_texts
from sqe.sql.parse import parse


def test_references_and_qualifiers_stay_on_their_words() -> None:
    text = "SELECT hr.emp.pay, u.b FROM hr.emp JOIN u AS u ON hr.emp.id = u.id"
    statement = parse(text)
    end = statement.references[0].span.end
    moved = insert_texts(
        statement, [(0, "INSERT INTO t "), (end, " WITH (x = 1)"), (len(text), ";")]
    )
    assert moved.text == (
        "INSERT INTO t SELECT hr.emp.pay, u.b FROM hr.emp WITH (x = 1) JOIN u AS u"
        " ON hr.emp.id = u.id;"
    )
    assert [one.span.of(moved.text) for one in moved.references] == ["hr.emp", "u"]
    assert [one.spans[-1].of(moved.text) for one in moved.qualifiers] == ["hr.emp", "hr.emp"]


def test_texts_at_one_place_keep_their_order() -> None:
    statement = parse("SELECT * FROM t")
    moved = insert_texts(statement, [(0, "("), (15, " WITH (x = 1)"), (15, "\n)")])
    [reference] = moved.references
    assert moved.text == "(SELECT * FROM t WITH (x = 1)\n)"
    assert reference.span.of(moved.text) == "t"


def test_session_functions_move_too() -> None:
    statement = parse("SELECT current_user(), a FROM t")
    moved = insert_texts(statement, [(0, "/* ann */ ")])
    assert [one.span.of(moved.text) for one in moved.session_functions] == ["current_user()"]
