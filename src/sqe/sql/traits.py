"""What a statement is, said once for every stage that asks.

Every kind of statement (``StatementKind``) and every command has its ``Traits`` beside its
definition. Each default is the strictest: a statement that says nothing of itself writes, is part
of no transaction, is allowed by no rule and runs nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqe.model.rules import Privilege

EVERY_CHANGE = (Privilege.INSERT, Privilege.UPDATE, Privilege.DELETE)


class Effect(Enum):
    READ = "reads"
    SESSION = "changes the session"  # the user's own, and nothing else
    WRITE = "writes"  # data, metadata, files or rules


class DecidedBy(Enum):
    """What the right to run it depends on, beside the right to run statements at all."""

    NOBODY = "no rule can allow it"
    RELATIONS = "the tables and views it names"
    EVERYBODY = "nothing: it shows what everybody may see, or what the user may know of"
    GRANT_AUTHORITY = "who may grant what it is about; the grants themselves decide"
    QUERY_OWNER = "whose query it is: their own, or one of somebody whose queries they may end"
    ADMINISTRATION = "whether they administer SQE"
    PROPERTY = "the session property"
    PROCEDURE = "the procedure, beside its table"
    USED_SCHEMA = "the schema or catalog that is made the current one"
    LISTED_SCHEMAS = "the schema whose schemas are listed, if there is one"
    SEEN_SCHEMA = "the schema, which the user must be allowed to see"
    CREATED_SCHEMA = "the schema that is made"
    DROPPED_SCHEMA = "the schema that is dropped, and what is in it"
    FUNCTION_OWNER = "who may make things in the function's schema, or made the function"
    ALTERED_SCHEMA = "the schema that is changed"


class RunsOn(Enum):
    NOTHING = "no engine has it"
    COORDINATOR = "the coordinator alone"
    COORDINATOR_AND_ENGINE = "the coordinator, with an engine's help"
    SPARK = "Spark"
    ANY_ENGINE = "whichever engine the router chooses"


class RowChange(Enum):
    """What its count of rows means."""

    INSERTED = "inserted"
    UPDATED = "updated"
    DELETED = "deleted"
    MERGED = "each of the three"


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    effect: Effect = Effect.WRITE
    decided_by: DecidedBy = DecidedBy.NOBODY
    runs_on: RunsOn = RunsOn.NOTHING
    # May be part of a transaction: it reads what the transaction has changed, and a rollback undoes
    # what it writes.
    in_transaction: bool = False
    # What it changes it changes by one commit, the last thing it does: it has happened or not.
    one_commit: bool = False
    # It is about the statement inside, which runs only if its effect says so.
    explains: bool = False
    # A table is made. A view of that name stands in the way.
    creates_table: bool = False
    # It may write to, or alter, what is a view.
    changes_views: bool = False
    # It may change a materialized view.
    changes_materialized_views: bool = False
    # Its rows are changed one by one, and can be held to a row filter.
    row_by_row: bool = False
    # The table's rows that it counts; None: it counts none.
    counts: RowChange | None = None
    # What a write to its table takes at most; some statements take less, by their text.
    change_privileges: tuple[Privilege, ...] = EVERY_CHANGE
    # Spark's plan shows every table of it. DDL is not explained by relation.
    tables_in_plan: bool = True

    @property
    def writes(self) -> bool:
        return self.effect is Effect.WRITE

    @property
    def by_coordinator(self) -> bool:
        return self.runs_on in (RunsOn.COORDINATOR, RunsOn.COORDINATOR_AND_ENGINE)


def look(decided_by: DecidedBy, runs_on: RunsOn = RunsOn.COORDINATOR) -> Traits:
    """Of SHOW, DESCRIBE and their kin."""
    return Traits(effect=Effect.READ, decided_by=decided_by, runs_on=runs_on, in_transaction=True)


def session_change(decided_by: DecidedBy) -> Traits:
    """A rollback leaves the session as it is: it holds none of the catalog's data."""
    return Traits(
        effect=Effect.SESSION,
        decided_by=decided_by,
        runs_on=RunsOn.COORDINATOR,
        in_transaction=True,
    )


def catalog_change(decided_by: DecidedBy = DecidedBy.RELATIONS) -> Traits:
    """Takes effect at once, by the coordinator alone."""
    return Traits(decided_by=decided_by, runs_on=RunsOn.COORDINATOR)


def change_with_engine() -> Traits:
    """The same, with an engine's help, on the tables and views it names."""
    return Traits(decided_by=DecidedBy.RELATIONS, runs_on=RunsOn.COORDINATOR_AND_ENGINE)
