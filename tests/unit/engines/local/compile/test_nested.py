"""Arrays, structs and maps: what compiled expressions give, and what is left to Spark."""

from __future__ import annotations

import duckdb
import pytest

from sqe.engines.local.compile.regexes import read_pattern
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import parse_type
from tests.unit.engines.local.compile.asking import ask, compiled

# NULL, nothing, and NULL among values.
_LISTS = "CASE id WHEN 1 THEN array(k, NULL) WHEN 2 THEN array() END"


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        (f"size({_LISTS})", [2, 0, None]),
        (f"array_contains({_LISTS}, 2)", [True, False, None]),
        (f"array_contains({_LISTS}, 3)", [None, False, None]),
        (f"array_position({_LISTS}, 2)", [1, 0, None]),
        (f"exists({_LISTS}, x -> x > 5)", [None, False, None]),
        (f"forall({_LISTS}, x -> x < 5)", [None, True, None]),
        (f"forall({_LISTS}, x -> x > 5)", [False, True, None]),
        (f"transform({_LISTS}, (x, i) -> coalesce(x, i))", [[2, 1], [], None]),
        (f"filter({_LISTS}, (x, i) -> i > 0 OR x = 9)", [[None], [], None]),
        (f"aggregate({_LISTS}, 0, (a, x) -> a + coalesce(x, 10))", [12, 0, None]),
        (f"array_join(cast({_LISTS} as array<string>), ',')", ["2", "", None]),
        (f"array_join(cast({_LISTS} as array<string>), ',', '-')", ["2,-", "", None]),
        (f"concat({_LISTS}, array(7))", [[2, None, 7], [7], None]),
        (f"sort_array({_LISTS})", [[None, 2], [], None]),
        (f"array_sort({_LISTS})", [[2, None], [], None]),
        (f"array_max({_LISTS})", [2, None, None]),
        (f"get({_LISTS}, 0)", [2, None, None]),
        (f"try_element_at({_LISTS}, -1)", [None, None, None]),
        ("zip_with(array(1, 2), array('a'), (x, y) -> concat(x, y))", [["1a", None]] * 3),
        ("array_except(array(3, NULL, 3, 1), array(1))", [[3, None]] * 3),
        ("array_intersect(array(NULL, 1, 1), array(1, NULL))", [[None, 1]] * 3),
        ("arrays_overlap(array(1, NULL), array(2))", [None, None, None]),
        ("slice(array(1, 2, 3), -2, 5)", [[2, 3]] * 3),
        ("flatten(array(array(1), NULL))", [None] * 3),
        ("array(1, NULL) = array(1, NULL)", [True] * 3),
        ("named_struct('a', id, 'b', s).A", [1, 2, None]),
        ("named_struct('a', id) = named_struct('a', id)", [True] * 3),
        ("map_from_arrays(array('a'), array(id))['a']", [1, 2, None]),
        ("map_from_arrays(array('a'), array(id))['b']", [None] * 3),
        ("cast(array(named_struct('a', 1)) as array<struct<x:bigint>>)[0].x", [1] * 3),
        ("reverse(concat(g, 'e\u0301😀'))", ["😀\u0301ea", "😀\u0301eb", None]),
        ("split('a,b,', ',', -1)", [["a", "b", ""]] * 3),
        (r"regexp_extract(s, '^(\\w+)\\s*', 1)", ["Hello", "stra", None]),
        (r"s rlike 'l{2}o\\z'", [True, False, None]),
        ("size(collect_list(id))", [2]),
        ("array_join(array_sort(collect_list(g)), '')", ["ab"]),
        ("sort_array(collect_set(id), false)", [[2, 1]]),
    ],
)
def test_what_nested_values_give(expression: str, rows: list[object]) -> None:
    assert ask(expression).rows == rows


@pytest.mark.parametrize(
    "expression",
    [
        "array(1)[1]",
        "element_at(array(1), 0)",
        "element_at(array(id), 2)",
        "slice(array(id), 0, 1)",
        "sequence(id, 100000)",
        "map_from_arrays(array(g, g), array(1, 2))",
    ],
)
def test_a_place_that_is_not_there_is_sparks_to_tell(expression: str) -> None:
    with pytest.raises((duckdb.Error, NotLocal), match=r"SQE:LOCAL:|constant"):
        ask(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "array(1) < array(2)",  # NULL inside: first to Spark, last to DuckDB
        "array(db) = array(db)",
        "id IN (array(1))",
        "array(1) IN (array(1))",
        "map_from_arrays(array(1), array(2)) = map_from_arrays(array(1), array(2))",
        "greatest(array(1), array(2))",
        "sort_array(array(db))",
        "array_distinct(array(db))",
        "array_sort(array(2, 1), (x, y) -> x - y)",
        "row_number() OVER (ORDER BY array(id))",
        "collect_list(id)[0]",
        "transform(collect_list(id), (x, i) -> i)",
        "array_join(collect_list(s), ',')",
        "min(array(id))",
        "transform(array(1), x -> transform(array(2), x -> x))",
        "named_struct('a', 1, 'A', 2)",
        "cast(array(1) as string)",
        "coalesce(array(1), array(1.5))",
    ],
)
def test_what_is_not_certain_of_nested_values_is_sparks(expression: str) -> None:
    with pytest.raises(NotLocal):
        compiled(expression)


def test_the_order_of_collected_values_is_never_shown() -> None:
    with pytest.raises(NotLocal, match="order"):
        compiled("collect_list(id)").type.arrow("UTC")


@pytest.mark.parametrize(
    "text",
    ["array<int>", "struct<a:int,b:array<string>>", "map<string,struct<x:decimal(5,2)>>", "binary"],
)
def test_types_are_spelled_as_spark_spells_them(text: str) -> None:
    assert str(parse_type(text)) == text


@pytest.mark.parametrize(
    ("java", "re2"),
    [
        (r"^\d{1,3}\s*\z", r"\A[0-9]{1,3}[ \t\n\x0b\f\r]*\z"),
        (r"[^a-c\-.]", r"[^a-c\x2d\x2e]"),
        (r"(?:a|b+?)\.", r"(?:a|b+?)\."),
    ],
)
def test_patterns_are_written_as_re2_reads_them(java: str, re2: str) -> None:
    assert read_pattern(java).text == re2
