"""Statements that cannot be judged because an earlier one, which they need, was refused."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fidelity.runner import Result

NAME = r"((?:`[^`]+`|\"[^\"]+\"|\w+)(?:\s*\.\s*(?:`[^`]+`|\w+))*)"
MAKES = re.compile(
    r"\b(?:TABLE|VIEW|INTO|VARIABLE|VAR|DECLARE|OVERWRITE|DATABASE|SCHEMA)\s+"
    r"(?:OR\s+REPLACE\s+)?(?:VARIABLE\s+|VAR\s+|TABLE\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?" + NAME,
    re.IGNORECASE,
)
SETTING = re.compile(r"^\s*(?:SET|RESET)\s+(spark\.[\w.]+|TIME\s+ZONE)", re.IGNORECASE)


class Taint:
    """Objects and settings that are not as Spark's suite had them, and the statement to blame."""

    def __init__(self) -> None:
        self._names: dict[str, Result] = {}
        self._settings: list[str] = []

    def learn(self, result: Result) -> None:
        """Remembers what a statement that did not run would have made or changed."""
        case, outcome = result.case, result.outcome.value
        if case.kind.reads or case.fails or outcome not in ("refused", "left out", "failed"):
            return
        setting = SETTING.match(case.sql)
        if setting:
            self._settings.append(needs(f"SET {setting.group(1)}"))
        made = MAKES.search(case.sql)
        if made:
            name = re.split(r"\s*\.\s*", made.group(1))[-1].strip('`"').lower()
            self._names[name] = result

    def explain(self, result: Result) -> Result:
        """A statement that went wrong for want of an earlier one shares its fate."""
        from tests.fidelity.runner import Outcome

        if result.outcome not in (Outcome.DIFFERENT, Outcome.FAILED):
            return result
        words = set(re.findall(r"\w+", result.case.sql.lower()))
        for name, cause in self._names.items():
            if name in words:
                return replace(result, outcome=cause.outcome, reason=blame(cause))
        if self._settings and result.outcome is Outcome.DIFFERENT:
            return replace(result, outcome=Outcome.REFUSED, reason=self._settings[-1])
        return result


def blame(cause: Result) -> str:
    """The reason of a first cause is handed down; a refusal becomes one."""
    if cause.outcome.value == "refused" and not cause.reason.startswith("needs "):
        return needs(cause.case.kind.words)
    return cause.reason


def needs(statement: str) -> str:
    return f"needs {statement}, which SQE refuses"
