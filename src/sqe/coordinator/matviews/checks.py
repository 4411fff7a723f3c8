"""What a materialized view may be made of, and by whom."""

from __future__ import annotations

from sqe.binding.bound import BoundAbsent, BoundMetadata, BoundStatement, BoundTable, BoundView
from sqe.binding.reader_text import depends_on_reader
from sqe.catalog.materialized import is_materialized
from sqe.catalog.protocol import Json
from sqe.errors import AccessError, ErrorCode, UserError
from sqe.model.names import RelationName
from sqe.rewrite.guarded import GuardedStatement
from sqe.sessions.session import Session


def view_of(guarded: GuardedStatement) -> tuple[BoundTable, Json]:
    """The materialized view that the statement's first reference names, and its metadata."""
    target = guarded.bound.references[0].target
    if isinstance(target, BoundTable) and target.loaded is not None and not target.suffix:
        metadata = target.loaded.metadata
        if is_materialized(metadata):
            return target, metadata
    written = ".".join(guarded.bound.references[0].reference.parts)
    raise UserError(
        ErrorCode.INVALID_ARGUMENT,
        f"{written} is not a materialized view.",
        hint="SHOW MATERIALIZED VIEWS lists them.",
    )


def check_query(query: GuardedStatement, name: RelationName, session: Session) -> None:
    """Refuses what could not be refreshed later, or would store less than the query says."""
    for setting in ("sqe.wap_branch", "sqe.wap_id"):
        if session.property(setting):
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"Materialized views are made of main branches, and the session has a {setting}.",
                hint=f"RESET SESSION {setting}.",
            )
    for reference in query.bound.walk():
        target = reference.target
        if query.restriction(reference) is not None:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                f"You see only part of {reference.relation}; {name} would hold less than its query"
                " says.",
            )
        if isinstance(target, BoundView) and target.relation is None:
            raise _refusal(f"It cannot be made of temporary view {target.name}.")
        if isinstance(target, BoundMetadata | BoundAbsent):
            raise _refusal("It cannot be made of information_schema.")
        if isinstance(target, BoundTable) and (target.suffix or reference.reference.temporal):
            raise _refusal(
                f"It reads {target.name} as it is now: no branch, tag, older version or metadata"
                " table can stand in its query."
            )
        if isinstance(target, BoundTable) and target.name == name:
            raise _refusal("It cannot be made of itself.")
    _check_session_functions(query.bound)


def _check_session_functions(bound: BoundStatement) -> None:
    for reference in bound.references:
        view = reference.target
        if isinstance(view, BoundView):
            _check_session_functions(view.inner)
            if view.metadata and (name := depends_on_reader(view.metadata)):
                raise _depends(name)
    for function in bound.session_functions:
        raise _depends(function.name)


def _depends(function: str) -> UserError:
    return _refusal(f"Its rows would depend on {function} of whoever refreshes it.")


def _refusal(why: str) -> UserError:
    return UserError(
        ErrorCode.NOT_SUPPORTED, f"The materialized view is refused. {why}", hint="Use CREATE VIEW."
    )
