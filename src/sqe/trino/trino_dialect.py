"""Trino's SQL as the core knows it: a dialect of statements, and one of policies' expressions.

Light: what translates is imported when the first text in this dialect comes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.access.functions import SqlFunctions
from sqe.access.policy_authority import PolicyReading
from sqe.access.relations import Relations
from sqe.binding.bound import BoundTable, BoundView
from sqe.catalog.protocol import Catalogs
from sqe.catalog.redaction import Redaction
from sqe.model.identity import Identity
from sqe.model.query import ClientState, QueryRequest
from sqe.sessions.session import Session

if TYPE_CHECKING:
    from sqe.gateway.dialects import Translation

TRINO = "trino"


@dataclass(frozen=True)
class TrinoDialect:
    """Implements ``gateway.dialects.Dialect``. ``grants``: rules can be made with SQL."""

    catalogs: Catalogs
    redaction: Redaction
    grants: bool = False
    functions: SqlFunctions | None = None

    def translate(
        self, request: QueryRequest, session: Session, relations: Relations
    ) -> Translation:
        from sqe.trino.lookup import PipeLookup
        from sqe.trino.translation import translate_request

        client = request.client or ClientState()
        lookup = PipeLookup(
            self.catalogs, session, client, relations, self.redaction, self.functions
        )
        return translate_request(request, session, lookup, grants=self.grants)


class TrinoExpressions:
    """Implements ``access.policy_authority.ExpressionDialect``: of rules.json and OPA."""

    def expression(
        self,
        sql: str,
        kind: str,
        target: BoundTable | BoundView,
        identity: Identity,
        reading: PolicyReading,
    ) -> str:
        from sqe.trino.lookup import PipeLookup
        from sqe.trino.policy_expressions import trino_expression

        lookup = PipeLookup(reading.catalogs, reading.session, ClientState(), reading.relations)
        return trino_expression(sql, kind, target, lookup, identity)
