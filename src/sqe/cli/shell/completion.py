"""Completion: keywords always, names of the lakehouse, columns of the tables in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from sqe.cli.shell.keywords import KEYWORDS
from sqe.cli.shell.meta import COMMANDS

if TYPE_CHECKING:
    from sqe.cli.shell.names import Names

_WORD = re.compile(r"[\w.`]+$")
_WANTS_RELATION = re.compile(
    r"\b(FROM|JOIN|INTO|UPDATE|TABLE|USE|IN|DESCRIBE|DESC|VIEW|MERGE INTO)\s+[\w.`]*$",
    re.IGNORECASE,
)
_META_WITH_NAME = re.compile(r"\\(d|dt|dn|c)\s+[\w.`]*$")


class SqlCompleter(Completer):
    def __init__(self, names: Names) -> None:
        self._names = names

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        before = document.text_before_cursor
        if before.startswith("\\") and " " not in before:
            for name in COMMANDS:
                if name.startswith(before):
                    yield Completion(name, -len(before))
            return
        match = _WORD.search(before)
        word = match.group() if match else ""
        for candidate in self._candidates(before, document.text, word):
            if candidate.lower().startswith(word.lower()) and candidate != word:
                yield Completion(candidate, -len(word))

    def _candidates(self, before: str, text: str, word: str) -> Iterator[str]:
        if _WANTS_RELATION.search(before) or _META_WITH_NAME.match(before):
            yield from dict.fromkeys(self._names.relations())
            return
        if not word:
            return
        yield from dict.fromkeys(self._columns(text, word))
        lower = word.islower()
        yield from (keyword.lower() if lower else keyword for keyword in KEYWORDS)

    def _columns(self, text: str, word: str) -> Iterator[str]:
        columns = self._names.columns_of_tables_in(text)
        # Behind an alias (`o.quan`) the columns are offered with it.
        qualifier = word.rpartition(".")[0]
        yield from (f"{qualifier}.{name}" if qualifier else name for name in columns)
