"""The words of a path of SQL/JSON, read one by one."""

from __future__ import annotations

import re

from sqe.trino.dialect.errors import Refused, not_supported

_TOKEN = re.compile(
    r'\s*("(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\$[A-Za-z_]\w*'
    r"|==|!=|<>|<=|>=|&&|\|\||[$@.*?()\[\],+\-/%<>!])"
)


class PathWords:
    """``at`` is where the path stands in the statement."""

    def __init__(self, text: str, at: int) -> None:
        self.at = at
        self._words: list[str] = []
        self._places: list[int] = []
        self._index = 0
        position, text = 0, text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._syntax_error(text[position:], position)
            self._words.append(match[1])
            self._places.append(match.start(1))
            position = match.end()
        self._end = position

    def peek(self, ahead: int = 0) -> str:
        """Empty at the end."""
        index = self._index + ahead
        return self._words[index] if index < len(self._words) else ""

    def take(self) -> str:
        word = self.peek()
        self._index += 1
        return word

    def accept(self, word: str) -> bool:
        if self.peek() == word:
            self._index += 1
            return True
        return False

    def expect(self, word: str) -> None:
        if not self.accept(word):
            raise self.syntax(self.peek())

    def syntax(self, word: str) -> Refused:
        """``word`` is the next one, or the one just taken."""
        index = self._index - (self.peek() != word)
        place = self._places[index] if index < len(self._places) else self._end
        return self._syntax_error(word, place)

    def _syntax_error(self, word: str, place: int) -> Refused:
        message = f"mismatched input '{word or '<EOF>'}' in JSON path"
        return Refused("SYNTAX_ERROR", message, self.at + 1 + place)  # behind the quote

    def refuse(self, what: str) -> Refused:
        return not_supported(f"JSON path: {what}", self.at)
