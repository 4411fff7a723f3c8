"""docs/reference/sql-support.md: what SQE takes of both dialects, from the code that takes it."""

from __future__ import annotations

from collections.abc import Iterator

ENGINE = "an engine"
ITSELF = "SQE itself"


def page() -> str:
    return "\n".join(
        [
            "# What SQL is supported",
            "",
            "Spark's SQL and Trino's, by the lists that the code itself asks. *Local*: DuckDB",
            "inside SQE runs it, within the bounds on [its page](local-engine.md); *Spark*: Spark",
            "does. The answer is the same. What is not here is refused by its name",
            "(`NOT_SUPPORTED`). Measured: [Spark's own tests](spark-fidelity.md),",
            "[Trino's functions](trino-functions.md), [the local engine](local-share.md).",
            "",
            *_statements(),
            *_clauses(),
            *_types(),
            *_functions(),
        ]
    )


def _statements() -> Iterator[str]:
    from sqe.coordinator.engine import ANSWERS
    from sqe.coordinator.works import WORKS
    from sqe.sql.refusals import REFUSED_STATEMENTS
    from sqe.sql.statement import StatementKind
    from sqe.trino.dialect.statement_parsers import STATEMENTS

    kinds = [kind.label.upper() for kind in StatementKind if kind is not StatementKind.COMMAND]
    run = dict.fromkeys([*kinds, *(_in_words(work.__name__) for work in WORKS)], ENGINE)
    run |= {_in_words(command.__name__): ITSELF for command in ANSWERS}
    run["BEGIN … END (scripts)"] = "its statements"
    yield from ("## Statements", "", "In Spark's SQL:", "", "| statement | run by |", "|---|---|")
    yield from (f"| {name} | {by} |" for name, by in sorted(run.items()))
    yield from ("", "Refused:", "")
    yield from (f"* {name}" for name in sorted(set(REFUSED_STATEMENTS)))
    words = ", ".join(f"`{word}`" for word in STATEMENTS)
    yield from ("", f"In Trino's SQL, queries and statements that begin with {words}.", "")


def _clauses() -> Iterator[str]:
    from sqe.engines.local.compile import proven
    from sqe.sql.refusals import REFUSED_CLAUSES

    yield from ("## Clauses and operators", "")
    yield from ("Local, in either dialect; all others of the dialects' are Spark's:", "")
    yield from ("| what | bounds |", "|---|---|")
    for feature in (*proven.CLAUSES, *proven.OPERATORS, *proven.WINDOW_FUNCTIONS):
        yield f"| {_cell(feature.name)} | {_cell(feature.note)} |"
    yield from ("", "Refused in Spark's SQL:", "")
    yield from (f"* {name}" for name in sorted(set(REFUSED_CLAUSES)))
    yield ""


def _types() -> Iterator[str]:
    from sqe.engines.local.compile import proven

    yield from ("## Types", "", "Local; columns and values of all other types are Spark's:", "")
    yield from ("| type | bounds |", "|---|---|")
    yield from (f"| {_cell(one.name)} | {_cell(one.note)} |" for one in proven.TYPES)
    yield ""


def _functions() -> Iterator[str]:
    from sqe.engines.local.compile import proven
    from sqe.sql.functions import ALLOWED, DENIED, SESSION_FUNCTIONS
    from sqe.trino.dialect.functions.report import support

    local = {name for function in proven.FUNCTIONS for name in function.names}
    local |= set(proven.AGGREGATES)
    calls = {name for name in ALLOWED if name.replace("_", "").isalnum() and name.islower()}
    spark = {name: "local, Spark" if name in local else "Spark" for name in calls | local}
    spark |= dict.fromkeys(SESSION_FUNCTIONS, ITSELF)
    spark |= {name: f"refused: {reason}" for name, reason in DENIED.items()}
    trino = {name: f"refused: {reason}" if reason else "yes" for name, reason in support().items()}
    yield from (
        "## Functions",
        "",
        "| function | in Spark's SQL | in Trino's SQL |",
        "|---|---|---|",
    )
    for name in sorted(spark.keys() | trino.keys()):
        yield f"| `{name}` | {_cell(spark.get(name, ''))} | {_cell(trino.get(name, ''))} |"
    count = sum(1 for name in calls if name in local)
    yield from (
        "",
        f"{len(calls)} of Spark's, {count} of them local. The signatures of Trino's are on",
        "",
    )
    yield "[their page](trino-functions.md)."
    yield ""


def _in_words(name: str) -> str:
    return "".join(f" {char}" if char.isupper() else char.upper() for char in name).strip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
