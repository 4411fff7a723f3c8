"""The places a procedure may be told: the table's own location and what is below it."""

from __future__ import annotations

import pytest

from sqe.engines.spark.plan_check import Only, check_plan
from sqe.engines.spark.procedures import is_inside
from sqe.errors import InternalError

OWN = "/w/pipe home/s/t"


@pytest.mark.parametrize("place", [OWN, f"{OWN}/", f"{OWN}/data", f"{OWN}/data/p=a+b/", f"{OWN}//"])
def test_the_tables_own_places(place: str) -> None:
    assert is_inside(place, OWN)
    assert is_inside(place, f"{OWN}/")


@pytest.mark.parametrize(
    "place",
    [
        "",
        "/",
        "//",
        ".",
        "/w",
        "/w/pipe home/s",
        f"{OWN}2",
        f"{OWN}-old/data",
        f"{OWN}/..",
        f"{OWN}/../u",
        f"{OWN}/data/../../u",
        f"{OWN}/*",
        f"{OWN}/{{data,../u}}",
        f"{OWN}/%2e%2e/u",
        f"{OWN}/a\\..",
        f"{OWN}\n/",
        f" {OWN}",
        f"file://{OWN}",
        "s3://bucket/t",
    ],
)
def test_every_other_place_is_refused(place: str) -> None:
    assert not is_inside(place, OWN)


def test_a_table_at_the_root_has_no_places() -> None:
    assert not is_inside("/", "/")
    assert not is_inside("/etc", "/")


HANDLE = f"q_{'0' * 32}_1"


def plan(call: str) -> str:
    return (
        "== Parsed Logical Plan ==\nx\n\n== Analyzed Logical Plan ==\n"
        f"Call {call}\n+- ResolvedProcedure org.example.Catalog@1, system.x, org.example.X@2\n\n"
        "== Optimized Logical Plan ==\nx\n"
    )


def test_the_plan_may_call_this_procedure_on_this_table_and_no_other() -> None:
    def check(call: str, procedure: str) -> None:
        only = Only(procedure=procedure)
        check_plan(plan(call), [HANDLE], must_scan=[HANDLE], changes=True, only=only)

    right = f"sqe.system.ancestors_of(sqe.{HANDLE}.t, cast(null as bigint))"
    check(right, "ancestors_of")
    other = f"sqe.q_{'1' * 32}_1.t"
    for call, procedure in (
        (right, ""),
        (right, "expire_snapshots"),
        (f"sqe.system.expire_snapshots(sqe.{HANDLE}.t)", "ancestors_of"),
        (f"lake.system.ancestors_of(sqe.{HANDLE}.t)", "ancestors_of"),
        ("sqe.system.ancestors_of(lake.s.t)", "ancestors_of"),
        (f"sqe.system.ancestors_of(sqe.{HANDLE}.t, {other})", "ancestors_of"),
    ):
        with pytest.raises(InternalError):
            check(call, procedure)
