"""The text of a write that is held to the filters of a user who sees only some rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.masks import NullMask
from sqe.model.names import RelationName
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.render import Names, render
from sqe.sql.counting import counting_edits
from sqe.sql.splice import Edit
from sqe.sql.statement import Access
from tests.unit.rewrite.bound_lake import HERE, BoundLake, bound_lake, struct

PLAIN = RowFilter("dept = 'it'", check=True)
MINE = RowFilter("dept IN (SELECT d FROM lake.s.mine WHERE u = current_user())", check=True)
NOBODY = RowFilter("in_group('g')", check=True)
RAISE = (
    "raise_error('SQE:TRINO:PERMISSION_DENIED:A row that the statement writes is not one that you"
    " may see. Nothing was written.')"
)
Rendered = Callable[..., str]


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[BoundLake]:
    emp = struct(id="int", dept="string", pay="decimal(10, 2)", home="string")
    mine = struct(d="string", u="string")
    with bound_lake(tmp_path, Identity("bob"), emp=emp, mine=mine) as lake:
        yield lake


def guarded(lake: BoundLake, sql: str, *filters: RowFilter) -> GuardedStatement:
    return lake.guarded(sql, {"lake.s.emp": Restrict("test", filters or (PLAIN,))})


def spelled(name: RelationName) -> tuple[str, ...]:
    return ("sqe", "h", name.name)


def text(statement: GuardedStatement, *edits: Edit) -> str:
    names = Names(spelled, lambda relation: "", HERE, "bob")
    return render(statement, names, edits).text


@pytest.fixture
def rendered(lake: BoundLake) -> Rendered:
    return lambda sql, *filters: text(guarded(lake, sql, *filters))


OPEN = "array_contains(array("
F = "(dept = 'it'\n)"
G = "(dept IN (SELECT d FROM sqe.h.mine WHERE u = 'bob')\n)"
HR = "('hr'\n)"
HOME = "(upper(h.emp.home)\n)"
LAST = "__sqe_2, __sqe_3, __sqe_4"
ALL = "__sqe(__sqe_1, __sqe_2, __sqe_3, __sqe_4)"


def row(condition: str, value: str) -> str:
    return f"(SELECT ({condition}\n) FROM (SELECT CAST({value} AS string) AS dept) AS emp)"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "INSERT INTO emp VALUES (1, 'it', 2, 'x')",
            f"INSERT INTO sqe.h.emp SELECT CASE WHEN {row(F, '__sqe.__sqe_2')} THEN __sqe_1 ELSE"
            f" {RAISE} END, {LAST} FROM (VALUES (1, 'it', 2, 'x')\n) AS {ALL}",
        ),
        (
            "INSERT INTO s.emp (pay, dept) SELECT 1, d FROM mine -- all",
            f"INSERT INTO sqe.h.emp (pay, dept) SELECT CASE WHEN {row(F, '__sqe.__sqe_2')} THEN"
            f" __sqe_1 ELSE {RAISE} END, __sqe_2 FROM (SELECT 1, d FROM sqe.h.mine\n) AS"
            " __sqe(__sqe_1, __sqe_2)",
        ),
        (
            "INSERT INTO emp (id) VALUES (1)",
            f"INSERT INTO sqe.h.emp (id) SELECT CASE WHEN {row(F, 'NULL')} THEN __sqe_1 ELSE"
            f" {RAISE} END FROM (VALUES (1)\n) AS __sqe(__sqe_1)",
        ),
        (
            "INSERT INTO emp BY NAME SELECT 1 AS id, 'it' AS dept",
            "INSERT INTO sqe.h.emp BY NAME SELECT __sqe.* EXCEPT (dept), CASE WHEN"
            f" {row(F, '__sqe.dept')} THEN __sqe.dept ELSE {RAISE} END AS dept FROM (SELECT 1 AS"
            " id, 'it' AS dept\n) AS __sqe",
        ),
        ("DELETE FROM emp", f"DELETE FROM sqe.h.emp\nWHERE ({F}\n)"),
        (
            "DELETE FROM emp x WHERE x.pay = 1 -- cannot fail, so that rows are found by it",
            f"DELETE FROM sqe.h.emp x WHERE ({F}\n) AND (x.pay = 1\n)",
        ),
        (
            "DELETE FROM emp x WHERE 1 / x.pay = 1 -- one",
            f"DELETE FROM sqe.h.emp x WHERE ({F}\n) AND {OPEN}CASE WHEN ({F}\n) THEN CASE WHEN"
            " (1 / x.pay = 1\n) THEN TRUE END END), TRUE)",
        ),
        ("UPDATE emp SET pay = 1", f"UPDATE sqe.h.emp SET pay = 1\nWHERE ({F}\n)"),
        (
            "UPDATE emp SET dept = upper(s.emp.home)",
            f"UPDATE sqe.h.emp SET dept = upper(h.emp.home)\nWHERE ({F}\n) AND {OPEN}CASE WHEN"
            f" ({F}\n) THEN CASE WHEN {row(F, HOME)} THEN TRUE"
            f" ELSE {RAISE} END END), TRUE)",
        ),
        (
            "UPDATE emp e SET e.pay = 2, e.dept = 'hr' WHERE id = 1",
            f"UPDATE sqe.h.emp e SET e.pay = 2, e.dept = 'hr' WHERE ({F}\n) AND {OPEN}CASE WHEN"
            f" ({F}\n) THEN CASE WHEN (id = 1\n) THEN CASE WHEN {row(F, HR)}"
            f" THEN TRUE ELSE {RAISE} END END END), TRUE)",
        ),
    ],
)
def test_a_write_is_held_to_a_filter(rendered: Rendered, sql: str, expected: str) -> None:
    assert rendered(sql) == expected


def test_a_filter_with_a_subquery_is_asked_once_and_reads_its_own_tables(lake: BoundLake) -> None:
    assert text(guarded(lake, "DELETE FROM emp WHERE id = 1", MINE)) == (
        f"DELETE FROM sqe.h.emp WHERE ({G}\n) AND (id = 1\n)"
    )
    statement = guarded(lake, "DELETE FROM emp WHERE 1 / id = 1", MINE)
    assert text(statement) == (
        f"DELETE FROM sqe.h.emp WHERE {OPEN}CASE WHEN ({G}\n) THEN CASE WHEN (1 / id = 1\n)"
        " THEN TRUE END END), TRUE)"
    )
    read = [one for one in statement.bound.walk() if one.reference.access is Access.READ]
    assert [str(one.relation) for one in read] == ["lake.s.mine"]
    assert statement.restricted


def test_several_filters_all_hold(rendered: Rendered) -> None:
    paid = RowFilter("pay < 5", check=True)
    assert rendered("DELETE FROM emp", PLAIN, paid) == (
        "DELETE FROM sqe.h.emp\nWHERE ((dept = 'it'\n) AND (pay < 5\n)\n)"
    )


def test_a_filter_about_no_column_is_asked_all_the_same(rendered: Rendered) -> None:
    inserted = rendered("INSERT INTO emp (id) VALUES (1)", NOBODY)
    assert "CASE WHEN ((FALSE\n)\n) THEN __sqe_1 ELSE raise_error(" in inserted
    named = rendered("INSERT INTO emp BY NAME SELECT 1 AS id", NOBODY)
    assert "SELECT __sqe.* EXCEPT (id), CASE WHEN ((FALSE\n)\n) THEN __sqe.id ELSE" in named


@pytest.mark.parametrize(
    ("sql", "where"),
    [
        ("UPDATE emp SET dept = 'it'", f"WHERE ({F}\n)"),
        (
            "UPDATE emp SET dept = 'it' WHERE id = 1",
            f"WHERE ({F}\n) AND (id = 1\n)",
        ),
        (
            "UPDATE emp SET dept = 'it' WHERE 1 / id = 1",
            f"WHERE ({F}\n) AND {OPEN}CASE WHEN ({F}\n) THEN CASE WHEN (1 / id = 1\n) THEN TRUE"
            " END END), TRUE)",
        ),
        ("DELETE FROM emp", f"WHERE ({F}\n)"),
    ],
)
def test_a_count_of_its_rows_is_of_the_visible_ones(lake: BoundLake, sql: str, where: str) -> None:
    statement = guarded(lake, sql)
    edits = counting_edits(statement.bound.statement)
    assert edits is not None
    counted = " ".join(text(statement, *edits).split())
    assert counted == f"SELECT count(*) FROM sqe.h.emp {' '.join(where.split())}"


REFUSED = [
    ("INSERT INTO emp VALUES (1, DEFAULT, 2, 'x')", PLAIN),
    ("INSERT OVERWRITE emp VALUES (1, 'it', 2, 'x')", PLAIN),
    ("INSERT INTO emp REPLACE WHERE id = 1 VALUES (1, 'it', 2, 'x')", PLAIN),
    ("INSERT INTO emp PARTITION (dept = 'it') SELECT 1, 2, 'x'", PLAIN),
    ("INSERT INTO emp AS x VALUES (1, 'it', 2, 'x')", PLAIN),
    ("INSERT INTO emp.branch_main VALUES (1, 'it', 2, 'x')", PLAIN),
    ("UPDATE emp SET dept = DEFAULT", PLAIN),
    ("UPDATE emp SET dept.x = 1", PLAIN),
    ("UPDATE emp SET pay = (SELECT 1)", PLAIN),
    ("UPDATE emp SET dept = home", MINE),
    ("DELETE FROM emp WHERE id IN (SELECT 1)", PLAIN),
    ("DELETE FROM emp WHERE EXISTS (SELECT 1 FROM mine)", PLAIN),
    ("TRUNCATE TABLE emp", PLAIN),
    ("MERGE INTO emp USING mine ON dept = d WHEN MATCHED THEN DELETE", PLAIN),
    ("ALTER TABLE emp ADD COLUMN x INT", PLAIN),
    ("DROP TABLE emp", PLAIN),
    ("CREATE OR REPLACE TABLE emp (id INT)", PLAIN),
    ("EXPLAIN DELETE FROM emp", PLAIN),
    ("DELETE FROM emp", RowFilter("dept = 'it'")),
]


@pytest.mark.parametrize(("sql", "limit"), REFUSED, ids=[f"{sql}" for sql, _ in REFUSED])
def test_what_cannot_be_held_to_it_is_refused(lake: BoundLake, sql: str, limit: RowFilter) -> None:
    with pytest.raises(AccessError) as raised:
        guarded(lake, sql, limit)
    assert raised.value.code is ErrorCode.ACCESS_DENIED
    assert raised.value.message.startswith("You see only part of lake.s.emp")


@pytest.mark.parametrize(
    "limits",
    [
        Restrict("masked", (PLAIN,), {"pay": NullMask()}),
        Restrict("hidden", (PLAIN,), hidden=frozenset({"pay"})),
        Restrict("nothing"),
    ],
    ids=lambda limits: str(limits.reason),
)
def test_filters_alone_may_limit_who_writes(lake: BoundLake, limits: Restrict) -> None:
    for sql in ("INSERT INTO emp (id) VALUES (1)", "UPDATE emp SET id = 1", "DELETE FROM emp"):
        with pytest.raises(AccessError):
            lake.guarded(sql, {"lake.s.emp": limits})
