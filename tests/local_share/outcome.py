"""What became of a statement that only the local engine was asked to run."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqe.errors import ErrorCode

_REFUSED = re.compile(r"The local engine does not take this query: (.*)\.\Z", re.DOTALL)


@dataclass(frozen=True)
class Outcome:
    code: ErrorCode | None = None
    message: str = ""

    @property
    def ran(self) -> bool:
        return self.code is None

    @property
    def reason(self) -> str:
        """Why it is Spark's; empty where it has run, or no engine would answer."""
        match = _REFUSED.match(self.message)
        refused = self.code is ErrorCode.NOT_SUPPORTED and match is not None
        return match[1] if refused and match else ""


RAN = Outcome()
