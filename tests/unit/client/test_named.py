"""``:name`` with a mapping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sqe.client
from sqe.client.exceptions import ProgrammingError
from sqe.client.named import positional, positional_rows


@pytest.mark.parametrize(
    ("text", "rewritten", "values"),
    [
        ("SELECT :a, :b, :a", "SELECT ? , ? , ? ", [1, 2, 1]),
        ("SELECT :long_name", "SELECT ?         ", [3]),
        ("SELECT (:a)+:b::int", "SELECT (? )+? ::int", [1, 2]),
        (r"SELECT ':a', 'it''s :a', 'x\':a', :b", r"SELECT ':a', 'it''s :a', 'x\':a', ? ", [2]),
        (r"SELECT r'\', :a, r':b'", r"SELECT r'\', ? , r':b'", [1]),
        ('SELECT ":a", `:a`, :b', 'SELECT ":a", `:a`, ? ', [2]),
        ("SELECT :a -- :b\n, /* :b */ :b", "SELECT ?  -- :b\n, /* :b */ ? ", [1, 2]),
        ("SELECT v:a, v:a.b[0]:b, x[0]:a FROM t", "SELECT v:a, v:a.b[0]:b, x[0]:a FROM t", []),
        ("SELECT CAST(s AS STRUCT<a:INT, b: INT>)", "SELECT CAST(s AS STRUCT<a:INT, b: INT>)", []),
        ("SELECT '7'::a, f(x)::a", "SELECT '7'::a, f(x)::a", []),
    ],
)
def test_only_markers_are_rewritten(text: str, rewritten: str, values: list[Any]) -> None:
    assert positional(text, {"a": 1, "b": 2, "long_name": 3}) == (rewritten, values)


def test_a_sequence_is_left_alone() -> None:
    assert positional("SELECT :a, ?", [1]) == ("SELECT :a, ?", [1])


def test_a_name_without_a_value_is_told() -> None:
    with pytest.raises(ProgrammingError, match="no value for :dya") as raised:
        positional("SELECT :dya", {"day": 1})
    assert raised.value.hint == "The values are day."


def test_many_mappings_are_rows_of_one_statement() -> None:
    rows = [{"id": n, "name": str(n)} for n in range(3)]
    text, values = positional_rows("INSERT INTO t VALUES (:id, :name)", rows)
    assert text.count("?") == 2
    assert list(values) == [[0, "0"], [1, "1"], [2, "2"]]
    with pytest.raises(ProgrammingError, match="others are not"):
        list(positional_rows("INSERT INTO t VALUES (:id)", [{"id": 1}, [2]])[1])


def test_a_home_answers_by_name(tmp_path: Path) -> None:
    with sqe.client.connect(tmp_path, create=True) as lake:
        asked = lake.execute("SELECT id FROM range(9) WHERE id > :n AND id < :m", {"m": 6, "n": 3})
        assert asked.fetchall() == [(4,), (5,)]


def test_dates_come_to_pandas_as_dates(tmp_path: Path) -> None:
    days = "VALUES (DATE '0001-01-01'), (DATE '2024-05-01'), (NULL), (DATE '9999-12-31') AS v(day)"
    with sqe.client.connect(tmp_path, create=True) as lake:
        day = lake.execute(f"SELECT day FROM {days}").fetch_df()["day"]
    assert day.dtype.kind == "M"
    assert day.dt.year.fillna(0).tolist() == [1, 2024, 0, 9999]
