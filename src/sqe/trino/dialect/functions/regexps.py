"""Regular expressions. Both sides have Java's syntax; Trino answers NULL where nothing matches."""

from __future__ import annotations

import re

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.functions.signatures import UNBOUNDED, Bindings
from sqe.trino.dialect.functions.strings import invalid, length_of, varchar_of_length
from sqe.trino.dialect.once import lambda_parts
from sqe.trino.dialect.typed import string

# A group that may be left out of a match: Spark gives an empty text for it, Trino NULL.
_SCRIPT = re.compile(r"\\[pP]\{[A-Z][a-z]{2,}")
_OPTIONAL = re.compile(r"\||\)[?*{]")


def _pattern(call: Bound) -> str:
    pattern = call.arguments[1].constant
    if pattern is None:
        return ""
    if not isinstance(pattern, str):
        raise call.refuse("the pattern must be constant")
    if _SCRIPT.search(pattern):
        raise call.refuse("a script's name in \\p{…}, which Spark writes otherwise")
    return pattern


def _group(call: Bound, pattern: str) -> int:
    if len(call.arguments) < 3:
        return 0
    group = call.arguments[2].constant
    if not isinstance(group, int):
        raise call.refuse("the group must be constant")
    if group < 0:
        raise invalid("Group cannot be negative")
    if group and _OPTIONAL.search(pattern):
        raise call.refuse("a group of a pattern with parts that may be left out")
    return group


def _like(call: Bound) -> str:
    if call.arguments[1].is_constant:
        _pattern(call)
    return f"({call.sql(0)} RLIKE {call.sql(1)})"


declare("regexp_like", "(varchar(x), varchar) -> boolean", _like,
        description="Returns whether the pattern is contained within the string")  # fmt: skip


def _extract(call: Bound) -> str:
    group = _group(call, _pattern(call))
    value, pattern = call.sql(0), call.sql(1)
    return f"IF({value} RLIKE {pattern}, regexp_extract({value}, {pattern}, {group}), NULL)"


declare("regexp_extract", ["(varchar(x), varchar) -> varchar(x)",
                           "(varchar(x), varchar, bigint) -> varchar(x)"], _extract)  # fmt: skip


def _extract_all(call: Bound) -> str:
    group = _group(call, _pattern(call))
    return f"regexp_extract_all({call.sql(0)}, {call.sql(1)}, {group})"


declare("regexp_extract_all", ["(varchar(x), varchar) -> array(varchar(x))",
                               "(varchar(x), varchar, bigint) -> array(varchar(x))"],
        _extract_all)  # fmt: skip


