"""What statements about access are answered with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.binding.binder import Binder
from sqe.errors import ErrorCode, UserError
from sqe.policy.policy import Policy
from sqe.sql.statement import Statement, position_at
from sqe.sql.text import TextLimits

if TYPE_CHECKING:
    from sqe.policy.grants.book import GrantBook

_HOW = "Set sql = true under [policy] in the settings, and name administrators there."


@dataclass(frozen=True)
class AccessTools:
    """``book``: the rules made with SQL; None where the settings do not have them. ``hash_keys``
    are the names of the keys that there are."""

    policy: Policy
    binder: Binder
    limits: TextLimits
    book: GrantBook | None = None
    hash_keys: frozenset[str] = frozenset()

    def open_for(self, statement: Statement) -> GrantBook:
        """The book, or a refusal that says how to get one."""
        if self.book is None:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"{statement.label.upper()} is not supported: SQE keeps no rules made with SQL.",
                hint=_HOW,
                position=position_at(statement.text, 0),
            )
        return self.book
