"""A text of Trino's SQL as tokens: one pass of one regular expression.

Nothing is refused here. What belongs to no token becomes a symbol of one character, which the
parser then does not expect, so that the error names the place where Trino stops.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sqe.model import trino_words

WORD = "word"  # an identifier or a keyword
QUOTED = "quoted"  # "x"
BACKQUOTED = "backquoted"  # `x`, which Trino knows only to refuse it
DIGITS = "digits"  # 1a, likewise
STRING = "string"
UNICODE = "unicode"  # U&'…'
BINARY = "binary"  # X'…'
INTEGER = "integer"
DECIMAL = "decimal"
DOUBLE = "double"
SYMBOL = "symbol"
END = "end"

NUMBERS = frozenset({INTEGER, DECIMAL, DOUBLE})
IDENTIFIERS = frozenset({QUOTED, BACKQUOTED, DIGITS})  # and words that are not reserved
LOOKAHEAD = 4  # tokens that may be looked at behind the end

RESERVED = frozenset(word.upper() for word in trino_words.RESERVED)

# The order matters where two kinds can begin alike: ANTLR takes the longest, so a number that goes
# on with letters is a DIGITS, and 1e5 is a number only if nothing of a name follows.
_TOKEN = re.compile(
    r"""
      (?P<blank>   [\ \r\n\t]+ | --[^\r\n]*\r?\n? | /\*.*?\*/ )
    | (?P<unicode> [uU]&'[^']*(?:''[^']*)*' )
    | (?P<binary>  [xX]'[^']*' )
    | (?P<word>    [A-Za-z_][A-Za-z0-9_]* )
    | (?P<string>  '[^']*(?:''[^']*)*' )
    | (?P<quoted>  "[^"]*(?:""[^"]*)*" )
    | (?P<double>  [0-9]+\.[0-9]*[eE][+-]?[0-9]+ | \.[0-9]+[eE][+-]?[0-9]+
                 | [0-9]+[eE][+-][0-9]+ | [0-9]+[eE][0-9]+(?![A-Za-z0-9_]) )
    | (?P<decimal> [0-9](?:_?[0-9])*\.(?:[0-9](?:_?[0-9])*)? | \.[0-9](?:_?[0-9])* )
    | (?P<integer> (?: 0[xX](?:_?[0-9A-Fa-f])+ | 0[oO](?:_?[0-7])+ | 0[bB](?:_?[01])+
                     | [0-9](?:_?[0-9])* )(?![A-Za-z0-9_]) )
    | (?P<digits>  [0-9][A-Za-z0-9_]+ )
    | (?P<symbol>  <> | != | <= | >= | \|\| | -> | => | \{- | -\} )
    | (?P<backquoted> `[^`]*(?:``[^`]*)*` )
    | (?P<dollar>  \$\$.*?\$\$ )
    | (?P<other>   . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    kind: str
    word: str  # upper case of a word, the symbol; empty for all else, so that it matches nothing
    text: str
    at: int


def tokenize(text: str) -> list[Token]:
    """All tokens, and a few ends so that one may look ahead without care."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "blank":
            continue
        part = match.group()
        if kind == WORD:
            tokens.append(Token(WORD, part.upper(), part, match.start()))
        elif kind in (SYMBOL, "other"):
            symbol = "<>" if part == "!=" else part
            tokens.append(Token(SYMBOL, symbol, part, match.start()))
        else:
            tokens.append(Token(str(kind), "", part, match.start()))
    tokens += [Token(END, "", "<EOF>", len(text))] * LOOKAHEAD
    return tokens
