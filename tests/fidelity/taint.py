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
SETTING = re.compile(r"^\s*(?:SET|RESET)\s+(?:spark\.|TIME\s+ZONE)", re.IGNORECASE)


VARIABLE = re.compile(r"^DECLARE|\bVAR(?:IABLE)?\b")
SMALL = re.compile(r"\s*CREATE\s+TABLE\b.*\b(?:SMALLINT|TINYINT|BYTE|SHORT)\b", re.I | re.S)
WIDER = "Iceberg has no tinyint and smallint: such columns of tables are int"


class Taint:
    """Objects and settings that are not as Spark's suite had them, and the statement to blame."""

    def __init__(self) -> None:
        self._names: dict[str, Result] = {}
        self._settings: list[str] = []

    def learn(self, result: Result) -> None:
        """Remembers what a statement that did not run would have made or changed."""
        case = result.case
        if case.kind.reads or case.fails:
            return
        made = MAKES.search(case.sql)
        name = re.split(r"\s*\.\s*", made.group(1))[-1].strip('`"').lower() if made else None
        if result.outcome is Outcome.IDENTICAL:
            if name and case.kind.words.startswith("CREATE"):
                self._made(name, result)
            return
        setting = SETTING.match(case.sql)
        if setting:
            self._settings.append(needs("SET or RESET of Spark's own settings"))
        if name:
            self._names[name] = result

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
        if self._settings:
            return replace(result, outcome=Outcome.REFUSED, reason=self._settings[-1])
        return result


def blame(cause: Result) -> str:
    """The reason of a first cause is handed down; a refusal becomes one."""
    if cause.outcome is not Outcome.REFUSED or cause.reason.startswith("needs "):
        return cause.reason
    words = cause.case.kind.words
    return needs("session variables" if VARIABLE.search(words) else words)


def needs(statement: str) -> str:
    return f"needs {statement}, which SQE refuses"
