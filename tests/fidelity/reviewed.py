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

REVIEWED: dict[str, str] = {
    "join-lateral#7": UNNAMED,
    "join-lateral#28": UNNAMED,
    "join-lateral#114": UNNAMED,
    "join-lateral#115": UNNAMED,
    "change-column#4": ICEBERG_CAN,
    "change-column#9": ICEBERG_CAN,
    "timestamp-ntz#32": PARTITIONED,
    "interval#72": "Spark Connect cannot send the value: Arrow counts an interval in nanoseconds",
}
