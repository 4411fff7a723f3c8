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
    difference: Difference

    def __str__(self) -> str:
        return str(self.difference)

    def json(self) -> dict[str, Any]:
        difference = self.difference
        return {
            "subject": {"kind": difference.subject.kind.value, "name": difference.subject.name},
            "change": difference.verb,
            "privilege": difference.privilege.value,
            "on": {"kind": difference.on.kind.value, "parts": list(difference.on.parts)},
            "before": as_json(difference.before),
            "after": as_json(difference.after),
        }


def changes(old: Path, new: Path) -> Iterator[Change]:
    before, after = open_rules(old), open_rules(new)
    old_policy, other = Policy([before.source]), Policy([after.source])
    for difference in differences(old_policy, other, before.named | after.named):
        yield Change(difference)
