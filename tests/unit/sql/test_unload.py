"""COPY (query) TO: what it says, and what it is refused for."""

from __future__ import annotations

import pytest

from sqe.errors import SqeError
from sqe.sql.parse import parse
from sqe.sql.unload import Unload


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("COPY (SELECT (1), ')' FROM t) TO '/x/a.csv'", Unload("/x/a.csv", "csv", "none")),
        ("unload (table t) to '/x/a.parquet';", Unload("/x/a.parquet", "parquet", "zstd")),
        ("COPY (SELECT 1) TO '/x/a.json.gz'", Unload("/x/a.json.gz", "json", "gzip")),
        (
            "COPY (SELECT 1) TO '/x/a' WITH (FORMAT = csv, HEADER false, DELIMITER ';', OVERWRITE,"
            " COMPRESSION gzip)",
            Unload("/x/a", "csv", "gzip", header=False, delimiter=";", overwrite=True),
        ),
    ],
)
def test_a_query_and_where_its_rows_go(text: str, command: Unload) -> None:
    statement = parse(text)
    assert statement.command == command
    assert statement.inner is not None
    assert statement.label == "unload"
    assert [one.parts for one in statement.inner.references] == [("t",)] * ("t)" in text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("COPY (SELECT 1) TO '/x/a'", "does not tell the format.*PARQUET, CSV, JSON"),
        ("COPY (SELECT 1) TO '/x/a.orc'", "does not tell the format"),
        ("COPY (SELECT 1) TO '/x/a.csv' (FORMAT orc)", "FORMAT must be one of"),
        ("COPY (DELETE FROM t) TO '/x/a.csv'", "COPY of delete is not supported"),
        ("COPY (SELECT 1 TO '/x/a.csv'", "Expected a query and"),
        ("COPY (SELECT 1) TO a.csv", "a path in quotes"),
        ("COPY (SELECT 1) TO '/x/a.csv' (QUOTE 'x')", "There is no option QUOTE"),
        ("COPY (SELECT 1) TO '/x/a.csv' (HEADER, HEADER)", "is there twice"),
        ("COPY (SELECT 1) TO '/x/a.csv' (HEADER maybe)", "must be true or false"),
        ("COPY (SELECT 1) TO '/x/a.csv' (DELIMITER '::')", "one character"),
        ("COPY (SELECT 1) TO '/x/a.json' (HEADER)", "HEADER is for CSV"),
        ("COPY (SELECT 1) TO '/x/a.csv' (COMPRESSION zstd)", "COMPRESSION of CSV"),
        ("COPY (SELECT 1) TO '/x/a.csv' extra", "extra"),
        ("COPY (SELECT ?) TO '/x/a.csv'", "marker"),
        ("UNLOAD t TO '/x/a.csv'", "Expected \\("),
    ],
)
def test_what_is_not_understood_is_refused(text: str, said: str) -> None:
    with pytest.raises(SqeError, match=said):
        parse(text)
