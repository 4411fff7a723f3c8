"""What is wrong with a file that COPY reads: which one, and why. Spark hides both in its causes."""

from __future__ import annotations

import re

from sqe.engines.spark.errors import clean
from sqe.errors import ErrorCode, UserError

_FILE = re.compile(r"reading file file:/{1,3}(?P<path>\S.*?)\.(?:\s|$)")
_ROW = re.compile(r"record parsing: (?P<row>\[(?!(?:null,?)+\]).*?\])\.(?:\s|$)")
_CAUSE = re.compile(
    r"^Caused by: [\w.$]+: (?P<text>.*(?:\n(?!\s+at |\s+\.\.\. |Caused by: ).*)*)", re.MULTILINE
)
_NUMBER = re.compile(r'^For input string: (?P<value>".*")')


def file_error(error: Exception) -> UserError | None:
    """The error in terms of the file, if it is about reading one."""
    text = f"{getattr(error, '_message', '') or error}\n{getattr(error, '_stacktrace', '') or ''}"
    match = _FILE.search(text)
    if match is None:
        return None
    causes = [clean(cause.group("text")) for cause in _CAUSE.finditer(text)]
    reason = causes[-1] if causes else "it cannot be read"
    reason = _NUMBER.sub(r"\g<value> is not a number", reason)
    row = _ROW.search(text)
    where = f" (in the row {row.group('row')})" if row else ""
    return UserError(
        ErrorCode.INVALID_FILE,
        f"/{match.group('path')}: {reason.rstrip('.')}{where}.",
        hint="Nothing was loaded.",
    )
