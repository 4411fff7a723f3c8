"""JSON as Trino prints it: every expected text is what a real Trino 476 answered."""

from __future__ import annotations

import pytest

from sqe.trino.dialect.json_literal import canonical
from tests.unit.trino.dialect.catalog import refusal, translated


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (' {"b":1,"a":1e2} ', '{"a":100.0,"b":1}'),
        ('{"b":1,"a":2,"b":3}', '{"a":2,"b":3}'),
        ('{"b":1,"B":2,"":3}', '{"":3,"B":2,"b":1}'),
        ("[-0, -0.0, 1.50, 0.001, 0.0001, 1e-7]", "[0,-0.0,1.5,0.001,1.0E-4,1.0E-7]"),
        ("[12345678.0, 1.0E7, 1e22, 1E400]", '[1.2345678E7,1.0E7,1.0E22,"Infinity"]'),
        ("0.1234567890123456789", "0.12345678901234568"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        (r'"\u0001\u007f\u00e9\/\ud83d\ude00"', '"\\u0001\x7fé/\\uD83D\\uDE00"'),
    ],
)
def test_a_document(text: str, printed: str) -> None:
    assert canonical(text) == printed


@pytest.mark.parametrize("text", ["", "1 2", "[NaN]", "[1,]", "{bad", "'a'", "[01]"])
def test_what_is_not_json(text: str) -> None:
    with pytest.raises(ValueError):
        canonical(text)


def test_a_literal_is_printed_in_the_text() -> None:
    assert """'{"a":2,"b":1}'""" in translated("""SELECT JSON '{"b": 1, "a": 2}'""").text


def test_a_literal_that_is_not_json() -> None:
    name, message = refusal("SELECT JSON '{bad'")
    assert (name, message) == ("INVALID_LITERAL", "1:8: '{bad' is not a valid JSON literal")
