"""Text that Spark takes and the parser does not, in words that it takes.

As with pipes (``pipes.py``), the parser is given these to find the names in a text, and Spark has
the text as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import Token, TokenType, exp

_UNITS = frozenset(
    {
        "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND",
        "MICROSECOND", "YEARS", "QUARTERS", "MONTHS", "WEEKS", "DAYS", "HOURS", "MINUTES",
        "SECONDS", "MILLISECONDS", "MICROSECONDS",
    }
)  # fmt: skip
_SIGNS = (TokenType.DASH, TokenType.PLUS)
_AMOUNTS = (TokenType.NUMBER, TokenType.STRING)


class InOtherWords(exp.Expression):
    """The root of a query whose tree has the names of its text, and not its meaning: nothing is to
    be compiled of it, and no column to be looked for in it."""

    arg_types = {"this": True}  # noqa: RUF012


def without_shifts(tokens: list[Token]) -> list[Token]:
    """``a >>> b`` is ``a >> b`` to the parser. Types end with the same signs, so that this is for a
    text that was not understood. The same list where there are none."""
    return _without(tokens, _is_third_of_shift)


def without_signs(tokens: list[Token]) -> list[Token]:
    """Of ``INTERVAL 1 DAY -2 HOURS``, without the signs of all parts but the first."""
    return _without(tokens, _is_inner_sign)


def _without(tokens: list[Token], is_left_out: Callable[[list[Token], int], bool]) -> list[Token]:
    kept = [token for index, token in enumerate(tokens) if not is_left_out(tokens, index)]
    return kept if len(kept) < len(tokens) else tokens


def _is_third_of_shift(tokens: list[Token], index: int) -> bool:
    run = tokens[index - 2 : index + 1] if index >= 2 else []
    return [token.text for token in run] == [">", ">", ">"] and run[2].start - run[0].start == 2


def _is_inner_sign(tokens: list[Token], index: int) -> bool:
    if tokens[index].token_type not in _SIGNS or index < 2 or index + 2 >= len(tokens):
        return False
    amount, unit = tokens[index + 1 : index + 3]
    return (
        tokens[index - 1].text.upper() in _UNITS
        and tokens[index - 2].token_type in _AMOUNTS
        and amount.token_type in _AMOUNTS
        and unit.text.upper() in _UNITS
    )
