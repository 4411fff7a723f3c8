"""A set of rules, opened to be compared and checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.model.rules import Object
from sqe.policy.named import Named
from sqe.policy.source import PolicySource


@dataclass(frozen=True, order=True)
class Finding:
    """A rule that cannot do what whoever wrote it may think. Only what is certain is one; a rule
    without a finding may still be wrong.

    ``kind`` is a stable word: shadowed, never, absent, mask, filter, column, unheld."""

    where: str
    kind: str
    words: str

    def __str__(self) -> str:
        return f"{self.where}: {self.words} [{self.kind}]"


@dataclass(frozen=True)
class RuleSet:
    """``findings``: from the rules alone. ``places``: what each rule names that a catalog should
    have."""

    source: PolicySource
    named: Named
    findings: tuple[Finding, ...]
    places: tuple[tuple[str, Object], ...] = ()


@dataclass(frozen=True)
class RuleFile:
    """A file or folder of rules. ``document``: its content as JSON; None: it is no JSON."""

    path: Path
    document: Any = None
