"""Writing SQL that needs a value several times, without computing it several times.

Text that is short and gives the same answer each time is simply repeated, so that the local engine
can run it too; anything else becomes the variable of a lambda.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

_LONGEST = 80  # characters of text that may be repeated
_CHANGING = re.compile(r"\b(rand|random|randn|uuid|shuffle|randstr|uniform)\(", re.IGNORECASE)
_NUMBERED = re.compile(r"\bonce(\d+)\b")
_QUERY = re.compile(r"\bSELECT\b")
_holes = itertools.count()  # tells the holes of one text apart; none of them stays in it


def with_variable(sql: str, write: Callable[[str], str]) -> str:
    """``write(sql)``; where that would be costly, with a variable in place of ``sql``."""
    if _QUERY.search(sql):  # Spark has no queries inside of lambdas
        return write(sql)
    if len(sql) <= _LONGEST and _CHANGING.search(sql) is None:
        return write(sql)
    hole = f"\0{next(_holes)}\0"
    body = write(hole)
    used = [int(number) for number in _NUMBERED.findall(sql + body)]
    name = f"once{max(used, default=0) + 1}"
    return f"transform(array({sql}), {name} -> {body.replace(hole, name)})[0]"


def both_repeated(first: str, second: str, write: Callable[[str, str], str]) -> str:
    """The same for two values."""
    return with_variable(first, lambda one: with_variable(second, lambda other: write(one, other)))
