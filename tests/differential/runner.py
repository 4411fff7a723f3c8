"""Runs many cases: in bundles, on two sessions at a time, until they or the time run out."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.differential.compare import Verdict
from tests.differential.coverage import mentioned
from tests.differential.expressions import Palette
from tests.differential.grammar import GROUP, RISKY, Case, case
from tests.differential.judge import Difference, Judge, Judged

BUNDLE = 24
# Cases are made and gathered this many at a time; a checkpoint follows each.
ROUND = 3_000


@dataclass
class Tally:
    """What came of the cases so far."""

    cases: int = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    spark_errors: Counter[str] = field(default_factory=Counter)
    unwanted_errors: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)  # entries in cases that ran locally
    differences: list[Difference] = field(default_factory=list)
    nullability: list[str] = field(default_factory=list)
    next_case: int = 0
    heard: Callable[[Difference], None] = lambda _: None  # of each difference, when it is found

    def add(self, case: Case, judged: Judged) -> None:
        self.cases += 1
        self.verdicts[judged.verdict] += 1
        if judged.verdict is Verdict.REFUSED:
            self.reasons[judged.reason] += 1
        else:
            self.used.update(case.tree.used() | mentioned(case.sql))
        if judged.spark:
            self.spark_errors[judged.spark] += 1
            if case.form != RISKY:
                self.unwanted_errors[judged.spark] += 1
        if judged.difference is not None:
            self.differences.append(judged.difference)
            self.heard(judged.difference)
        if judged.verdict is Verdict.NULLABILITY:
            self.nullability.append(f"{case.sql}\n{judged.reason}")

    @property
    def local(self) -> int:
        return self.cases - self.verdicts[Verdict.REFUSED]

    def summary(self) -> str:
        share = self.local / self.cases if self.cases else 0.0
        return (
            f"differential: cases {self.cases}, local share {share:.3f}, "
            f"differences {len(self.differences)}, nullability {len(self.nullability)}, "
            f"no answer from Spark {self.unanswered}"
        )

    @property
    def unanswered(self) -> int:
        return self.verdicts[Verdict.NO_ORACLE]

    @property
    def passed(self) -> bool:
        """A Spark that is down agrees with anything."""
        return not self.differences and self.unanswered <= 0.02 * self.cases + 1

    def causes(self) -> list[Difference]:
        """One of each: many cases shrink to the same query."""
        return list({difference.sql: difference for difference in self.differences}.values())


def bundles(cases: Iterable[Case]) -> Iterator[list[Case]]:
    """Cases that can share a SELECT, together; every other by itself."""
    waiting: dict[tuple[bool, str], list[Case]] = defaultdict(list)
    for one in cases:
        if one.item is None:
            yield [one]
            continue
        key = (one.form == GROUP, one.bundle)  # an aggregate does not stand next to a plain column
        waiting[key].append(one)
        if len(waiting[key]) == BUNDLE:
            yield waiting.pop(key)
    yield from waiting.values()


def run_cases(cases: Iterable[Case], judges: list[Judge], tally: Tally) -> None:
    """Each judge has sessions of its own, so they work side by side."""
    free = list(judges)

    def work(group: list[Case]) -> list[Judged]:
        judge = free.pop()
        try:
            return judge.bundle(group)
        finally:
            free.append(judge)

    groups = list(bundles(cases))
    with ThreadPoolExecutor(len(judges)) as pool:
        for group, results in zip(groups, pool.map(work, groups), strict=True):
            for one, judged in zip(group, results, strict=True):
                tally.add(one, judged)


def run_generated(
    turns: Sequence[list[Judge]],
    palette: Palette,
    seed: int,
    count: int,
    *,
    tally: Tally | None = None,
    seconds: float = float("inf"),
    checkpoint: Callable[[Tally], None] = lambda _: None,
) -> Tally:
    """Each round of cases is for the next of ``turns``: time zones take turns.

    ``tally`` is one to go on from. Ends early, with what there is, when the time is up.
    """
    tally = tally or Tally()
    deadline = time.monotonic() + seconds
    while tally.next_case < count and time.monotonic() < deadline:
        upto = min(count, tally.next_case + ROUND)
        numbers = range(tally.next_case, upto)
        judges = turns[tally.next_case // ROUND % len(turns)]
        run_cases((case(seed, number, palette) for number in numbers), judges, tally)
        tally.next_case = upto
        checkpoint(tally)
    return tally
