"""Decimals taken apart by way of their text, as Spark's SQL has no other way to do it.

``CAST(replace(CAST(x AS STRING), '.', '') AS DECIMAL(38,0))`` is x without its point, and
``CAST(concat(CAST(n AS STRING), 'E-4') AS DECIMAL(38,4))`` a whole number with one. No text is made
of either here.
"""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.digits import decimal_of_digits, digits_of
from sqe.engines.local.compile.value import Value, make_value, opaque
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import SparkType

_EXPONENT = re.compile(r"E-(\d{1,2})\Z")
_WIDEST = 38


def compile_cast(here: Compiling, node: Any, wanted: SparkType) -> Value | None:
    """What is cast to ``wanted``, a decimal; None if it is something else."""
    if isinstance(node, exp.Replace) and wanted.precision == _WIDEST and wanted.scale == 0:
        return _without_point(here, node, wanted)
    if isinstance(node, exp.Concat) and len(node.expressions) == 2 and wanted.scale:
        return _with_point(here, node, wanted)
    return None


def _without_point(here: Compiling, node: exp.Replace, wanted: SparkType) -> Value | None:
    written = _as_text(node.this)
    sides = [_text_of(node.expression), _text_of(node.args.get("replacement"))]
    if written is None or sides != [".", ""]:
        return None
    value = here.value(written)
    if not value.type.is_decimal:
        return None
    sql = f"CAST({digits_of(value)} AS {wanted.duckdb})"
    return make_value(sql, wanted, "", value, nullable=True)


def _with_point(here: Compiling, node: exp.Concat, wanted: SparkType) -> Value | None:
    written = _as_text(node.expressions[0])
    exponent = _EXPONENT.match(_text_of(node.expressions[1]))
    if written is None or exponent is None or int(exponent[1]) != wanted.scale:
        return None
    value = here.value(written)
    if not (value.type.is_decimal or value.type.is_integral) or value.type.scale:
        raise NotLocal("a number with an exponent as text is Spark's")
    return make_value(
        opaque(decimal_of_digits(value.sql, wanted)), wanted, "", value, nullable=True
    )


def _as_text(node: Any) -> Any:
    """What is cast to a string; None if nothing is."""
    plain = isinstance(node, exp.Cast) and not node.args.get("safe")
    return node.this if plain and node.args["to"].this == exp.DataType.Type.TEXT else None


def _text_of(node: Any) -> str:
    return str(node.this) if isinstance(node, exp.Literal) and node.is_string else ""
