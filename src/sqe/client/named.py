"""``:name`` in a statement, with a mapping of values: rewritten to ``?`` and a sequence.

Only the text outside of strings, quoted names and comments is looked at. A ``?`` is as long as what
it stands for, so that places in errors stay right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from sqe.client.exceptions import ProgrammingError
from sqe.errors import ErrorCode

# Behind a name, a bracket or another colon it is no marker: v:path, struct<a:int>, '7'::int.
_PIECES = re.compile(
    r"""(?<!\w)[rR](?:'[^']*'|"[^"]*")
    | '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `[^`]*`
    | --[^\n]* | /\*.*?\*/
    | (?<![\w)\]:`'"]) : (?P<name>[A-Za-z_]\w*)""",
    re.VERBOSE | re.DOTALL,
)


def positional(text: str, values: Any) -> tuple[str, Any]:
    """The statement with ``?`` and its values in order. A sequence is left as it is."""
    if not isinstance(values, Mapping):
        return text, values
    rewritten, names = _rewritten(text)
    return rewritten, _in_order(names, values)


def positional_rows(
    text: str, rows: Iterable[Sequence[Any] | Mapping[str, Any]]
) -> tuple[str, Iterable[Any]]:
    """The same for many rows, of which the first says whether they are mappings."""
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        return text, ()
    every = chain([first], remaining)
    if not isinstance(first, Mapping):
        return text, every
    rewritten, names = _rewritten(text)
    return rewritten, _each(names, every)


def _each(names: list[str], rows: Iterable[Any]) -> Iterator[list[Any]]:
    for row in rows:
        yield _in_order(names, row)


def _rewritten(text: str) -> tuple[str, list[str]]:
    names: list[str] = []

    def rewrite(piece: re.Match[str]) -> str:
        name = piece["name"]
        if name is None:
            return piece[0]
        names.append(name)
        return "?".ljust(len(piece[0]))

    return _PIECES.sub(rewrite, text), names


def _in_order(names: list[str], values: Any) -> list[Any]:
    if not isinstance(values, Mapping):
        raise ProgrammingError(
            "Some rows are mappings and others are not.", code=ErrorCode.INVALID_ARGUMENT.name
        )
    for name in names:
        if name not in values:
            raise ProgrammingError(
                f"There is no value for :{name}.",
                code=ErrorCode.INVALID_ARGUMENT.name,
                hint=f"The values are {', '.join(map(str, values)) or 'none'}.",
            )
    return [values[name] for name in names]
