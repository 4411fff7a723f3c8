"""Function calls: which one is meant, with which arguments, and EXTRACT."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile import proven
from sqe.engines.local.compile.compiling import Compiling, function_name
from sqe.engines.local.compile.functions_date import EXTRACTED
from sqe.engines.local.compile.value import Value, format_name, make_value
from sqe.engines.local.plan import NotLocal
from sqe.sql.dialect import CALL

_WITHOUT_ARGUMENTS = ("array", "current_date", "curdate", "current_timestamp", "now")


def function(here: Compiling, node: Any) -> Value:
    name = "concat" if isinstance(node, exp.DPipe) else function_name(here, node)
    entry = proven.BY_NAME.get(_trim_name(node, name))
    if entry is None:
        raise NotLocal(f"{name} is not on the local engine's list")
    values = [here.value(argument) for argument in arguments_of(here, node, name)]
    if not values and name not in _WITHOUT_ARGUMENTS:
        raise NotLocal(f"{name} without arguments is Spark's")
    if not values and here.scope.knows(name):
        raise NotLocal(f"{name} may be a column here")
    sql, kind, nullable = entry.build(here, values)
    return make_value(
        sql, kind, _name(here, node, name, entry.show, values), *values, nullable=nullable
    )


def _trim_name(node: Any, name: str) -> str:
    """TRIM(LEADING … FROM …) is ltrim by another name."""
    sides = {"LEADING": "ltrim", "TRAILING": "rtrim"}
    side = str(node.args.get("position") or "").upper() if isinstance(node, exp.Trim) else ""
    return sides.get(side, name) if name == "trim" else name


def _name(
    here: Compiling, node: Any, name: str, show: Callable[..., str], values: list[Value]
) -> str:
    sided = isinstance(node, exp.Trim) and name == "trim" and node.args.get("position")
    if isinstance(node, exp.Trim) and (node.expression or sided):
        if name != "trim":
            return ""
        side = str(node.args.get("position") or "BOTH").upper()
        if node.expression is None:
            return show(_trim_name(node, name), values) if side != "BOTH" else ""
        return format_name(f"TRIM({side} {{}} FROM {{}})", values[1], values[0])
    if isinstance(node, exp.StrPosition) and name == "position":
        name = "position" if _has_comma(call_text(here, node)) else "locate"
    return show(name, values)


def call_text(here: Compiling, node: Any) -> str:
    """A call as it is written, up to its closing parenthesis."""
    start = node.meta[CALL]
    depth, quote = 0, ""
    for place in range(start, len(here.text)):
        letter = here.text[place]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"`":
            quote = letter
        else:
            depth += (letter == "(") - (letter == ")")
            if letter == ")" and depth == 0:
                return here.text[start : place + 1]
    return ""


def _has_comma(call: str) -> bool:
    """Outside of all parentheses but the call's own."""
    depth, quoted = 0, False
    for letter in call:
        quoted ^= letter == "'"
        if not quoted:
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth == 1:
                return True
    return False


def arguments_of(here: Compiling, node: Any, name: str) -> list[Any]:
    """The arguments as written: sqlglot wraps some of them, turns some around, and adds its own."""
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc | exp.TimeToStr):
        return _with_unit(here, node, name)
    special = _ARGUMENTS.get(type(node))
    if special is not None:
        return special(node, name)
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    arguments: list[Any] = []
    for key in node.arg_types:
        argument = node.args.get(key)
        if isinstance(argument, list):
            arguments += argument
        elif isinstance(argument, exp.Expr):
            arguments.append(_unwrap(argument))
    return arguments


def _unwrap(node: Any) -> Any:
    """Without the conversion to a date that sqlglot puts around arguments."""
    wrapped = isinstance(node, exp.TsOrDsToDate | exp.TimeStrToTime) and CALL not in node.meta
    return node.this if wrapped else node


def _days(node: Any, name: str) -> list[Any]:
    if str(node.args.get("unit") or "DAY").upper() != "DAY":
        raise NotLocal("this date arithmetic is Spark's")
    count = node.expression
    if name == "date_sub":
        if not isinstance(count, exp.Mul):
            raise NotLocal("this date arithmetic is Spark's")
        count = count.this  # sqlglot has multiplied it by -1
        count = count.this if isinstance(count, exp.Paren) else count
    elif name not in ("date_add", "dateadd"):
        raise NotLocal(f"{name} is not on the local engine's list")
    return [_unwrap(node.this), count]


def _difference(node: Any, name: str) -> list[Any]:
    if node.args.get("unit") is not None:
        raise NotLocal("a difference in units is Spark's")
    return [_unwrap(node.this), _unwrap(node.expression)]


def _search_arguments(node: Any, name: str) -> list[Any]:
    if node.args.get("position") is not None or name not in ("instr", "locate", "position"):
        raise NotLocal(f"{name} from a place on is Spark's")
    sides = [node.this, node.args["substr"]]
    return sides if name == "instr" else sides[::-1]


def _trim_arguments(node: Any, name: str) -> list[Any]:
    if node.expression is not None and name != "trim":
        raise NotLocal(f"{name} with characters is Spark's")
    return [node.this] if node.expression is None else [node.this, node.expression]


def _with_unit(here: Compiling, node: Any, name: str) -> list[Any]:
    """The unit or format as it is written: sqlglot has put its own in the place of it."""
    call = call_text(here, node)
    first = name == "date_trunc"
    # A quote inside of the format is written with a backslash: what follows it is no format.
    match = re.search(r"^\w+\s*\(\s*'([^'\\]+)'" if first else r",\s*'([^'\\]+)'\s*\)$", call)
    if match is None:
        raise NotLocal(f"{name} by a computed unit is Spark's")
    unit, moment = exp.Literal.string(match[1]), _unwrap(node.this)
    return [unit, moment] if first else [moment, unit]


_ARGUMENTS: dict[Any, Callable[[Any, str], list[Any]]] = {
    exp.TsOrDsAdd: _days,
    exp.DateDiff: _difference,
    exp.StrPosition: _search_arguments,
    exp.Trim: _trim_arguments,
    exp.DPipe: lambda node, name: [node.this, node.expression],
    exp.ArraySort: lambda node, name: [
        node.args[key] for key in ("this", "expression", "asc") if node.args.get(key) is not None
    ],
}


def extract(here: Compiling, node: exp.Extract) -> Value:
    match = re.match(r"(?i)extract\s*\(\s*(\w+)\s", here.text[node.meta.get(CALL, 0) :])
    part = match[1] if match else ""
    build = EXTRACTED.get(part.lower())
    if build is None:
        raise NotLocal(f"extract of {part or node.this} is Spark's")
    value = here.value(node.expression)
    sql, kind, nullable = build(here, [value])
    return make_value(
        sql, kind, format_name(f"extract({part} FROM {{}})", value), value, nullable=nullable
    )
