"""Statements that cannot be judged because an earlier one, which they need, was refused."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.fidelity.outcome import Outcome, Result

NAME = r"((?:`[^`]+`|\"[^\"]+\"|\w+)(?:\s*\.\s*(?:`[^`]+`|\w+))*)"
MAKES = re.compile(
    r"\b(?:TABLE|VIEW|INTO|VARIABLE|VAR|DECLARE|OVERWRITE|DATABASE|SCHEMA)\s+"
    r"(?:OR\s+REPLACE\s+)?(?:VARIABLE\s+|VAR\s+|TABLE\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?" + NAME,
    re.IGNORECASE,
)
SETTING = re.compile(
    r"\s*(SET|RESET)\s+(TIME\s+ZONE|[\w.]+)\s*(?:=\s*(.*))?", re.IGNORECASE | re.DOTALL
)
# What a setting is by itself, and which statements read it. A setting that is not here is read by
# none: what goes wrong after it was refused counts.
READERS: dict[str, tuple[str, str]] = {
    "spark.sql.ansi.enabled": ("true", r""),
    "spark.sql.crossjoin.enabled": ("true", r"\bjoin\b|,"),
    "spark.sql.decimaloperations.allowprecisionloss": ("true", r"[-+*/%]|\b(sum|avg)\b"),
    "spark.sql.function.eltoutputasstring": ("false", r"\belt\b"),
    "spark.sql.groupbyaliases": ("true", r"\bgroup\s+by\b"),
    "spark.sql.groupbyordinal": ("true", r"\bgroup\s+by\b"),
    "spark.sql.legacy.bangequalsnot": ("false", r"!"),
    "spark.sql.legacy.consecutivestringliterals.enabled": ("false", r"'\s*'|\"\s*\""),
    "spark.sql.legacy.nullinemptylistbehavior": ("", r"\bin\b"),
    "spark.sql.legacy.parser.havingwithoutgroupbyaswhere": ("false", r"\bhaving\b"),
    "spark.sql.legacy.viewschemabindingmode": ("true", r"\bview\b"),
    "spark.sql.legacy.viewschemacompensation": ("true", r"\bview\b"),
    "spark.sql.orderbyordinal": ("true", r"\b(order|sort)\s+by\b"),
    "spark.sql.prioritizeordinalresolutioninsort.enabled": ("true", r"\border\s+by\b"),
    "time zone": ("local", r"\b(timestamp|date)"),
}
OPTIMIZER = "spark.sql.optimizer."  # how subqueries are carried out
SUBQUERY = r"\b(exists|in)\b|\(\s*select\b"

LOOKS = re.compile(r"DESC|SHOW|EXPLAIN")
VARIABLE = re.compile(r"^DECLARE|\bVAR(?:IABLE)?\b")
SMALL = re.compile(r"\s*CREATE\s+TABLE\b.*\b(?:SMALLINT|TINYINT|BYTE|SHORT)\b", re.I | re.S)
WIDER = "Iceberg has no tinyint and smallint: such columns of tables are int"


class Taint:
    """Objects and settings that are not as Spark's suite had them, and the statement to blame."""

    def __init__(self) -> None:
        self._names: dict[str, Result] = {}
        self._settings: dict[str, Result] = {}

    def learn(self, result: Result) -> None:
        """Remembers what a statement that did not run would have made or changed, and what one
        did that Spark's did not."""
        case = result.case
        if case.kind.reads or LOOKS.match(case.kind.words):
            return
        made = MAKES.search(case.sql)
        name = re.split(r"\s*\.\s*", made.group(1))[-1].strip('`"').lower() if made else None
        if case.fails:
            if name and result.outcome is Outcome.REVIEWED:
                self._names[name] = result
            return
        if result.outcome in (Outcome.REFUSED, Outcome.FAILED, Outcome.LEFT_OUT):
            self._set(result, happened=False)
            if name:
                self._names[name] = result
            return
        self._set(result, happened=True)
        if name and case.kind.words.startswith("CREATE"):
            self._made(name, result)

    def _set(self, result: Result, *, happened: bool) -> None:
        setting = SETTING.match(result.case.sql)
        if setting is None or VARIABLE.search(result.case.kind.words):
            return
        verb, key, value = setting.groups()
        key = " ".join(key.lower().split())
        default = READERS.get(key, ("",))[0]
        if happened or verb.upper() == "RESET" or (value or "").strip().lower() == default:
            self._settings.pop(key, None)  # as it is in Spark's suite
        else:
            self._settings[key] = result

    def _made(self, name: str, result: Result) -> None:
        self._names.pop(name, None)
        if SMALL.match(result.case.sql):
            self._names[name] = replace(result, outcome=Outcome.REVIEWED, reason=WIDER)

    def explain(self, result: Result) -> Result:
        """A statement that went wrong for want of an earlier one shares its fate."""
        if result.outcome not in (Outcome.DIFFERENT, Outcome.FAILED):
            return result
        words = set(re.findall(r"\w+", result.case.sql.lower()))
        for name, cause in self._names.items():
            if name in words:
                return replace(result, outcome=cause.outcome, reason=blame(cause))
        for key, cause in self._settings.items():
            if _reads(key, result.case.sql):
                return replace(result, outcome=cause.outcome, reason=needs(f"SET {key}"))
        return result


def _reads(key: str, sql: str) -> bool:
    pattern = SUBQUERY if key.startswith(OPTIMIZER) else READERS.get(key, ("", None))[1]
    return pattern is not None and re.search(pattern, sql, re.IGNORECASE) is not None


def blame(cause: Result) -> str:
    """The reason of a first cause is handed down; a refusal becomes one."""
    if cause.outcome is not Outcome.REFUSED or cause.reason.startswith("needs "):
        return cause.reason
    words = cause.case.kind.words
    return needs("session variables" if VARIABLE.search(words) else words)


def needs(statement: str) -> str:
    return f"needs {statement}, which SQE refuses"
