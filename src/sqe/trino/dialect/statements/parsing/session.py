"""What the client keeps: USE, SET, RESET, and transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.trino.dialect.nodes import Statement
from sqe.trino.dialect.statements.session_nodes import (
    Commit,
    ResetSession,
    ResetSessionAuthorization,
    Rollback,
    SetPath,
    SetRole,
    SetSession,
    SetSessionAuthorization,
    SetTimeZone,
    StartTransaction,
    Use,
)

if TYPE_CHECKING:
    from sqe.trino.dialect.parser import Parser


def use(p: Parser) -> Statement:
    at = p.expect("USE")
    first = p.identifier()
    if p.accept("."):
        return Use(at, p.identifier(), first)
    return Use(at, first)


def set_(p: Parser) -> Statement:
    at = p.expect("SET")
    word = p.expect_any("PATH", "ROLE", "SESSION", "TIME")
    if word == "PATH":
        start = p.here
        p.comma_list(p.name)
        return SetPath(at, p.text_since(start))
    if word == "ROLE":
        return _role(p, at)
    if word == "TIME":
        p.expect("ZONE")
        return SetTimeZone(at, None if p.accept("LOCAL") else p.expression())
    if p.accept("AUTHORIZATION"):
        user = p.identifier().name if p.is_identifier() else p.string().value
        return SetSessionAuthorization(at, user)
    name = p.name()
    p.expect("=")
    return SetSession(at, name, p.expression())


def _role(p: Parser, at: int) -> Statement:
    kind = p.accept_any("ALL", "NONE") or "ROLE"
    role = p.identifier() if kind == "ROLE" else None
    return SetRole(at, kind, role, p.identifier() if p.accept("IN") else None)


def reset(p: Parser) -> Statement:
    at = p.expect("RESET")
    p.expect("SESSION")
    if p.accept("AUTHORIZATION"):
        return ResetSessionAuthorization(at)
    return ResetSession(at, p.name())


def start(p: Parser) -> Statement:
    at = p.expect("START")
    p.expect("TRANSACTION")
    modes: tuple[str, ...] = ()
    if p.looking_at_any("ISOLATION", "READ"):
        modes = p.comma_list(lambda: _mode(p))
    levels = [mode for mode in modes if mode not in ("ONLY", "WRITE")]
    return StartTransaction(at, levels[0] if levels else "", "ONLY" in modes)


def _mode(p: Parser) -> str:
    if p.accept("READ"):
        return p.expect_any("ONLY", "WRITE")
    p.expect("ISOLATION")
    p.expect("LEVEL")
    if p.accept("SERIALIZABLE"):
        return "SERIALIZABLE"
    if p.accept("REPEATABLE"):
        p.expect("READ")
        return "REPEATABLE READ"
    p.expect("READ")
    return f"READ {p.expect_any('COMMITTED', 'UNCOMMITTED')}"


def commit(p: Parser) -> Statement:
    at = p.expect("COMMIT")
    p.accept("WORK")
    return Commit(at)


def rollback(p: Parser) -> Statement:
    at = p.expect("ROLLBACK")
    p.accept("WORK")
    return Rollback(at)
