"""The figures of a run, and the page that publishes them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tests.fidelity.outcome import Outcome, Result

QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True)
class Report:
    """Figures over results. What is left out is counted nowhere but in its own list."""

    results: tuple[Result, ...]

    @cached_property
    def answered(self) -> list[Result]:
        """Queries that Spark answers: the base of every share."""
        return [
            result
            for result in self.results
            if result.case.kind.reads
            and not result.case.fails
            and result.outcome is not Outcome.LEFT_OUT
        ]

    def count(self, outcome: Outcome) -> int:
        return sum(result.outcome is outcome for result in self.answered)

    @property
    def share(self) -> float:
        return self.count(Outcome.IDENTICAL) / max(1, len(self.answered))

    @property
    def files(self) -> int:
        return len({result.case.file for result in self.results})

    @property
    def refused(self) -> dict[str, list[Result]]:
        return _groups(result for result in self.answered if result.outcome is Outcome.REFUSED)

    @property
    def reviewed(self) -> dict[str, list[Result]]:
        return _groups(result for result in self.results if result.outcome is Outcome.REVIEWED)

    @property
    def left_out(self) -> dict[str, list[Result]]:
        return _groups(result for result in self.results if result.outcome is Outcome.LEFT_OUT)

    @property
    def errors(self) -> list[Result]:
        """Statements that Spark itself refuses."""
        return [
            result
            for result in self.results
            if result.case.fails and result.outcome is not Outcome.LEFT_OUT
        ]

    def count_errors(self, outcome: Outcome) -> int:
        return sum(result.outcome is outcome for result in self.errors)

    @property
    def other_errors(self) -> dict[str, list[Result]]:
        return _groups(r for r in self.errors if r.outcome is Outcome.OTHER_ERROR)

    @property
    def refused_too(self) -> dict[str, list[Result]]:
        return _groups(r for r in self.errors if r.outcome is Outcome.REFUSED_TOO)

    @property
    def commands(self) -> dict[str, list[Result]]:
        """Statements that are not queries, by kind."""
        groups = defaultdict(list)
        for result in self.results:
            judged = result.outcome is not Outcome.LEFT_OUT
            if judged and not result.case.kind.reads and not result.case.fails:
                groups[result.case.kind.words].append(result)
        return dict(sorted(groups.items()))

    def summary(self) -> str:
        counts = ", ".join(f"{self.count(outcome)} {outcome.value}" for outcome in Outcome)
        return f"{len(self.answered)} queries: {counts}; {self.share:.1%} identical"


def group_of(result: Result) -> str:
    """A refusal's message without the names in it, so that equal causes stand together."""
    refused = result.outcome in (Outcome.REFUSED, Outcome.REFUSED_TOO)
    if not refused or result.reason.startswith("needs "):
        return result.reason
    message = result.detail.strip().split("\n", 1)[0]
    return QUOTED.sub("…", message)


def _groups(results: Iterable[Result]) -> dict[str, list[Result]]:
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        groups[group_of(result)].append(result)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def describe(result: Result) -> str:
    """One result for people: the statement, Spark's answer and ours."""
    case = result.case
    return (
        f"{case.title} {result.outcome.value}: {result.reason}\n{case.sql}\n"
        f"golden: {case.schema}\n{case.output[:1500]}\ngot: {result.detail[:1500]}\n"
    )
