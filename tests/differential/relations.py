"""What a query can read: tables, their snapshots, tags and branches."""

from __future__ import annotations

from dataclasses import replace

from tests.differential.data import BASIC, TableSpec
from tests.differential.evolved import EVOLVED
from tests.differential.outcome import Answer, Side

TABLES: tuple[TableSpec, ...] = (*BASIC, *EVOLVED)
# Their schema is the same in every snapshot, so that the generator knows the columns.
TRAVELLED = ("evo_mor2", "evo_dv3", "evo_cow", "evo_up", "evo_part")
REFERENCES = (
    "evo_branch VERSION AS OF 'side'",
    "evo_branch VERSION AS OF 'early'",
    "evo_branch FOR SYSTEM_VERSION AS OF 'side'",
    "evo_branch.branch_side",
    "evo_branch.tag_early",
)


def with_their_past(spark: Side) -> tuple[TableSpec, ...]:
    """Every table, and what some of them were: by snapshot, by time, by branch and tag.

    Snapshots have other numbers in every lakehouse, so this one is asked.
    """
    specs = {spec.name: spec for spec in TABLES}
    made = [replace(specs["evo_branch"], name=text) for text in REFERENCES]
    for name in TRAVELLED:
        for snapshot, moment in _snapshots(spark, name):
            made.append(replace(specs[name], name=f"{name} VERSION AS OF {snapshot}"))
            made.append(replace(specs[name], name=f"{name} TIMESTAMP AS OF '{moment}'"))
    return (*TABLES, *made)


def _snapshots(spark: Side, table: str) -> list[tuple[int, str]]:
    """All but the last, each with the moment it was made, in words that no time zone changes."""
    asked = (
        "SELECT snapshot_id, date_format(to_utc_timestamp(committed_at, current_timezone()), "
        f"'yyyy-MM-dd HH:mm:ss.SSS') AS t FROM {table}.snapshots ORDER BY committed_at"
    )
    answer = spark.ask(asked)
    if not isinstance(answer, Answer):
        raise AssertionError(f"{asked}\n{answer}")
    rows = answer.table.to_pylist()[:-1]
    return [(row["snapshot_id"], f"{row['t']}Z") for row in rows]
