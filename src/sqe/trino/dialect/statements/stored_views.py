"""Views as they are kept: in Spark's dialect, and in Trino's if they were made in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqe.trino.dialect.context import Known
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.statements.names import Target
from sqe.trino.dialect.statements.table_properties import assignments
from sqe.trino.dialect.typed import quote_name, string

# What CREATE VIEW is told for Trino's dialect besides the text that Spark reads.
QUERY, COLUMNS = "trino.query", "trino.columns"
ZONES = "trino.zones"  # of the columns, where there are others than UTC


def with_comment(known: Known, target: Target, column: str, comment: str | None, at: int) -> str:
    """The view made anew as it is, with another comment on one column: Spark has no other way."""
    texts = _texts(known.metadata)
    if "trino" not in texts:
        # Its text means something only together with the schema it was made in.
        raise not_supported("A comment on a column of a view that was not made in Trino's SQL", at)
    kept = dict(known.metadata.get("properties") or {})
    properties = {name: kept[name] for name in (COLUMNS, ZONES) if name in kept}
    properties[QUERY] = texts["trino"]
    columns = []
    for view_column in known.columns:
        column_comment = comment if view_column.name.lower() == column else view_column.comment
        columns.append(
            quote_name(view_column.name)
            + (f" COMMENT {string(column_comment)}" if column_comment else "")
        )
    text = f"CREATE OR REPLACE VIEW {target.spark} ({', '.join(columns)})"
    if kept.get("comment"):
        text += f" COMMENT {string(kept['comment'])}"
    security = " SECURITY DEFINER" if known.definer else ""
    return f"{text} TBLPROPERTIES ({assignments(properties)}){security} AS {texts['spark']}"


def _texts(metadata: Mapping[str, Any]) -> dict[str, str]:
    """The current version's query, by dialect."""
    for version in metadata.get("versions") or ():
        if version.get("version-id") == metadata.get("current-version-id"):
            return {
                str(representation["dialect"]).lower(): str(representation["sql"])
                for representation in version["representations"]
            }
    return {}
