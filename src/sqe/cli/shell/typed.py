r"""What was typed, as statements and backslash commands in their order.

Statements end with a semicolon. A backslash outside of strings and comments, where SQL has none,
begins a command, which reaches to the end of its line; an unfinished statement before it is what
the command is about: ``SELECT 1 \g out.csv``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqe.cli.statements import SourceStatement, is_complete, split, tokens

# What people type who do not know yet that commands begin with a backslash.
_WORDS = {"help": r"\?", "exit": r"\q", "quit": r"\q"}


@dataclass(frozen=True, slots=True)
class CommandLine:
    name: str  # with its backslash
    argument: str
    query: str  # the unfinished statement before it, or nothing


def parse(text: str) -> Iterator[SourceStatement | CommandLine]:
    word = _WORDS.get(_bare(text))
    if word is not None:
        text = word
    line = 1
    while (start := _command_start(text)) is not None:
        query = ""
        for statement in split(text[:start]):
            if statement.terminated:
                yield _on_line(statement, line)
            else:
                query = statement.text
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        name, _, argument = text[start:end].partition(" ")
        yield CommandLine(name.strip().rstrip(";"), argument.strip().rstrip("; "), query)
        line += text.count("\n", 0, end + 1)
        text = text[end + 1 :]
    for statement in split(text):
        yield _on_line(statement, line)


def is_finished(text: str) -> bool:
    """Whether Enter runs the text, instead of beginning a new line."""
    if not text.strip() or _bare(text) in _WORDS:
        return True
    rest, commands = text, 0
    while (start := _command_start(rest)) is not None:
        commands += 1
        rest = rest[start:].partition("\n")[2]
    return is_complete(rest) if rest.strip() else commands > 0


def _bare(text: str) -> str:
    return text.strip().rstrip(";").lower()


def _on_line(statement: SourceStatement, line: int) -> SourceStatement:
    return replace(statement, line=statement.line + line - 1)


def _command_start(text: str) -> int | None:
    position = 0
    for start, end, _ in tokens(text):
        backslash = text.find("\\", position, start)
        if backslash >= 0:
            return backslash
        position = end
    backslash = text.find("\\", position)
    return backslash if backslash >= 0 else None
