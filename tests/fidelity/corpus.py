"""Spark's own SQL tests: statements and the answers Spark gave.

The golden files are the source of truth for statements and answers; the input files only add the
settings a file runs under. The corpus lies beside the checkout and is never copied into it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fidelity.kinds import Kind, classify

MARK = re.compile(r"^-- !query( schema| output)?\n", re.MULTILINE)
ERROR_CLASS = re.compile(r"(?:[a-z][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error)[\w$]*$")


@dataclass(frozen=True)
class Case:
    """One statement and what Spark answered."""

    file: str
    index: int
    sql: str
    schema: str
    output: str

    @property
    def kind(self) -> Kind:
        return classify(self.sql)

    @property
    def fails(self) -> bool:
        """Spark answered with an error: the first line of the output is the exception's class."""
        first = self.output.split("\n", 1)[0].strip()
        return self.schema == "struct<>" and ERROR_CLASS.fullmatch(first) is not None

    @property
    def title(self) -> str:
        return f"{self.file}#{self.index}"


@dataclass(frozen=True)
class CorpusFile:
    """One file of the corpus: its statements in order, and the settings they ran under."""

    name: str
    confs: tuple[tuple[str, str], ...]
    cases: tuple[Case, ...]


def corpus_root(repository: Path) -> Path | None:
    """Where the corpus is: $SQE_CORPORA, or `shared/corpora` beside the checkout."""
    given = os.environ.get("SQE_CORPORA")
    folder = Path(given) if given else repository.parent / "shared" / "corpora"
    root = folder / "spark-sql"
    return root if root.is_dir() else None


def read_corpus(root: Path, names: tuple[str, ...] | None = None) -> Iterator[CorpusFile]:
    inputs = root / "inputs"
    for path in sorted(inputs.rglob("*.sql")):
        name = path.relative_to(inputs).with_suffix("").as_posix()
        golden = root / "results" / f"{name}.sql.out"
        if golden.is_file() and (names is None or name in names):
            confs = confs_of(name, path.read_text("utf-8"))
            yield CorpusFile(name, confs, read_cases(name, golden))


def read_cases(name: str, golden: Path) -> tuple[Case, ...]:
    # newline="" keeps carriage returns that are part of an answer.
    with golden.open(encoding="utf-8", newline="") as file:
        pieces = MARK.split(file.read())
    # [header, None, sql, " schema", schema, " output", output, None, sql, ...]
    texts = pieces[2::2]
    return tuple(
        Case(name, number, texts[at].strip(), texts[at + 1].strip(), rstrip(texts[at + 2]))
        for number, at in enumerate(range(0, len(texts), 3))
    )


def rstrip(text: str) -> str:
    """What Spark's suite does to both sides before it compares them: Java's `\\s+$`."""
    return text.rstrip(" \t\n\x0b\f\r")


def confs_of(name: str, text: str) -> tuple[tuple[str, str], ...]:
    """The settings of the suite for a file in this folder, then those the file asks for."""
    confs = dict(SUITE_CONFS)
    if name.startswith("postgreSQL/"):
        confs["spark.sql.legacy.interval.enabled"] = "true"
    if name.startswith("nonansi/"):
        confs["spark.sql.ansi.enabled"] = "false"
    if name.startswith("timestampNTZ/"):
        confs["spark.sql.timestampType"] = "TIMESTAMP_NTZ"
    for line in text.splitlines():
        if line.startswith("--SET "):
            for setting in line.removeprefix("--SET ").split(","):
                key, _, value = setting.partition("=")
                confs[key.strip()] = value.strip()
    return tuple(sorted(confs.items()))


SUITE_CONFS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "America/Los_Angeles",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.datetime.java8API.enabled": "true",
    # Decides how rows are spread, and so the last digits of sums of doubles.
    "spark.sql.optimizer.excludedRules": (
        "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
    ),
    # Off outside of Spark's own tests.
    "spark.sql.timeType.enabled": "true",
}
