"""json_parse, json_format, and the functions with a path: json_extract and its kin.

The paths are Trino's own short ones: ``$.a.b[0]["c"]``. A document is read as a VARIANT. Trino
reads as far as it must and takes the first of equal keys; a document that Spark does not read (it
is not JSON, or has a key twice) therefore fails, unless it is sure that Trino finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqe.model.trino_types import VARCHAR, TrinoType
from sqe.trino.dialect import json_sql
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.json_literal import canonical
from sqe.trino.dialect.once import once
from sqe.trino.dialect.typed import fail, string

_INVALID = "INVALID_FUNCTION_ARGUMENT"
_STEP = re.compile(
    r"""\.(?P<name>\w+(?::\w+)*)|\[(?P<index>\d+)\]|\[(?P<word>\w+(?::\w+)*)\]"""
    r"""|\["(?P<quoted>(?:[^"\\]|\\.)*)"\]""",
    re.ASCII | re.VERBOSE,
)
_UNREADABLE = "A document that is not JSON or has a key twice is not supported here"
_RAW = string(r'"(?:[^"\\]++|\\.)*+"|-?\d[\d.eE+-]*+|[^"\d-]++|.')
_IS_NUMBER = string(r"^-?\d")


# ------------------------------------------------------------- documents


def _parse(call: Bound) -> str:
    """A constant is parsed here and now, and may have a key twice."""
    value = call.arguments[0]
    if isinstance(value.constant, str):
        try:
            return string(canonical(value.constant))
        except ValueError:
            message = string(f"Cannot convert value to JSON: '{value.constant}'")
            return fail(_INVALID, message, call.returns, call.at)
    twice = fail("NOT_SUPPORTED", string(_UNREADABLE), call.returns, call.at)

    def body(s: str) -> str:
        message = f"concat('Cannot convert value to JSON: \\'', {s}, '\\'')"
        invalid = fail(_INVALID, message, call.returns, call.at)
        failed = f"IF({json_sql.is_json(s)}, {twice}, {invalid})"
        document_text = json_sql.print_variant(json_sql.whole_variant(s))
        return f"IF({s} IS NULL, NULL, coalesce({document_text}, {failed}))"

    return once([value.sql], body)


def _scalar(call: Bound) -> str:
    def body(s: str) -> str:
        message = f"concat('Invalid JSON value: ', {s})"
        invalid = fail(_INVALID, message, call.returns, call.at)
        twice = fail("NOT_SUPPORTED", string(_UNREADABLE), call.returns, call.at)
        kind = json_sql.kind(json_sql.whole_variant(s))
        tested = once([kind], lambda k: f"IF({k} IS NULL, NULL, NOT {json_sql.is_container(k)})")
        failed = f"IF({json_sql.is_json(s)}, {twice}, {invalid})"
        return f"IF({s} IS NULL, NULL, coalesce({tested}, {failed}))"

    return once([call.sql(0)], body)


# ----------------------------------------------------------------- paths


class _Path:
    """Names and numbers; a number is also the name of a member."""

    def __init__(self, text: str, call: Bound) -> None:
        self.steps: list[str] = []
        position = 1 if text.startswith("$") else len(text) + 1
        while position < len(text):
            match = _STEP.match(text, position)
            if match is None:
                position = len(text) + 1
                break
            quoted = match["quoted"]
            if quoted is not None and "\\" in quoted:
                raise call.refuse(f"the path {text!r}")
            self.steps.append(next(group for group in match.groups() if group is not None))
            position = match.end()
        if position != len(text):
            raise Refused(_INVALID, f"Invalid JSON path: '{text}'", call.at)
        for step in self.steps:
            if not step or re.search(r"""['"?\\]""", step):
                raise call.refuse(f"the path {text!r}")

    def _write(self, named: int | None = None, marks: str = '"') -> str:
        """``named`` is the number that is written as a name."""
        return "".join(
            f"[{step}]" if step.isdigit() and i != named else f"[{marks}{step}{marks}]"
            for i, step in enumerate(self.steps)
        )

    def find(self, document: str) -> str:
        """The VARIANT at the end; NULL if there is none."""
        if not self.steps:
            return document
        return f"try_variant_get({document}, {string('$' + self._write())}, 'variant')"

    def other(self, document: str) -> str:
        """Whether a number of the path is the name of a member in this document."""
        tests = [
            f"try_variant_get({document}, {string('$' + self._write(i))}, 'variant') IS NOT NULL"
            for i, step in enumerate(self.steps)
            if step.isdigit()
        ]
        return " OR ".join(tests) if tests else "false"

    def copy(self, text: str) -> str:
        """The text at the end, its keys in the order of the document."""
        if not self.steps:
            return f"get_json_object({text}, '$')"
        path = string("$[*]" + self._write(marks="'"))
        return f"get_json_object(concat('[', {text}, ']'), {path})"

    def absent(self, text: str) -> str:
        """Whether Trino finds nothing however far it reads."""
        start = f"substring(ltrim({text}), 1, 1)"
        if not self.steps:
            return f"{start} NOT RLIKE '[-0-9\"tfn\\\\[{{]'"
        first = f"{start} NOT IN ('[', '{{')"
        if self.steps[0].isdigit():
            return first
        name = string(f'"{self.steps[0]}"')
        return f"{first} OR (instr({text}, {name}) = 0 AND instr({text}, '\\\\') = 0)"


