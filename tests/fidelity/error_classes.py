"""Whether an error is Spark's: its error class, in the words of SQE's error codes.

SQE has far fewer codes than Spark has classes. `sqe.engines.spark.errors` says which code a class
becomes where Spark raises it; an error that SQE or its local engine raises must have that code too.
"""

from __future__ import annotations

import json
import re
from functools import cache

from sqe.engines.spark.errors import code_of
from tests.fidelity.corpus import Case
from tests.fidelity.target import TargetError

# SQE's code for statements whose error in Spark has the class (or a longer one), and why that is as
# good. Whatever is not here, and not the same, is a defect.
_FIRST = "SQE looks for what is named before Spark parses the text"
_PARSER = "SQE's parser does not take it, and has one code for that"
LISTED: tuple[tuple[str, str, str], ...] = (
    ("SYNTAX_ERROR", r"_LEGACY_ERROR_TEMP_00\d\d", _PARSER),
    ("SYNTAX_ERROR", r"(UNSUPPORTED|INVALID)_TYPED_LITERAL|UNSUPPORTED_DATATYPE", _PARSER),
    ("SYNTAX_ERROR", r"INVALID_INTERVAL_FORMAT\.TIMEZONE", _PARSER),
    ("TABLE_NOT_FOUND", r"PARSE_SYNTAX_ERROR", _FIRST),
    ("FUNCTION_NOT_FOUND", r"PARSE_SYNTAX_ERROR|DATATYPE_MISMATCH", _FIRST),
    ("COLUMN_NOT_FOUND", r"UNRESOLVED_ROUTINE", _FIRST),
    ("TABLE_NOT_FOUND", r"EXPECT_TABLE_NOT_VIEW", "A temporary view is no table"),
    (
        "COLUMN_NOT_FOUND",
        r"INCOMPATIBLE_VIEW_SCHEMA_CHANGE",
        "Views are inlined: the column is named that is not there",
    ),
    ("ENGINE_ERROR", r"_LEGACY_ERROR_TEMP_0051", "DuckDB fails at it, and `auto` asks Spark then"),
    ("INVALID_SESSION_PROPERTY", r"INVALID_CONF_VALUE", "SET has a code of its own"),
)


@cache
def spark_error(case: Case) -> tuple[str, str]:
    """The error class that the golden file has, and the code that SQE gives it."""
    first, _, rest = case.output.partition("\n")
    try:
        said = json.loads(rest)
    except ValueError:
        said = {}
    condition = str(said.get("errorClass") or said.get("condition") or "")
    kind = first.strip().rsplit(".", 1)[-1]
    return condition or kind, code_of(condition, rest, kind).name


def same_error(case: Case, error: TargetError) -> bool:
    return spark_error(case)[1] == error.code


def excuse(case: Case, error: TargetError) -> str:
    """Why another code than that of Spark's class is right, or nothing."""
    condition, _ = spark_error(case)
    for code, pattern, reason in LISTED:
        if code == error.code and re.match(pattern, condition):
            return reason
    return ""
