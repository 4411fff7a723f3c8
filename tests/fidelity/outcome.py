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
    # Spark fails too, for another reason than ours: neither an answer nor the same error.
    REFUSED_TOO = "refused where Spark fails"
    OTHER_ERROR = "another error than Spark's"


@dataclass(frozen=True)
class Result:
    """`reason` groups; `detail` is what was answered instead, for people."""

    case: Case
    outcome: Outcome
    reason: str = ""
    detail: str = ""
