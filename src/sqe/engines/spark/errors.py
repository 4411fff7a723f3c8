"""Spark's errors in our terms: the one place where they are translated."""

from __future__ import annotations

import re
from typing import Any

from sqe.broker.handles import HandleGrant
from sqe.engines.spark.guards import Guards
from sqe.errors import DISK_IS_FULL, ErrorCode, SqeError, TextPosition, disk_full, error_of
from sqe.rewrite.checked_table import NOT_SEEN
from sqe.rewrite.hash_keys import PATTERN
from sqe.sql.raised_errors import read_raised_error
from sqe.sql.splice import Spliced
from sqe.sql.statement import position_at

# Error conditions by prefix; the longest that fits decides.
CONDITIONS: dict[str, ErrorCode] = {
    "PARSE_SYNTAX_ERROR": ErrorCode.SYNTAX_ERROR,
    "INVALID_IDENTIFIER": ErrorCode.SYNTAX_ERROR,
    "UNCLOSED_BRACKETED_COMMENT": ErrorCode.SYNTAX_ERROR,
    "TABLE_OR_VIEW_NOT_FOUND": ErrorCode.TABLE_NOT_FOUND,
    "TABLE_OR_VIEW_ALREADY_EXISTS": ErrorCode.TABLE_ALREADY_EXISTS,
    "SCHEMA_NOT_FOUND": ErrorCode.SCHEMA_NOT_FOUND,
    "UNRESOLVED_COLUMN": ErrorCode.COLUMN_NOT_FOUND,
    "UNRESOLVED_MAP_KEY": ErrorCode.COLUMN_NOT_FOUND,
    "UNRESOLVED_FIELD": ErrorCode.COLUMN_NOT_FOUND,
    "FIELD_NOT_FOUND": ErrorCode.COLUMN_NOT_FOUND,
    "UNRESOLVED_VARIABLE": ErrorCode.VARIABLE_NOT_FOUND,
    "VARIABLE_NOT_FOUND": ErrorCode.VARIABLE_NOT_FOUND,
    "VARIABLE_ALREADY_EXISTS": ErrorCode.VARIABLE_ALREADY_EXISTS,
    "DUPLICATE_ASSIGNMENTS": ErrorCode.INVALID_ARGUMENT,
    "DUPLICATE_VARIABLE_NAME": ErrorCode.INVALID_ARGUMENT,
    "DEFAULT_PLACEMENT_INVALID": ErrorCode.INVALID_ARGUMENT,
    "ASSIGNMENT_ARITY_MISMATCH": ErrorCode.INVALID_ARGUMENT,
    "NUM_TABLE_VALUE_ALIASES_MISMATCH": ErrorCode.INVALID_ARGUMENT,
    "UNRESOLVED_ROUTINE": ErrorCode.FUNCTION_NOT_FOUND,
    "UNRESOLVABLE_TABLE_VALUED_FUNCTION": ErrorCode.FUNCTION_NOT_FOUND,
    "AMBIGUOUS_": ErrorCode.AMBIGUOUS_NAME,
    "DATATYPE_MISMATCH": ErrorCode.TYPE_MISMATCH,
    "INCOMPATIBLE_": ErrorCode.TYPE_MISMATCH,
    "CANNOT_PARSE_": ErrorCode.INVALID_CAST,
    "CAST_INVALID_INPUT": ErrorCode.INVALID_CAST,
    "CAST_OVERFLOW": ErrorCode.NUMERIC_OUT_OF_RANGE,
    "CAST_WITHOUT_SUGGESTION": ErrorCode.TYPE_MISMATCH,
    "DIVIDE_BY_ZERO": ErrorCode.DIVISION_BY_ZERO,
    "INTERVAL_DIVIDED_BY_ZERO": ErrorCode.DIVISION_BY_ZERO,
    "REMAINDER_BY_ZERO": ErrorCode.DIVISION_BY_ZERO,
    "ARITHMETIC_OVERFLOW": ErrorCode.NUMERIC_OUT_OF_RANGE,
    "BINARY_ARITHMETIC_OVERFLOW": ErrorCode.NUMERIC_OUT_OF_RANGE,
    "INTERVAL_ARITHMETIC_OVERFLOW": ErrorCode.NUMERIC_OUT_OF_RANGE,
    "NUMERIC_VALUE_OUT_OF_RANGE": ErrorCode.NUMERIC_OUT_OF_RANGE,
    "NUMERIC_OUT_OF_SUPPORTED_RANGE": ErrorCode.NUMERIC_OUT_OF_RANGE,
    "INVALID_NUMERIC_LITERAL_RANGE": ErrorCode.NUMERIC_OUT_OF_RANGE,
    "DATETIME_OVERFLOW": ErrorCode.NUMERIC_OUT_OF_RANGE,
    "NOT_NULL_CONSTRAINT_VIOLATION": ErrorCode.CONSTRAINT_VIOLATION,
    "NULL_": ErrorCode.CONSTRAINT_VIOLATION,
    "MERGE_CARDINALITY_VIOLATION": ErrorCode.CONSTRAINT_VIOLATION,
    "NOT_NULL_ASSERT_VIOLATION": ErrorCode.CONSTRAINT_VIOLATION,
    "NO_DEFAULT_COLUMN_VALUE_AVAILABLE": ErrorCode.CONSTRAINT_VIOLATION,
    "COLUMN_ALREADY_EXISTS": ErrorCode.AMBIGUOUS_NAME,
    "FIELD_ALREADY_EXISTS": ErrorCode.AMBIGUOUS_NAME,
    "INSERT_COLUMN_ARITY_MISMATCH": ErrorCode.INVALID_ARGUMENT,
    "NON_PARTITION_COLUMN": ErrorCode.INVALID_ARGUMENT,
    "WRONG_NUM_ARGS": ErrorCode.INVALID_ARGUMENT,
    "INVALID_": ErrorCode.INVALID_ARGUMENT,
    "UNSUPPORTED_FEATURE": ErrorCode.NOT_SUPPORTED,
    "NOT_SUPPORTED": ErrorCode.NOT_SUPPORTED,
    "DESCRIBE_JSON_NOT_EXTENDED": ErrorCode.NOT_SUPPORTED,
    "OPERATION_CANCELED": ErrorCode.CANCELLED,
    "INVALID_HANDLE": ErrorCode.ENGINE_LOST,
    "INVALID_CURSOR": ErrorCode.ENGINE_LOST,
    "FAILED_READ_FILE": ErrorCode.CORRUPT_DATA,
    "CANNOT_READ_FILE": ErrorCode.CORRUPT_DATA,
    "_LEGACY_ERROR_TEMP_2062": ErrorCode.CORRUPT_DATA,
    "INTERNAL_ERROR": ErrorCode.ENGINE_ERROR,
    "FAILED_TO_PARSE_TOO_COMPLEX": ErrorCode.STATEMENT_TOO_COMPLEX,
    "UNABLE_TO_ACQUIRE_MEMORY": ErrorCode.OUT_OF_MEMORY,
}
# Conditions that Trino has a name of its own for.
_TRINO = {
    "MERGE_CARDINALITY_VIOLATION": "MERGE_TARGET_ROW_MULTIPLE_MATCHES",
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": "SUBQUERY_MULTIPLE_ROWS",
    "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY": "NOT_SUPPORTED",
}
_STORAGE = r"S3Exception|SdkClientException|Service: S3,|Unable to execute HTTP request"
_NOT_ALLOWED = r"Access ?Denied[^\n]{0,200}\(Service: S3, Status Code: 403"
# Java exceptions that reach us without a condition, by a word in the message.
MESSAGES: tuple[tuple[str, ErrorCode], ...] = (
    (DISK_IS_FULL.pattern, ErrorCode.DISK_FULL),
    (r"OutOfMemoryError|Java heap space|spark.driver.maxResultSize", ErrorCode.OUT_OF_MEMORY),
    (r"CatalogInUseException", ErrorCode.HOME_IN_USE),
    (r"NoSuchKeyException|NoSuchKey\b|Location does not exist: s3", ErrorCode.CORRUPT_DATA),
    (_NOT_ALLOWED, ErrorCode.ACCESS_DENIED),
    (_STORAGE, ErrorCode.STORAGE_UNAVAILABLE),
    (r"AlreadyExistsException|table already exists", ErrorCode.TABLE_ALREADY_EXISTS),
    (r"CommitStateUnknown|commit state is unknown", ErrorCode.COMMIT_UNKNOWN),
    (
        r"CommitFailedException|ValidationException.*conflict|Requirement failed: "
        r"|Cannot commit|Found conflicting|Found new conflicting|conflicting deletes"
        r"|Missing required files to delete|Cannot commit, missing data files"
        r"|Cannot delete file where some, but not all, rows match"
        r"|Found concurrently added DV|Cannot determine history between starting snapshot"
        r"|Table UUID does not match",
        ErrorCode.COMMIT_CONFLICT,
    ),
    (
        r"is not a Parquet file|ParquetDecodingException|could not read page|Corrupt",
        ErrorCode.CORRUPT_DATA,
    ),
    (
        r"FileNotFoundException|does not exist.*\.(parquet|avro|orc)|NotFoundException.*[Ff]ile",
        ErrorCode.CORRUPT_DATA,
    ),
    (
        r"Failed to (open|fetch|read) (input stream for )?file|Cannot find source column",
        ErrorCode.CORRUPT_DATA,
    ),
    (
        r"Cannot find (snapshot|a snapshot|matching snapshot|the (start|end) snapshot)"
        r"|snapshot .*not found|unknown (snapshot|WAP)"
        r"|(Ref|Branch|Tag|Snapshot) does not exist|Cannot use branch \(does not exist\)",
        ErrorCode.SNAPSHOT_NOT_FOUND,
    ),
    (r"NoSuchTableException|Table does not exist", ErrorCode.TABLE_NOT_FOUND),
    (r"NoSuchNamespaceException|Namespace does not exist", ErrorCode.SCHEMA_NOT_FOUND),
    (r"ForbiddenException|NotAuthorizedException", ErrorCode.ACCESS_DENIED),
    (
        r"Cannot change column type|cannot transform .* values|Invalid source type",
        ErrorCode.TYPE_MISMATCH,
    ),
    (r"cannot add required column", ErrorCode.CONSTRAINT_VIOLATION),
    (r"Cannot find field '", ErrorCode.COLUMN_NOT_FOUND),
    (r"Not a supported type|Transform is not supported", ErrorCode.NOT_SUPPORTED),
    (r"Cannot downgrade", ErrorCode.INVALID_ARGUMENT),
    (r"Null value appeared in non-nullable|NOT NULL", ErrorCode.CONSTRAINT_VIOLATION),
    (r"not supported in changelog scans|UnsupportedOperationException", ErrorCode.NOT_SUPPORTED),
    # What Iceberg checks before it does anything: the statement is wrong for this table.
    (r"^\(?org\.apache\.iceberg\.exceptions\.ValidationException", ErrorCode.USER_ERROR),
)
# Codes of texts that do not say what the matter was. Where the broker has refused something
# meanwhile, that was it.
_VAGUE = (
    ErrorCode.ACCESS_DENIED,
    ErrorCode.CATALOG_UNAVAILABLE,
    ErrorCode.ENGINE_ERROR,
    ErrorCode.STORAGE_UNAVAILABLE,
)
# Codes of what Spark was doing when something below it failed, and Java's word for a full disk. A
# user's value may have the same words.
_WRAPS = (*_VAGUE, ErrorCode.DISK_FULL, ErrorCode.USER_ERROR, ErrorCode.CORRUPT_DATA)
_NO_ROOM = re.compile(rf"(Exception|Error): [^\n]{{0,200}}({DISK_IS_FULL.pattern})")
_LOST = (
    "UNAVAILABLE",
    "Socket closed",
    "Connection reset",
    "failed to connect",
    "Connection refused",
    "RETRIES_EXCEEDED",
    "Channel closed",
    "Stream removed",
    "maximum number of retries has been exceeded",
)
# All that Spark 4.1 says where a subquery that it compares rows with (it makes one for MERGE) turns
# out to be empty before there are rows.
_EMPTY_SUBQUERY = "None.get"
# Where Spark puts the place, its copy of the text and the unresolved plan: all behind the message.
_TAIL = re.compile(r"\s*(?:;\s*line \d+,? pos(?:ition)? \d+|\(?line \d+, pos|== SQL).*", re.DOTALL)
_PLAN = re.compile(r";\n['!]?[A-Z]\w*\b(?=.*(?:#\d|\n\s*[:+]- )).*", re.DOTALL)
_STAGE = re.compile(
    r"^Job aborted due to stage failure: .{0,300}? executor \S{1,80}\): ", re.DOTALL
)
_ADVICE = re.compile(
    r"\s*If necessary,? set \S+ to \S+ (?:to|\()[^.]*\.|\s*If the schema is inferred from .*"
    r"|\s*Please check the current catalog and namespace .*",
    re.DOTALL,
)
_WAITED = "Exception thrown in awaitResult"
_CAUSE = re.compile(
    r"^Caused by: .*?(?:\[([A-Z0-9_.]+)\] )(.*?)(?=\n\tat |\nCaused by: |\Z)",
    re.DOTALL | re.MULTILINE,
)
_TRACE = re.compile(r"\n\s*(at [\w.$/]+\(|JVM stacktrace).*", re.DOTALL)
_JAVA_CLASS = re.compile(r"^(?:\(?(?:[a-z][\w]*\.)+[A-Z]\w*(?:Exception|Error)\)?:? ?)+")
_CONDITION = re.compile(r"^\[[A-Z0-9_.]+\] ?")
_REFERENCE = re.compile(r'(?:null=)?ref\(name="([^"]+)"\)')  # a column, as Iceberg prints it
_KEY = re.compile(PATTERN)
_SQLSTATE = re.compile(r"\s*SQLSTATE: \w{5}")


