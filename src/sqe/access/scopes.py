"""Whether a credential's scopes allow a statement, whatever else its user may do."""

from __future__ import annotations

from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Identity
from sqe.model.scopes import ALL, READ
from sqe.sql.analyze import ShowMaintenance, ShowStats
from sqe.sql.materialized import ShowCreateMaterializedView, ShowMaterializedViews
from sqe.sql.statement import Statement, StatementKind
from sqe.sql.traits import only_reads

_LOOKS = (ShowCreateMaterializedView, ShowMaintenance, ShowMaterializedViews, ShowStats)


def check_scope(identity: Identity, statement: Statement) -> None:
    """ACCESS_DENIED for what no scope names: a scope that is not known allows nothing."""
    scopes = identity.scopes
    if not scopes or ALL in scopes or (READ in scopes and _reads(statement)):
        return
    raise AccessError(
        ErrorCode.ACCESS_DENIED,
        f"{statement.label.upper()} is not allowed with this credential: its scope is "
        f"{', '.join(sorted(scopes))}.",
        hint="Use a key of the scope all (`sqe apikey create --scope all`), or log in.",
    )


def _reads(statement: Statement) -> bool:
    if statement.kind is StatementKind.EXPLAIN_ANALYZE:  # it runs what it explains
        return statement.inner is not None and _reads(statement.inner)
    if statement.kind is StatementKind.CREATE_TEMPORARY_VIEW:
        return True
    return only_reads(statement) or isinstance(statement.command, _LOOKS)
