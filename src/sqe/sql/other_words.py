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


def has_pivot(tokens: list[Token]) -> bool:
    return any(token.token_type is TokenType.PIVOT for token in tokens)


def with_pivot_calls(tokens: list[Token]) -> list[Token]:
    """Of ``PIVOT (ceil(sum(a)) AS c FOR …)`` the parser takes nothing but the call of an aggregate
    in the list: each expression becomes the argument of one."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        out.append(tokens[index])
        index += 1
        if out[-1].token_type is TokenType.PIVOT and _kind(tokens, index) is TokenType.L_PAREN:
            out.append(tokens[index])
            items, index = _pivot_items(tokens, index + 1)
            for number, item in enumerate(items):
                out += ([_sign(item[0], ",")] if number else []) + _as_call(item)
    return out


def _pivot_items(tokens: list[Token], index: int) -> tuple[list[list[Token]], int]:
    """Up to FOR, which stands in no parentheses."""
    items: list[list[Token]] = [[]]
    depth = 0
    while index < len(tokens):
        token = tokens[index]
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth < 0 or (depth == 0 and token.text.upper() == "FOR"):
            break
        if depth == 0 and token.token_type is TokenType.COMMA:
            items.append([])
        else:
            items[-1].append(token)
        index += 1
    return [item for item in items if item], index


def _as_call(item: list[Token]) -> list[Token]:
    aliased = len(item) > 2 and item[-2].token_type is TokenType.ALIAS
    value, alias = (item[:-2], item[-2:]) if aliased else (item, [])
    first = item[0]
    name = Token(TokenType.VAR, "max", first.line, first.col, first.start, first.end)
    return [name, _sign(first, "("), *value, _sign(item[-1], ")"), *alias]


def _kind(tokens: list[Token], index: int) -> TokenType | None:
    return tokens[index].token_type if index < len(tokens) else None


_SIGN_KINDS = {"(": TokenType.L_PAREN, ")": TokenType.R_PAREN, ",": TokenType.COMMA}


def _sign(place: Token, sign: str) -> Token:
    return Token(_SIGN_KINDS[sign], sign, place.line, place.col, place.start, place.end)
