"""``FROM t INSERT INTO a SELECT x INSERT INTO b SELECT y``: as the INSERT statements that it is."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import Token, TokenType
from sqlglot.errors import TokenError

from sqe.sql.dialect import DIALECT

_BEGINNINGS = ("FROM", "WITH")


def split_inserts(text: str) -> list[str]:
    """``INSERT INTO a FROM t SELECT x``, and so on. Empty for anything else, which stays as it is:
    whatever is wrong with it is said when it is parsed."""
    if "insert" not in text.lower():
        return []
    try:
        tokens = DIALECT.tokenize(text)
    except TokenError:
        return []
    if not tokens or tokens[0].text.upper() not in _BEGINNINGS:
        return []
    while tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    outside = list(_outside(tokens))
    starts = [
        place for place in outside if _word(tokens, place) == "INSERT" and _begins(tokens, place)
    ]
    before = [_word(tokens, place) for place in outside if starts and place < starts[0]]
    if "FROM" not in before or "SELECT" in before or ";" in before:
        return []
    relations = text[tokens[0].start : tokens[starts[0]].start].rstrip()
    texts = []
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        select = next(
            (p for p in outside if start < p < end and _word(tokens, p) == "SELECT"), None
        )
        if select is None:
            return []
        at = tokens[select].start
        target, query = text[tokens[start].start : at], text[at : tokens[end - 1].end + 1]
        texts.append(f"{target}{relations}\n{query}")
    return texts


def _outside(tokens: list[Token]) -> Iterator[int]:
    """The places of tokens that stand in no parentheses."""
    depth = 0
    for place, token in enumerate(tokens):
        depth += token.token_type is TokenType.L_PAREN
        if depth == 0:
            yield place
        depth -= token.token_type is TokenType.R_PAREN


def _begins(tokens: list[Token], place: int) -> bool:
    """INSERT is a name too."""
    return _word(tokens, place + 1) in ("INTO", "OVERWRITE")


def _word(tokens: list[Token], place: int) -> str:
    return tokens[place].text.upper() if place < len(tokens) else ""
