"""Views, and what a policy puts around a table, mean what they mean under Spark's defaults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqe.binding.bound import BoundView
from sqe.errors import ErrorCode, UserError
from sqe.rewrite.guarded import GuardedStatement
from sqe.sessions.spark_settings import SparkSetting
from sqe.sql.statement import StatementKind
from sqe.sql.traits import RunsOn


def refuse_changed_answers(guarded: GuardedStatement, settings: Iterable[SparkSetting]) -> None:
    """``settings``: those that the session has changed and that can change the rows of an
    answer."""
    if guarded.bound.statement.traits.runs_on is RunsOn.COORDINATOR:
        return
    for setting in settings:
        if guarded.restricted:
            raise _refusal("A table that you see only part of", setting)
        if any(map(setting.may_change, _texts_of_views(guarded))):
            raise _refusal("A view", setting)


def _texts_of_views(guarded: GuardedStatement) -> Iterator[str]:
    """The texts of the views that the statement reads or makes."""
    bound = guarded.bound
    traits = bound.statement.traits
    if (
        traits.changes_views
        or traits.changes_materialized_views
        or bound.statement.kind is StatementKind.CREATE_TEMPORARY_VIEW
    ):
        yield bound.statement.text
    for reference in bound.walk():
        if isinstance(reference.target, BoundView):
            yield reference.target.inner.statement.text


def _refusal(what: str, setting: SparkSetting) -> UserError:
    return UserError(
        ErrorCode.NOT_SUPPORTED,
        f"{what} cannot be used while {setting.name} is set: rules and views were written for "
        "Spark's own value of it.",
        hint=f"RESET {setting.name}.",
    )
