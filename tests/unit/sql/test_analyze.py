"""ANALYZE and SHOW STATS in both spellings."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.sql.analyze import AnalyzeTable, ShowStats
from sqe.sql.parse import parse
from sqe.sql.statement import Access


@pytest.mark.parametrize(
    ("text", "columns", "scan"),
    [
        ("ANALYZE TABLE a.t COMPUTE STATISTICS", [], True),
        ("analyze table a.t compute statistics noscan;", [], False),
        ("ANALYZE TABLE a.t COMPUTE STATISTICS FOR ALL COLUMNS", [], True),
        ("ANALYZE TABLE a.t COMPUTE STATISTICS FOR COLUMNS x, `y z`", ["x", "y z"], True),
        ("ANALYZE TABLE a.t COMPUTE STATISTICS FOR COLUMNS (x, `y z`)", ["x", "y z"], True),
        ("ANALYZE a.t", [], True),
        ("ANALYZE a.t WITH (columns = ARRAY['x', 'y z'])", ["x", "y z"], True),
    ],
)
def test_analyze_names_a_table_and_perhaps_columns(
    text: str, columns: list[str], scan: bool
) -> None:
    statement = parse(text)
    [reference] = statement.references
    assert (reference.parts, reference.access) == (("a", "t"), Access.WRITE)
    assert isinstance(statement.command, AnalyzeTable)
    assert [name for name, _ in statement.command.columns] == columns
    assert statement.command.scan is scan


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ANALYZE TABLES IN s COMPUTE STATISTICS", ErrorCode.NOT_SUPPORTED),
        ("ANALYZE TABLE t PARTITION (a = 1) COMPUTE STATISTICS", ErrorCode.NOT_SUPPORTED),
        ("ANALYZE TABLE t", ErrorCode.SYNTAX_ERROR),
        ("ANALYZE t COMPUTE", ErrorCode.SYNTAX_ERROR),
        ("ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS", ErrorCode.SYNTAX_ERROR),
        ("SHOW STATS t", ErrorCode.SYNTAX_ERROR),
        ("SHOW STATS FOR (SELECT 1", ErrorCode.SYNTAX_ERROR),
        ("SHOW STATS FOR (INSERT INTO t VALUES (1))", ErrorCode.NOT_SUPPORTED),
    ],
)
def test_other_forms_are_refused(text: str, code: ErrorCode) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    assert raised.value.code is code


def test_show_stats_is_of_a_table_or_of_a_query_at_its_place() -> None:
    assert parse("SHOW STATS FOR a.t").references[0].parts == ("a", "t")
    text = "SHOW STATS FOR\n (SELECT (a) FROM t WHERE b IN (1));"
    statement = parse(text)
    assert isinstance(statement.command, ShowStats)
    assert statement.inner is not None
    [reference] = statement.inner.references
    assert reference.span.of(text) == "t"
