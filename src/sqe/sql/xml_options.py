"""Options of functions that read XML: one of Spark's names a file of the server to check it with.

From the tokens, not the tree: sqlglot leaves parts of some queries out of its tree.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import Token, TokenType

from sqe.errors import ErrorCode, UserError
from sqe.sql.statement import position_at

# The number of the argument that is a map of options.
_OPTIONS_AT = {"from_xml": 3, "schema_of_xml": 2}
_ALLOWED = frozenset(
    {
        "arrayelementname", "attributeprefix", "columnnameofcorruptrecord", "dateformat",
        "encoding", "excludeattribute", "ignorenamespace", "ignoresurroundingspaces", "inferschema",
        "locale", "mode", "nullvalue", "prefersdecimal", "rowtag", "samplingratio",
        "timestampformat", "timestampntzformat", "timezone", "treatemptyvaluesasnulls", "valuetag",
        "wildcardcolname",
    }
)  # fmt: skip
_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET)


def refuse_xml_options(text: str, tokens: Sequence[Token]) -> None:
    """Options stand as ``map('name', 'value', …)``, all of them in the text."""
    for index, token in enumerate(tokens[:-1]):
        at = _OPTIONS_AT.get(token.text.lower())
        called = tokens[index + 1].token_type is TokenType.L_PAREN
        if at is None or not called or token.token_type is TokenType.STRING:
            continue
        arguments = _arguments(tokens[index + 2 :])
        if len(arguments) < at and not any(map(_is_named, arguments)):
            continue
        if len(arguments) > at or not _is_harmless(text, arguments[-1]):
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"Options of {token.text.lower()} other than map('name', 'value') of the known"
                " names are not supported: they can name files of the server.",
                hint=f"Known are {', '.join(sorted(_ALLOWED))}.",
                position=position_at(text, token.start, token.text),
            )


def _arguments(tokens: Sequence[Token]) -> list[list[Token]]:
    """Of a call whose opening parenthesis stands before these tokens."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth < 0:
            break
        if depth == 0 and token.token_type is TokenType.COMMA:
            arguments.append([])
        else:
            arguments[-1].append(token)
    return arguments


def _is_named(argument: Sequence[Token]) -> bool:
    return len(argument) > 1 and argument[1].token_type is TokenType.FARROW


def _is_harmless(text: str, argument: Sequence[Token]) -> bool:
    """``map('mode', 'FAILFAST')``: nothing but names that are known, and strings."""
    if [token.text.lower() for token in argument[:2]] != ["map", "("] or argument[-1].text != ")":
        return False
    inside = argument[2:-1]
    strings, commas = inside[::2], inside[1::2]
    names = [text[token.start + 1 : token.end].lower() for token in strings[::2]]
    if not all(name in _ALLOWED for name in names):
        return False
    if any(token.token_type is not TokenType.STRING for token in strings):
        return False
    if any(token.token_type is not TokenType.COMMA for token in commas):
        return False
    return len(inside) % 4 == 3
