"""Lock 5 by itself: which plans are let through."""

from __future__ import annotations

import pytest

from sqe.engines.spark.plan_check import Only, check_plan
from sqe.errors import ErrorCode, InternalError

MINE = "q_" + "a" * 32 + "_1"
FOREIGN = "q_" + "b" * 32 + "_1"
SCAN = f"+- SubqueryAlias sqe.{MINE}.t\n   +- RelationV2[a#1] sqe.{MINE}.t sqe.{MINE}.t"


def explained(plan: str, parsed: str = "'Project [*]") -> str:
    return (
        f"== Parsed Logical Plan ==\n{parsed}\n\n== Analyzed Logical Plan ==\na: int\n{plan}\n\n"
        "== Optimized Logical Plan ==\nx\n\n== Physical Plan ==\ny"
    )


def check(plan: str, *, changes: bool = False) -> None:
    check_plan(explained(plan), {MINE}, must_scan=[MINE], changes=changes)


def test_a_plan_of_the_querys_own_handles_may_run() -> None:
    check(f"Project [a#1]\n{SCAN}")


@pytest.mark.parametrize(
    "plan",
    [
        f"Join Inner\n:{SCAN}\n+- RelationV2[a#2] sqe.{FOREIGN}.t",
        "Project [a#1]\n+- OneRowRelation",
        f"Join Inner\n:{SCAN}\n+- RelationV2[a#2] spark_catalog.default.t",
        f"Join Inner\n:{SCAN}\n+- Relation [value#3] text",
        f"Union\n:{SCAN}\n+- LogicalRDD [a#3], false",
        f"Union\n:{SCAN}\n:  +- ScriptTransformation cat, [a#1]",
        f"Union\n:{SCAN}\n+- HiveTableRelation [`default`.`t`]",
        f"Union\n:{SCAN}\n+- InMemoryRelation [a#1]",
        f"SetCommand (a,Some(b))\n{SCAN}",
        f"Project [reflect(java.lang.System, exit, 0) AS x#2]\n{SCAN}",
        f"AppendData RelationV2[a#1] sqe.{MINE}.t\n{SCAN}",
        f"DropTable false\n{SCAN}",
    ],
    ids=lambda plan: plan.split("\n")[-1][:40],
)
def test_a_plan_that_reaches_further_may_not(plan: str) -> None:
    with pytest.raises(InternalError) as raised:
        check(plan)
    assert raised.value.code is ErrorCode.PLAN_REFUSED
    assert "q_" not in str(raised.value)


def test_a_statement_that_writes_may_have_a_write() -> None:
    check(f"AppendData RelationV2[a#1] sqe.{MINE}.t\n{SCAN}", changes=True)


VIEW = "files_" + "c" * 32
LOAD = f"AppendData RelationV2[a#1] sqe.{MINE}.t\n+- SubqueryAlias {VIEW}\n   +- View (`{VIEW}`)"
FILES = "      +- Relation [a#2] csv"


def load(plan: str, view: str = VIEW) -> None:
    only = Only(files=view)
    check_plan(explained(plan), {MINE}, must_scan=[MINE], changes=True, only=only)


def test_a_load_may_read_its_own_view_of_files() -> None:
    load(f"{LOAD}\n{FILES}")


@pytest.mark.parametrize(
    ("plan", "view"),
    [
        (f"{LOAD}\n{FILES}\n{FILES}", VIEW),
        (f"{LOAD}\n{FILES}", "files_" + "d" * 32),
        (LOAD, VIEW),
        (f"{LOAD}\n{FILES}", ""),
    ],
    ids=["more files", "another view", "no files", "not a load"],
)
def test_a_load_may_read_no_other_files(plan: str, view: str) -> None:
    with pytest.raises(InternalError):
        load(plan, view)


def test_headings_in_a_literal_hide_nothing() -> None:
    fake = "== Optimized Logical Plan ==\n\n== Analyzed Logical Plan ==\n"
    with pytest.raises(InternalError):
        check(f"Project ['{fake}' AS x]\n{SCAN}\n+- RelationV2[a#2] sqe.{FOREIGN}.t")
    parsed = f"'Project ['\n== Analyzed Logical Plan ==\na: int\n{SCAN}\n== Optimized']"
    with pytest.raises(InternalError):
        check_plan(
            explained("Project\n+- Relation [v#1] text", parsed),
            {MINE},
            must_scan=[],
            changes=False,
        )


def test_a_plan_that_is_not_shown_is_refused() -> None:
    with pytest.raises(InternalError):
        check_plan("AnalysisException", set(), must_scan=[], changes=False)
