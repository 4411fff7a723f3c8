"""Answers that rightly are not Spark's golden ones, each read by a person, with the reason.

They count as not identical, and are listed on the page. The key is the file and the number of the
statement in it.
"""

from __future__ import annotations

PARTITIONED = "Iceberg keeps the order of columns, Spark's own tables move partition columns last"

ICEBERG_CAN = "Iceberg tables can do what Spark's own tables cannot"

REVIEWED: dict[str, str] = {
    "change-column#4": ICEBERG_CAN,
    "timestamp-ntz#32": PARTITIONED,
    "interval#72": "Spark Connect cannot send the value: Arrow counts an interval in nanoseconds",
}
