"""The types of a CAST or a column, written the way Trino prints them."""

from __future__ import annotations

from sqe.trino.dialect.cursor import Cursor
from sqe.trino.dialect.lexer import INTEGER

INTERVAL_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


class TypeParser(Cursor):
    def type_text(self) -> tuple[str, int]:
        """A type and its offset. The text is in one form for all spellings, ``bigint array`` is
        ``array(bigint)``; names keep their case, since Trino's errors show them."""
        self.note_labels("<type>")
        at = self.here
        self.deeper()
        text = self._simple_type()
        while self.looking_at("ARRAY"):
            self.take()
            if self.accept("["):
                self.integer()  # Trino reads the size and forgets it
                self.expect("]")
            text = f"array({text})"
        self.depth -= 1
        return text, at

    def _simple_type(self) -> str:
        word, following = self.token.word, self.word_ahead(1)
        if word == "ROW" and following == "(":
            self.take()
            return f"{self._last_text()}({', '.join(self.take_bracketed_list(self._row_field))})"
        if word == "INTERVAL" and following in INTERVAL_FIELDS:
            return self._interval_type()
        if word in ("TIMESTAMP", "TIME"):
            return self._time_type()
        if word == "DOUBLE" and following == "PRECISION":
            self.index += 2
            return "double"
        if word == "ARRAY" and following == "<":
            self.index += 2
            element = self.type_text()[0]
            self.expect(">")
            return f"array({element})"
        if word == "MAP" and following == "<":
            self.index += 2
            key = self.type_text()[0]
            self.expect(",")
            value = self.type_text()[0]
            self.expect(">")
            return f"map({key}, {value})"
        if not self.is_identifier():
            self.fail("<type>")
        self.identifier()
        base = self._last_text()
        if self.looking_at("("):
            return f"{base}({', '.join(self.take_bracketed_list(self._type_parameter))})"
        return base

    def _last_text(self) -> str:
        return self.tokens[self.index - 1].text

    def _type_parameter(self) -> str:
        self.note_labels("<integer>")
        if self.token.kind == INTEGER:
            return str(self.integer())
        return self.type_text()[0]

    def _interval_type(self) -> str:
        self.take()
        fields = [self.take().word]
        if self.accept("TO"):
            fields.append(self.expect_any(*INTERVAL_FIELDS))
        return f"interval {' to '.join(fields)}".lower()

    def _time_type(self) -> str:
        self.take()
        text = self._last_text()
        if self.accept("("):
            text += f"({self._type_parameter()})"
            self.expect(")")
        if self.looking_at("WITH") and self.word_ahead(1) != "(":  # a column's properties
            self.expect("WITH", "TIME", "ZONE")
            return f"{text} with time zone"
        if self.accept("WITHOUT"):
            self.expect("TIME", "ZONE")
        return text

    def _row_field(self) -> str:
        """A type alone, or a name and a type; ``a array`` is the type, as in Trino."""
        mark = self.mark()
        if not (self.is_identifier(1) and self.word_ahead(2) in ("(", "<")):
            kind = self.type_text()[0]
            if self.looking_at_any(",", ")"):
                return kind
            self.rewind(mark)
        self.identifier()
        name = self._last_text()
        return f"{name} {self.type_text()[0]}"
