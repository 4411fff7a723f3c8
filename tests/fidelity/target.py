"""What statements are run against: SQE's gateway, or plain Spark to check this suite itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from tests.fidelity.corpus import CorpusFile


@dataclass(frozen=True)
class Answer:
    """A result: names and types of its columns in Spark's spelling, and its rows."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    batches: list[pa.RecordBatch]

    @property
    def schema(self) -> str:
        pairs = zip(self.names, self.types, strict=True)
        return "struct<" + ",".join(f"{name}:{kind}" for name, kind in pairs) + ">"


class TargetError(Exception):
    """The statement was not answered. `refused`: by name and on purpose."""

    def __init__(self, code: str, message: str, *, refused: bool) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.refused = refused


class Connection(Protocol):
    """One session; statements of a file run in it one after the other."""

    def run(self, sql: str) -> Answer: ...

    def close(self) -> None: ...


class Target(Protocol):
    def connect(self, file: CorpusFile) -> Connection:
        """A session with the settings of the file, and a schema of its own where there are any."""
        ...
