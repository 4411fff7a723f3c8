"""Names in ORDER BY, GROUP BY and HAVING that an input column and an alias could both mean.

``i`` and ``k`` are columns of the table. The last key says in which order the rows come.
"""

from __future__ import annotations

from itertools import product

from tests.differential.grammar import QUERY, RISKY, Case
from tests.differential.tree import node

ITEMS = (
    "i", "1 AS i", "2 AS i", "'x' AS i", "NULL AS i", "true AS i", "DATE'2020-01-01' AS i",
    "k AS i", "-k AS i", "1 + 1 AS i", "k + 1 AS i", "count(*) OVER () AS i", "upper(g) AS i",
)  # fmt: skip
KEYS = (
    "i", "i DESC", "I NULLS LAST", "`i`", "i, k", "tame.i", "tame.i DESC", "2", "i IS NULL",
    "coalesce(i, NULL)", "CASE WHEN i IS NULL THEN 0 ELSE 1 END", "max(k) OVER (ORDER BY i)",
)  # fmt: skip
PLAIN = (
    "SELECT id, {item} FROM tame ORDER BY {key}, id",
    "SELECT DISTINCT id, {item} FROM tame ORDER BY {key}, id",
    "SELECT {item}, tame.* FROM tame ORDER BY {key}, id",
    "SELECT id, {item} FROM tame WHERE i > 0 ORDER BY {key}, id LIMIT 7",
    "SELECT id, {item} FROM tame JOIN (SELECT id AS x FROM tame) ON x = id ORDER BY {key}, id",
    "SELECT id, {item} FROM (SELECT id, k, g, i FROM tame) tame ORDER BY {key}, id",
)
GROUPED = (
    "SELECT k, {item}, max(id) AS id FROM tame GROUP BY k, i, g ORDER BY {key}, id",
    "SELECT {item}, max(id) AS id FROM tame GROUP BY i, k, g ORDER BY {key}, id",
    "SELECT {item}, max(id) AS id FROM tame GROUP BY ALL ORDER BY {key}, id",
    "SELECT {item}, max(id) AS id FROM tame GROUP BY 1 ORDER BY {key}, id",
    "SELECT {item}, max(id) AS id FROM tame GROUP BY i, k, g HAVING i > 0 ORDER BY {key}, id",
)


def cases() -> list[Case]:
    return [
        Case(sql, RISKY if "OVER (ORDER" in sql else QUERY, node("query", sql), ordered=True)
        for shape, item, key in product(PLAIN + GROUPED, ITEMS, KEYS)
        if (sql := shape.format(item=item, key=key))
    ]
