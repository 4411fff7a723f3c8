"""In Trino's dialect a function of NULL is NULL, whatever its other arguments are."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

import pytest

from tests.embedded.trino_corpus.null_calls import Call, Columns, calls
from tests.rotation import Rotation
from tests.trino.asking import Client

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(600)]

# They take NULL for a value, by name and argument; or they always fail.
TAKEN = {
    ("concat_ws", 1), ("concat_ws", 2), ("format", 1), ("format", 2), ("repeat", 0), ("fail", 0),
}  # fmt: skip
NOT_HERE = ("regexp_position", "from_iso8601_timestamp_nanos", "from_unixtime_nanos")


def chosen() -> Iterable[tuple[str, list[Call]]]:
    found = [
        one
        for one in calls()
        if not one.is_constant
        and (one.function.name, one.index) not in TAKEN
        and one.function.name not in NOT_HERE
    ]
    return ((name, list(group)) for name, group in groupby(found, lambda one: one.function.name))


def test_a_function_of_null_is_null(client: Client, rotation: Rotation) -> None:
    wrong = []
    for _, group in rotation.share(chosen(), 10, itemgetter(0)):
        columns = Columns()
        items = [f"{one.written(columns)} AS x{n}" for n, one in enumerate(group)]
        answer = client.ask(columns.query(items))
        if answer.error:
            wrong.append(f"{group[0]} and its kin: {answer.message}")
        filled = {n for row in answer.data for n, value in enumerate(row) if value is not None}
        wrong += [str(group[n]) for n in sorted(filled)]
    assert not wrong, "\n".join(wrong)
