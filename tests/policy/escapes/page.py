"""The page of escapes, from the table that the test runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tests.policy.escapes.row import QUIET, SAME, Escape
from tests.policy.escapes.table import ESCAPES
from tests.policy.escapes.wire import WIRE_ESCAPES
from tests.policy.escapes.wire_row import WireEscape

_MEANING = {
    SAME: "the answer, or the error, that a copy gives which holds only what may be seen",
    QUIET: "an answer or an error with nothing hidden in it",
}


def lines() -> Iterator[str]:
    yield from (
        "# Escapes",
        "",
        f"{len(ESCAPES) + len(WIRE_ESCAPES)} ways to get around a row filter, a mask, a hidden",
        "column or a denial, and what comes of each. `tests/embedded/policy/test_escapes.py` tries",
        "those in SQL, `test_wire_escapes.py` beside it those that take a client: `emp` has a",
        "row filter, a masked `ssn` and a truncated `born`, hidden columns `x_hidden_pay` and",
        "`x_hidden_info`; `vault` is there and denied, `ghost` is denied and not there. `{s}` is",
        "the schema. Whatever comes of a trick, no hidden value, no name of a hidden column and no",
        "word of the rule is in an answer, an error or a hint.",
        "",
    )
    for (tries, must, dialect), group in groupby(ESCAPES, _key):
        words = "Trino's SQL" if dialect == "trino" else "Spark's SQL"
        yield from (f"## {tries[0].upper()}{tries[1:]}", "", f"{words}. {_comes(must)}", "")
        yield "```sql"
        for escape in group:
            shown = "; ".join(escape.statements).replace("\n", " ").replace("\u200b", "\\u200b")
            yield shown.replace("{{", "{").replace("}}", "}")
        yield from ("```", "")
    for (tries, must, over), moves in groupby(WIRE_ESCAPES, _wire_key):
        yield from (f"## {tries[0].upper()}{tries[1:]}", "", f"Over {over}. {_comes(must)}", "")
        yield from ("```text", *(one.shown.replace("\n", " ") for one in moves), "```", "")


def _wire_key(escape: WireEscape) -> tuple[str, str, str]:
    return escape.tries, escape.must, escape.over


def _key(escape: Escape) -> tuple[str, str, str]:
    return escape.tries, escape.must, escape.dialect


def _comes(must: str) -> str:
    if must in _MEANING:
        return f"Gives {_MEANING[must]}:"
    return f"Refused with `{must}`:"
