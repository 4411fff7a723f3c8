"""Where a parser stands in its tokens, and the few ways to go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, NoReturn, TypeVar

from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.lexer import (
    END,
    IDENTIFIERS,
    INTEGER,
    QUOTED,
    RESERVED,
    WORD,
    Token,
    tokenize,
)
from sqe.trino.dialect.nodes import Identifier, Name

T = TypeVar("T")

DEPTH_LIMIT = 200  # nested brackets, queries, CASEs …


class Mark(NamedTuple):
    place: int
    complaints: int
    parameters: int
    depth: int


class Mismatch(Refused):
    """The grammar has no place for a token."""


class Cursor:
    """Tokens and a place among them.

    An error of the grammar is raised at once. Trino finds some others (a literal that is too
    large, a bad escape) only when the whole text has been read: those are ``complaints``.

    ANTLR decides by looking ahead. Where it looks through a whole expression, an error in it is
    found at its place; where it looks only as far as ``IN``, ``name (`` or ``name .`` and these
    can be followed by something else somewhere in the grammar, it goes on without them and stops
    there. ``scanning`` says which of the two holds.
    """

    scanning = False

    def __init__(self, text: str, *, explain: bool = False) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.words = [token.word for token in self.tokens]
        self.index = 0
        self.depth = 0
        self.parameters = 0  # how many ``?`` so far
        self.complaints: list[Refused] = []
        self._bad_names: list[Refused] = []
        # What was looked for, by token; kept only when an error is to be explained.
        self._tried: dict[int, set[str]] | None = {} if explain else None

    # ------------------------------------------------------------ looking

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    @property
    def here(self) -> int:
        """The offset of the next token."""
        return self.tokens[self.index].at

    def looking_at(self, *words: str) -> bool:
        """Are these the next tokens, one after another?"""
        index = self.index
        for word in words:
            if self.words[index] != word:
                if self._tried is not None:
                    self._tried.setdefault(index, set()).add(f"'{word}'")
                return False
            index += 1
        return True

    def looking_at_any(self, *words: str) -> bool:
        """Is the next token one of these?"""
        if self._tried is not None:
            self.note_labels(*[f"'{word}'" for word in words])
        return self.words[self.index] in words

    def word_ahead(self, ahead: int) -> str:
        """The word or symbol after so many tokens; empty for anything else."""
        place = self.index + ahead
        return self.words[place] if place < len(self.words) else ""

    def is_identifier(self, ahead: int = 0) -> bool:
        """Could the token after so many be a name?"""
        token = self.tokens[min(self.index + ahead, len(self.tokens) - 1)]
        if token.kind == WORD:
            return token.word not in RESERVED
        return token.kind in IDENTIFIERS

    def note_labels(self, *labels: str) -> None:
        """These would have been right here. Costs nothing unless an error is being explained."""
        if self._tried is not None:
            self._tried.setdefault(self.index, set()).update(labels)

    def forget_tried(self) -> None:
        """What was looked for here no longer counts: the parser has gone on without it."""
        if self._tried is not None:
            self._tried.pop(self.index, None)

    # ------------------------------------------------------------- taking

    def take(self) -> Token:
        token = self.tokens[self.index]
        if token.kind != END:
            self.index += 1
        return token

    def accept(self, *words: str) -> bool:
        """Take this sequence if it is there."""
        if self.looking_at(*words):
            self.index += len(words)
            return True
        return False

    def accept_any(self, *words: str) -> str | None:
        """Take one of these if it is there."""
        if self.looking_at_any(*words):
            return self.take().word
        return None

    def expect(self, *words: str) -> int:
        """Take this sequence or fail; the offset of its first token."""
        at = self.here
        for word in words:
            if not self.accept(word):
                self.fail(f"'{word}'")
        return at

    def expect_any(self, *words: str) -> str:
        accepted = self.accept_any(*words)
        if accepted is None:
            self.fail(*[f"'{word}'" for word in words])
        return accepted

    def identifier(self) -> Identifier:
        if not self.is_identifier():
            self.fail("<identifier>")
        token = self.take()
        if token.kind == WORD:
            return Identifier(token.at, token.text)
        if token.kind != QUOTED or len(token.text) == 2:
            self._bad_names.append(_identifier_error(token))
            self._check_names()
        return Identifier(token.at, token.text[1:-1].replace('""', '"'), quoted=True)

    def _check_names(self) -> None:
        """Names that look right to the grammar; ANTLR refuses them when it has looked ahead."""
        if self._bad_names and not self.scanning:
            raise self._bad_names[0]

    def name(self) -> Name:
        """``a.b.c``."""
        parts = [self.identifier()]
        while self.words[self.index] == ".":
            self.take()
            parts.append(self.identifier())
        return tuple(parts)

    def identifiers(self) -> tuple[Identifier, ...]:
        """``(a, b)``."""
        return self.take_bracketed_list(self.identifier)

    def integer(self) -> int:
        if self.token.kind != INTEGER:
            self.fail("<integer>")
        return integer_value(self.take())

    def comma_list(self, one: Callable[[], T]) -> tuple[T, ...]:
        items = [one()]
        while self.accept(","):
            items.append(one())
        return tuple(items)

    def take_bracketed_list(self, one: Callable[[], T]) -> tuple[T, ...]:
        self.expect("(")
        items = self.comma_list(one)
        self.expect(")")
        return items

    # ------------------------------------------------- going back, failing

    def mark(self) -> Mark:
        return Mark(self.index, len(self.complaints), self.parameters, self.depth)

    def rewind(self, mark: Mark) -> None:
        self.index = mark.place
        self.parameters = mark.parameters
        self.depth = mark.depth
        del self.complaints[mark.complaints :]

    def text_since(self, offset: int) -> str:
        """The text from there to the end of the last token taken."""
        last = self.tokens[self.index - 1]
        return self.text[offset : last.at + len(last.text)]

    def fail(self, *expecting: str) -> NoReturn:
        """The next token fits nothing."""
        self.note_labels(*expecting)
        labels = set(expecting)
        if self._tried is not None:
            labels = self._tried.get(self.index, labels)
        token = self.token
        message = f"mismatched input '{token.text}'. Expecting: {', '.join(sorted(labels))}"
        raise Mismatch("SYNTAX_ERROR", message, token.at)

    def complain(self, message: str, at: int, name: str = "SYNTAX_ERROR") -> None:
        """Wrong, but an error of the grammar further on comes first."""
        self.complaints.append(Refused(name, message, at))

    def deeper(self) -> None:
        """One level in. Whoever calls it takes one off ``depth`` at the end."""
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise Refused(
                "STATEMENT_TOO_COMPLEX",
                f"The statement is nested deeper than {DEPTH_LIMIT} levels.",
                self.here,
            )

    @contextmanager
    def scan(self) -> Iterator[None]:
        before, self.scanning = self.scanning, True
        try:
            yield
        finally:
            self.scanning = before
        self._check_names()

    def finish(self) -> None:
        """The text ends here, and nothing was wrong in it."""
        if self.token.kind != END:
            self.fail("<EOF>")
        if self.complaints:
            raise self.complaints[0]


def syntax_error(message: str, at: int) -> Refused:
    return Refused("SYNTAX_ERROR", message, at)


def integer_value(token: Token) -> int:
    """Of an INTEGER token, as large as it may be."""
    digits = token.text.replace("_", "")
    return int(digits, {"x": 16, "o": 8, "b": 2}.get(digits[1:2].lower(), 10))


def _identifier_error(token: Token) -> Refused:
    if token.text.startswith("`"):
        return syntax_error(
            "backquoted identifiers are not supported; use double quotes to quote identifiers",
            token.at,
        )
    if token.kind == QUOTED:
        return syntax_error("Zero-length delimited identifier not allowed", token.at)
    return syntax_error(
        "identifiers must not start with a digit; surround the identifier with double quotes",
        token.at,
    )
