"""The text of a MERGE that is held to the filters of a user who sees only some rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlglot import exp

from sqe.binding.bound import BoundTable
from sqe.catalog.protocol import Loaded
from sqe.engines.spark.repairs.repairs import REPAIRS
from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Allow, Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.masks import NullMask
from sqe.rewrite.guard import guard
from sqe.rewrite.merges_text import merge_parts
from sqe.rewrite.needs import needs_of
from sqe.rewrite.render import render
from sqe.rewrite.rendering import Names
from sqe.sql.parse import parse
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, Statement
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
NO_MATCH = "WHEN MATCHED AND FALSE THEN DELETE"  # engines/spark/repairs/merge_matches.py
Rendered = Callable[..., str]


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[BoundLake]:
    """The source has columns of the same names."""
    mine = struct(id="int", dept="string", d="string")
    with bound_lake(tmp_path, Identity("bob"), emp=EMP, mine=mine) as lake:
        yield lake


@pytest.fixture
def rendered(lake: BoundLake) -> Rendered:
    """What the engine gets, on one line."""

    def make(sql: str, *filters: RowFilter, edits: tuple[Edit, ...] = ()) -> str:
        limits = Restrict("test", filters or (PLAIN,))
        names = Names(spelled, lambda relation: "", HERE, "bob", repairs=REPAIRS.texts)
        text = render(lake.guarded(sql, {"lake.s.emp": limits}), names, edits).text
        return " ".join(text.split()).replace("( ", "(").replace(" )", ")")

    return make


def seen(name: str) -> str:
    """The plain filter of a row of this name."""
    return f"(({name}.dept = 'it'))"


def held(name: str, condition: str) -> str:
    """A condition that is evaluated only where the filter holds."""
    return (
        f"array_contains(array(CASE WHEN {seen(name)} THEN CASE WHEN ({condition}) THEN TRUE END"
        " END), TRUE)"
    )


def checked(value: str) -> str:
    """A department that is written if it is one that the filter shows."""
    members = f"named_struct('dept', CAST(({value}) AS string))"
    shown = f"exists(array({members}), __sqe -> {seen('__sqe')})"
    return f"CASE WHEN {shown} THEN ({value}) ELSE {RAISE} END"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "MERGE INTO emp USING mine ON emp.id = mine.id WHEN MATCHED THEN DELETE",
            f"MERGE INTO sqe.h.emp USING sqe.h.mine ON {seen('emp')} AND (emp.id = mine.id)"
            " WHEN MATCHED THEN DELETE",
        ),
        (
            "MERGE INTO s.emp AS `a b` USING mine m ON `a b`.id = m.id AND 1 / pay = 1 -- so"
            "\nWHEN MATCHED AND 1 / pay = 2 THEN UPDATE SET pay = 1 WHEN MATCHED THEN DELETE",
            f"MERGE INTO sqe.h.emp AS `a b` USING sqe.h.mine m ON {seen('`a b`')} AND"
            f" (`a b`.id = m.id AND {held('`a b`', '1 / pay = 1')}) -- so"
            f" WHEN MATCHED AND {held('`a b`', '1 / pay = 2')} THEN UPDATE SET pay = 1"
            " WHEN MATCHED THEN DELETE",
        ),
        (
            "MERGE INTO emp e USING mine m ON e.id = m.id WHEN MATCHED AND m.d = 'x' AND"
            " e.home = 'x' THEN UPDATE SET e.pay = 1, e.DEPT = m.d",
            f"MERGE INTO sqe.h.emp e USING sqe.h.mine m ON {seen('e')} AND (e.id = m.id)"
            " WHEN MATCHED AND m.d = 'x' AND e.home = 'x' THEN UPDATE SET e.pay = 1,"
            f" e.DEPT = {checked('m.d')}",
        ),
        (
            "MERGE INTO emp e USING mine m ON e.id = m.id WHEN NOT MATCHED BY SOURCE THEN DELETE",
            f"MERGE INTO sqe.h.emp e USING sqe.h.mine m ON {seen('e')} AND (e.id = m.id)"
            f" {NO_MATCH} WHEN NOT MATCHED BY SOURCE AND {seen('e')} THEN DELETE",
        ),
        (
            "MERGE INTO emp e USING mine m ON e.id = m.id WHEN NOT MATCHED BY SOURCE AND"
            " e.id = 1 THEN UPDATE SET dept = upper(s.emp.dept)",
            f"MERGE INTO sqe.h.emp e USING sqe.h.mine m ON {seen('e')} AND (e.id = m.id)"
            f" {NO_MATCH} WHEN NOT MATCHED BY SOURCE AND {held('e', 'e.id = 1')}"
            f" THEN UPDATE SET dept = {checked('upper(s.emp.dept)')}",
        ),
        (
            "MERGE INTO emp e USING mine m ON e.id = m.id WHEN NOT MATCHED AND 1 / m.id = 1 THEN"
            " INSERT (id, e.dept) VALUES (m.id, upper(m.d)) WHEN NOT MATCHED BY TARGET THEN"
            " INSERT (e.pay, id) VALUES (1, rand())",
            f"MERGE INTO sqe.h.emp e USING sqe.h.mine m ON {seen('e')} AND (e.id = m.id)"
            " WHEN NOT MATCHED AND 1 / m.id = 1 THEN INSERT (id, e.dept) VALUES (m.id,"
            f" {checked('upper(m.d)')}) WHEN NOT MATCHED BY TARGET THEN INSERT (e.pay, id) VALUES"
            " (CASE WHEN exists(array(named_struct('dept', CAST(NULL AS string))), __sqe ->"
            f" {seen('__sqe')}) THEN (1) ELSE {RAISE} END, rand())",
        ),
        (
            "MERGE INTO emp USING (SELECT * FROM mine) AS `x y` ON emp.id = `x y`.id"
            " WHEN MATCHED THEN UPDATE SET*WHEN NOT MATCHED THEN INSERT*",
            "MERGE INTO sqe.h.emp USING (SELECT * FROM sqe.h.mine) AS `x y` ON"
            f" {seen('emp')} AND (emp.id = `x y`.id) WHEN MATCHED THEN UPDATE SET id = `x y`.id,"
            f" dept = {checked('`x y`.dept')}, pay = `x y`.pay, home = `x y`.home WHEN NOT MATCHED"
            " THEN INSERT(id, dept, pay, home) VALUES (`x y`.id,"
            f" {checked('`x y`.dept')}, `x y`.pay, `x y`.home)",
        ),
    ],
)
def test_a_merge_is_held_to_a_filter(rendered: Rendered, sql: str, expected: str) -> None:
    assert rendered(sql) == expected


ON = "MERGE INTO emp e USING mine m ON {} WHEN MATCHED THEN DELETE"


@pytest.mark.parametrize(
    ("on", "expected"),
    [
        ("e.id = m.id", "e.id = m.id"),
        ("(e.id = m.id)", "(e.id = m.id)"),
        ("e.id = m.id AND e.home = m.d AND TRUE", "e.id = m.id AND e.home = m.d AND TRUE"),
        # A text beside AND is cast, and of two columns of one name it is not certain which.
        ("e.home", held("e", "e.home")),
        ("e.id = m.id AND e.home", f"e.id = m.id AND {held('e', 'e.home')}"),
        ("e.id = m.id AND id = 1", f"e.id = m.id AND {held('e', 'id = 1')}"),
        ("NOT 1 / e.id = 1 AND e.id = m.id", f"{held('e', 'NOT 1 / e.id = 1')} AND e.id = m.id"),
        ("e.id BETWEEN 1 AND 2 AND e.id = m.id", "e.id BETWEEN 1 AND 2 AND e.id = m.id"),
        ("e.id BETWEEN 1 AND 1 / m.id", held("e", "e.id BETWEEN 1 AND 1 / m.id")),
        (
            "e.id = m.id AND e.pay BETWEEN 1 / e.pay AND 2",
            held("e", "e.id = m.id AND e.pay BETWEEN 1 / e.pay AND 2"),
        ),
        (
            "e.id = m.id AND CASE WHEN e.id = 1 AND TRUE THEN 1 / e.id = 1 END",
            f"e.id = m.id AND {held('e', 'CASE WHEN e.id = 1 AND TRUE THEN 1 / e.id = 1 END')}",
        ),
        ("e.id = m.id OR 1 / e.id = 1", held("e", "e.id = m.id OR 1 / e.id = 1")),
        (
            "(e.id = m.id AND 1 / e.id = 1) AND e.id = m.id",
            f"{held('e', '(e.id = m.id AND 1 / e.id = 1)')} AND e.id = m.id",
        ),
        ("raise_error(e.home) IS NULL", held("e", "raise_error(e.home) IS NULL")),
    ],
)
def test_what_can_fail_is_asked_only_of_rows_that_are_shown(
    rendered: Rendered, on: str, expected: str
) -> None:
    text = rendered(ON.format(on))
    assert text.partition(" ON ")[2] == f"{seen('e')} AND ({expected}) WHEN MATCHED THEN DELETE"


def test_old_values_stand_for_those_that_are_not_written(rendered: Rendered) -> None:
    both = RowFilter("dept = 'it' AND emp.home <> s.emp.dept", check=True)
    text = rendered(
        "MERGE INTO emp USING mine m ON emp.id = m.id WHEN MATCHED THEN UPDATE SET home = m.d",
        both,
    )
    assert (
        "SET home = CASE WHEN exists(array(named_struct('dept', CAST(emp.dept AS string), 'home',"
        " CAST((m.d) AS string))), __sqe -> ((__sqe.dept = 'it' AND __sqe.home <> __sqe.dept)))"
        f" THEN (m.d) ELSE {RAISE} END"
    ) in text
    inserted = rendered(
        "MERGE INTO emp USING mine m ON emp.id = m.id WHEN NOT MATCHED THEN INSERT (pay, home)"
        " VALUES (1, m.d)",
        both,
    )
    assert (
        "VALUES (1, CASE WHEN exists(array(named_struct('dept', CAST(NULL AS string), 'home'"
        in (inserted)
    )


def test_a_filter_that_is_the_same_for_all_rows_is_asked_of_each(rendered: Rendered) -> None:
    """Spark fails at an ON that is false by itself."""
    of_none = "exists(array(e.id), __sqe -> ((FALSE)))"
    merge = "MERGE INTO emp e USING mine m ON e.id = m.id "
    nobody = RowFilter("in_group('g')", check=True)
    text = rendered(merge + "WHEN MATCHED THEN UPDATE SET *", nobody)
    assert text.endswith(f" ON ({of_none}) AND (e.id = m.id) WHEN MATCHED THEN UPDATE SET *")
    text = rendered(merge + "WHEN NOT MATCHED THEN INSERT (id) VALUES (1)", nobody)
    assert text.endswith(f"VALUES (CASE WHEN ((FALSE)) THEN (1) ELSE {RAISE} END)")
    never = RowFilter("1 = 2", check=True)
    assert "ON (exists(array(e.id), __sqe -> ((1 = 2)))) AND" in rendered(
        merge + "WHEN MATCHED THEN DELETE", never
    )
    text = rendered(merge + "WHEN NOT MATCHED BY SOURCE THEN DELETE", PLAIN, nobody)
    assert text.count("exists(array(e.id), __sqe -> ((e.dept = 'it') AND (FALSE)))") == 2


@pytest.mark.parametrize(
    ("condition", "fixed"),
    [
        ("dept = 'it'", False),
        ("(dept = 'it') OR NOT (home IS NULL AND pay IN (1, 2))", False),
        ("dept = current_user()", False),
        ("(dept = 'it') IS TRUE AND startswith(home, 'x')", False),
        ("NOT (dept LIKE 'x%' OR has_role('r'))", True),
        ("dept = 'it' AND current_user() = 'ann'", True),
        ("dept = 'it' OR dept = NULL", True),
        ("dept = 'it' AND NULL IS NULL", True),
        ("dept = 'it' AND startswith('x', 'y')", True),
        ("if(1 = 1, dept, home) = 'it'", True),
        ("(dept = 'it') = TRUE", True),
    ],
)
def test_so_is_one_that_spark_could_find_to_be_the_same(
    rendered: Rendered, condition: str, fixed: bool
) -> None:
    merge = "MERGE INTO emp e USING mine m ON e.id = m.id WHEN MATCHED THEN DELETE"
    found = rendered(merge, RowFilter(condition, check=True))
    assert ("ON (exists(array(e.id), __sqe -> (" in found) is fixed


def test_parameters_and_names_are_the_same_in_the_check(rendered: Rendered) -> None:
    sql = "MERGE INTO s.emp USING mine m ON s.emp.id = m.id WHEN MATCHED THEN UPDATE SET dept = ?"
    place = sql.index("?")
    text = rendered(sql, edits=(Edit(Span(place, place + 1), ":p1"),))
    assert f"ON {seen('emp')} AND (h.emp.id = m.id)" in text
    assert text.endswith(f"dept = {checked(':p1')}")
    named = "MERGE INTO s.emp USING mine m ON TRUE WHEN MATCHED THEN UPDATE SET dept = s.emp.home"
    assert rendered(named).endswith(f"dept = {checked('h.emp.home')}")


def test_a_source_may_tell_how_it_is_stored(rendered: Rendered) -> None:
    source = "(SELECT monotonically_increasing_id() AS id, _pos FROM mine) m"
    text = rendered(f"MERGE INTO emp e USING {source} ON e.id = m.id WHEN MATCHED THEN DELETE")
    assert "_pos FROM sqe.h.mine) m ON" in text


def test_words_may_stand_close(rendered: Rendered) -> None:
    text = rendered(
        "MERGE INTO emp e USING mine m ON(e.id = m.id)WHEN MATCHED THEN UPDATE SET dept=(m.d)WHEN"
        " NOT MATCHED BY SOURCE THEN DELETE"
    )
    assert f"ON{seen('e')} AND ((e.id = m.id))WHEN MATCHED" in text
    assert f"dept={checked('(m.d)')} WHEN NOT MATCHED BY SOURCE AND" in text


MERGE = "MERGE INTO emp e USING mine m ON e.id = m.id "
REFUSED = [
    (MERGE + "WHEN MATCHED THEN UPDATE SET dept = DEFAULT", "instead of DEFAULT"),
    (MERGE + "WHEN MATCHED THEN UPDATE SET dept.x = 1", "write dept.x as a whole"),
    (MERGE + "WHEN MATCHED THEN UPDATE SET x.dept = 1", "write x.dept as a whole"),
    (MERGE + "WHEN MATCHED THEN UPDATE SET dept = concat('it', uuid())", "uuid gives another"),
    (MERGE + "WHEN NOT MATCHED THEN INSERT (dept) VALUES (DEFAULT)", "instead of DEFAULT"),
    (MERGE + "WHEN NOT MATCHED THEN INSERT (id) VALUES (DEFAULT)", "instead of DEFAULT"),
    (MERGE + "WHEN NOT MATCHED THEN INSERT (x.id) VALUES (1)", "write x.id as a whole"),
    (MERGE + "WHEN NOT MATCHED THEN INSERT (s.emp.id) VALUES (1)", "write s.emp.id as a whole"),
    (MERGE + "WHEN NOT MATCHED THEN INSERT (dept) VALUES (uuid())", "uuid gives another"),
    (MERGE + "WHEN MATCHED AND e.id IN (SELECT 1) THEN DELETE", "no subqueries"),
    (MERGE + "WHEN MATCHED THEN UPDATE SET pay = (SELECT 1)", "no subqueries"),
    (MERGE + "AND EXISTS (SELECT 1) WHEN MATCHED THEN DELETE", "no subqueries"),
    (MERGE + "AND e.id IN (VALUES 1) WHEN MATCHED THEN DELETE", "no subqueries"),
    (MERGE + "AND e._pos = 1 WHEN MATCHED THEN DELETE", "_pos would tell"),
    (MERGE + "WHEN MATCHED THEN UPDATE SET id = _pos", "_pos would tell"),
    ("MERGE INTO emp e USING mine m ON _pos = 1 WHEN MATCHED THEN DELETE", "_pos would tell"),
    (
        "MERGE INTO emp USING (SELECT 1 AS id) ON emp.id = 1 WHEN MATCHED THEN DELETE",
        "it a name",
    ),
    ("MERGE INTO emp USING mine EMP ON emp.id = 1 WHEN MATCHED THEN DELETE", "another name"),
    ("MERGE INTO emp x USING mine X ON x.id = 1 WHEN MATCHED THEN DELETE", "another name"),
    ("MERGE INTO emp mine USING mine ON d = '1' WHEN MATCHED THEN DELETE", "another name"),
    (
        "MERGE WITH SCHEMA EVOLUTION INTO emp e USING mine m ON e.id = m.id WHEN MATCHED THEN"
        " UPDATE SET *",
        "you may not change it",
    ),
    (MERGE + "WHEN MATCHED THEN UPDATE SET home[0] = 'it'", "you may not change it"),
    ("EXPLAIN " + MERGE + "WHEN MATCHED THEN DELETE", "you may not change it"),
    (
        "MERGE INTO emp.branch_main e USING mine m ON e.id = m.id WHEN MATCHED THEN DELETE",
        "you may not change it",
    ),
]


@pytest.mark.parametrize(("sql", "why"), REFUSED, ids=[sql for sql, _ in REFUSED])
def test_what_cannot_be_held_to_it_is_refused(rendered: Rendered, sql: str, why: str) -> None:
    with pytest.raises(AccessError) as raised:
        rendered(sql)
    assert raised.value.code is ErrorCode.ACCESS_DENIED
    assert raised.value.message.startswith("You see only part of lake.s.emp")
    assert why in raised.value.message


@pytest.mark.parametrize(
    "filters", ["dept IN (SELECT d FROM lake.s.mine)", "exists(array(1), dept -> dept = 1)"]
)
def test_a_filter_that_cannot_be_put_into_it(rendered: Rendered, filters: str) -> None:
    with pytest.raises(AccessError) as raised:
        rendered(MERGE + "WHEN MATCHED THEN DELETE", RowFilter(filters, check=True))
    assert raised.value.message.endswith("its filters cannot be put into a MERGE.")


@pytest.mark.parametrize(
    "limits",
    [
        Restrict("no check", (RowFilter("dept = 'it'"),)),
        Restrict("asks", (RowFilter("pay > 1", check=True),), {"pay": NullMask()}),
        Restrict("hidden", (PLAIN,), hidden=frozenset({"pay"})),
        Restrict("nothing"),
    ],
    ids=lambda limits: str(limits.reason),
)
def test_what_else_limits_who_merges_is_refused(lake: BoundLake, limits: Restrict) -> None:
    for action in ("MATCHED THEN DELETE", "NOT MATCHED THEN INSERT (id) VALUES (1)"):
        with pytest.raises(AccessError):
            lake.guarded(f"{MERGE} WHEN {action}", {"lake.s.emp": limits})


@pytest.mark.parametrize(
    ("action", "column", "refused"),
    [
        ("NOT MATCHED THEN INSERT (id) VALUES (1)", "dept", True),
        ("NOT MATCHED THEN INSERT (id) VALUES (1)", "home", False),
        ("NOT MATCHED THEN INSERT (id, DEPT) VALUES (1, 'it')", "dept", False),
        ("NOT MATCHED THEN INSERT *", "dept", False),
        ("MATCHED THEN UPDATE SET id = 1", "dept", False),
    ],
)
def test_a_default_that_the_filters_are_about_is_written_out(
    lake: BoundLake, action: str, column: str, refused: bool
) -> None:
    bound = lake.bound(f"{MERGE} WHEN {action}")
    written, source = bound.references
    assert isinstance(written.target, BoundTable)
    metadata = json.loads(json.dumps(written.target.metadata))
    for field in metadata["schemas"][0]["fields"]:
        if field["name"] == column:
            field["write-default"] = "it"
    target = replace(written.target, loaded=Loaded(json.dumps(metadata).encode(), "file:///m"))
    bound = replace(bound, references=(replace(written, target=target), source))
    limits = Restrict("test", (PLAIN,))
    decisions = {
        need.key: limits if need.key[0].name == "emp" else Allow("all") for need in needs_of(bound)
    }
    if not refused:
        assert guard(bound, decisions, lake).restricted
        return
    with pytest.raises(AccessError) as raised:
        guard(bound, decisions, lake)
    assert raised.value.message.endswith("writes to it are checked: write a value for dept.")


def _with(statement: Statement, name: str) -> Statement:
    odd = replace(statement, tree=statement.tree.copy())
    odd.tree.set(name, exp.true())
    return odd


@pytest.mark.parametrize("name", ["using_cond", "with_", "returning", "hint"])
def test_a_merge_with_more_to_it_is_none_of_the_plain_forms(name: str) -> None:
    statement = parse(MERGE + "WHEN MATCHED THEN DELETE")
    assert merge_parts(statement) is not None
    assert merge_parts(_with(statement, name)) is None
    evolving = statement.text.replace("MERGE", "MERGE WITH SCHEMA EVOLUTION")
    assert merge_parts(parse(evolving)) is None


ALL = (
    MERGE + "WHEN MATCHED AND e.id = 1 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET"
    " pay = 1, id = 2 WHEN NOT MATCHED THEN INSERT (id, pay) VALUES (1, 2)"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ON e.id = m.id", "ON e.id = m.dept"),
        ("ON e.id = m.id", "ON"),
        ("ON e.id = m.id", "ON e.id ="),
        ("ON e.id = m.id", "USING (id)"),
        ("MATCHED AND e.id = 1 ", "MATCHED "),
        ("MATCHED AND e.id = 1 ", "MATCHED AND e.id = 2 "),
        ("MATCHED AND e.id = 1 ", "MATCHED OR e.id = 1 "),
        ("MATCHED AND e.id = 1 ", "MATCHED AND "),
        ("MATCHED AND e.id = 1 ", "MATCHED AND e.id = 1 WHEN MATCHED "),
        ("MATCHED AND e.id = 1 ", "FOUND AND e.id = 1 "),
        ("MATCHED AND e.id = 1 ", "NOT MATCHED AND e.id = 1 "),
        ("NOT MATCHED BY SOURCE", "NOT MATCHED BY TARGET"),
        ("NOT MATCHED BY SOURCE", "MATCHED"),
        ("NOT MATCHED BY SOURCE", "NOT MATCHED BY SOURCE AND TRUE"),
        ("THEN DELETE", ""),
        ("THEN DELETE", "THEN"),
        ("THEN DELETE", "THEN DELETE *"),
        ("THEN DELETE", "THEN UPDATE SET pay = 1"),
        ("UPDATE SET pay = 1, id = 2", "DELETE"),
        ("UPDATE SET pay = 1, id = 2", "INSERT SET pay = 1, id = 2"),
        ("INSERT (id, pay) VALUES (1, 2)", "UPDATE (id, pay) VALUES (1, 2)"),
        ("USING mine m ON e.id = m.id", "WHEN mine m ON e.id = m.id"),
        ("UPDATE SET pay = 1, id = 2", "UPDATE SET pay = 1"),
        ("UPDATE SET pay = 1, id = 2", "UPDATE SET pay, id = 2"),
        ("UPDATE SET pay = 1, id = 2", "UPDATE SET"),
        ("UPDATE SET pay = 1, id = 2", "UPDATE SET pay"),
        ("UPDATE SET pay = 1, id = 2", "UPDATE pay = 1, id = 2"),
        ("INSERT (id, pay) VALUES (1, 2)", "INSERT (id) VALUES (1)"),
        ("INSERT (id, pay) VALUES (1, 2)", "INSERT (id, pay) VALUES (1)"),
        ("INSERT (id, pay) VALUES (1, 2)", "INSERT (id, pay) SELECT (1, 2)"),
        ("INSERT (id, pay) VALUES (1, 2)", "INSERT (id, pay) VALUES (1, )"),
        ("INSERT (id, pay) VALUES (1, 2)", "INSERT (id, ) VALUES (1, 2)"),
        ("INSERT (id, pay) VALUES (1, 2)", "INSERT (id, e pay) VALUES (1, 2)"),
        ("INSERT (id, pay) VALUES (1, 2)", "INSERT (id, e+pay) VALUES (1, 2)"),
        ("INSERT (id, pay) VALUES (1, 2)", "INSERT (id, pay) VALUES (1, 2) + 1"),
        ("INSERT (id, pay) VALUES (1, 2)", "INSERT (id, pay)"),
        ("INSERT (id, pay) VALUES (1, 2)", "INSERT VALUES (1, 2)"),
        ("INSERT (id, pay) VALUES (1, 2)", "UPDATE SET id = 1, pay = 2"),
    ],
)
def test_what_the_tree_and_the_text_do_not_agree_on_is_none(old: str, new: str) -> None:
    statement = parse(ALL)
    assert merge_parts(statement) is not None
    assert old in ALL
    assert merge_parts(replace(statement, text=ALL.replace(old, new, 1))) is None


@pytest.mark.parametrize("side", ["this", "expression"])
def test_values_that_the_tree_counts_otherwise_are_none(side: str) -> None:
    statement = parse(ALL)
    odd = replace(statement, tree=statement.tree.copy())
    odd.tree.args["whens"].expressions[2].args["then"].args[side].expressions.pop()
    assert merge_parts(odd) is None
    odd.tree.args["whens"].expressions.clear()
    assert merge_parts(odd) is None
    assert merge_parts(replace(odd, text=MERGE)) is None


def test_the_parts_are_places_in_the_text() -> None:
    parts = merge_parts(parse(ALL))
    assert parts is not None
    assert (parts.source, parts.on.of(ALL)) == ("m", "e.id = m.id")
    found, by_source, new = parts.clauses
    assert found.condition is not None and found.condition.span.of(ALL) == "e.id = 1"
    assert [one.by_source for one in parts.clauses] == [False, True, False]
    assert [one.inserts for one in parts.clauses] == [False, False, True]
    assert ALL[: by_source.head].endswith("NOT MATCHED BY SOURCE")
    assert [one.value.of(ALL) for one in by_source.assignments] == ["1", "2"]
    assert [one.target for one in new.assignments] == [("id",), ("pay",)]


def test_members_that_are_called_like_words_are_members() -> None:
    text = (
        "MERGE INTO emp e USING mine m ON m.case = 1 AND e.end = 1 WHEN MATCHED AND m.end = 1"
        " THEN DELETE"
    )
    parts = merge_parts(parse(text))
    assert parts is not None
    assert [one.span.of(text) for one in parts.terms] == ["m.case = 1", "e.end = 1"]
    assert parts.clauses[0].condition is not None
    inside = "CASE WHEN m.end = 1 THEN TRUE WHEN m.case = 1 THEN FALSE END"
    text = f"MERGE INTO emp e USING mine m ON {inside} AND e.id = 1 WHEN MATCHED THEN DELETE"
    parts = merge_parts(parse(text))
    assert parts is not None
    assert [one.span.of(text) for one in parts.terms] == [inside, "e.id = 1"]
