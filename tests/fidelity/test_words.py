"""Words of the grammar as names of columns, tables, aliases and CTEs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fidelity.words import (
    HARMLESS,
    POSITIONS,
    Reading,
    SparkParser,
    differences,
    spark_parser,
    words,
)
from tests.rotation import Rotation

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

# What people call their columns. Nothing of it may be refused where Spark takes it.
_EVERYDAY = """
category comment count current date day default_value end first format grouping hour key last
level location map minute month name nulls number option order_by owner partition percent position
range rank rows schema second source start status struct table target temporary time timestamp
type user value version view week window year
"""


@pytest.fixture(scope="module")
def parser() -> Iterator[SparkParser]:
    with spark_parser() as opened:
        yield opened


def test_no_word_is_taken_for_something_else(parser: SparkParser, rotation: Rotation) -> None:
    tried = rotation.share(((w, p) for w in words(parser) for p in POSITIONS), 12, key=" ".join)
    found = differences(parser, tried)
    wrong = [one for one in found if one.reading is Reading.OTHER and one.word not in HARMLESS]
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("word", ["all", "distinct", "values", "any", "interval"])
def test_everyday_positions_of_hard_words(parser: SparkParser, word: str) -> None:
    positions = [
        "SELECT W, c2 FROM t", "SELECT c2, W FROM t", "SELECT DISTINCT W, c2 FROM t",
        "SELECT count(W) FROM t", "SELECT concat(c2, W) FROM t", "SELECT t.W FROM t",
        "SELECT c2 FROM t WHERE W = 1 AND c2 IN (W, 1)", "SELECT c2 FROM t ORDER BY c2, W DESC",
        "SELECT count(*) FROM t GROUP BY c2, W", "SELECT c2 FROM t JOIN u USING (c2, W)",
        "SELECT rank() OVER (PARTITION BY W ORDER BY W) FROM t", "UPDATE t SET W = 1",
        "INSERT INTO t (c2, W) VALUES (1, 2)", "SELECT transform(c2, W -> W) FROM t",
    ]  # fmt: skip
    assert not list(differences(parser, [(word, position) for position in positions]))


def test_everyday_words_are_read_everywhere(parser: SparkParser) -> None:
    tried = [(word, position) for word in _EVERYDAY.split() for position in POSITIONS]
    odd = ("INSERT INTO W", "INSERT OVERWRITE W")  # TABLE, FORMAT, FIRST: words of INSERT's own
    found = [one for one in differences(parser, tried) if not one.position.startswith(odd)]
    wrong = [one for one in found if one.word not in HARMLESS]
    assert not wrong, "\n".join(map(str, wrong))