def translate(
    error: BaseException,
    grant: HandleGrant | None,
    spliced: Spliced | None = None,
    guards: Guards | None = None,
) -> SqeError:
    """Any exception of the pyspark client as one of ours. Handles become real names again."""
    if isinstance(error, SqeError):
        return error
    message = str(getattr(error, "message", None) or getattr(error, "_message", None) or error)
    waited = message.startswith(_WAITED)
    condition, message = _deepest(error, _KEY.sub("****", message))
    if _lost(message) or type(error).__name__ == "RetriesExceeded":
        return error_of(
            ErrorCode.ENGINE_LOST,
            "Spark ended or could not be reached while it worked on the query.",
            hint="Run the query again; Spark is restarted. Its log is in the home's logs folder.",
        )
    code = code_of(condition, message, type(error).__name__)
    if code in _WRAPS and _NO_ROOM.search(
        f"{message}\n{getattr(error, '_stacktrace', None) or ''}"
    ):
        return disk_full("what Spark writes for this query")
    refusal = grant.refusal(message, vague=code in _VAGUE) if grant else None
    if refusal is not None:
        return refusal
    if code is ErrorCode.CANCELLED:
        return error_of(code, "The query was cancelled.")
    refused = _of_a_guard(error, spliced, guards)
    if refused is None and waited and guards is not None and guards.there:
        refused = _perhaps_of_a_guard(message)
    if refused is not None:
        return refused
    text = clean(message)
    other_words = _in_other_words(condition, message, text)
    if other_words is not None:
        return other_words
    if text == _EMPTY_SUBQUERY:
        return error_of(
            code,
            "Spark failed while it planned this (None.get). "
            "It does where a subquery, or the ON of a MERGE, is false for all rows.",
            hint="Leave out what is always false.",
        )
    return error_of(
        code,
        grant.to_user(text) if grant else text,
        position=_position(error, spliced),
        subcode=_TRINO.get(condition.partition(".")[0], ""),
    )