def _path(call: Bound) -> _Path:
    value = call.arguments[1]
    if not value.is_constant:
        raise call.refuse("a path that is not constant")
    if not isinstance(value.constant, str):
        raise call.refuse("a path that is NULL")
    return _Path(value.constant, call)


def _look_up(call: Bound, answer: Callable[[str, str, str], str]) -> str:
    """``answer`` of the document's text, the VARIANT found and its kind."""
    path = _path(call)
    failed = fail("NOT_SUPPORTED", string(_UNREADABLE), call.returns, call.at)
    other = fail("NOT_SUPPORTED", string("A number as the name of a member is not supported"),
                   call.returns, call.at)  # fmt: skip

    def with_document(s: str, d: str) -> str:
        item = path.find(d)
        inside = once([item], lambda e: once(
            [json_sql.kind(e)],
            lambda k: f"IF({e} IS NULL, NULL, {answer(s, e, k)})",
        ))  # fmt: skip
        return (
            f"CASE WHEN {s} IS NULL THEN NULL "
            f"WHEN {d} IS NULL THEN IF({path.absent(s)}, NULL, {failed}) "
            f"WHEN {path.other(d)} THEN {other} ELSE {inside} END"
        )

    return once([call.sql(0)], lambda s: once([json_sql.variant(s)],
                                              lambda d: with_document(s, d)))  # fmt: skip


def _extract(call: Bound) -> str:
    path = _path(call)
    failed = fail("NOT_SUPPORTED", string(_UNREADABLE), call.returns, call.at)

    def answer(s: str, e: str, k: str) -> str:
        copied = json_sql.astral(path.copy(s))
        # Spark copies nothing where something stands behind the document.
        kept = f"coalesce({copied}, {failed})"
        return f"IF({json_sql.is_container(k)}, {kept}, {json_sql.print_variant(e)})"

    return _look_up(call, answer)


def _extract_scalar(call: Bound) -> str:
    """Numbers as they are written in the document."""
    path = _path(call)

    def answer(s: str, e: str, k: str) -> str:
        # All numbers as strings: then the one that is looked for keeps its text.
        tokens = f"regexp_extract_all({s}, {_RAW}, 0)"
        quoted = f"IF(t RLIKE {_IS_NUMBER}, concat('\"', t, '\"'), t)"
        marked = f"try_parse_json(array_join(transform({tokens}, t -> {quoted}), ''))"
        number = f"CAST({path.find(marked)} AS STRING)"
        return (
            f"CASE WHEN {k} = 'VOID' OR {json_sql.is_container(k)} THEN NULL "
            f"WHEN {k} IN ('STRING', 'BOOLEAN') THEN CAST({e} AS STRING) ELSE {number} END"
        )

    return _look_up(call, answer)


def _size(call: Bound) -> str:
    def answer(s: str, e: str, k: str) -> str:
        return (
            f"CASE WHEN {k} LIKE 'ARRAY%' THEN CAST(size(CAST({e} AS ARRAY<VARIANT>)) AS BIGINT) "
            f"WHEN {k} LIKE 'OBJECT%' "
            f"THEN CAST(size(CAST({e} AS MAP<STRING, VARIANT>)) AS BIGINT) ELSE 0L END"
        )

    return _look_up(call, answer)


