"""Which of Trino's functions SQE has: what the reference page says."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.trino.dialect.calls import SPECIAL
from sqe.trino.dialect.functions.load import load
from sqe.trino.dialect.functions.registry import all_functions, functions_named, trinos_own

# Why a function of Trino's is not there; the others are simply not written yet.
REASONS = {
    **dict.fromkeys(("color", "render", "rgb", "bar"), "colours for terminals"),
    **dict.fromkeys(
        ("approx_set", "cardinality of HyperLogLog", "empty_approx_set", "merge", "tdigest_agg",
         "qdigest_agg", "value_at_quantile", "values_at_quantiles", "quantile_at_value",
         "make_set_digest", "merge_set_digest", "hash_counts", "jaccard_index",
         "intersection_cardinality"),
        "Trino's own sketches, whose bytes no engine here can read",
    ),
    **dict.fromkeys(
        ("murmur3", "spooky_hash_v2_32", "spooky_hash_v2_64"),
        "a hash that no engine here computes",
    ),
    "numeric_histogram": "an estimate by Trino's own algorithm",
    **dict.fromkeys(("from_iso8601_timestamp_nanos", "from_unixtime_nanos"),
                    "moments have microseconds here"),
    "word_stem": "needs a stemmer",
}  # fmt: skip

_TABLE_FUNCTIONS = ("exclude_columns", "sequence", "table_changes")


def support() -> dict[str, str]:
    """Every function of Trino's, and why it is not there; empty where it is."""
    load()
    return {name: "" if _is_there(name) else _reason(name) for name in trinos_own()}


def _is_there(name: str) -> bool:
    return bool(functions_named(name)) or name in SPECIAL or name in _TABLE_FUNCTIONS


def _reason(name: str) -> str:
    return REASONS.get(name, "not written yet")


def lines() -> Iterator[str]:
    """The page, without its title."""
    load()
    own = trinos_own()
    there = [name for name in own if _is_there(name)]
    missing = [name for name in own if name not in there]
    share = len(there) / len(own)
    yield f"SQE has {len(there)} of Trino's {len(own)} functions ({share:.0%}). A call of one that"
    yield "is missing, or of a form that cannot be answered exactly as Trino does, is refused by"
    yield "name and place (`NOT_SUPPORTED`)."
    yield ""
    yield "## Missing"
    yield ""
    yield "| function | kind | why |"
    yield "|---|---|---|"
    for name in missing:
        yield f"| `{name}` | {own[name][0].kind} | {_reason(name)} |"
    yield ""
    yield "## There"
    yield ""
    yield "| function | signatures |"
    yield "|---|---|"
    shown = {function.name for function in all_functions() if not function.hidden} | set(there)
    for name in sorted(shown):
        forms = [f"`({form.signature})`" for form in functions_named(name) if not form.hidden]
        yield f"| `{name}` | {', '.join(dict.fromkeys(forms)) or 'any'} |"
