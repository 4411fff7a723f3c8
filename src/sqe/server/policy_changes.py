"""Two sets of rules, compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.policy.diff import Difference, differences
from sqe.policy.policy import Policy
from sqe.policy.words import as_json
from sqe.server.policy_files import open_rules


@dataclass(frozen=True)
class Change:
    found: Difference

    def __str__(self) -> str:
        return str(self.found)

    def json(self) -> dict[str, Any]:
        one = self.found
        return {
            "subject": {"kind": one.subject.kind.value, "name": one.subject.name},
            "change": one.verb,
            "privilege": one.privilege.value,
            "on": {"kind": one.on.kind.value, "parts": list(one.on.parts)},
            "before": as_json(one.before),
            "after": as_json(one.after),
        }


def changes(old: Path, new: Path) -> Iterator[Change]:
    before, after = open_rules(old), open_rules(new)
    one, other = Policy([before.source]), Policy([after.source])
    for found in differences(one, other, before.named | after.named):
        yield Change(found)
