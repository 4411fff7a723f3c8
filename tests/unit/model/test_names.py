"""Names in Spark's spelling."""

from __future__ import annotations

import pytest

from sqe.model.names import quote
from sqe.sql.parse import parse


@pytest.mark.parametrize(
    ("name", "spelled"),
    [("pay", "pay"), ("a b", "`a b`"), ("a`b", "`a``b`"), ("1st", "`1st`"), ("date", "date")],
)
def test_a_name_is_quoted_where_it_must_be(name: str, spelled: str) -> None:
    assert quote(name) == spelled


@pytest.mark.parametrize("word", ["null", "TRUE", "select", "From", "case", "union", "not"])
def test_a_column_may_be_called_as_a_word_of_sql(word: str) -> None:
    spelled = quote(word)
    assert spelled == f"`{word}`"
    [item] = parse(f"SELECT {spelled} FROM t").tree.expressions
    assert item.name == word and not item.is_string and item.key == "column"
