"""Runs the statements of a file and says of each what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.fidelity.command_output import own_output, same_table
from tests.fidelity.compare import same_rows
from tests.fidelity.corpus import Case, CorpusFile
from tests.fidelity.error_classes import excuse, same_error, spark_error
from tests.fidelity.golden import Style, rows_of
from tests.fidelity.outcome import Outcome, Result
from tests.fidelity.reviewed import REVIEWED
from tests.fidelity.tables import left_out
from tests.fidelity.taint import Taint
from tests.fidelity.target import Answer, Connection, Target, TargetError
from tests.fidelity.ties import only_ties_differ

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
            result = taint.explain(_reviewed(_run(connection, case, style)))
            taint.learn(result)
            yield result
    finally:
        connection.close()


def _run(connection: Connection, case: Case, style: Style) -> Result:
    why = left_out(case.sql)
    if why:
        return Result(case, Outcome.LEFT_OUT, why)
    try:
        answer = connection.run(case.sql)
    except TargetError as error:
        return judge_error(case, error)
    return _judge(case, answer, style)


def judge_error(case: Case, error: TargetError) -> Result:
    if not case.fails or error.code == UNJUDGED:
        outcome = Outcome.REFUSED if error.refused else Outcome.FAILED
        return Result(case, outcome, error.code, error.message)
    condition, _ = spark_error(case)
    if error.code in DEFECTS:
        outcome, reason = Outcome.FAILED, error.code
    elif same_error(case, error):
        outcome, reason = Outcome.IDENTICAL, error.code
    elif error.refused:
        outcome, reason = Outcome.REFUSED_TOO, error.code
    elif why := excuse(case, error):
        outcome, reason = Outcome.OTHER_ERROR, why
    else:
        outcome, reason = Outcome.FAILED, f"{error.code} where Spark says {condition}"
    return Result(case, outcome, reason, error.message)


def _reviewed(result: Result) -> Result:
    reason = REVIEWED.get(result.case.title)
    if reason and result.outcome in (Outcome.DIFFERENT, Outcome.FAILED):
        return replace(result, outcome=Outcome.REVIEWED, reason=reason)
    return result


def _judge(case: Case, answer: Answer, style: Style) -> Result:
    if case.fails:
        return Result(case, Outcome.DIFFERENT, "answered where Spark fails", answer.schema)
    if not case.kind.reads:
        return _judge_command(case, answer, style)
    rows = rows_of(answer.batches, answer.types, style)
    detail = "\n".join([answer.schema, *rows])
    if answer.schema != case.schema:
        return Result(case, Outcome.DIFFERENT, "column names or types", detail)
    if same_rows(case, rows, answer.types) or only_ties_differ(case, rows):
        return Result(case, Outcome.IDENTICAL)
    return Result(case, Outcome.DIFFERENT, "rows", detail)


def _judge_command(case: Case, answer: Answer, style: Style) -> Result:
    """What a command shows is compared; a command that shows nothing in Spark needs only to run."""
    if not case.output:
        return Result(case, Outcome.IDENTICAL)
    rows = rows_of(answer.batches, answer.types, style)
    if same_table(case, answer.schema, rows):
        return Result(case, Outcome.IDENTICAL)
    detail = "\n".join([answer.schema, *rows])
    why = own_output(case)
    if why:
        return Result(case, Outcome.REVIEWED, why, detail)
    return Result(case, Outcome.DIFFERENT, "output of a command", detail)
