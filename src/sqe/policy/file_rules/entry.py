"""``policy.file``: rules in Trino's ``rules.json``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqe.policy.rule_set import RuleFile, RuleSet
from sqe.policy.source_type import SourceParts, SourceType
from sqe.settings.policy import FileRulesSettings

if TYPE_CHECKING:
    from sqe.policy.file_rules.source import FileRules


def _make(file: FileRulesSettings, parts: SourceParts) -> FileRules:
    from sqe.policy.file_rules.source import FileRules

    return FileRules(parts.settings.in_home(file.path))


def _rules(file: FileRulesSettings, parts: SourceParts) -> RuleSet:
    return _open(parts.settings.in_home(file.path))


def _read(file: RuleFile) -> RuleSet | None:
    return None if file.document is None else _open(file.path)


def _open(path: Path) -> RuleSet:
    from sqe.policy.file_rules.lint import lint_file_rules
    from sqe.policy.file_rules.named import in_file_rules
    from sqe.policy.file_rules.source import FileRules
    from sqe.policy.named import OTHER

    source = FileRules(path)  # checks its form first
    content = path.read_bytes()
    named = in_file_rules(content)
    places = tuple((path.name, on) for on in named.objects if OTHER not in on.parts)
    return RuleSet(source, named, tuple(lint_file_rules(content)), places)


FILE = SourceType("file", _make, _rules, _read)
