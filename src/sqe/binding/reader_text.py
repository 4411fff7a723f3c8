"""The text of a view that was made in Trino's SQL, for one reader of it.

In the text (see ``trino/dialect/session_values.py``) the reader's moment, zone, user, catalog and
schema are calls of Spark's functions, and all else is written for Spark's session time zone UTC.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqe.catalog.protocol import Json
from sqe.catalog.schemas import view_text
from sqe.catalog.views import StoredView, is_trino
from sqe.errors import ErrorCode, UserError
from sqe.sql.session_calls import session_calls, with_session_values
from sqe.sql.zone_names import zone_named

_IN_UTC = {"current_timezone": "'UTC'"}
_CLOCK = re.compile(r"(?<!current_)timestamp|current_timezone", re.IGNORECASE)


def text_for_reader(view: StoredView, values: Mapping[str, str], time_zone: str) -> str:
    """``values``: what a statement of Trino's has for the calls. In a statement of Spark's Spark
    answers them, in the session's ``time_zone``."""
    if view.dialect != "trino":
        return view.text
    if not values and zone_named(time_zone) != "UTC" and _CLOCK.search(view.text):
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"View {view.relation or view.name} was made in Trino's SQL and reads clocks: Spark's"
            f" SQL can read it in the session time zone UTC only, and this one has {time_zone}.",
            hint="SET TIME ZONE 'UTC', or read it through Trino's protocol.",
        )
    return with_session_values(view.text, values or _IN_UTC)


def depends_on_reader(metadata: Json) -> str:
    """The function whose answer the rows of a stored view depend on; empty: none."""
    text = view_text(metadata) if is_trino(metadata) else None
    calls = session_calls(text or "")
    return calls[0].name if calls else ""