def _type_of_replaced(bound: Bindings, kinds: tuple[TrinoType, ...]) -> TrinoType:
    old = length_of(kinds[0])
    if len(kinds) == 2:
        return varchar_of_length(old)
    new = length_of(kinds[2])
    return varchar_of_length(min(UNBOUNDED, old + max(old * new // 2, new) * (old + 1)))


def _replace(call: Bound) -> str:
    new = call.sql(2) if len(call.arguments) > 2 else "''"
    if len(call.arguments) > 2 and not call.arguments[2].is_constant:
        raise call.refuse("the replacement must be constant")
    return f"regexp_replace({call.sql(0)}, {call.sql(1)}, {new})"


declare("regexp_replace", ["(varchar(x), varchar) -> varchar(x)",
                           "(varchar(x), varchar, varchar(y)) -> varchar(x)"],
        _replace, result=_type_of_replaced)  # fmt: skip


def _replace_with_lambda(call: Bound) -> str:
    """What is between the matches, each followed by what the lambda makes of a match's groups."""
    pattern = _nonempty_pattern(call)
    try:
        count = re.compile(pattern).groups
    except re.error:
        raise call.refuse("a pattern with what only Java has") from None
    if count and _OPTIONAL.search(pattern):
        raise call.refuse("a lambda, with a pattern whose parts may be left out")
    value, written = call.sql(0), call.sql(1)
    (variable,), body = lambda_parts(call.sql(2))
    if count:  # arrays_zip names its fields by their places; the lambda wants an array of them
        places = range(1, count + 1)
        found = ", ".join(f"regexp_extract_all({value}, {written}, {i})" for i in places)
        groups = ", ".join(f"m.`{i}`" for i in range(count))
        matches = f"transform(arrays_zip({found}), m -> array({groups}))"
    else:
        found = f"regexp_extract_all({value}, {written}, 0)"
        matches = f"transform({found}, m -> CAST(array() AS ARRAY<STRING>))"
    made = f"transform({matches}, {variable} -> {body})"
    joined = f"zip_with(split({value}, {written}, -1), made, (a, b) -> concat(a, coalesce(b, '')))"
    text = f"IF(exists(made, e -> e IS NULL), NULL, array_join({joined}, ''))"
    return f"transform(array({made}), made -> {text})[0]"


declare("regexp_replace", "(varchar, varchar, function(array(varchar), varchar(x))) -> varchar",
        _replace_with_lambda)  # fmt: skip


def _nonempty_pattern(call: Bound) -> str:
    """One that matches no empty text."""
    pattern = _pattern(call)
    try:
        empty = re.search(pattern, "") is not None
    except re.error:
        empty = True
    if empty and pattern:
        raise call.refuse("a pattern that may match nothing")
    if not pattern and call.arguments[1].constant is not None:
        raise call.refuse("an empty pattern")
    return pattern


def _split(call: Bound) -> str:
    _nonempty_pattern(call)
    return f"split({call.sql(0)}, {call.sql(1)}, -1)"


declare("regexp_split", "(varchar(x), varchar) -> array(varchar(x))", _split)
declare("regexp_count", "(varchar(x), varchar) -> bigint",
        "CAST(regexp_count({0}, {1}) AS BIGINT)")  # fmt: skip


def _position(call: Bound) -> str:
    _pattern(call)
    position = f"regexp_instr({call.sql(0)}, {call.sql(1)})"
    return f"IF({position} = 0 OR {call.sql(0)} = '', IF({position} IS NULL, NULL, -1), {position})"


declare("regexp_position", "(varchar(x), varchar) -> integer", _position)


def _position_from(call: Bound) -> str:
    """Matched from the first character on, so that the pattern sees what stands before the start:
    possessively, which is how one match is looked for after the other."""
    pattern, start = _nonempty_pattern(call), call.arguments[2].constant
    occurrence = call.arguments[3].constant if len(call.arguments) > 3 else 1
    if start is None or occurrence is None or call.arguments[1].constant is None:
        return "CAST(NULL AS INT)"
    if not isinstance(start, int) or not isinstance(occurrence, int):
        raise call.refuse("the start and the occurrence must be constant")
    if start < 1:
        raise invalid("start position cannot be smaller than 1")
    if occurrence < 1:
        raise invalid("occurrence cannot be smaller than 1")
    if max(start, occurrence) > _MANY or _COUNTED.search(pattern):
        raise call.refuse("a start or an occurrence with such a pattern")
    skipped = f"(?>(?s:.*?)(?:{pattern}))" * (occurrence - 1)
    before = f"(?s:.{{{start - 1}}})" if start > 1 else ""
    whole = string(rf"\A({before}{skipped}(?s:.*?))(?={pattern})")
    found, value = f"regexp_extract({call.sql(0)}, {whole}, 1)", call.sql(0)
    return (
        f"CASE WHEN {value} IS NULL THEN CAST(NULL AS INT) "
        f"WHEN {value} RLIKE {whole} THEN length({found}) + 1 ELSE -1 END"
    )


_MANY = 1000
_COUNTED = re.compile(r"\\[\dkGA]|\(\?[<P]")  # what counts groups, or where a search begins


declare("regexp_position", ["(varchar(x), varchar, bigint) -> integer",
                            "(varchar(x), varchar, bigint, bigint) -> integer"],
        _position_from)  # fmt: skip