def _in_other_words(condition: str, message: str, text: str) -> SqeError | None:
    """An error that a user raised, and a refusal by the storage, which names requests."""
    if condition == "USER_RAISED_EXCEPTION":
        return read_raised_error(text)
    if not re.search(_NOT_ALLOWED, message):
        return None
    return error_of(
        ErrorCode.ACCESS_DENIED,
        "The storage refused this: the keys that the catalog gave you do not allow it.",
        hint="Changing a table takes the right to write its data (TABLE_WRITE_DATA in Polaris).",
    )


def _lost(message: str) -> bool:
    """The connection to Spark broke; not Spark's own to the storage."""
    return any(word in message for word in _LOST) and not re.search(_STORAGE, message)


def code_of(condition: str, message: str, kind: str) -> ErrorCode:
    fitting = [prefix for prefix in CONDITIONS if condition.startswith(prefix)]
    if fitting:
        return CONDITIONS[max(fitting, key=len)]
    for pattern, code in MESSAGES:
        if re.search(pattern, message):
            return code
    if condition or kind in ("AnalysisException", "ParseException", "ArithmeticException"):
        return ErrorCode.USER_ERROR
    if kind == "IllegalArgumentException":
        return ErrorCode.INVALID_ARGUMENT
    return ErrorCode.ENGINE_ERROR


