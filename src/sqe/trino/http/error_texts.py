"""Messages of errors as Trino's clients read them: without what is the engine's own business.

An engine speaks of the text that it got: of relations that the translation has named (``r1``), of
numbered columns, of functions and settings that a client of Trino does not have.
"""

from __future__ import annotations

import re

from sqe.errors import ErrorCode, SqeError

_RANGE, _ROWS = "NUMERIC_VALUE_OUT_OF_RANGE", "SUBQUERY_MULTIPLE_ROWS"
# Trino's own words where the engine has others.
_MESSAGES = {
    "DIVISION_BY_ZERO": "Division by zero",
    _ROWS: "Scalar sub-query has returned multiple rows",
}
_TYPES = {
    "INT": "integer", "BIGINT": "bigint", "SMALLINT": "smallint", "TINYINT": "tinyint",
    "long": "bigint", "short": "smallint", "byte": "tinyint",
}  # fmt: skip
_CAST = re.compile(r"The value (.*) of the type \"\w+\" cannot be cast to \"(\w+)\"", re.DOTALL)
# What the engines check themselves, by the error's name: how they say it, and how Trino does.
_REWORDED: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("INVALID_CAST_ARGUMENT", _CAST, "Cannot cast {0} to {1}"),
    (_RANGE, _CAST, "Out of range for {2}: {0}"),
    (_RANGE, re.compile(r"^()(\w+) overflow\b"), "{2} overflow"),
    (_RANGE, re.compile(r"^(.*) (caused) overflow\b"), "overflow: {0}"),
    (_RANGE, re.compile(r"(represented as) (Decimal)"), "Decimal overflow"),
    (
        "NOT_SUPPORTED",
        re.compile("^(Unsupported) (subquery) expression"),
        "Given correlated subquery is not supported",
    ),
    (_ROWS, re.compile("(More) than (one) row"), "Scalar sub-query has returned multiple rows"),
)
_SUFFIX = re.compile(r"\b(\d[\d.E]*)[LSDY]\b")  # of a number's type, as Spark writes it
_INTERNAL = re.compile(
    r"`?\b[rw]\d+`?\.`|`[rwx]\d+`|\w#\d+|\btry_\w+|\bspark\.|\bSET \S+ ?=|\bSpark\b"
    r"|\borg\.apache\.|\b_col\d+\b.*\bouter\(|\bonce\d+\b"
    r"|report this bug|key not found|Did you mean|SQLSTATE"
)
_SENTENCE = re.compile(r"(?<=[.!?:])\s+")
_GENERAL = "The engine cannot answer this statement in the form that it has"


def is_internal(text: str) -> bool:
    """Whether it names what only SQE's own text for the engine has."""
    return _INTERNAL.search(text) is not None


def message_of(error: SqeError, name: str) -> str:
    """``name`` is Trino's, of this error."""
    text = str(error)
    if error.position is not None:
        return text
    for wanted, pattern, words in _REWORDED:
        if wanted == name and (match := pattern.search(text)) is not None:
            value, kind = match.groups()
            shown = _SUFFIX.sub(r"\1", value) if name == _RANGE else value
            return words.format(shown, kind, _TYPES.get(kind, kind))
    if not is_internal(text):
        return text
    if name in _MESSAGES:
        return _MESSAGES[name]
    if is_limit(error):
        return _GENERAL
    kept = [part for part in _SENTENCE.split(text) if not is_internal(part)]
    return " ".join(kept) or _GENERAL


def is_limit(error: SqeError) -> bool:
    """Whether the engine did not find a column that the translation has found."""
    return error.code is ErrorCode.COLUMN_NOT_FOUND and is_internal(error.message)
