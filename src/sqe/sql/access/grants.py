"""GRANT, REVOKE and DENY: of roles, and of privileges on objects."""

from __future__ import annotations

from datetime import datetime

from sqe.errors import ErrorCode, TextPosition, UserError
from sqe.model.grants import PRIVILEGES_ON
from sqe.model.rules import ObjectKind, Privilege
from sqe.sql.access.clauses import read_bracketed, read_list, subjects, word
from sqe.sql.access.commands import (
    AccessChange,
    ColumnClause,
    Deny,
    Grant,
    GrantRole,
    Revoke,
    RevokeRole,
    RowsClause,
    Target,
    Word,
)
from sqe.sql.access.masks import read_bracketed_mask, read_mask
from sqe.sql.access.targets import read_target
from sqe.sql.cursor import TokenCursor

# Longer ones first: VIEW and KILL are nothing by themselves.
_WORDS: tuple[tuple[tuple[str, ...], Privilege], ...] = (
    *((tuple(one.value.upper().split()), one) for one in Privilege if " " in one.value),
    (("OWNERSHIP",), Privilege.OWN),
    *(((one.value.upper(),), one) for one in Privilege if " " not in one.value),
)
_ALL = "ALL"
_NEEDLESS = "It is not needed: who holds something in a schema or catalog may know of both."
# What other systems have, and what it is here.
_ELSEWHERE = {
    "USAGE": _NEEDLESS,
    "USE": _NEEDLESS,
    "MODIFY": "It is INSERT, UPDATE, DELETE.",
    "TRUNCATE": "It is DELETE.",
    "BROWSE": "It is SHOW.",
    "MANAGE": "It is OWN.",
}
# Each with its place in the text; None: ALL PRIVILEGES.
Asked = tuple[tuple[Privilege, TextPosition], ...] | None


def read_grant(cursor: TokenCursor) -> AccessChange:
    if _of_roles(cursor):
        return _grant_roles(cursor)
    asked = _privileges(cursor)
    _expect_on(cursor)
    on = read_target(cursor)
    privileges = _privileges_on(asked, on)
    cursor.expect("TO")
    to = subjects(cursor)
    rows = _rows(cursor)
    columns = _columns(cursor)
    rows = rows or _rows(cursor)  # in either order
    if (rows or columns) and (
        on.kind is not ObjectKind.TABLE or Privilege.SELECT not in privileges
    ):
        cursor.fail("ROWS and COLUMNS limit SELECT on tables", ErrorCode.INVALID_ARGUMENT)
    option = _option(cursor, "GRANT")
    until = _until(cursor)
    if option and until is not None:
        hint = "What is passed on would outlast it."
        message = "A privilege that ends cannot be granted WITH GRANT OPTION"
        cursor.fail(message, ErrorCode.INVALID_ARGUMENT, hint)
    return Grant(privileges, on, to, rows, columns, option, until)


def read_revoke(cursor: TokenCursor) -> AccessChange:
    if cursor.accept("ADMIN", "OPTION", "FOR"):
        return _revoke_roles(cursor, only_admin_option=True)
    only_option = cursor.accept("GRANT", "OPTION", "FOR")
    if not only_option and _of_roles(cursor):
        return _revoke_roles(cursor, only_admin_option=False)
    asked = _privileges(cursor)
    _expect_on(cursor)
    on = read_target(cursor)
    privileges = _privileges_on(asked, on)
    cursor.expect("FROM")
    return Revoke(privileges, on, subjects(cursor), only_option)


def read_deny(cursor: TokenCursor) -> AccessChange:
    asked = _privileges(cursor)
    _expect_on(cursor)
    on = read_target(cursor)
    privileges = _privileges_on(asked, on)
    cursor.expect("TO")
    return Deny(privileges, on, subjects(cursor))


def _of_roles(cursor: TokenCursor) -> bool:
    """``ROLE r`` or, as in Trino, a list of names that no ON follows."""
    if _says_role(cursor):
        return True
    ahead = 0
    while cursor.source(ahead) and cursor.source(ahead).upper() not in ("ON", "TO", "FROM"):
        ahead += 1
    return cursor.source(ahead).upper() in ("TO", "FROM")


def _says_role(cursor: TokenCursor) -> bool:
    """Whether the word ROLE stands here, and no role of that name."""
    return cursor.looking_at("ROLE") and cursor.source(1).upper() not in ("TO", "FROM", ",")