# ---------------------------------------------------------------- arrays


def _in_array(call: Bound, text: str, answer: Callable[[str], str]) -> str:
    """``answer`` of the elements, if the document is an array; else NULL."""
    failed = fail("NOT_SUPPORTED", string(_UNREADABLE), call.returns, call.at)

    def with_document(s: str, d: str) -> str:
        items = once([f"CAST({d} AS ARRAY<VARIANT>)"], answer)
        return (
            f"CASE WHEN {s} IS NULL OR substring(ltrim({s}), 1, 1) <> '[' THEN NULL "
            f"WHEN {d} IS NULL THEN {failed} ELSE {items} END"
        )

    return once([text], lambda s: once([json_sql.variant(s)], lambda d: with_document(s, d)))


def _length(call: Bound) -> str:
    options = "map('allowSingleQuotes', 'false', 'allowNonNumericNumbers', 'false')"
    return once(
        [call.sql(0)],
        lambda s: (
            f"IF(substring(ltrim({s}), 1, 1) = '[', "
            f"CAST(size(from_json({s}, 'array<string>', {options})) AS BIGINT), NULL)"
        ),
    )


def _contains(call: Bound) -> str:
    kind, wanted = call.arguments[1].type, call.sql(1)
    name, carried = {
        "bigint": ("BIGINT", "BIGINT"),
        "double": ("DOUBLE", "DOUBLE"),
        "boolean": ("BOOLEAN", "BOOLEAN"),
    }.get(kind.base, ("STRING", "STRING"))
    test = f"schema_of_variant(e) = '{name}' AND CAST(e AS {carried}) = {wanted}"
    test_of_element = f"e -> coalesce({test}, false)"
    return _in_array(
        call,
        call.sql(0),
        lambda items: f"IF({wanted} IS NULL, NULL, exists({items}, {test_of_element}))",
    )


def _get(call: Bound) -> str:
    """Trino gives a string without its quotes, and NULL for null."""

    def element(items: str, i: str, s: str) -> str:
        index = f"CAST(IF({i} < 0, size({items}) + {i}, {i}) AS INT)"
        inside = f"{i} >= - size({items}) AND {i} < size({items})"
        copied = json_sql.astral(f"get_json_object({s}, concat('$[', {index}, ']'))")
        return once(
            [f"IF({inside}, get({items}, {index}), NULL)"],
            lambda e: once(
                [json_sql.kind(e)],
                lambda k: (
                    f"CASE WHEN {e} IS NULL OR {k} = 'VOID' THEN NULL WHEN {k} = 'STRING' "
                    f"THEN CAST({e} AS STRING) WHEN {json_sql.is_container(k)} THEN {copied} "
                    f"ELSE {json_sql.print_variant(e)} END"
                ),
            ),
        )

    return once(
        [call.sql(0), call.sql(1)],
        lambda s, i: _in_array(call, s, lambda items: element(items, i, s)),
    )


def _same_length(bindings: object, kinds: tuple[TrinoType, ...]) -> TrinoType:
    return VARCHAR if kinds[0].base == "json" else kinds[0]


_BOTH = ("json", "varchar(n)")
declare("json_parse", "(varchar(n)) -> json", _parse)
declare("json_format", "(json) -> varchar", "{0}")
declare("is_json_scalar", [f"({one}) -> boolean" for one in _BOTH], _scalar)
declare("json_extract", [f"({one}, varchar) -> json" for one in _BOTH], _extract)
declare("json_extract_scalar", [f"({one}, varchar) -> varchar" for one in _BOTH], _extract_scalar,
        result=_same_length)  # fmt: skip
declare("json_size", [f"({one}, varchar) -> bigint" for one in _BOTH], _size)
declare("json_array_length", [f"({one}) -> bigint" for one in _BOTH], _length)
declare("json_array_get", [f"({one}, bigint) -> json" for one in _BOTH], _get)
declare("json_array_contains", [f"({one}, {other}) -> boolean" for one in _BOTH
                                for other in ("bigint", "double", "boolean", "varchar(m)")],
        _contains)  # fmt: skip
