"""SHOW, DESCRIBE, EXPLAIN and CALL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.trino.dialect.nodes import Name, Statement
from sqe.trino.dialect.statements.nodes import CallProcedure, Explain
from sqe.trino.dialect.statements.parsing.access import effective_policy, grant_object
from sqe.trino.dialect.statements.parsing.catalogs import show_create_catalog
from sqe.trino.dialect.statements.parsing.clauses import arguments
from sqe.trino.dialect.statements.session_nodes import Show, ShowStats

if TYPE_CHECKING:
    from sqe.trino.dialect.parser import Parser

_LISTS = (
    "BRANCHES", "CATALOGS", "COLUMNS", "CREATE", "CURRENT", "FUNCTIONS", "GRANTS", "ROLE",
    "ROLES", "SCHEMAS", "SESSION", "STATS", "TABLES",
)  # fmt: skip
_OF_ROLES = {"CURRENT": "ROLES", "ROLE": "GRANTS", "ROLES": ""}  # and the word behind
_CREATES = ("FUNCTION", "MATERIALIZED", "SCHEMA", "TABLE", "VIEW")


def show(p: Parser) -> Statement:
    at = p.expect("SHOW")
    if _own(p, "EFFECTIVE", "POLICY"):
        return effective_policy(p, at)
    if _own(p, "CREATE", "CATALOG"):
        return show_create_catalog(p, at)
    word = p.expect_any(*_LISTS)
    if word == "CREATE":
        return _create(p, at)
    if word == "STATS":
        return _stats(p, at)
    if word == "GRANTS":
        return _grants(p, at)
    if word in _OF_ROLES:
        return _roles(p, at, word)
    if word == "BRANCHES":
        p.expect_any("FROM", "IN")
        p.expect("TABLE")
        return Show(at, word, p.name())
    if word == "COLUMNS":
        p.expect_any("FROM", "IN")
        return _like(p, Show(at, word, p.name()))
    if word in ("CATALOGS", "SESSION"):
        return _like(p, Show(at, word))
    return _like(p, Show(at, word, _within_catalog(p) if word == "SCHEMAS" else _within(p)))


def _own(p: Parser, *words: str) -> bool:
    """Steps over SQE's own words. Errors list what Trino expects, and so not these."""
    return all(p.word_ahead(n) == word for n, word in enumerate(words)) and p.accept(*words)


def _roles(p: Parser, at: int, word: str) -> Show:
    behind = _OF_ROLES[word]
    if behind:
        p.expect(behind)
    return Show(at, f"{word} {behind}".rstrip(), _within_catalog(p))


def _within(p: Parser) -> Name | None:
    return p.name() if p.accept_any("FROM", "IN") else None


def _within_catalog(p: Parser) -> Name | None:
    return (p.identifier(),) if p.accept_any("FROM", "IN") else None


def _like(p: Parser, found: Show) -> Show:
    if not p.accept("LIKE"):
        return found
    pattern = p.string().value
    escape = p.string().value if p.accept("ESCAPE") else None
    return Show(found.at, found.what, found.name, pattern, escape)


def _create(p: Parser, at: int) -> Statement:
    kind = p.expect_any(*_CREATES)
    if kind == "MATERIALIZED":
        p.expect("VIEW")
        kind = "MATERIALIZED VIEW"
    return Show(at, f"CREATE {kind}", p.name())


def _stats(p: Parser, at: int) -> Statement:
    p.expect("FOR")
    if not p.accept("("):
        return ShowStats(at, p.name())
    query = p.root_query()
    p.expect(")")
    return ShowStats(at, query)


def _grants(p: Parser, at: int) -> Statement:
    if not p.accept("ON"):
        return Show(at, "GRANTS")
    _, name = grant_object(p)
    return Show(at, "GRANTS", name)


def describe(p: Parser) -> Statement:
    """As in Trino, DESCRIBE t is SHOW COLUMNS FROM t."""
    at = p.here
    p.expect_any("DESC", "DESCRIBE")
    return Show(at, "COLUMNS", p.name())


def explain(p: Parser) -> Statement:
    at = p.expect("EXPLAIN")
    if _own(p, "POLICY"):
        return Explain(at, p.statement(), "POLICY")
    if p.accept("ANALYZE"):
        verbose = p.accept("VERBOSE")
        return Explain(at, p.statement(), analyze=True, verbose=verbose)
    kind = form = ""
    if p.looking_at("(", "TYPE") or p.looking_at("(", "FORMAT"):
        p.expect("(")
        while True:
            # Of two options of a kind, the first one counts.
            if p.expect_any("FORMAT", "TYPE") == "TYPE":
                word = p.expect_any("DISTRIBUTED", "IO", "LOGICAL", "VALIDATE")
                kind = kind or word
            else:
                word = p.expect_any("GRAPHVIZ", "JSON", "TEXT")
                form = form or word
            if not p.accept(","):
                break
        p.expect(")")
    return Explain(at, p.statement(), kind, form)


def call(p: Parser) -> Statement:
    at = p.expect("CALL")
    name = p.name()
    if not p.looking_at("("):
        p.fail("'('")
    return CallProcedure(at, name, arguments(p))
