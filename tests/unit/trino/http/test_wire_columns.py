"""Types as clients are told them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.errors import InternalError
from sqe.model.query import Column
from sqe.model.trino_types import DAY_SECOND as INTERVAL
from sqe.model.trino_types import TrinoType, parse_type, row
from sqe.trino.http.wire import columns_json
from tests.unit.trino.http.wire_values import KINDS, PARAMETRIC


def _long(*numbers: int) -> list[dict[str, Any]]:
    return [{"kind": "LONG", "value": number} for number in numbers]


def _type(raw: str, arguments: list[dict[str, Any]]) -> dict[str, Any]:
    return {"rawType": raw, "arguments": arguments}


def _of(kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "value": value}


INTEGER = _type("integer", [])
VARCHAR = _type("varchar", _long(2147483647))
KNOWN = [
    ("bigint", "bigint", _type("bigint", [])),
    ("varchar", "varchar", VARCHAR),
    ("varchar(5)", "varchar(5)", _type("varchar", _long(5))),
    ("char(2)", "char(2)", _type("char", _long(2))),
    ("decimal(3,2)", "decimal(3, 2)", _type("decimal", _long(3, 2))),
    ("time(6)", "time(6)", _type("time", _long(6))),
    (
        "timestamp(3) with time zone",
        "timestamp(3) with time zone",
        _type("timestamp with time zone", _long(3)),
    ),
    ("interval day to second", "INTERVAL DAY TO SECOND", _type("interval day to second", [])),
    ("unknown", "unknown", _type("unknown", [])),
    ("array(integer)", "array(integer)", _type("array", [_of("TYPE", INTEGER)])),
    (
        "map(varchar, interval year to month)",
        "map(varchar, INTERVAL YEAR TO MONTH)",
        _type(
            "map",
            [_of("TYPE", VARCHAR), _of("TYPE", _type("interval year to month", []))],
        ),
    ),
    (
        'row("a" integer, "b c" varchar)',
        'row(a integer, "b c" varchar)',
        _type(
            "row",
            [
                _of("NAMED_TYPE", {"fieldName": {"name": "a"}, "typeSignature": INTEGER}),
                _of("NAMED_TYPE", {"fieldName": {"name": "b c"}, "typeSignature": VARCHAR}),
            ],
        ),
    ),
    (
        "row(integer, decimal(3,2))",
        "row(integer, decimal(3, 2))",
        _type(
            "row",
            [
                _of("NAMED_TYPE", {"typeSignature": INTEGER}),
                _of("NAMED_TYPE", {"typeSignature": _type("decimal", _long(3, 2))}),
            ],
        ),
    ),
]


@pytest.mark.parametrize(("kind", "text", "signature"), KNOWN)
def test_a_column_is_told_as_trino_tells_it(
    kind: str, text: str, signature: dict[str, Any]
) -> None:
    told = columns_json([Column("c", kind)], PARAMETRIC)
    assert told == [{"name": "c", "type": text, "typeSignature": signature}]


@pytest.mark.parametrize(
    "base", ["timestamp", "time", "timestamp with time zone", "time with time zone"]
)
def test_clients_without_precisions_are_told_none(base: str) -> None:
    head, _, tail = base.partition(" ")
    [plain, nested] = columns_json(
        [Column("c", f"{head}(6) {tail}"), Column("d", f"array({head}(6) {tail})")], ()
    )
    assert plain == {"name": "c", "type": base, "typeSignature": _type(base, [])}
    assert nested["type"] == f"array({base})"
    assert nested["typeSignature"] == _type("array", [_of("TYPE", _type(base, []))])


def test_names_of_fields_are_quoted_only_where_they_must_be() -> None:
    """As a Trino 476 told it for the same row."""
    kind = (
        'row("order" integer, "Big" integer, "a b" integer, interval integer, "1x" integer, '
        '"q""q" integer, "a:b" integer)'
    )
    [told] = columns_json([Column("c", kind)], PARAMETRIC)
    assert told["type"] == (
        'row("order" integer, Big integer, "a b" integer, interval integer, "1x" integer, '
        '"q""q" integer, "a:b" integer)'
    )
    assert parse_type(kind).display == (
        "row(order integer, Big integer, a b integer, interval integer, 1x integer, "
        'q"q integer, a:b integer)'
    )


@given(KINDS)
@settings(max_examples=200, deadline=None)
def test_a_type_is_read_back_from_its_text(kind: TrinoType) -> None:
    assert parse_type(str(kind)) == kind
    assert parse_type(str(columns_json([Column("c", str(kind))], PARAMETRIC)[0]["type"])) == kind


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_fields_of_any_name_are_read_back(names: list[str]) -> None:
    kind = row(*[(name, INTERVAL) for name in names])
    assert parse_type(str(kind)) == kind


@pytest.mark.parametrize(
    "text", ["", "row(", "array(integer", "decimal(3,2))", "a b c", "row(a;b)"]
)
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a type"):
        parse_type(text)


def test_a_column_without_a_trino_type_is_a_defect() -> None:
    with pytest.raises(InternalError, match="Column c has no Trino type: struct<a:int>"):
        columns_json([Column("c", "struct<a:int>")], PARAMETRIC)
