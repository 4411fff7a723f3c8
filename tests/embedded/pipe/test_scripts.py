"""BEGIN … END: statement by statement through the pipe. The answers are those of Spark 4.1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Deny, Restrict, RowFilter
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

COUNTED = """
BEGIN
  DECLARE i INT = 0;
  DECLARE s STRING = '';
  w: WHILE i < 10 DO
    SET i = i + 1;
    IF i = 3 THEN ITERATE w; END IF;
    IF i > 6 THEN LEAVE w; ELSEIF i = 5 THEN SET s = s || '-'; ELSE SET s = s || i; END IF;
  END WHILE w;
  SELECT s AS s, i AS i;
END
"""
ANSWERS = [
    ("BEGIN SELECT 1 AS a; SELECT 2 AS b; END", [(2,)]),
    (COUNTED, [("124-6", 7)]),
    ("BEGIN DECLARE x INT; IF x > 1 THEN SELECT 'y'; ELSE SELECT 'n'; END IF; END", [("n",)]),
    (
        "BEGIN DECLARE t INT = 0; FOR r AS SELECT id, id * 2 AS d FROM range(4) DO "
        "SET t = t + r.d + id; END FOR; SELECT t; END",
        [(18,)],
    ),
    (
        "BEGIN DECLARE t INT = 0; REPEAT SET t = t + 1; UNTIL t > 3 END REPEAT; VALUES (t); END",
        [(4,)],
    ),
    (
        "BEGIN DECLARE t INT = 0; l: LOOP SET t = t + 1; IF t = 3 THEN LEAVE l; END IF; END LOOP; "
        "SELECT t; END",
        [(3,)],
    ),
    (
        "BEGIN DECLARE t INT = 2; CASE t WHEN 1 THEN SELECT 'a'; WHEN 2 THEN SELECT 'b'; "
        "ELSE SELECT 'c'; END CASE; END",
        [("b",)],
    ),
    ("BEGIN CASE WHEN 1 = 2 THEN SELECT 'a'; END CASE; END", []),
    (
        "BEGIN DECLARE x INT = 1; b: BEGIN DECLARE x INT = 2; SELECT b.x; LEAVE b; SELECT 9; "
        "END b; SELECT x; END",
        [(1,)],
    ),
    ("BEGIN SHOW TABLES IN scripts; END", []),
    ("BEGIN SELECT 1 AS a; SHOW TABLES IN scripts; END", [(1,)]),
    (
        "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 'caught'; END; SELECT 1/0; "
        "SELECT 'after'; END",
        [("caught",)],
    ),
    (
        "BEGIN BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION SELECT 'caught'; "
        "SELECT * FROM scripts.nowhere; END; SELECT 'after'; END",
        [("after",)],
    ),
    ("BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN END; SELECT 5; SELECT 1/0; END", [(5,)]),
    ("BEGIN DECLARE id INT = 7; SELECT max(id) FROM scripts.emp; END", [(2,)]),
    ("BEGIN DECLARE q STRING = 'SELECT ? + 1'; EXECUTE IMMEDIATE q USING 4; END", [(5,)]),
]


@pytest.fixture(scope="module")
def table(shared_lake: Lake) -> Iterator[Lake]:
    shared_lake.all(
        "CREATE SCHEMA scripts",
        "CREATE TABLE scripts.emp AS SELECT * FROM VALUES (1, 'it'), (2, 'hr') AS v(id, dept)",
    )
    yield shared_lake


@pytest.fixture
def lake(table: Lake) -> Iterator[Lake]:
    own = table.another_session("ann", "auto")
    yield own
    own.close()


def test_the_answer_is_that_of_the_last_query(lake: Lake) -> None:
    found = [(text, lake.rows(text)) for text, _ in ANSWERS]
    assert found == ANSWERS
    assert lake.fails("SELECT i").code is ErrorCode.COLUMN_NOT_FOUND


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("BEGIN IF NULL THEN SELECT 1; END IF; END", ErrorCode.TYPE_MISMATCH),
        ("BEGIN IF 1 THEN SELECT 1; END IF; END", ErrorCode.TYPE_MISMATCH),
        ("BEGIN IF 1/0 = 1 THEN SELECT 1; END IF; END", ErrorCode.DIVISION_BY_ZERO),
        ("BEGIN SET nosuch = 1; END", ErrorCode.VARIABLE_NOT_FOUND),
        ("BEGIN DECLARE x INT; DECLARE x INT; END", ErrorCode.VARIABLE_ALREADY_EXISTS),
        ("BEGIN DECLARE x INT = 'abc'; END", ErrorCode.INVALID_CAST),
        ("BEGIN CACHE TABLE scripts.emp; END", ErrorCode.NOT_SUPPORTED),
        ("BEGIN l: LOOP BEGIN END; END LOOP; END", ErrorCode.STATEMENT_TOO_COMPLEX),
    ],
)
def test_what_fails_ends_the_script(lake: Lake, text: str, code: ErrorCode) -> None:
    assert lake.fails(text).code is code
    assert lake.value("SELECT 1") == 1


def test_errors_tell_their_place_in_the_script(lake: Lake) -> None:
    error = lake.fails("BEGIN\n  SELECT 1;\n  SELECT nothing FROM scripts.emp;\nEND")
    assert error.position is not None
    assert (error.position.line, error.position.column) == (3, 10)


def test_every_statement_is_decided_on(table: Lake) -> None:
    with closing(table.another_session("bob", "auto")) as lake:
        handled = "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION SELECT 'caught'; {}; END"
        part = Restrict("part", filters=(RowFilter("dept = 'it'"),))
        with lake.rules.on("lake.scripts.emp", part):
            assert lake.rows("BEGIN SELECT 0; SELECT id FROM scripts.emp; END") == [(1,)]
            loop = "BEGIN FOR SELECT id AS k FROM scripts.emp DO SELECT k; END FOR; END"
            assert lake.rows(loop) == [(1,)]
        with lake.rules.on("lake.scripts.emp", Deny("no")):
            # A handler hides nothing that was denied, and nothing that SQE does not do.
            denied = lake.fails(handled.format("SELECT * FROM scripts.emp"))
            assert denied.code in (ErrorCode.ACCESS_DENIED, ErrorCode.TABLE_NOT_FOUND)
        refused = lake.fails(handled.format("CACHE TABLE scripts.emp"))
        assert refused.code is ErrorCode.NOT_SUPPORTED


def test_each_write_is_a_commit_of_its_own(table: Lake) -> None:
    with closing(table.another_session("ann", "auto")) as lake:
        lake.fails(
            "BEGIN DECLARE n INT = 2; CREATE TABLE scripts.w (id INT); "
            "INSERT INTO scripts.w VALUES (n), (n + 1); "
            "FROM scripts.w INSERT INTO scripts.w SELECT id * 10; "
            "IF (SELECT count(*) FROM scripts.w) = 4 THEN DELETE FROM scripts.w WHERE id = n; "
            "END IF; SELECT 1 / 0; INSERT INTO scripts.w VALUES (99); END"
        )
        assert lake.rows("SELECT id FROM scripts.w ORDER BY id") == [(3,), (20,), (30,)]
        lake.run("DROP TABLE scripts.w")
        record = lake.server.gateway.records()[-1]
        assert record.user == "ann"


def test_variables_are_the_scripts_own(lake: Lake) -> None:
    lake.run("DECLARE mine INT = 1")
    assert lake.rows("BEGIN SET mine = mine + 1; SELECT mine; END") == [(2,)]
    assert lake.value("SELECT mine") == 2
    assert lake.fails("BEGIN DECLARE mine INT; END").code is ErrorCode.NOT_SUPPORTED
