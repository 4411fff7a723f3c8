"""COPY INTO: what the text means, and what is wrong with the bad ones."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.sql.copy import CopyInto
from sqe.sql.parse import parse
from sqe.sql.statement import Access, StatementKind


def copied(text: str) -> CopyInto:
    statement = parse(text)
    assert statement.kind is StatementKind.COPY
    assert isinstance(statement.command, CopyInto)
    return statement.command


def test_the_whole_statement() -> None:
    statement = parse(
        "COPY INTO hr.`e mp` (id, `na me`) FROM '/in/a*.csv', '/in/b.csv' FILEFORMAT = CSV "
        "FORMAT_OPTIONS ('header' = 'true', sep = ';') COPY_OPTIONS ('force' = 'true')"
    )
    assert statement.command == CopyInto(
        sources=("/in/a*.csv", "/in/b.csv"),
        format="csv",
        columns=("id", "na me"),
        options=(("header", "true"), ("sep", ";")),
        force=True,
    )
    (reference,) = statement.references
    assert (reference.parts, reference.access) == (("hr", "e mp"), Access.WRITE)


def test_a_table_that_is_made_is_created_not_written() -> None:
    text = "COPY INTO t FROM '/a' FILEFORMAT = JSON COPY_OPTIONS (create = true{})"
    (made,) = parse(text.format("")).references
    assert (made.access, made.if_exists) == (Access.CREATE, False)
    (replaced,) = parse(text.format(", overwrite = true")).references
    assert (replaced.access, replaced.if_exists) == (Access.CREATE, True)


def test_new_columns_are_a_change_of_the_table_too() -> None:
    text = "COPY INTO t FROM '/a' FILEFORMAT = JSON COPY_OPTIONS (mergeSchema = true)"
    accesses = [reference.access for reference in parse(text).references]
    assert accesses == [Access.WRITE, Access.ALTER]


def test_quotes_and_backslashes_in_a_path() -> None:
    assert copied(r"COPY INTO t FROM '/a\\b/o\'c' FILEFORMAT = ORC").sources == (r"/a\b/o'c",)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("COPY t FROM '/a' FILEFORMAT = CSV", ErrorCode.SYNTAX_ERROR, "Expected INTO"),
        ("COPY INTO t FROM a FILEFORMAT = CSV", ErrorCode.SYNTAX_ERROR, "a path in quotes"),
        ("COPY INTO t FROM '/a'", ErrorCode.SYNTAX_ERROR, "Expected FILEFORMAT"),
        ("COPY INTO t FROM '/a' FILEFORMAT = AVRO", ErrorCode.NOT_SUPPORTED, "CSV, JSON"),
        ("COPY INTO t FROM '/a' FILEFORMAT = text", ErrorCode.NOT_SUPPORTED, "CSV, JSON"),
        (
            "COPY INTO t FROM (SELECT * FROM '/a') FILEFORMAT = CSV",
            ErrorCode.NOT_SUPPORTED,
            "FROM (SELECT",
        ),
        (
            "COPY INTO t FROM '/a' FILEFORMAT = CSV FORMAT_OPTIONS (path = '/b')",
            ErrorCode.INVALID_ARGUMENT,
            "does not take path",
        ),
        (
            "COPY INTO t FROM '/a' FILEFORMAT = CSV FORMAT_OPTIONS (mode = 'DROPMALFORMED')",
            ErrorCode.INVALID_ARGUMENT,
            "ends the load",
        ),
        (
            "COPY INTO t FROM '/a' FILEFORMAT = JSON COPY_OPTIONS (rejects = true)",
            ErrorCode.NOT_SUPPORTED,
            "rejects for JSON",
        ),
        (
            "COPY INTO t FROM '/a' FILEFORMAT = PARQUET FORMAT_OPTIONS (header = true)",
            ErrorCode.INVALID_ARGUMENT,
            "does not take header",
        ),
        (
            "COPY INTO t FROM '/a' FILEFORMAT = CSV COPY_OPTIONS (force = maybe)",
            ErrorCode.INVALID_ARGUMENT,
            "true or false",
        ),
        (
            "COPY INTO t (a) FROM '/a' FILEFORMAT = CSV COPY_OPTIONS (mergeSchema = true)",
            ErrorCode.NOT_SUPPORTED,
            "Leave the columns out",
        ),
        ("COPY INTO t FROM '/a' FILEFORMAT = CSV x", ErrorCode.SYNTAX_ERROR, "Expected the end"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: ErrorCode, message: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    assert raised.value.code is code
    assert message in str(raised.value)
