"""Sources combine so that nobody gets through by mistake."""

from __future__ import annotations

import pytest

from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask, NullMask, PartialMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Privilege
from sqe.policy.policy import Policy
from sqe.policy.source import AllowAll

FACTS = TableFacts(
    RelationName(SchemaName("lake", ("hr",)), "emp"),
    Privilege.SELECT,
    (ColumnFacts("id"), ColumnFacts("ssn")),
)


class Says(AllowAll):
    def __init__(self, answer: Decision | Exception) -> None:
        self._answer = answer

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def combined(*answers: Decision | Exception) -> Decision:
    policy = Policy([Says(answer) for answer in answers])
    return policy.decide(Identity("ann"), [FACTS])[FACTS]


def test_no_source_denies() -> None:
    assert isinstance(combined(), Deny)


@pytest.mark.parametrize("bad", [Deny("no"), RuntimeError("down")])
def test_any_deny_or_failure_denies(bad: Decision | Exception) -> None:
    assert isinstance(combined(Allow("yes"), bad, Restrict("some")), Deny)
    assert "down" not in str(combined(bad))


def test_filters_are_all_applied() -> None:
    one, other = RowFilter("x OR y"), RowFilter("z")
    both = combined(
        Restrict("a", (one,)), Allow("yes"), Restrict("b", (other,), {"SSN": NullMask()})
    )
    assert isinstance(both, Restrict)
    assert both.filters == (one, other)
    assert both.masks == {"ssn": NullMask()}
    assert both.reason == "a; b"


def test_hidden_columns_add_up() -> None:
    both = combined(Restrict("a", hidden=frozenset({"id"})), Restrict("b", hidden=frozenset({"x"})))
    assert isinstance(both, Restrict)
    assert both.hidden == {"id", "x"}


def test_the_strictest_of_several_masks_is_taken() -> None:
    both = combined(
        Restrict("a", masks={"ssn": PartialMask(last=4)}), Restrict("b", masks={"SSN": NullMask()})
    )
    assert isinstance(both, Restrict) and both.masks == {"ssn": NullMask()}


def test_masks_of_which_neither_is_stricter_deny() -> None:
    one, other = PartialMask(first=1), ExpressionMask("upper(ssn)")
    answer = combined(Restrict("a", masks={"ssn": one}), Restrict("b", masks={"ssn": other}))
    assert isinstance(answer, Deny)
