"""What the suite needs of a source: a scenario in its own language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from sqe.model.decision import TableFacts
from sqe.model.identity import Identity
from sqe.policy.source import PolicySource
from tests.contract.policies.scenarios import Rule


class Opened(Protocol):
    """A source under some rules."""

    @property
    def source(self) -> PolicySource: ...

    def change(self, rules: Sequence[Rule]) -> None:
        """Other rules instead, as its administrator would make them; the source is the same."""

    def break_it(self) -> None:
        """From now on its rules cannot be had."""

    def facts(self, who: Identity, table: TableFacts) -> TableFacts:
        """As the catalog would give it to that user."""


class Adapter(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def cannot(self) -> Mapping[str, str]:
        """Scenarios, and why they cannot be said in the source's language."""

    @property
    def unversioned(self) -> str:
        """Why a change of rules is no other version; "": it is."""

    @property
    def changes(self) -> tuple[str, str]:
        """Two scenarios under which Ann sees different things."""

    @property
    def lists(self) -> bool:
        """It has a say in what is shown in lists, and in more than reading."""

    def opened(self, rules: Sequence[Rule], folder: Path) -> AbstractContextManager[Opened]: ...
