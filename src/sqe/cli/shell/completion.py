"""Completion: keywords always, names of the lakehouse, columns of the tables in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document

from sqe.cli.shell.commands import COMMANDS
from sqe.cli.shell.keywords import KEYWORDS

if TYPE_CHECKING:
    from sqe.cli.shell.meta import Command
    from sqe.cli.shell.names import Names

_WORD = re.compile(r"[\w.`]+$")
_WANTS_RELATION = re.compile(
    r"\b(FROM|JOIN|INTO|UPDATE|TABLE|USE|IN|DESCRIBE|DESC|VIEW|MERGE INTO)\s+[\w.`]*$",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"(?:^|\s)(\\\S*)$")
_ARGUMENT = re.compile(r"(?:^|\s)(\\\S+)\s+(\S*)$")


class SqlCompleter(Completer):
    def __init__(self, names: Names) -> None:
        self._names = names

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        before = document.text_before_cursor
        command = _COMMAND.search(before)
        if command is not None:
            typed = command.group(1)
            yield from (
                Completion(name, -len(typed)) for name in COMMANDS if name.startswith(typed)
            )
            return
        argument = _ARGUMENT.search(before)
        if argument is not None and argument.group(1) in COMMANDS:
            yield from self._arguments(COMMANDS[argument.group(1)], argument.group(2))
            return
        match = _WORD.search(before)
        word = match.group() if match else ""
        for candidate in self._candidates(before, document.text, word):
            if candidate.lower().startswith(word.lower()) and candidate != word:
                yield Completion(candidate, -len(word))

    def _arguments(self, command: Command, typed: str) -> Iterator[Completion]:
        if command.completes == "file":
            yield from PathCompleter(expanduser=True).get_completions(
                Document(typed), CompleteEvent()
            )
            return
        names = self._names.relations() if command.completes == "relation" else command.choices
        for name in dict.fromkeys(names):
            if name.lower().startswith(typed.lower()) and name != typed:
                yield Completion(name, -len(typed))

    def _candidates(self, before: str, text: str, word: str) -> Iterator[str]:
        if _WANTS_RELATION.search(before):
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
