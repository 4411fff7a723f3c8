"""Runs the statements of a file and says of each what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.fidelity.compare import same_rows
from tests.fidelity.corpus import Case, CorpusFile
from tests.fidelity.golden import Style, rows_of
from tests.fidelity.outcome import Outcome, Result
from tests.fidelity.reviewed import REVIEWED
from tests.fidelity.tables import left_out
from tests.fidelity.taint import Taint
from tests.fidelity.target import Answer, Connection, Target, TargetError

# Never the right way to fail, not even where Spark fails too.
DEFECTS = ("INTERNAL_ERROR", "PLAN_REFUSED", "ENGINE_LOST", "ENGINE_UNAVAILABLE")

# The whole file could not be run, so that an error in it agrees with nothing.
UNJUDGED = "INVALID_SETTINGS"


def run_file(target: Target, file: CorpusFile) -> Iterator[Result]:
    style = Style(dict(file.confs).get("spark.sql.binaryOutputStyle", "UTF8"))
    taint = Taint()
    connection = target.connect(file)
    try:
        for case in file.cases:
            result = _reviewed(taint.explain(_run(connection, case, style)))
            taint.learn(result)
            yield result
    finally:
        connection.close()


def counts(result: Result) -> bool:
    """Whether the outcome is judged: of commands, only that Spark's errors are errors."""
    return result.case.kind.reads or result.case.fails


def _run(connection: Connection, case: Case, style: Style) -> Result:
    why = left_out(case.sql)
    if why:
        return Result(case, Outcome.LEFT_OUT, why)
    try:
        answer = connection.run(case.sql)
    except TargetError as error:
        if case.fails and error.code not in (*DEFECTS, UNJUDGED):
            return Result(case, Outcome.IDENTICAL, error.code, error.message)
        outcome = Outcome.REFUSED if error.refused else Outcome.FAILED
        return Result(case, outcome, error.code, error.message)
    if not case.kind.reads and not case.fails:
        return Result(case, Outcome.IDENTICAL)
    return _judge(case, answer, style)


def _reviewed(result: Result) -> Result:
    reason = REVIEWED.get(result.case.title)
    if reason and result.outcome in (Outcome.DIFFERENT, Outcome.FAILED):
        return replace(result, outcome=Outcome.REVIEWED, reason=reason)
    return result


def _judge(case: Case, answer: Answer, style: Style) -> Result:
    if case.fails:
        return Result(case, Outcome.DIFFERENT, "answered where Spark fails", answer.schema)
    rows = rows_of(answer.batches, answer.types, style)
    detail = "\n".join([answer.schema, *rows])
    if answer.schema != case.schema:
        return Result(case, Outcome.DIFFERENT, "column names or types", detail)
    if same_rows(case, rows, answer.types):
        return Result(case, Outcome.IDENTICAL)
    return Result(case, Outcome.DIFFERENT, "rows", detail)
