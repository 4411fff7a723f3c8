"""The oracle of writes is tried itself: what is wrong with one, it must say."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

from tests.differential.outcome import Answer, Failure, Outcome
from tests.policy.changes import NOT_SEEN, REFUSED, Change, Sides, change, judged
from tests.policy.conditions import Asker, Condition
from tests.policy.limits import Limits
from tests.policy.rows import Columns, Row, Table
from tests.policy.worlds import world

ANN = Asker("ann", frozenset(), frozenset())
DONE = Answer(pa.table({}))
DENIED = Failure("ACCESS_DENIED", f"A row is hidden. {NOT_SEEN}")
ZERO = Failure("DIVISION_BY_ZERO", "")
SHOWN, HIDDEN = {"id": 1, "k": 1}, {"id": 2, "k": -1}
NEW = {"id": 3, "k": 1}
OF_K = Condition("k > 0", lambda row, who: row["k"] > 0)


def wrong(expected: Outcome, copy: list[Row], found: Outcome, stored: list[Row]) -> bool:
    """Of a write that did this to the copy, and that to the table."""
    columns = Columns({"id": "int", "k": "int"})
    limits = Limits(((OF_K, OF_K.filter(Random(1))),))
    one = Change("x", "WRITE {T}", Table("t", columns, ((SHOWN,), (HIDDEN,))), limits, "")
    tables: dict[str, list[Row]] = {"copy": copy, "table": [SHOWN, HIDDEN]}

    def ask(text: str) -> Outcome:
        if text == "WRITE copy":
            return expected
        tables["table"] = stored
        return found

    _, why = judged(one, ANN, Sides(ask, lambda name: tables[name], "table", "copy"))
    return bool(why)


@pytest.mark.parametrize(
    ("expected", "copy", "found", "stored"),
    [
        (DONE, [SHOWN, NEW], DONE, [NEW, HIDDEN, SHOWN]),
        (DONE, [], DONE, [HIDDEN]),
        (DONE, [{"id": 1, "k": -5}], DENIED, [SHOWN, HIDDEN]),
        (ZERO, [SHOWN], ZERO, [SHOWN, HIDDEN]),
        (ZERO, [SHOWN], DENIED, [SHOWN, HIDDEN]),
        (ZERO, [SHOWN], DONE, [HIDDEN]),
        (DONE, [], Failure("ACCESS_DENIED", f"{REFUSED} it"), [SHOWN, HIDDEN]),
    ],
)
def test_what_is_right_is_right(
    expected: Outcome, copy: list[Row], found: Outcome, stored: list[Row]
) -> None:
    assert not wrong(expected, copy, found, stored)


@pytest.mark.parametrize(
    ("expected", "copy", "found", "stored"),
    [
        (DONE, [], DONE, []),  # a hidden row is gone
        (DONE, [SHOWN], DONE, [SHOWN, {"id": 2, "k": -2}]),  # it was changed
        (DONE, [SHOWN, NEW], DONE, [SHOWN, HIDDEN]),  # nothing was done
        (DONE, [SHOWN, SHOWN], DONE, [SHOWN, HIDDEN]),
        (DONE, [{"id": 1, "k": -5}], DONE, [{"id": 1, "k": -5}, HIDDEN]),  # it became hidden
        (DONE, [SHOWN], DENIED, [SHOWN, HIDDEN]),
        (DONE, [SHOWN], ZERO, [SHOWN, HIDDEN]),  # an error on a hidden row
        (DONE, [{"id": 1, "k": -5}], DENIED, [{"id": 1, "k": -5}, HIDDEN]),
        (ZERO, [SHOWN], ZERO, [HIDDEN]),
        (ZERO, [SHOWN], DONE, [SHOWN]),
        (ZERO, [SHOWN], Failure("INTERNAL_ERROR", ""), [SHOWN, HIDDEN]),
        (Failure("SYNTAX_ERROR", ""), [SHOWN], DONE, [SHOWN, HIDDEN]),
    ],
)
def test_what_is_wrong_is_told(
    expected: Outcome, copy: list[Row], found: Outcome, stored: list[Row]
) -> None:
    assert wrong(expected, copy, found, stored)


def test_a_seed_gives_the_same_writes_again() -> None:
    made = world(3, 0)
    texts = [change(f"3/{n}", made.tables, "lake.w0.owners").text for n in range(60)]
    assert texts == [change(f"3/{n}", made.tables, "lake.w0.owners").text for n in range(60)]
    assert {text.split()[0] for text in texts} == {"INSERT", "UPDATE", "DELETE", "MERGE"}
    assert all("{T}" in text for text in texts)
