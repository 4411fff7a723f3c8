"""A row of the matrix: something a table can do, and the steps that show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.embedded.matrix.bench import Bench

Steps = Callable[[Bench], None]


@dataclass(frozen=True)
class Feature:
    """``upstream`` says why it cannot work with the pinned Spark and Iceberg: a strict xfail."""

    area: str
    name: str
    version: int
    steps: Steps
    upstream: str = ""

    @property
    def title(self) -> str:
        return f"{self.area}: {self.name}"


FEATURES: list[Feature] = []


class Area:
    """The features of one part of the matrix, in the order they are written down."""

    def __init__(self, name: str) -> None:
        self.name = name

    def feature(
        self, name: str, versions: Sequence[int] = (), upstream: str = ""
    ) -> Callable[[Steps], Steps]:
        """One row; with ``versions`` one row for each format version."""

        def register(steps: Steps) -> Steps:
            for version in versions or (2,):
                shown = f"{name} (V{version})" if versions else name
                FEATURES.append(Feature(self.name, shown, version, steps, upstream))
            return steps

        return register

    def rows(
        self, cases: Sequence[tuple[str, Steps]], versions: Sequence[int] = (), upstream: str = ""
    ) -> None:
        """Rows that differ in a word or two, from a table of them."""
        for name, steps in cases:
            self.feature(name, versions, upstream)(steps)
