"""The text of a write that is held to the filters of a user who sees only some rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlglot import exp

from sqe.binding.bound import BoundStatement, BoundTable, BoundView
from sqe.catalog.protocol import Loaded
from sqe.errors import AccessError, ErrorCode, InternalError
from sqe.model.decision import Allow, Decision, Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.masks import NullMask
from sqe.model.names import RelationName
from sqe.rewrite.check_writes import check_writes
from sqe.rewrite.guard import guard
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.guarding import Guarding
from sqe.rewrite.needs import Key, needs_of
from sqe.rewrite.render import render
from sqe.rewrite.rendering import Names
from sqe.rewrite.writes_text import change_parts, insert_parts
from sqe.sql.counting import edits_of_count
from sqe.sql.parse import parse
from sqe.sql.splice import Edit
from sqe.sql.statement import Access
from tests.unit.rewrite.bound_lake import (
    EMP,
    HERE,
    RAISE,
    BoundLake,
    bound_lake,
    spelled,
    struct,
)

PLAIN = RowFilter("dept = 'it'", check=True)
MINE = RowFilter("dept IN (SELECT d FROM lake.s.mine WHERE u = current_user())", check=True)
NOBODY = RowFilter("in_group('g')", check=True)
Rendered = Callable[..., str]


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[BoundLake]:
    mine = struct(d="string", u="string")
    with bound_lake(tmp_path, Identity("bob"), emp=EMP, mine=mine) as lake:
        yield lake


def guarded(lake: BoundLake, sql: str, *filters: RowFilter) -> GuardedStatement:
    return lake.guarded(sql, {"lake.s.emp": Restrict("test", filters or (PLAIN,))})


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


def new(value: str) -> str:
    """What the plain filter says of a row that gets this department."""
    members = f"named_struct('dept', CAST({value} AS string))"
    return f"exists(array({members}), __sqe -> ((__sqe.dept = 'it'\n)\n))"


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
        (
            "DELETE FROM emp",
            f"DELETE FROM sqe.h.emp\nWHERE ({F}\n) AND {OPEN}({F}\n)), TRUE)",
        ),
        (
            "DELETE FROM emp x WHERE x.pay = 1 -- cannot fail, and is asked of each row",
            f"DELETE FROM sqe.h.emp x WHERE ({F}\n) AND {OPEN}CASE WHEN ({F}\n) THEN CASE WHEN"
            " (x.pay = 1\n) THEN TRUE END END), TRUE)",
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
            f" ({F}\n) THEN CASE WHEN {new(HOME)} THEN TRUE"
            f" ELSE {RAISE} END END), TRUE)",
        ),
        (
            "UPDATE emp e SET e.pay = 2, e.dept = 'hr' WHERE id = 1",
            f"UPDATE sqe.h.emp e SET e.pay = 2, e.dept = 'hr' WHERE ({F}\n) AND {OPEN}CASE WHEN"
            f" ({F}\n) THEN CASE WHEN (id = 1\n) THEN CASE WHEN {new(HR)}"
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


@pytest.mark.parametrize("name", ["emp.", "s.EMP.", "lake.s.emp.", "`lake`.`s`.`emp` . ", ""])
@pytest.mark.parametrize("alias", ["", " AS e", " AS `Emp`"])
def test_a_filter_may_name_its_table_whatever_the_statement_calls_it(
    rendered: Rendered, name: str, alias: str
) -> None:
    limit = RowFilter(f"{name}Dept = 'it' AND if({name}home = 'emp.dept', true, false)", check=True)
    where = "((dept = 'it' AND if(home = 'emp.dept', true, false)\n)\n)"
    assert rendered(f"UPDATE emp{alias} SET id = 1", limit) == (
        f"UPDATE sqe.h.emp{alias} SET id = 1\nWHERE {where}"
    )
    again = f"WHERE {where} AND {OPEN}CASE WHEN {where} THEN CASE WHEN (1 / id = 1"
    assert again in rendered(f"DELETE FROM emp{alias} WHERE 1 / id = 1", limit)
    row = f"SELECT {where} FROM (SELECT CAST(NULL AS string) AS dept, CAST(__sqe.__sqe_1 AS"
    assert row in rendered("INSERT INTO emp (home) VALUES ('x')", limit)


def test_several_filters_all_hold(rendered: Rendered) -> None:
    paid = RowFilter("pay < 5", check=True)
    assert rendered("UPDATE emp SET home = ''", PLAIN, paid) == (
        "UPDATE sqe.h.emp SET home = ''\nWHERE ((dept = 'it'\n) AND (pay < 5\n)\n)"
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
        ("UPDATE emp SET pay = s.emp.pay", f"WHERE ({F}\n)"),
        ("DELETE FROM emp", f"WHERE ({F}\n) AND {OPEN}({F}\n)), TRUE)"),
    ],
)
def test_a_count_of_its_rows_is_of_the_visible_ones(lake: BoundLake, sql: str, where: str) -> None:
    statement = guarded(lake, sql)
    edits = edits_of_count(statement.bound.statement)
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
    ("UPDATE emp SET dept[0] = 'it'", PLAIN),
    ("UPDATE emp SET home[0] = 'it'", PLAIN),
    ("UPDATE emp SET pay = (SELECT 1)", PLAIN),
    ("UPDATE emp SET dept = home", MINE),
    ("UPDATE emp SET dept = 'i' || home", MINE),
    ("UPDATE emp SET pay = (SELECT 1) WHERE id IN (SELECT 1)", PLAIN),
    ("UPDATE emp SET dept = 'it' WHERE id IN (SELECT 1)", PLAIN),
    ("UPDATE emp SET pay = 1, Dept = 'it' WHERE EXISTS (SELECT 1 FROM mine)", PLAIN),
    ("TRUNCATE TABLE emp", PLAIN),
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


@pytest.mark.parametrize("limit", [PLAIN, MINE], ids=["plain", "a subquery"])
@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("DELETE FROM emp", "id IN (SELECT 1)"),
        ("DELETE FROM emp", "home NOT IN (SELECT u FROM mine WHERE d = 'x') AND id = 1"),
        ("DELETE FROM emp", "EXISTS (SELECT 1 FROM mine WHERE mine.u = emp.home) OR pay > 1"),
        ("DELETE FROM emp AS e", "NOT EXISTS (SELECT 1 FROM mine m WHERE m.u = e.home)"),
        ("DELETE FROM emp", "(home, dept) IN (SELECT u, d FROM mine)"),
        ("UPDATE emp SET pay = 1 / pay", "home IN (WITH c AS (TABLE mine) SELECT u FROM c)"),
        ("UPDATE emp SET pay = 1", "(home) IN ((SELECT u FROM mine))"),
    ],
)
def test_a_subquery_that_cannot_fail_stands_beside_the_filters(
    rendered: Rendered, sql: str, condition: str, limit: RowFilter
) -> None:
    found = " ".join(rendered(f"{sql} WHERE {condition}", limit).split())
    filters = " ".join(f"({F if limit is PLAIN else G}\n)".split())
    whole = f"{sql.replace(' emp', ' sqe.h.emp')} WHERE {filters} AND ({condition} )"
    assert found == re.sub(r"(FROM|TABLE) mine", r"\1 sqe.h.mine", whole)


@pytest.mark.parametrize(
    "condition",
    [
        "1 / id IN (SELECT 1)",
        "id IN (SELECT 1) AND 1 / id = 1",
        "id IN (SELECT u FROM mine)",
        "(home, id) IN (SELECT u, d FROM mine)",
        "(home, dept) IN (SELECT u FROM mine)",
        "(home, dept) IN (SELECT id, d FROM mine)",
        "EXISTS (SELECT 1 FROM mine WHERE 1 / id = 1)",
        "EXISTS (SELECT max(1 / id) FROM mine)",
        "id = (SELECT max(1) FROM mine)",
        "id IN (VALUES 1)",
    ],
)
@pytest.mark.parametrize("sql", ["DELETE FROM emp", "UPDATE emp SET pay = 1"])
def test_beside_a_subquery_nothing_may_fail(rendered: Rendered, sql: str, condition: str) -> None:
    with pytest.raises(AccessError) as raised:
        rendered(f"{sql} WHERE {condition}")
    assert "beside a subquery, its condition holds nothing that could fail" in raised.value.message
    assert raised.value.hint.startswith("Compare columns with values of their own types")


@pytest.mark.parametrize(
    "limits",
    [
        Restrict("asks", (RowFilter("pay > 1", check=True),), {"pay": NullMask()}),
        Restrict("odd name", masks={"1pay": NullMask()}),
        Restrict("no such column", masks={"wage": NullMask()}),
        Restrict("hidden", (PLAIN,), hidden=frozenset({"pay"})),
        Restrict("nothing"),
    ],
    ids=lambda limits: str(limits.reason),
)
def test_what_else_limits_who_writes_is_refused(lake: BoundLake, limits: Restrict) -> None:
    for sql in ("INSERT INTO emp (id) VALUES (1)", "UPDATE emp SET id = 1", "DELETE FROM emp"):
        with pytest.raises(AccessError):
            lake.guarded(sql, {"lake.s.emp": limits})


@pytest.mark.parametrize("sql", ["DELETE FROM emp", "INSERT INTO emp (id) VALUES (1)"])
def test_one_filter_that_rows_may_not_be_written_through_is_enough(
    lake: BoundLake, sql: str
) -> None:
    closed = RowFilter("pay < 5")
    for filters in ((PLAIN, closed), (closed, PLAIN)):
        with pytest.raises(AccessError):
            guarded(lake, sql, *filters)


@pytest.mark.parametrize("value", ["'it'", "'default'", "1", "NULL", "TRUE", "FALSE", "?"])
def test_a_plain_value_is_held_to_a_filter_with_a_subquery(rendered: Rendered, value: str) -> None:
    text = rendered(f"UPDATE emp SET dept = {value}", MINE)
    assert f"CAST(({value}\n) AS string) AS dept" in text and RAISE in text


def _limits(bound: BoundStatement) -> dict[Key, Decision]:
    limits = Restrict("test", (PLAIN,))
    return {
        need.key: limits if need.key[0].name == "emp" else Allow("all") for need in needs_of(bound)
    }


def test_what_cannot_be_checked_is_a_defect(lake: BoundLake) -> None:
    bound = lake.bound("DELETE FROM emp")
    with pytest.raises(InternalError):
        guard(bound, _limits(bound))
    odd = lake.bound("INSERT OVERWRITE emp VALUES (1, 'it', 2, 'x')")
    with pytest.raises(InternalError):
        check_writes(odd, Guarding(_limits(odd), lake))
    [written] = bound.references
    assert isinstance(written.target, BoundTable)
    view = BoundView("emp", lake.bound("SELECT 1"), written.target.columns, written.target.name)
    of_view = replace(bound, references=(replace(written, target=view),))
    with pytest.raises(InternalError):
        check_writes(of_view, Guarding(_limits(bound), lake))


@pytest.mark.parametrize(
    ("sql", "column", "refused"),
    [
        ("INSERT INTO emp (id) VALUES (1)", "dept", True),
        ("INSERT INTO emp (ID, pay) VALUES (1, 2)", "dept", True),
        ("INSERT INTO emp (id) VALUES (1)", "home", False),
        ("INSERT INTO emp (id, Dept) VALUES (1, 'it')", "dept", False),
        ("INSERT INTO emp VALUES (1, 'it', 2, 'x')", "dept", False),
    ],
)
def test_a_default_that_the_filters_are_about_is_written_out(
    lake: BoundLake, sql: str, column: str, refused: bool
) -> None:
    bound = lake.bound(sql)
    [written] = bound.references
    assert isinstance(written.target, BoundTable)
    metadata = json.loads(json.dumps(written.target.metadata))
    for field in metadata["schemas"][0]["fields"]:
        if field["name"] == column:
            field["write-default"] = "it"
    target = replace(written.target, loaded=Loaded(json.dumps(metadata).encode(), "file:///m"))
    bound = replace(bound, references=(replace(written, target=target),))
    if not refused:
        assert guard(bound, _limits(bound), lake).restricted
        return
    with pytest.raises(AccessError) as raised:
        guard(bound, _limits(bound), lake)
    assert raised.value.message.endswith("writes to it are checked: write a value for dept.")


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("UPDATE emp SET dept = s.emp.home", "h.emp.home"),
        ("UPDATE emp SET dept = current_user()", "'bob'"),
        ("UPDATE emp SET dept = s.emp.home WHERE s.emp.id = 1", "h.emp.home"),
        ("UPDATE emp SET pay = s.emp.pay, dept = s.emp.home, id = s.emp.id", "h.emp.home"),
        ("UPDATE emp SET dept = home, pay = map(1, 2)[1]", "home"),
        ("UPDATE emp SET dept = array('a', 'b')[1], pay = 1", "array('a', 'b')[1]"),
        ("UPDATE emp SET dept = concat(home, (home)), pay = (1)", "concat(home, (home))"),
        ("UPDATE emp SET dept = if(pay = 1, home, 'x') WHERE id = 1", "if(pay = 1, home, 'x')"),
        ("UPDATE emp SET S.EMP.Dept = home", "home"),
    ],
)
def test_what_is_checked_is_what_is_written(rendered: Rendered, sql: str, value: str) -> None:
    text = rendered(sql)
    assert f"dept = {value}" in text.replace("Dept", "dept")
    assert f"CASE WHEN {new(f'({value}' + chr(10) + ')')} THEN TRUE ELSE {RAISE} END" in text


@pytest.mark.parametrize("sql", ["UPDATE emp SET home.x = 1", "UPDATE emp SET id = 1, home = 'x'"])
def test_what_no_filter_is_about_is_just_written(rendered: Rendered, sql: str) -> None:
    assert rendered(sql) == f"{sql.replace('emp', 'sqe.h.emp')}\nWHERE ({F}\n)"


def test_a_subquery_of_no_table_is_one(lake: BoundLake) -> None:
    with pytest.raises(AccessError) as raised:
        guarded(lake, "UPDATE emp SET dept = home", RowFilter("dept IN (SELECT 'it')", check=True))
    assert raised.value.message.endswith("write a plain value to dept.")


@pytest.mark.parametrize("query", ["SELECT 'it'", "TABLE lake.s.mine"])
def test_a_filter_with_a_query_is_not_asked_twice(rendered: Rendered, query: str) -> None:
    limit = RowFilter(f"dept IN ({query})", check=True)
    text = rendered("DELETE FROM emp WHERE 1 / id = 1", limit)
    assert text.startswith("DELETE FROM sqe.h.emp WHERE array_contains(array(CASE WHEN")


def test_no_space_is_needed(rendered: Rendered) -> None:
    text = rendered("INSERT INTO emp(id)VALUES (1)")
    assert text.startswith("INSERT INTO sqe.h.emp(id)SELECT CASE WHEN")


def test_a_text_that_says_default_is_a_text(rendered: Rendered) -> None:
    assert "VALUES ('default')" in rendered("INSERT INTO emp (dept) VALUES ('default')")


@pytest.mark.parametrize(
    "name", ["overwrite", "where", "exists", "returning", "conflict", "partition", "ignore"]
)
def test_an_insert_with_more_to_it_is_none_of_the_plain_forms(name: str) -> None:
    statement = parse("INSERT INTO emp VALUES (1)")
    odd = replace(statement, tree=statement.tree.copy())
    assert insert_parts(odd) is not None
    odd.tree.set(name, exp.true())
    assert insert_parts(odd) is None


@pytest.mark.parametrize("name", ["partition", "alias", "sample", "version"])
@pytest.mark.parametrize("columns", ["", " (id)"])
def test_nor_is_one_into_more_than_a_table(name: str, columns: str) -> None:
    statement = parse(f"INSERT INTO emp{columns} VALUES (1)")
    odd = replace(statement, tree=statement.tree.copy())
    table = odd.tree.find(exp.Table)
    table.set(name, exp.true())
    assert insert_parts(statement) is not None and insert_parts(odd) is None


def test_what_the_tree_and_the_text_do_not_agree_on_is_none() -> None:
    aliased = parse("INSERT INTO emp VALUES (1)")
    [table] = aliased.references
    assert insert_parts(replace(aliased, references=(replace(table, alias="x"),))) is None
    listed = parse("INSERT INTO emp (id) VALUES (1)")
    odd = replace(listed, tree=listed.tree.copy())
    odd.tree.this.set("expressions", [])
    assert insert_parts(listed) is not None and insert_parts(odd) is None
    update = parse("UPDATE emp SET id = 1, pay = 2")
    odd = replace(update, tree=update.tree.copy())
    odd.tree.expressions.pop()
    assert change_parts(update) is not None and change_parts(odd) is None
    for text in ("UPDATE emp SET id = 1 WHERE", "UPDATE emp SET id, pay = 2", "UPDATE emp id = 1"):
        assert change_parts(replace(update, text=text)) is None
    for text in ("UPDATE emp SET id =, pay = 2", "UPDATE emp SET = 1, pay = 2"):
        assert change_parts(replace(update, text=text)) is None
    for text in ("INSERT INTO emp", "INSERT INTO emp BY NAME"):
        assert insert_parts(replace(aliased, text=text)) is None
    for text in ("INSERT INTO emp (id) BY NAME SELECT 1 AS id", "INSERT INTO emp VALUES (1)"):
        assert insert_parts(replace(listed, text=text)) is None
    assert insert_parts(replace(listed, text="INSERT INTO emp (id VALUES")) is None


def test_an_engine_is_told_what_a_write_is_held_to(lake: BoundLake) -> None:
    told: list[tuple[str, str]] = []

    def check(name: RelationName, condition: str) -> None:
        told.append((str(name), condition))

    names = Names(spelled, lambda relation: "", HERE, "bob", check=check)
    render(guarded(lake, "DELETE FROM emp", MINE), names)
    assert told == [("lake.s.emp", G)]


@pytest.mark.parametrize(
    "word",
    [
        "_file",
        "_pos",
        "_partition",
        "_spec_id",
        "_deleted",
        "_row_id",
        "_last_updated_sequence_number",
        "monotonically_increasing_id()",
        "spark_partition_id()",
    ],
)
def test_where_a_row_is_stored_is_not_told(lake: BoundLake, word: str) -> None:
    name = word.removesuffix("()")
    for sql in (
        f"UPDATE emp SET pay = {word}",
        f"UPDATE emp SET pay = 1 WHERE id = {word.upper()}",
        f"DELETE FROM emp WHERE id = {word}",
        f"DELETE FROM emp WHERE `{name}` = 'x'",
    ):
        if not (word.endswith("()") and "`" in sql):
            with pytest.raises(AccessError) as raised:
                guarded(lake, sql)
            assert raised.value.message.endswith(f"{name} would tell how it is stored.")


def test_a_text_about_it_is_a_text(rendered: Rendered) -> None:
    assert "home = '_pos'" in rendered("UPDATE emp SET pay = 1 WHERE home = '_pos'")


@pytest.mark.parametrize(
    "sql", ["DELETE FROM emp WHERE home", "UPDATE emp SET pay = 1 WHERE (home)"]
)
def test_a_text_that_is_a_condition_is_read_of_visible_rows_only(
    rendered: Rendered, sql: str
) -> None:
    """Beside AND it would be cast, for every row."""
    condition = sql.partition("WHERE ")[2]
    assert f"CASE WHEN ({F}\n) THEN CASE WHEN ({condition}\n) THEN TRUE END END" in rendered(sql)


def test_a_new_value_is_not_taken_for_an_old_one(rendered: Rendered) -> None:
    """In a SELECT, home would be the one that stands before it."""
    both = RowFilter("dept = 'it' AND emp.home <> dept", check=True)
    assert (
        "exists(array(named_struct('dept', CAST(('it'\n) AS string), 'home', CAST((dept\n) AS"
        " string))), __sqe -> ((__sqe.dept = 'it' AND __sqe.home <> __sqe.dept\n)\n))"
    ) in rendered("UPDATE emp SET dept = 'it', home = dept", both)
    assert (
        "named_struct('dept', CAST(('it'\n) AS string), 'home', CAST(home AS string))"
    ) in rendered("UPDATE emp SET dept = 'it'", both)


@pytest.mark.parametrize(
    "called", ["rand", "randn", "random", "randstr", "uniform", "uuid", "shuffle", "aes_encrypt"]
)
def test_what_is_checked_is_not_drawn_again(lake: BoundLake, called: str) -> None:
    with pytest.raises(AccessError) as raised:
        guarded(lake, f"UPDATE emp SET pay = 1, dept = concat({called.upper()} (1), home)")
    assert raised.value.message.endswith(f"{called} gives another value each time.")
    free = guarded(lake, f"UPDATE emp SET dept = concat('{called}', home), pay = {called}(1)")
    assert RAISE in text(free)


@pytest.mark.parametrize(
    ("filters", "refused"),
    [
        ("dept = 'it' AND extract(DAY FROM at) = 1", True),
        ("dept = 'it' AND month(at) = 1", False),
    ],
)
def test_a_filter_whose_columns_are_not_told_apart_takes_plain_values(
    tmp_path: Path, filters: str, refused: bool
) -> None:
    emp = struct(id="int", dept="string", at="date", day="int")
    with bound_lake(tmp_path, Identity("bob"), emp=emp) as lake:
        limit = RowFilter(filters, check=True)
        plain = text(guarded(lake, "UPDATE emp SET dept = 'it'", limit))
        assert ("SELECT CAST(('it'\n) AS string) AS dept" in plain) is refused
        if not refused:
            guarded(lake, "UPDATE emp SET dept = upper(dept)", limit)
            return
        with pytest.raises(AccessError) as raised:
            guarded(lake, "UPDATE emp SET dept = upper(dept)", limit)
        assert raised.value.message.endswith("write a plain value to dept.")
