"""Generated DELETE, UPDATE and MERGE leave the rows that plain Python says.

`make write-proof CASES=… SEED=…` asks for more of them.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from sqe.errors import ErrorCode, SqeError
from tests.embedded.pipe.lake import Lake
from tests.embedded.writes.conftest import WAYS, NewTable
from tests.embedded.writes.row_model import COLUMNS, Violation, case, values

CANNOT_PLAN = "is false for all rows"
_CASES, _SEED = 30, 15
_PARTITIONS = ("", "p", "k", "truncate(2, v)")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" not in metafunc.fixturenames:
        return
    options = metafunc.config.getoption  # unknown where pytest did not begin in this folder
    cases, seed = options("row_cases", None) or _CASES, options("row_seed", None) or _SEED
    metafunc.parametrize("seed", [f"{seed}-{number}" for number in range(cases)])


@pytest.mark.rotating(parts=10)
def test_the_rows_are_those_that_sql_means(writes: Lake, new_table: NewTable, seed: str) -> None:
    rng = Random(seed)
    way, partition = rng.choice(list(WAYS)), rng.choice(_PARTITIONS)
    asked = case(rng, way == "copy-on-write")
    columns = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())
    table = new_table(columns, way, values(asked.rows), partition)
    statement = asked.text.format(t=table)
    try:
        expected = asked.outcome()
    except Violation:
        expected = list(asked.rows)
        assert writes.fails(statement).code is ErrorCode.CONSTRAINT_VIOLATION, statement
    else:
        try:
            writes.run(statement)
        except SqeError as error:
            # Spark's own defect; nothing may have been written.
            assert CANNOT_PLAN in error.message, f"{error} for {way}, {partition}: {statement}"
            assert "FALSE" in statement or "NOT (TRUE)" in statement, statement
            expected = list(asked.rows)
    left = Counter(writes.rows(f"SELECT * FROM {table}"))
    assert left == Counter(expected), f"{way}, {partition}, {asked.rows}: {statement}"


def test_a_condition_that_is_always_false_writes_nothing(writes: Lake, new_table: NewTable) -> None:
    """Right, or told in words: Spark 4.1 fails with `None.get`."""
    table = new_table("k INT, v INT", rows="VALUES (1, 1), (2, 2)")
    source = "(SELECT x AS k FROM VALUES (1), (2) AS s(x)) s"
    for statement in (
        f"DELETE FROM {table} t WHERE EXISTS (SELECT 1 FROM {source} WHERE s.k = t.k AND FALSE)",
        f"MERGE INTO {table} t USING {source} ON t.k = s.k AND FALSE WHEN MATCHED THEN DELETE",
    ):
        try:
            writes.run(statement)
        except SqeError as error:
            assert CANNOT_PLAN in error.message, statement
            assert error.hint
        assert writes.rows(f"SELECT * FROM {table} ORDER BY k") == [(1, 1), (2, 2)], statement
