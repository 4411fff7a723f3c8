"""Whether every entry of the proven list occurs in the cases that ran locally."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqe.engines.local.compile import proven

Names = tuple[str, ...]
# How the catalogue spells what the list says in words. An entry that is not here is an error.
OPERATORS: dict[str, Names] = {
    "+ - *": ("+", "-", "*"),
    "/ %": ("/", "%"),
    "div": ("div",),
    "& | ^ ~": ("&", "|", "^", "~"),
    "= <> < <= > >= <=> IS [NOT] DISTINCT FROM": (
        "=", "<>", "<", "<=", ">", ">=", "<=>", "is distinct from", "is not distinct from",
    ),
    "AND OR NOT": ("and", "or", "not"),
    "IS [NOT] NULL, IS [NOT] TRUE, IS [NOT] FALSE": (
        "is null", "is not null", "is true", "is not true", "is false", "is not false",
    ),
    "[NOT] BETWEEN": ("between", "not between"),
    "[NOT] IN": ("in", "not in", "in_subquery", "not_in_subquery"),
    "[NOT] LIKE, ILIKE": ("like", "not like", "ilike"),
    "||": ("||",),
    "RLIKE": ("rlike",),
    "transform(array(x), v -> …)[0]": ("transform",),
    "transform, filter, exists, forall, zip_with, aggregate": (
        "transform", "filter", "exists", "forall", "zip_with", "aggregate",
    ),
    "a[i], element_at, try_element_at": ("[]", "element_at", "try_element_at"),
    "named_struct, struct, s.field": ("named_struct", "struct", "."),
    "CASE, IF": ("case", "if"),
    "EXISTS, scalar subqueries": ("exists", "scalar_subquery"),
    "EXTRACT": ("extract",),
}  # fmt: skip
# What a query's text has if it has the clause.
CLAUSES: dict[str, Names] = {
    "SELECT, [alias.]*, * EXCEPT (…), DISTINCT": (
        r"SELECT \*", r"SELECT \w+\.\*", r"\* EXCEPT", r"SELECT DISTINCT",
    ),
    "queries without FROM, VALUES, range()": (r"\A(?!.*\bFROM\b)", r"\bVALUES \(", r"\brange\("),
    "FROM tables, views, derived tables, CTEs": (
        r"FROM tame", r"FROM evo_view", r"FROM \(SELECT", r"\AWITH \w+", r"\AWITH \w+\(",
    ),
    "VERSION AS OF, TIMESTAMP AS OF, t.branch_x, t.tag_x": (
        r"VERSION AS OF \d", r"VERSION AS OF '", r"TIMESTAMP AS OF", r"\.branch_\w", r"\.tag_\w",
    ),
    "[INNER | LEFT | RIGHT | FULL] JOIN, CROSS JOIN, LEFT SEMI, LEFT ANTI, commas": (
        r"\w JOIN", r"LEFT JOIN", r"RIGHT JOIN", r"FULL (OUTER )?JOIN", r"CROSS JOIN",
        r"LEFT SEMI JOIN", r"LEFT ANTI JOIN", r"FROM \w+( AS)?( \w+)?, \w+",
    ),
    "[CROSS | LEFT] JOIN LATERAL": (r"JOIN LATERAL",),
    "explode, posexplode, explode_outer, posexplode_outer": (
        r"\bexplode\(", r"posexplode\(", r"\bexplode_outer\(", r"posexplode_outer\(",
        r"LATERAL VIEW explode",
    ),
    "ON, USING, NATURAL": (r" ON ", r" USING \(", r"NATURAL JOIN"),
    "WHERE": (r" WHERE ",),
    "GROUP BY": (r"GROUP BY \w", r"GROUP BY (\w+)?\(", r"GROUP BY 1", r"GROUP BY ALL"),
    "ROLLUP, CUBE, GROUPING SETS, WITH ROLLUP, WITH CUBE": (
        r"BY ROLLUP", r"BY CUBE", r"BY GROUPING SETS", r"WITH ROLLUP", r"WITH CUBE",
    ),
    "HAVING": (r" HAVING ",),
    "WINDOW": (r" WINDOW \w+ AS",),
    "ORDER BY": (r"\bORDER BY \w+\.?\w*", r"ORDER BY 1", r"ORDER BY ALL", r"ORDER BY [^(]*\w\("),
    "LIMIT, OFFSET": (r"LIMIT \d", r"LIMIT ALL", r"OFFSET \d"),
    "UNION, INTERSECT, EXCEPT, MINUS": (
        r"UNION SELECT", r"UNION ALL", r"INTERSECT SELECT", r"INTERSECT ALL", r"EXCEPT SELECT",
        r"EXCEPT ALL", r"MINUS SELECT",
    ),
    "WITH": (r"\AWITH ",),
    "IN (query)": (r"\bIN \(SELECT",),
    "correlated subqueries": (r"EXISTS \(SELECT 1 FROM .* WHERE .* = ",),
}  # fmt: skip
_PATTERNS = {text: re.compile(text, re.DOTALL) for texts in CLAUSES.values() for text in texts}
_OVER = {"aggregates": "over"}
# Operators that a query written by hand shows in its text.
_SPELLED = {
    "in_subquery": re.compile(r"(?<!NOT )\bIN \(SELECT"),
    "not_in_subquery": re.compile(r"\bNOT IN \(SELECT"),
}


def entries() -> list[Names]:
    """Each entry as the names it goes by in the suite: one of them has to occur."""
    found: list[Names] = [tuple(function.names) for function in proven.FUNCTIONS]
    found += {tuple(aggregate.names) for aggregate in proven.AGGREGATES.values()}
    found += ((name,) for feature in proven.OPERATORS for name in OPERATORS[feature.name])
    found += ((name,) for feature in proven.CLAUSES for name in CLAUSES[feature.name])
    for feature in proven.WINDOW_FUNCTIONS:
        found += ((_OVER.get(name, name),) for name in feature.name.split(", "))
    found += ((f"cast {source} to {target}",) for source, target in proven.CAST_KINDS)
    found += ((f"type {kind}",) for feature in proven.TYPES for kind in _kinds(feature.name))
    return found


def _kinds(text: str) -> Iterable[str]:
    return (kind.partition("(")[0] for kind in re.split(r", (?![^(]*\))", text))


def mentioned(sql: str) -> set[str]:
    """What its text shows, which is all there is of a query written by hand."""
    patterns = _PATTERNS | _SPELLED
    clauses = {name for name, pattern in patterns.items() if pattern.search(sql)}
    return clauses | set(re.findall(r"(\w+)\(", sql.lower()))


def untried(used: set[str]) -> list[str]:
    return sorted("/".join(names) for names in entries() if not used.intersection(names))
