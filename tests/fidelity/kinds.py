"""What sort of statement a text is, by its first words: enough to count and to group."""

from __future__ import annotations

import re
from dataclasses import dataclass

KEPT_WORDS = {"TEMPORARY": 2, "TEMP": 2, "GLOBAL": 3}
SPACE = re.compile(r"(?:\s+|--[^\n]*(?:\n|\Z))*")
BRACKET = re.compile(r"/\*|\*/")
WORD = re.compile(r"[A-Za-z_]+")
READS = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "FROM", "("})
TWO_WORDS = frozenset(
    {"CREATE", "DROP", "ALTER", "INSERT", "SHOW", "DESCRIBE", "DESC", "SET", "DECLARE"}
)
NOISE = frozenset({"OR", "REPLACE", "IF", "NOT", "EXISTS", "EXTERNAL", "AS", "BY"})
OUTSIDE = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|[()\[\]]|\bORDER\s+BY\b|\|>",
    re.IGNORECASE | re.DOTALL,
)
WRITE = re.compile(r"\b(?:INSERT\s+(?:INTO|OVERWRITE)|MERGE\s+INTO)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Kind:
    """`words` names the statement for people; `reads` says that it is a query."""

    words: str
    reads: bool


def classify(sql: str) -> Kind:
    text = without_leading_comments(sql)
    if text.startswith("("):
        return Kind("(SELECT …)", reads=True)
    words = [word.upper() for word in WORD.findall(text)[:6]]
    first = words[0] if words else ""
    if first in READS:
        # WITH and FROM may also start an INSERT.
        if first in {"WITH", "FROM"} and WRITE.search(text):
            return Kind(f"{first} … INSERT", reads=False)
        return Kind(first, reads=True)
    if first in TWO_WORDS:
        rest = [word for word in words[1:] if word not in NOISE]
        keep = KEPT_WORDS.get(rest[0], 1) if rest else 0
        return Kind(" ".join([first, *rest[:keep]]), reads=False)
    return Kind(first or "(empty)", reads=False)


def without_leading_comments(sql: str) -> str:
    """Bracketed comments nest in Spark, so a single pattern cannot skip them."""
    at = 0
    while True:
        space = SPACE.match(sql, at)
        at = space.end() if space else at
        if not sql.startswith("/*", at):
            return sql[at:]
        depth = 0
        for bracket in BRACKET.finditer(sql, at):
            depth += 1 if bracket.group() == "/*" else -1
            if depth == 0:
                at = bracket.end()
                break
        else:
            return ""


def defines_order(sql: str) -> bool:
    """Whether the statement itself, not a subquery or window in it, says ORDER BY.

    With pipe syntax the answer would need the plan, so it is no.
    """
    depth, ordered = 0, False
    for piece in OUTSIDE.findall(sql):
        if piece == "|>":
            return False
        depth += (piece in "([") - (piece in ")]")
        ordered |= depth == 0 and piece[:5].upper() == "ORDER"
    return ordered
