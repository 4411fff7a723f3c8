"""Answers that rightly are not Spark's golden ones, each read by a person, with the reason.

They count as not identical, and are listed on the page. The key is the file and the number of the
statement in it.
"""

from __future__ import annotations

PARTITIONED = "Iceberg keeps the order of columns, Spark's own tables move partition columns last"

ICEBERG_CAN = "Iceberg tables can do what Spark's own tables cannot"

UNNAMED = (
    "Rows and types are Spark's; the name that Spark gives to an unnamed column spells out the "
    "catalog and schema of a view, which SQE puts in place of its name"
)

VALUE = (
    "Rows and types are Spark's; the name that Spark gives to an unnamed column says of which "
    "variable a value is, and SQE's is that of the value"
)

SPREAD = "The last digits of sums of doubles depend on how rows are spread over tasks"

ZONES = "Time zones are regions, or hours and minutes"

REVIEWED: dict[str, str] = {
    "linear-regression#14": SPREAD,
    "linear-regression#16": SPREAD,
    "linear-regression#26": SPREAD,
    "linear-regression#28": SPREAD,
    "sql-session-variables#10": VALUE,
    "sql-session-variables#12": VALUE,
    "sql-session-variables#15": VALUE,
    "sql-session-variables#139": VALUE,
    "sql-session-variables#143": VALUE,
    "sql-session-variables#238": VALUE,
    "sql-session-variables#239": VALUE,
    "sql-session-variables#240": VALUE,
    "sql-session-variables#245": VALUE,
    "timezone#2": ZONES,
    "timezone#4": ZONES,
    "timezone#5": "A session without a time zone of its own is in UTC, whatever the server's is",
    "describe-query#11": "Several SELECTs behind one FROM are not supported",
    "join-lateral#7": UNNAMED,
    "join-lateral#28": UNNAMED,
    "join-lateral#114": UNNAMED,
    "join-lateral#115": UNNAMED,
    "change-column#4": ICEBERG_CAN,
    "change-column#9": ICEBERG_CAN,
    "timestamp-ntz#32": PARTITIONED,
    "interval#72": "Spark Connect cannot send the value: Arrow counts an interval in nanoseconds",
}
