"""Lock 5 and guards: a table that is read in part only stands below a guard of its own."""

from __future__ import annotations

import pytest

from sqe.engines.spark.plan_check import Only, check_plan
from sqe.errors import ErrorCode, InternalError

T = "q_0123456789abcdef0123456789abcdef_1"
U = "q_0123456789abcdef0123456789abcdef_2"
GUARD = "guard_00000000000000000000000000000001"
OTHER = "guard_00000000000000000000000000000002"
BELOW = {T: [GUARD]}

GUARDED = f"""Project [id#1]
+- SubqueryAlias t
   +- Project [id#1]
      +- SubqueryAlias {GUARD}
         +- Project [id#1]
            +- Filter (id#1 = 1)
               +- SubqueryAlias sqe.{T}.t
                  +- RelationV2[id#1] sqe.{T}.t sqe.{T}.t"""
BARE = f"""Project [id#1]
+- SubqueryAlias sqe.{T}.t
   +- RelationV2[id#1] sqe.{T}.t sqe.{T}.t"""


def _check(plan: str) -> None:
    explained = f"== Analyzed Logical Plan ==\nid: int\n{plan}\n\n== Optimized Logical Plan ==\n"
    check_plan(explained, [T, U], must_scan=[T], changes=False, only=Only(below=BELOW))


def _indented(plan: str, first: str, rest: str) -> str:
    lines = plan.splitlines()
    return "\n".join([first + lines[0], *(rest + line for line in lines[1:])])


def test_a_table_below_its_guard_is_read() -> None:
    _check(GUARDED)
    _check(f"Join Inner\n{_indented(GUARDED, ':- ', ':  ')}\n{_indented(GUARDED, '+- ', '   ')}")
    _check(
        f"Filter id#2 IN (list#3 [])\n{_indented(GUARDED, ':  +- ', ':     ')}\n+- OneRowRelation"
    )


@pytest.mark.parametrize(
    "plan",
    [
        BARE,
        GUARDED.replace(GUARD, OTHER),
        GUARDED.replace(f"SubqueryAlias {GUARD}", f"Project [{GUARD} AS x]"),
        GUARDED.replace(f"SubqueryAlias {GUARD}", f"SubqueryAlias `{GUARD} t`"),
        f"Join Inner\n{_indented(GUARDED, ':- ', ':  ')}\n{_indented(BARE, '+- ', '   ')}",
        f"Join Inner\n{_indented(BARE, ':- ', ':  ')}\n{_indented(GUARDED, '+- ', '   ')}",
        # A text in the plan with lines that look like the plan's own ends what is below a guard.
        f"Join Inner\n{_indented(GUARDED, ':- ', ':  ')}\n+- Project [x\n      +- y AS z]\n"
        f"{_indented(BARE, '   +- ', '      ')}",
        f"{GUARDED}\n{BARE}",
    ],
)
def test_a_table_that_is_not_below_its_guard_is_refused(plan: str) -> None:
    with pytest.raises(InternalError) as raised:
        _check(plan)
    assert raised.value.code is ErrorCode.PLAN_REFUSED


def test_other_tables_need_no_guard() -> None:
    _check(f"{GUARDED}\n{BARE.replace(T, U)}")
