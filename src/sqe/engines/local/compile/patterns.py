"""Regular expressions: those that Java and RE2, which is DuckDB's, read alike."""

from __future__ import annotations

import re

from sqlglot import exp

from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.value import Value, make_value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BOOLEAN, STRING

# Letters, digits and harmless signs, a point, a class of such, each once or by *, + or ?, with
# alternatives and groups. A second sign behind a quantifier means something else to each.
_ATOM = r"(?:[A-Za-z0-9 _@%,;:=<>!~/'\"-]|\.|\[\^?(?:[A-Za-z0-9](?:-[A-Za-z0-9])?|[ _])+\])"
_TERM = rf"(?:{_ATOM}[*+?]?)"
_FLAT = rf"{_TERM}*(?:\|{_TERM}+)*"
_PLAIN = re.compile(rf"\^?(?:{_TERM}|\({_FLAT}\)[*+?]?)+(?:\|{_TERM}+)*\$?")
# Where a line ends, the engines disagree.
_LINE_ENDS = r"[\n\r\x{85}\x{2028}\x{2029}]"


def rlike(here: Compiling, node: exp.RegexpLike) -> Value:
    """Whether a pattern that is written out is found anywhere in a text."""
    value, pattern = here.value(node.this), here.value(node.expression)
    text = pattern.literal
    if value.type != STRING or not isinstance(text, str) or node.args.get("flag"):
        raise NotLocal("a computed pattern is Spark's")
    if not _PLAIN.fullmatch(text) or not _ordered(text):
        raise NotLocal("a pattern of this form is Spark's")
    sql = f"regexp_matches({value.sql}, {pattern.sql})"
    if any(sign in text for sign in ".^$"):
        other = give_up("a pattern over several lines", BOOLEAN)
        sql = f"CASE WHEN regexp_matches({value.sql}, '{_LINE_ENDS}') THEN {other} ELSE {sql} END"
    return make_value(sql, BOOLEAN, "", value)


def _ordered(text: str) -> bool:
    """Whether ranges run upwards: to Java others are errors."""
    return all(low <= high for low, high in re.findall(r"([A-Za-z0-9])-([A-Za-z0-9])", text))
