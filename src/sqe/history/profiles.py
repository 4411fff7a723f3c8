"""Of which queries the plan and the operators' figures are kept."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from sqe.audit.redact import redact
from sqe.model.query import Profile, QueryRecord

_log = logging.getLogger(__name__)
_MOST = 20_000  # characters of each text: records of ended queries are kept in memory
MakeProfile = Callable[[], Profile]


@dataclass(frozen=True, slots=True)
class ProfileRule:
    """``after_s``: of those that took at least that long, and of those that failed. None: of
    none."""

    after_s: float | None = None

    def profile_of(
        self, record: QueryRecord, make: MakeProfile, elapsed_s: float, *, failed: bool
    ) -> Profile:
        """Nothing of a query whose user sees only part of what it reads: a plan has the policy's
        conditions in it, and figures count all rows. And no plan with a secret of the text."""
        if self.after_s is None or record.restricted:
            return Profile()
        if not failed and elapsed_s < self.after_s:
            return Profile()
        try:
            made = make()
        except Exception as error:  # noqa: BLE001  a query does not fail of what is kept of it
            _log.debug("query %s has no profile: %s", record.query_id, type(error).__name__)
            return Profile()
        plan = made.plan if redact(record.text) == record.text else ""
        return Profile(plan[:_MOST], made.operators[:_MOST])


NO_PROFILES = ProfileRule()
