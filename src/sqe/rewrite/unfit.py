"""A policy that cannot be carried out refuses the query, and does not show itself."""

from __future__ import annotations

import logging

from sqe.errors import AccessError, ErrorCode
from sqe.model.names import RelationName

_log = logging.getLogger(__name__)
HINT = "The administrator of the policy can mend it."


class Unfit(Exception):
    """Why an expression cannot be used. For the log: users are told ``refusal`` only."""


def refusal(table: RelationName | str, why: str = "") -> AccessError:
    """Names the table, which the user has named too, and nothing of the policy."""
    if why:
        _log.warning("the policy on %s cannot be carried out: %s", table, why)
    return AccessError(
        ErrorCode.ACCESS_DENIED, f"The policy on {table} cannot be carried out.", hint=HINT
    )