def clean(message: str) -> str:
    """One message for people: no stack trace, no Java class, no copy of the rewritten text."""
    text = _TRACE.sub("", message)
    text = _TAIL.sub("", text)
    text = _PLAN.sub("", text)
    text = _ADVICE.sub("", text)
    text = _CONDITION.sub("", text.strip())
    text = _STAGE.sub("", text)
    text = _JAVA_CLASS.sub("", text)
    text = _SQLSTATE.sub("", text)
    text = _REFERENCE.sub(r"\1", text)
    text = text.replace(" for the table ``", "")  # the relation behind UPDATE has no name
    text = re.sub(r"\s*\n\s*", " ", text).strip(" ;\n").removeprefix("Requirement failed: ")
    return text[:2_000] or "Spark gave no reason."


def _deepest(error: BaseException, message: str) -> tuple[str, str]:
    """Its condition and message. What fails in a subquery fails on a thread of its own, and Spark
    says no more than that it waited for it; the cause is in its trace."""
    if not message.startswith(_WAITED):
        condition = _condition(error)
        text = _JAVA_CLASS.sub("", message)
        named_inside = _CONDITION.match(text) if not condition else None
        return (named_inside[0].strip("[] "), text) if named_inside else (condition, message)
    causes = _CAUSE.findall(str(getattr(error, "_stacktrace", None) or ""))
    named = [cause for cause in causes if cause[0]]
    condition, text = named[-1] if named else ("", message)
    return condition, _KEY.sub("****", text)


