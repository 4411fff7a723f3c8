"""What came of a statement."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tests.fidelity.corpus import Case


class Outcome(Enum):
    IDENTICAL = "identical"
    REFUSED = "refused"
    DIFFERENT = "different"
    FAILED = "failed"
    REVIEWED = "reviewed"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Result:
    """`reason` groups; `detail` is what was answered instead, for people."""

    case: Case
    outcome: Outcome
    reason: str = ""
    detail: str = ""
