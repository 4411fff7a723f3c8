"""Every span of a trace: name, attributes and meaning. The reference page is made from this.

What may be an attribute is decided here, and only here (decision 0034): a number, or a word of a
list that SQE has itself. No text of a statement, no name of a table, a column or a user, no value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

PREFIX = "sqe."  # of the names of all spans and attributes


class SpanKind(Enum):
    """As OpenTelemetry has them."""

    SERVER = "server"  # answers a request of another process
    CLIENT = "client"  # asks another process, or a part of SQE in its place
    INTERNAL = "internal"


@dataclass(frozen=True)
class SpanType:
    """``attributes``: what each of them says, for people; both names without ``PREFIX``."""

    name: str
    meaning: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    kind: SpanKind = SpanKind.INTERNAL

    def __hash__(self) -> int:
        return hash(self.name)


# Every span that has failed has this one.
ERROR = {
    "error": "the error's code ([errors](errors.md)); `failed` for what has none, as where the"
    " local engine gives a query up to Spark"
}
_STATUS = {"status": "the status of the answer; none where there was no answer"}

QUERY = SpanType(
    "query",
    "A statement, from its arrival to its end: the root of SQE's part of the trace.",
    {
        "query_id": "the query, as clients, the audit log and the history name it",
        "protocol": "`flight`, `trino`, `iceberg`, `embedded` (in SQE's own process)",
        "dialect": "what the statement is written in: `spark` or `trino`",
        "state": "`finished`, `failed`, `cancelled`",
        "kind": "the kind of statement, as in the audit log",
        "engine": "the last that it was given to: `spark`, `local` or `coordinator`",
        "rows": "rows of the result",
        "bytes": "bytes of the result",
        "reruns": "how often a write was run again, because others' commits came before it",
        "trace_token": "what the client sent as `X-Trino-Trace-Token`, if that is a word of at most"
        " 128 letters, digits and `._:/-`",
        "left_out": "spans that are missing, where there were too many",
    },
    SpanKind.SERVER,
)
QUEUE = SpanType("queue", "Waiting for its turn in a resource group.")
TRANSLATE = SpanType("translate", "Another dialect's SQL becomes Spark's.")
PARSE = SpanType("parse", "The text becomes a tree, and what is not understood is refused.")
BIND = SpanType("bind", "Names become tables, as the user.")
DECIDE = SpanType("decide", "The policies decide.")
GUARD = SpanType("guard", "The decisions become part of the statement.")
ROUTE = SpanType("route", "The engine is chosen; the local engine plans its scans for that.")
START = SpanType("start", "The engine begins, until the columns of the result are known.")
ROWS = SpanType("rows", "The rows go from the engine to their reader, at the reader's pace.")
FIRST_ROW = SpanType("first_row", "Waiting for the first rows, once the columns are known.")
STAGES: Mapping[str, SpanType] = {
    stage.name: stage for stage in (TRANSLATE, PARSE, BIND, DECIDE, GUARD, ROUTE, START, ROWS)
}

COORDINATOR = SpanType("coordinator", "SQE answers by itself, or has engines do parts of it.")
LOCAL = SpanType("local", "The local engine works, until its result is closed.")
SPARK = SpanType("spark", "Spark works, until its result is closed.")
SPARK_SESSION = SpanType("spark.session", "Getting a Spark session; Spark may have to start.")
SPARK_ANALYZE = SpanType("spark.analyze", "Spark analyses the text, and SQE checks the plan.")
SPARK_EXECUTE = SpanType("spark.execute", "Spark runs one plan.")
SPARK_STAGE = SpanType(
    "spark.stage",
    "One of Spark's stages, as far as Spark's progress tells: from when it was first heard of to"
    " when it was heard to be done, twice in a second. Stages of shorter plans are not heard of.",
    {"tasks": "the stage's tasks", "tasks_done": "those that have ended"},
)
COMMIT = SpanType("commit", "What was written becomes visible, or the transaction does.")

CATALOG = SpanType(
    "catalog",
    "One call of a catalog. A catalog behind HTTP gets the span's `traceparent`.",
    {
        "catalog": "the catalog's name in the settings",
        "operation": "what it is asked for: a verb, as `load` or `list`",
        **_STATUS,
    },
    SpanKind.CLIENT,
)
TOKEN = SpanType(
    "token",
    "One call of the issuer of the user's token, which is renewed or exchanged.",
    {
        "grant": "`password`, `client_credentials`, `refresh_token`, `token-exchange` or `other`",
        **_STATUS,
    },
    SpanKind.CLIENT,
)
BROKER = SpanType(
    "broker",
    "One request of Spark to the catalog broker. The handle in it says whose query it is.",
    {"operation": "as in `sqe_broker_call_seconds`", **_STATUS},
    SpanKind.SERVER,
)

SECTIONS: Mapping[str, tuple[SpanType, ...]] = {
    "The query and its stages": (QUERY, QUEUE, *STAGES.values(), FIRST_ROW),
    "Engines": (
        COORDINATOR,
        LOCAL,
        SPARK,
        SPARK_SESSION,
        SPARK_ANALYZE,
        SPARK_EXECUTE,
        SPARK_STAGE,
        COMMIT,
    ),
    "Other services": (CATALOG, TOKEN, BROKER),
}
SPANS: tuple[SpanType, ...] = tuple(span for part in SECTIONS.values() for span in part)
