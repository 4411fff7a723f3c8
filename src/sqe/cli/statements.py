"""Cuts a text into statements at its semicolons, by the rules of Spark's lexer.

A semicolon inside a string, a back-quoted name, a comment or a script (BEGIN … END) does not count.
What is inside a statement is not our business: the gateway parses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Whatever may hide a semicolon, and the semicolon itself. An unclosed one reaches to the end.
_TOKEN = re.compile(
    r"""
      (?P<line_comment> -- (?: \\\n | [^\r\n] )*+ )      # backslash-newline continues it
    | (?P<comment> /\* (?!\+) )                          # /*+ is a hint: ordinary code
    | (?P<raw> (?<!\w) [rR] (?: '[^']*+(?:'|\Z) | "[^"]*+(?:"|\Z) ) )
    | (?P<single> ' [^'\\]*+ (?: \\. [^'\\]*+ )*+ (?: ' | \\?\Z ) )
    | (?P<double> " [^"\\]*+ (?: \\. [^"\\]*+ )*+ (?: " | \\?\Z ) )
    | (?P<name> ` [^`]*+ (?: ` | \Z ) )                  # a doubled ` is simply two names
    | (?P<dollar> (?<!\w) \$[A-Za-z_]*\$ )
    | (?P<end> ; )
    """,
    re.VERBOSE | re.DOTALL,
)
# What opens and closes in a script. ``END IF`` closes an IF, and IF is not counted.
_EDGE = re.compile(
    r"(?<![\w.$])(?:(?P<open>BEGIN|CASE)|(?P<close>END)(?!\s+(?:IF|WHILE|FOR|LOOP|REPEAT)\b))(?!\w)",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"\s*BEGIN\b(?!\s*(?:;|\Z|WORK\b|TRANSACTION\b))", re.IGNORECASE)
_COMMENT_EDGE = re.compile(r"/\*(?!\+)|\*/")


@dataclass(frozen=True, slots=True)
class SourceStatement:
    """One statement and where it starts in its source. Everything counts from 1."""

    number: int
    text: str
    line: int
    column: int
    terminated: bool  # a semicolon followed


def split(source: str) -> Iterator[SourceStatement]:
    """The statements in order. Pieces of nothing but space and comments are left out."""
    number, begin, line, counted = 0, 0, 1, 0
    for end, has_code, terminated in _pieces(source):
        if has_code:
            piece = source[begin:end]
            start = begin + len(piece) - len(piece.lstrip())
            line += source.count("\n", counted, start)
            counted = start
            number += 1
            column = start - (source.rfind("\n", 0, start) + 1) + 1
            yield SourceStatement(number, source[start:end].rstrip(), line, column, terminated)
        begin = end + 1


def is_complete(source: str) -> bool:
    """Whether the last statement ends in a semicolon, so that a shell may run what was typed."""
    last: tuple[int, bool, bool] | None = None
    ended = False
    for last in _pieces(source):
        ended = ended or last[2]
    return last is not None and ended and not last[1] and not _open_comment(source)


def _open_comment(source: str) -> bool:
    return any(kind == "open" for _, _, kind in tokens(source))


def _pieces(source: str) -> Iterator[tuple[int, bool, bool]]:
    """(end, holds code, ended by a semicolon) of each piece; the last one may be empty."""
    position, has_code, depth = 0, False, 0
    for start, end, kind in tokens(source):
        code = source[position:start]
        if depth or (not has_code and _SCRIPT.match(source, position)):
            depth = max(0, depth + _count_opened(code))
        has_code = has_code or bool(code.strip())
        position = end
        if kind == "end" and not depth:
            yield start, has_code, True
            has_code = False
        elif kind == "code":
            has_code = True
    yield len(source), has_code or bool(source[position:].strip()), False


def _count_opened(code: str) -> int:
    """How many more parts of a script it opens than it closes."""
    return sum(1 if edge["open"] else -1 for edge in _EDGE.finditer(code))


def tokens(source: str) -> Iterator[tuple[int, int, str]]:
    """Spans of semicolons ("end"), quoted things ("code") and comments ("skip", "open")."""
    position = 0
    while match := _TOKEN.search(source, position):
        kind = match.lastgroup
        start, position = match.span()
        if kind == "end":
            yield start, position, "end"
        elif kind == "line_comment":
            yield start, position, "skip"
        elif kind == "comment":
            position, closed = _end_of_comment(source, position)
            yield start, position, "skip" if closed else "open"
        else:
            if kind == "dollar":
                closing = source.find(match.group(), position)
                position = len(source) if closing < 0 else closing + len(match.group())
            yield start, position, "code"


def _end_of_comment(source: str, position: int) -> tuple[int, bool]:
    """Spark's bracketed comments nest."""
    depth = 1
    while depth and (edge := _COMMENT_EDGE.search(source, position)):
        depth += 1 if edge.group() == "/*" else -1
        position = edge.end()
    return (len(source), False) if depth else (position, True)
