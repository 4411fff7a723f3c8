"""What commands show (SHOW, DESCRIBE, SET), against Spark's golden files."""

from __future__ import annotations

import re

from tests.fidelity.corpus import Case

# Spark's suite hides what changes from run to run; the words in front of this are compared.
NOT_COMPARED = "[not included in comparison]"
# Commands whose output rightly is SQE's own, by their text, and why. They count as not identical.
OWN = (
    (r"EXPLAIN\b", "A plan is that of SQE's engines, under SQE's guards"),
    (
        r"DESC(RIBE)?\s+(TABLE\s+)?(EXTENDED|FORMATTED)\b|SHOW\s+(CREATE|TABLE\s+EXTENDED)\b",
        "Details of tables and views are those of Iceberg and of SQE",
    ),
    (
        r"DESC(RIBE)?\s+(QUERY|SELECT|FROM|WITH)\b",
        "Comments of a view's columns are not those of a query's",
    ),
    (r"DESC(RIBE)?\s+FUNCTION\b", "A built-in function is described by a link to Spark's pages"),
    (r"DESC(RIBE)?\s+(SCHEMA|DATABASE)\b", "Details of schemas are those of Iceberg and of SQE"),
)


def own_output(case: Case) -> str:
    for pattern, reason in OWN:
        if re.match(pattern, case.sql.strip(), re.IGNORECASE):
            return reason
    return ""


def same_table(case: Case, schema: str, rows: list[str]) -> bool:
    golden = [_cells(line) for line in case.output.split("\n")]
    # Spark shows a comment that is not there as nothing, and pads the cells of some commands.
    lines = (line.replace("\tNULL", "\t") for row in rows for line in row.split("\n"))
    ours = [_cells(line) for line in lines]
    if schema != case.schema or len(golden) != len(ours):
        return False
    return all(map(_same_line, golden, ours))


def _cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in line.split("\t")]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _same_line(golden: list[str], ours: list[str]) -> bool:
    text = "\t".join(golden)
    if NOT_COMPARED in text:
        return "\t".join(ours).startswith(text.split(NOT_COMPARED)[0].rstrip())
    return golden == ours