def _condition(error: BaseException) -> str:
    getter = getattr(error, "getCondition", None)
    condition = getter() if callable(getter) else None
    return str(condition or "")


def _of_a_guard(
    error: BaseException, spliced: Spliced | None, guards: Guards | None
) -> SqeError | None:
    offset, _ = _offset(error)
    if spliced is None or guards is None or offset is None:
        return None
    return guards.refusal_at(spliced.text, offset)


def _perhaps_of_a_guard(message: str) -> SqeError | None:
    """Where it failed is not known: it may be on a row that the user does not see."""
    if NOT_SEEN in message:
        return None
    return error_of(
        ErrorCode.USER_ERROR,
        "A subquery failed, and no more can be said: you see only part of what it reads.",
    )


def _position(error: BaseException, spliced: Spliced | None) -> TextPosition | None:
    if spliced is None:
        return None
    offset, fragment = _offset(error)
    if offset is None:
        return None
    original = spliced.original_offset(offset)
    return position_at(spliced.original, original, fragment)


def _offset(error: BaseException) -> tuple[int | None, str]:
    """Where in the text sent Spark saw the fault."""
    getter = getattr(error, "getQueryContext", None)
    contexts: Any = getter() if callable(getter) else None
    for context in contexts or ():
        try:
            return int(context.startIndex()), ""
        except Exception:  # noqa: BLE001, S112  some contexts have no text, and say so by raising
            continue
    return None, ""
