"""What the figures of one run share: the options, the cache folder, and what is made only once."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from sqe.settings.settings import default_home

T = TypeVar("T")
QUICK_SCALE = 0.01


@dataclass(frozen=True, slots=True)
class Options:
    scale: float = 1.0  # TPC-H scale factor of the tables
    quick: bool = False  # few repetitions and small sizes: shows that the harness works

    @property
    def full(self) -> bool:
        """Whether the numbers are the ones the figures' names promise."""
        return self.scale == 1.0 and not self.quick


class Bench:
    """Use it in a `with` statement: it ends everything that the figures started."""

    def __init__(self, options: Options) -> None:
        self.options = options
        # The same jars as the tests use; pinned and checked, so they may be shared.
        self.jars = Path(os.environ.get("SQE_JARS") or default_home() / "jars")
        self.cache = Path(
            os.environ.get("SQE_BENCH_CACHE") or Path.home() / ".cache" / "sqe" / "bench"
        ).absolute()
        self._stack = ExitStack()
        self._made: dict[Callable[[Bench], Any], Any] = {}

    def __enter__(self) -> Bench:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def once(self, make: Callable[[Bench], T]) -> T:
        """What ``make`` gives, made at the first call and shared by all later ones."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    def enter(self, resource: AbstractContextManager[T]) -> T:
        """Keeps ``resource`` open until the run ends."""
        return self._stack.enter_context(resource)

    def folder(self) -> Path:
        """An empty folder that is removed when the run ends."""
        return Path(self.enter(tempfile.TemporaryDirectory(prefix="sqe-bench-")))

    def repeats(self, full: int, quick: int) -> int:
        return quick if self.options.quick else full

    def note(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)
