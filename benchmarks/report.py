"""The result file: what was measured, where, when, with what, and how it compares."""

from __future__ import annotations

import datetime
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from benchmarks.figure import Figure, Measured
from benchmarks.machine import versions

RESULTS = Path(__file__).parent / "results"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TargetPart(_Part):
    comparison: str
    limit: float


class FigurePart(_Part):
    name: str
    # None: it could not be measured, and ``error`` says why, or ``detail`` what was not there.
    value: float | None
    unit: str
    target: TargetPart | None  # None: there is none
    ok: bool
    seconds: float  # what measuring took
    detail: dict[str, Any]
    error: str = ""


class Report(_Part):
    date: str
    command: str
    scale: float
    complete: bool  # all figures, at full size
    machine: dict[str, str | int | float]
    versions: dict[str, str]
    figures: list[FigurePart]

    def write(self, folder: Path = RESULTS) -> Path:
        """A complete run is published as ``latest`` too; any other stays on this machine."""
        folder.mkdir(parents=True, exist_ok=True)
        day = self.date[:10]
        path = folder / (f"{day}.json" if self.complete else f"{day}-partial.json")
        text = self.model_dump_json(indent=2) + "\n"
        path.write_text(text)
        if self.complete:
            (folder / "latest.json").write_text(text)
        return path


def new_report(
    scale: float,
    complete: bool,
    figures: Sequence[FigurePart],
    where: dict[str, str | int | float],
) -> Report:
    """``where`` is the machine as it was when the run began."""
    return Report(
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        command=shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]]),
        scale=scale,
        complete=complete,
        machine=where,
        versions=versions(),
        figures=list(figures),
    )


def measured_part(figure: Figure, measured: Measured, seconds: float) -> FigurePart:
    value = figure.rounded(measured.value)
    return FigurePart(
        name=figure.name,
        value=value,
        unit=figure.unit,
        target=_target(figure),
        ok=figure.met(value),
        seconds=round(seconds, 1),
        detail=measured.detail,
    )


def failed_part(figure: Figure, error: Exception, seconds: float) -> FigurePart:
    return FigurePart(
        name=figure.name,
        value=None,
        unit=figure.unit,
        target=_target(figure),
        ok=False,
        seconds=round(seconds, 1),
        detail={},
        error=f"{type(error).__name__}: {error}",
    )


def absent_part(figure: Figure, why: str, seconds: float) -> FigurePart:
    return FigurePart(
        name=figure.name,
        value=None,
        unit=figure.unit,
        target=_target(figure),
        ok=True,
        seconds=round(seconds, 1),
        detail={"not_measured": why},
    )


def _target(figure: Figure) -> TargetPart | None:
    if figure.target is None:
        return None
    return TargetPart(comparison=figure.target.comparison, limit=figure.target.limit)
