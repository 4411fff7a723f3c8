"""Words of Trino's grammar that are not reserved are names, wherever a name may stand.

A word in quotes is nothing but a name, so the text without them must mean the same.
"""

from __future__ import annotations

import pytest

from sqe.errors import SqeError
from tests.unit.trino.dialect.catalog import translated

_TEXT = """absent add admin after all analyze any array asc at authorization begin bernoulli both
    call called cascade catalog catalogs column columns comment commit committed conditional
    copartition count current data date day declare default define definer deny desc descriptor
    deterministic distributed do double elseif empty encoding error excluding explain fetch filter
    final first following format function functions grace grant granted grants graphviz groups
    hour if ignore immediate including initial input interval invoker io iterate isolation json
    keep key keys language last lateral leading leave level limit local logical loop map match
    matched matches match_recognize materialized measures merge minute month nested next nfc nfd
    nfkc nfkd no none nullif nulls object of offset omit one only option ordinality output over
    overflow partition partitions passing past path pattern per period permute plan position
    preceding precision privileges properties prune quotes range read refresh rename repeat
    repeatable replace reset respect restrict return returning returns revoke role roles rollback
    row rows running scalar schema schemas second security seek serializable session set sets show
    some start stats subset substring system tables tablesample text string ties time timestamp to
    trailing transaction truncate try_cast type unbounded uncommitted unconditional unique unknown
    unmatched until update use user utf16 utf32 utf8 validate value verbose version view while
    window within without work wrapper write year zone"""
WORDS = _TEXT.split()
Q = "(VALUES (1, 2)) AS q (id, {0})"
PLACES = [
    *(f"{text} FROM {Q}" for text in (
        "SELECT {0}", "SELECT {0}, id", "SELECT id, {0}", "SELECT DISTINCT {0}, id",
        "SELECT ALL {0}", "SELECT q.{0}, q.{0} AS {0}", "SELECT id AS {0}", "SELECT id {0}",
        "SELECT ({0})", "SELECT -{0}, +{0}", "SELECT {0} * 2 + {0}", "SELECT ({0}, id)",
        "SELECT sum({0}), count({0}), max(DISTINCT {0})", "SELECT coalesce({0}, id)",
        "SELECT CASE {0} WHEN {0} THEN {0} ELSE {0} END", "SELECT CAST({0} AS bigint)",
        "SELECT ARRAY[{0}], ROW({0})", "SELECT {0} IS NULL, {0} IN ({0}, 1)",
        "SELECT {0} BETWEEN {0} AND {0}, NOT {0} = 1", "SELECT count(*) FILTER (WHERE {0} > 1)",
        "SELECT sum({0}) OVER (PARTITION BY {0} ORDER BY {0})", "SELECT TRY({0} / 1)",
        "SELECT transform(ARRAY[1], {0} -> {0} + id)", "SELECT IF({0} = 1, {0})",
    )),
    *(f"SELECT id FROM {Q} {text}" for text in (
        "WHERE {0} > 1", "WHERE {0} IN (1, 2) AND {0} = id", "WHERE ({0}) = 1 OR {0} < 3",
        "ORDER BY {0}", "ORDER BY {0} DESC, {0} NULLS FIRST", "GROUP BY id, {0}",
        "GROUP BY {0}, id", "GROUP BY GROUPING SETS ((id, {0}), id)",
        "GROUP BY id HAVING max({0}) > 1",
    )),
    "SELECT {0}, count(*) FROM " + Q + " GROUP BY {0} ORDER BY {0}",
    "SELECT {0} FROM " + Q + " GROUP BY ROLLUP ({0})",
    "SELECT {0}.id FROM t AS {0}", "SELECT {0}.id FROM t {0}", "SELECT {0}.* FROM t {0}",
    "SELECT {0}.id FROM t {0} JOIN one AS o ON o.id = {0}.id", "SELECT * FROM one, t {0}",
    "SELECT a.id FROM one a CROSS JOIN one {0} WHERE {0}.id = 1",
    "WITH {0} AS (SELECT 1 AS {0}) SELECT {0} FROM {0}",
    "WITH {0} ({0}) AS (VALUES 1) SELECT {0}.{0} FROM {0}",
    "SELECT {0} FROM (SELECT id AS {0} FROM t) JOIN (SELECT id AS {0} FROM one) USING ({0})",
    "SELECT sum(id) OVER {0} FROM t WINDOW {0} AS (ORDER BY id)",
    "SELECT r.{0} FROM (SELECT CAST(ROW(1) AS row({0} integer)) AS r)",
    "SELECT {0} FROM UNNEST(ARRAY[1]) AS u ({0})", "SELECT u.{0} FROM UNNEST(ARRAY[1]) u ({0})",
    "SELECT (SELECT max(id) FROM t WHERE id = {0}) FROM " + Q,
    "SELECT {0} FROM " + Q + " UNION ALL SELECT {0} FROM " + Q,
]  # fmt: skip


def _meaning(text: str) -> object:
    try:
        found = translated(text)
    except SqeError as error:
        return f"{error.subcode}: {error}"
    return found.text, found.columns


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_a_name_where_a_name_may_stand(word: str) -> None:
    wrong = []
    for place in PLACES:
        bare, quoted = _meaning(place.format(word)), _meaning(place.format(f'"{word}"'))
        assert isinstance(quoted, tuple), quoted
        if bare != quoted:
            wrong.append(f"{place.format(word)}: {bare}")
    assert not wrong, "\n".join(wrong)
