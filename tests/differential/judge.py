"""Asks both sides, compares, and turns a difference into something a person can act on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from tests.differential.compare import Comparison, Verdict, columns_of, compare, describe
from tests.differential.grammar import Case
from tests.differential.outcome import Answer, Failure, Outcome, Refusal, Side
from tests.differential.shrink import candidates, shrink
from tests.differential.tree import Node

# Errors of single values: which of them comes first is a matter of the order of rows.
OF_VALUES = {"DIVISION_BY_ZERO", "NUMERIC_OUT_OF_RANGE", "INVALID_CAST"}
PARTS = 60


class Opinion(Protocol):
    """A third engine. It only says who is the odd one out; it never decides."""

    def label(self, sql: str, expected: Outcome, found: Outcome) -> str: ...


@dataclass(frozen=True)
class Difference:
    """``sql`` is shrunk; ``original`` is what was generated."""

    name: str
    sql: str
    original: str
    comparison: Comparison
    expected: str
    found: str
    third: str = ""

    def __str__(self) -> str:
        lines = [
            f"## {self.name}: {self.comparison.verdict.value}",
            f"    {self.sql}",
            self.comparison.detail,
            f"Spark: {self.expected}",
            f"local: {self.found}",
        ]
        if self.third:
            lines.append(f"third opinion: {self.third}")
        if self.original != self.sql:
            lines.append(f"shrunk from: {self.original}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Judged:
    """What became of a case. ``spark`` is the code of Spark's error, empty if it answered."""

    verdict: Verdict
    spark: str = ""
    reason: str = ""
    difference: Difference | None = None


@dataclass(frozen=True)
class Judge:
    spark: Side
    local: Side
    third: Opinion | None = None
    shrinks: bool = True

    def judge(self, case: Case) -> Judged:
        found = self.local.ask(case.sql)
        if isinstance(found, Refusal):
            return Judged(Verdict.REFUSED, reason=found.reason)  # Spark's answer is not needed
        return self.weigh(case, self.spark.ask(case.sql), found)

    def weigh(self, case: Case, expected: Outcome, found: Outcome) -> Judged:
        comparison = compare(expected, found, ordered=case.ordered)
        error = expected.code if isinstance(expected, Failure) else ""
        if not comparison.verdict.is_difference:
            return Judged(comparison.verdict, error, comparison.detail)
        if self._one_of_several(case.tree, expected, found):
            return Judged(Verdict.SAME, error)
        return Judged(comparison.verdict, error, "", self.explain(case, comparison.verdict))

    def _one_of_several(self, tree: Node, expected: Outcome, found: Outcome) -> bool:
        """Whether rows fail in different ways, and each engine met another one first: then Spark
        has the local engine's error too, for a part of the query."""
        if not isinstance(expected, Failure) or not isinstance(found, Failure):
            return False
        if not {expected.code, found.code} <= OF_VALUES:
            return False
        for part in islice(candidates(tree), PARTS):
            answer = self.spark.ask(str(part))
            if isinstance(answer, Failure) and answer.code == found.code:
                return True
        return False

    def explain(self, case: Case, verdict: Verdict) -> Difference:
        def still_differs(tree: Node) -> bool:
            sql = str(tree)
            again = compare(self.spark.ask(sql), self.local.ask(sql), ordered=False)
            return again.verdict is verdict or (
                verdict is Verdict.ORDER and self._same_verdict(sql, verdict)
            )

        tree = shrink(case.tree, still_differs) if self.shrinks else case.tree
        sql = str(tree)
        expected, found = self.spark.ask(sql), self.local.ask(sql)
        comparison = compare(expected, found, ordered=verdict is Verdict.ORDER)
        third = self.third.label(sql, expected, found) if self.third else ""
        return Difference(
            case.name, sql, case.sql, comparison, describe(expected), describe(found), third
        )

    def _same_verdict(self, sql: str, verdict: Verdict) -> bool:
        again = compare(self.spark.ask(sql), self.local.ask(sql), ordered=True)
        return again.verdict is verdict and "ORDER BY" in sql

    def bundle(self, cases: list[Case]) -> list[Judged]:
        """Expressions over the same rows, in one SELECT, each compared as if it were alone."""
        if len(cases) == 1:
            return [self.judge(cases[0])]
        refused = self.refused(cases)
        taken = [case for case in cases if case.name not in refused]
        judged = dict(zip((case.name for case in taken), self._together(taken), strict=True))
        return [
            Judged(Verdict.REFUSED, reason=refused[case.name])
            if case.name in refused
            else judged[case.name]
            for case in cases
        ]

    def refused(self, cases: list[Case]) -> dict[str, str]:
        """Those that are not local, and why. One hides the rest: halves find it in a few steps."""
        found = self.local.ask(_together(cases))
        if not isinstance(found, Refusal):
            return {}
        if len(cases) == 1:
            return {cases[0].name: found.reason}
        middle = len(cases) // 2
        return self.refused(cases[:middle]) | self.refused(cases[middle:])

    def _together(self, cases: list[Case]) -> list[Judged]:
        """An error hides whose it is, so halves are asked; a difference is looked at alone."""
        if len(cases) < 2:
            return [self.judge(case) for case in cases]
        sql = _together(cases)
        found = self.local.ask(sql)
        expected = self.spark.ask(sql) if isinstance(found, Answer) else found
        if not isinstance(found, Answer) or not isinstance(expected, Answer):
            middle = len(cases) // 2
            return self._together(cases[:middle]) + self._together(cases[middle:])
        results = []
        for index, case in enumerate(cases):
            compared = compare(columns_of(expected, [index]), columns_of(found, [index]))
            agreed = not compared.verdict.is_difference
            alone = Judged(compared.verdict, "", compared.detail) if agreed else self.judge(case)
            results.append(alone)
        return results


def _together(cases: list[Case]) -> str:
    items = ", ".join(str(case.item) for case in cases)
    return f"SELECT {items}{cases[0].bundle}"
