"""Steps of the recorded scripts that are answered differently, each with the reason."""

from __future__ import annotations

_MISTAKE = "Trino fails with an internal error; SQE names the user's mistake"
_FILES = "how many files hold a few rows, and so whether a DELETE drops one whole, is the writer's"
_UPDATE = (
    "UPDATE writes files anew and no delete files, or Spark takes no correlated subquery in it"
)
_INVOKER = (
    "where rules are not made with SQL, a view is read with the rights of who reads it; Trino's"
    " default is its owner's, and what is printed has to make the same view"
)

REVIEWED: dict[tuple[str, int], str] = {
    ("script-007", 10): _MISTAKE,
    ("script-016", 3): "Spark sorts by a row with a NULL in it; Trino does not",
    ("script-026", 8): _MISTAKE,
    ("script-040", 4): _INVOKER,
    ("script-041", 8): "a view made from * keeps the columns it was made with, and is not stale",
    ("script-041", 18): _INVOKER,
    ("script-046", 11): _MISTAKE,
    ("script-050", 3): _FILES,
    ("script-050", 4): _FILES,
    ("script-050", 5): _FILES,
    ("script-050", 6): _FILES,
    ("script-050", 7): "Trino adds statistics to a new table by a commit of their own",
    ("script-052", 2): "Spark writes no sketches of distinct values by itself, only ANALYZE does",
    ("script-052", 5): "of filtered rows only the bounds are told: the rest is not known for sure",
    ("script-054", 10): "the embedded catalog keeps neither an owner nor a location of a schema",
    ("script-062", 8): _UPDATE,
    ("script-077", 1): "there is no memory connector",
    ("script-078", 8): _UPDATE,
}
