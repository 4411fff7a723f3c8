"""What a run has measured, as it is kept."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from benchmarks.report import RESULTS
from benchmarks.timing import p50

FOLDER = RESULTS / "suites"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SidePart(_Part):
    version: str
    cpu_s: float  # of the warm runs, all of its processes
    peak_mb: float | None  # None: it is in the harness's own process


class Took(_Part):
    cold_s: float
    warm_s: list[float]

    @property
    def median_s(self) -> float:
        return p50(self.warm_s)


class QueryPart(_Part):
    rows: int
    took: dict[str, Took]  # by side; one that failed or was not asked is not there
    failed: dict[str, str]
    wrong: dict[str, str]  # in what its rows are other ones than the first side's


class SuiteResult(_Part):
    suite: str
    title: str
    scale: float
    rounds: int
    date: str
    command: str
    machine: dict[str, str | int | float]
    sides: dict[str, SidePart]
    queries: dict[str, QueryPart]

    @property
    def name(self) -> str:
        return f"{self.suite}-sf{self.scale:g}"

    @property
    def wrong(self) -> list[str]:
        return [
            f"{name}, {side}: {what}"
            for name, query in self.queries.items()
            for side, what in query.wrong.items()
        ]

    def total_s(self, side: str, against: str) -> float:
        """Of the medians of those queries that both have answered."""
        both = [q.took for q in self.queries.values() if side in q.took and against in q.took]
        return sum(took[side].median_s for took in both)

    def write(self, folder: Path = FOLDER) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        path.write_text(self.model_dump_json(indent=1) + "\n")
        return path


def read_results(folder: Path = FOLDER) -> list[SuiteResult]:
    paths = sorted(folder.glob("*.json"))
    return [SuiteResult.model_validate_json(path.read_text()) for path in paths]
