"""The judge of the proofs: which failures of a table under rules tell nothing that is hidden."""

from __future__ import annotations

import pytest

from sqe.model.decision import RowFilter
from sqe.model.masks import NullMask
from tests.differential.outcome import Answer, Failure, Refusal
from tests.policy.conditions import Asker, Condition
from tests.policy.limits import Limits
from tests.policy.maskings import Masking
from tests.policy.oracle import excused
from tests.policy.questions import Asked, Question
from tests.policy.rows import Columns, Table
from tests.policy.told import is_seen
from tests.policy.worlds import World

ANN = Asker("ann", frozenset(), frozenset())
COLUMNS = Columns({"id": "int", "k": "int", "s1": "string"})
FIRST = Condition("id = 1", lambda row, who: row["id"] == 1)
MESSAGE = "The value 'pear' of the type STRING cannot be cast to INT."
FAILED = Failure("INVALID_CAST", MESSAGE)
JOIN = "SELECT count(*) FROM t1 x JOIN t2 y ON CAST(x.s1 AS int) = y.k"


def table(name: str, *texts: str) -> Table:
    rows = tuple({"id": n, "k": n, "s1": text} for n, text in enumerate(texts, 1))
    return Table(name, COLUMNS, (rows, ()))


def asked(limits: Limits, *texts: str) -> Asked:
    """``t1`` with these texts under the limits; nothing of ``t2`` is seen."""
    none = Limits(((Condition("false", lambda row, who: False), RowFilter("false")),))
    tables = (table("t1", *texts), table("t2", "pear"))
    return Asked(World("w", tables, {("ann", "t1"): limits, ("ann", "t2"): none}), ANN)


FILTERED = Limits(((FIRST, RowFilter(FIRST.sql)),))
MASKED = Limits(masks={"s1": Masking(NullMask(), lambda row: None)})


@pytest.mark.parametrize(
    ("limits", "texts", "sql", "seen"),
    [
        (Limits(), ("pear", "1"), JOIN, True),
        (FILTERED, ("pear", "1"), JOIN, True),
        (FILTERED, ("1", "pear"), JOIN, False),
        (FILTERED, ("pear", "pear"), JOIN, False),
        (MASKED, ("pear",), JOIN, False),
        (Limits(hidden=frozenset({"s1"})), ("pear",), JOIN, False),
        (Limits(), ("1",), JOIN, False),
        (Limits(), ("pear",), JOIN.replace("x.s1", "s1"), False),  # perhaps of t2, which is hidden
        (Limits(), ("pear",), JOIN.replace("x.s1", "y.s1"), False),
        (Limits(), ("pear",), JOIN.replace("t1 x", "seen x"), False),
        (Limits(), ("pear",), "SELECT (", False),
    ],
)
def test_a_value_is_seen_if_nothing_hidden_can_be_meant(
    limits: Limits, texts: tuple[str, ...], sql: str, seen: bool
) -> None:
    assert is_seen(Question("q", (sql,)), asked(limits, *texts), MESSAGE) is seen
    assert not is_seen(Question("q", (sql,)), asked(limits, *texts), "no value")


def test_a_failure_is_excused_only_for_a_value_that_is_seen() -> None:
    one = Question("q", (JOIN,))
    answer = Answer(COLUMNS.arrow(()))
    assert excused(one, answer, FAILED, seen=lambda message: message == MESSAGE)
    assert not excused(one, answer, FAILED, seen=lambda message: False)
    assert not excused(one, answer, FAILED)
    single = Question("q", ("SELECT CAST(s1 AS int) FROM t1",))
    assert not excused(single, answer, FAILED, seen=lambda message: True)
    assert not excused(one, answer, Failure("INTERNAL_ERROR", MESSAGE), seen=lambda message: True)
    assert not excused(one, Refusal("no"), FAILED, seen=lambda message: True)