def _grant_roles(cursor: TokenCursor) -> GrantRole:
    roles = _roles(cursor)
    cursor.expect("TO")
    to = subjects(cursor)
    return GrantRole(roles, to, _option(cursor, "ADMIN"))


def _revoke_roles(cursor: TokenCursor, *, only_admin_option: bool) -> RevokeRole:
    roles = _roles(cursor)
    cursor.expect("FROM")
    return RevokeRole(roles, subjects(cursor), only_admin_option)


def _roles(cursor: TokenCursor) -> tuple[Word, ...]:
    if _says_role(cursor):
        cursor.skip()
    return read_list(cursor, lambda: word(cursor, "a role"))


def _option(cursor: TokenCursor, kind: str) -> bool:
    if not cursor.accept("WITH"):
        return False
    cursor.expect(kind, "OPTION")
    return True


def _until(cursor: TokenCursor) -> float | None:
    """VALID UNTIL, in seconds since 1970: one moment, whatever the session's time zone."""
    if not cursor.accept("VALID"):
        return None
    cursor.expect("UNTIL")
    cursor.accept("TIMESTAMP")
    text = cursor.string_literal("a time in quotes")
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        hint = "As in VALID UNTIL '2030-01-31T18:00:00Z'."
        cursor.fail("Expected a time with its offset", ErrorCode.INVALID_ARGUMENT, hint)
    return moment.timestamp()


def _privileges(cursor: TokenCursor) -> Asked:
    if cursor.accept(_ALL):
        cursor.accept("PRIVILEGES")
        return None
    return read_list(cursor, lambda: _privilege(cursor))


def _expect_on(cursor: TokenCursor) -> None:
    if cursor.looking_at("("):
        hint = "Columns stand behind the grantees: GRANT SELECT ON t TO u COLUMNS (a, b)."
        cursor.fail("Expected ON", hint=hint)
    cursor.expect("ON")


def _privilege(cursor: TokenCursor) -> tuple[Privilege, TextPosition]:
    place = cursor.position()
    for words, privilege in _WORDS:
        if cursor.accept(*words):
            return privilege, place
    names = ", ".join(" ".join(words) for words, _ in _WORDS)
    hint = _ELSEWHERE.get(cursor.source().upper(), "")
    cursor.fail(f"Expected a privilege (ALL PRIVILEGES, {names}) or ROLE", hint=hint)


def _privileges_on(asked: Asked, on: Target) -> tuple[Privilege, ...]:
    held = PRIVILEGES_ON[on.kind]
    if asked is None:  # ownership is given by name only
        return tuple(candidate for candidate in held if candidate is not Privilege.OWN)
    for candidate, place in asked:
        if candidate not in held:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"{candidate.value.upper()} cannot be held on a {on.kind.value}.",
                hint=f"These can: {', '.join(privilege.value.upper() for privilege in held)}.",
                position=place,
            )
    return tuple(dict.fromkeys(candidate for candidate, _ in asked))


def _rows(cursor: TokenCursor) -> RowsClause | None:
    if not cursor.accept("ROWS"):
        return None
    cursor.expect("WHERE")
    return RowsClause(read_bracketed(cursor, "a condition"), cursor.accept("WITH", "CHECK"))


def _columns(cursor: TokenCursor) -> tuple[ColumnClause, ...]:
    if not cursor.accept("COLUMNS"):
        return ()
    cursor.expect("(")
    columns = read_list(cursor, lambda: _column(cursor))
    cursor.expect(")")
    names = [column.column.text.lower() for column in columns]
    for name in names:
        if names.count(name) > 1:
            cursor.fail(f"The column {name} is named twice", ErrorCode.INVALID_ARGUMENT)
    return columns


def _column(cursor: TokenCursor) -> ColumnClause:
    column = word(cursor, "a column")
    if cursor.looking_at("."):
        hint = f"An expression shows a part: {column.text} MASKED WITH (named_struct(…))."
        cursor.fail("A whole column is shown or masked, not a field of it", hint=hint)
    if not cursor.accept("MASKED"):
        return ColumnClause(column)
    cursor.expect("WITH")
    bare = not cursor.looking_at("(")
    return ColumnClause(column, read_mask(cursor) if bare else read_bracketed_mask(cursor))
