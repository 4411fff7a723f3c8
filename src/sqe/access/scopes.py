"""Whether a credential's scopes allow a statement, whatever else its user may do."""

from __future__ import annotations

from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Identity
from sqe.model.scopes import ALL, READ
from sqe.sql.statement import Statement


def check_scope(identity: Identity, statement: Statement) -> None:
    """ACCESS_DENIED for what no scope names: a scope that is not known allows nothing."""
    check_scopes(identity, statement.label, writes=statement.traits.writes)


def check_scopes(identity: Identity, label: str, *, writes: bool) -> None:
    """The same for what is no statement; ``label``: what it is called."""
    scopes = identity.scopes
    if not scopes or ALL in scopes or (READ in scopes and not writes):
        return
    raise AccessError(
        ErrorCode.ACCESS_DENIED,
        f"{label.upper()} is not allowed with this credential: its scope is "
        f"{', '.join(sorted(scopes))}.",
        hint="Use a key of the scope all (`sqe apikey create --scope all`), or log in.",
    )
