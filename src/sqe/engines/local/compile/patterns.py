"""Functions of texts by regular expressions, with a pattern that is written out."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.built import Built, need
from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.regexes import Pattern, read_pattern
from sqe.engines.local.compile.value import Value, make_value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BOOLEAN, STRING, SparkType, array_of
from sqe.model.names import quote_text

# Where a line ends, the engines disagree.
_LINE_ENDS = r"[\n\r\x{85}\x{2028}\x{2029}]"
_MOST_GROUPS = 9


def rlike(here: Compiling, node: exp.RegexpLike) -> Value:
    """Whether a pattern is found anywhere in a text."""
    value, pattern = here.value(node.this), here.value(node.expression)
    if node.args.get("flag"):
        raise NotLocal("a pattern with flags is Spark's")
    read = _pattern(value, pattern)
    sql = f"regexp_matches({value.sql}, {quote_text(read.text)})"
    return make_value(_on_one_line(value, read, sql, BOOLEAN), BOOLEAN, "", value)


def extract(here: Compiling, values: Sequence[Value]) -> Built:
    """The text that a group has found; the empty one where there is none."""
    need(len(values) in (2, 3), "regexp_extract takes two or three arguments")
    read = _pattern(values[0], values[1])
    group = values[2].literal if len(values) == 3 else 1
    known = isinstance(group, int) and not isinstance(group, bool) and values[-1].type != STRING
    need(len(values) == 2 or known, "regexp_extract of a computed group is Spark's")
    assert isinstance(group, int)  # noqa: S101  tested on the line above
    need(0 <= group <= min(read.groups, _MOST_GROUPS), "a group that is not there is Spark's")
    need(not read.repeats_groups, "a group that is repeated is Spark's")
    sql = f"regexp_extract({values[0].sql}, {quote_text(read.text)}, {group})"
    return _on_one_line(values[0], read, sql, STRING), STRING, values[0].nullable


def replace(here: Compiling, values: Sequence[Value]) -> Built:
    """Every place by a text that is written out and names no group."""
    need(len(values) == 3, "regexp_replace from a place on is Spark's")
    read, new = _pattern(values[0], values[1]), values[2].literal
    plain = isinstance(new, str) and not set(new) & {"$", "\\"}
    need(plain, "regexp_replace by a computed text or by groups is Spark's")
    need(not read.empty, "regexp_replace of what may be empty is Spark's")
    sql = f"regexp_replace({values[0].sql}, {quote_text(read.text)}, {values[2].sql}, 'g')"
    return _on_one_line(values[0], read, sql, STRING), STRING, values[0].nullable


def split(here: Compiling, values: Sequence[Value]) -> Built:
    """At a text that is written out."""
    limit = values[2].literal if len(values) == 3 else -1
    need(limit == -1, "split to a limit is Spark's")
    read = _pattern(values[0], values[1])
    if read.plain is None:
        raise NotLocal("split by a pattern is Spark's")
    sql = f"string_split({values[0].sql}, {quote_text(read.plain)})"
    return sql, array_of(STRING), values[0].nullable


def _pattern(value: Value, pattern: Value) -> Pattern:
    if value.type != STRING or not isinstance(pattern.literal, str):
        raise NotLocal("a computed pattern is Spark's")
    return read_pattern(pattern.literal)


def _on_one_line(value: Value, pattern: Pattern, sql: str, kind: SparkType) -> str:
    if not pattern.lines:
        return sql
    other = give_up("a pattern over several lines", kind)
    several = f"regexp_matches({value.sql}, '{_LINE_ENDS}')"
    return f"CASE WHEN {several} THEN {other} ELSE {sql} END"
