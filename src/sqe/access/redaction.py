"""What a user sees of, and may do with, a stored table or view that no statement names."""

from __future__ import annotations

from sqe.access.stored_relation import decide_access, relation_of_loaded
from sqe.access.view_disclosure import ViewDisclosure
from sqe.catalog.protocol import Json, Loaded
from sqe.catalog.redaction import redact_metadata, without_query
from sqe.model.decision import Deny, Restrict
from sqe.model.identity import Identity
from sqe.model.names import RelationName
from sqe.policy.policy import Policy
from sqe.sql.statement import Access


class PolicyRedaction:
    """Implements ``catalog.redaction.Redaction``: the same that DESCRIBE of it would show."""

    def __init__(self, policy: Policy, insides: ViewDisclosure) -> None:
        self._policy = policy
        self._insides = insides

    def __call__(
        self, identity: Identity, name: RelationName, loaded: Loaded, view: bool
    ) -> Json | None:
        if not self._policy.ruled and not loaded.restrictions:
            return loaded.metadata
        target = relation_of_loaded(name, loaded, view)
        decision = decide_access(self._policy, identity, target, Access.DESCRIBE)
        if isinstance(decision, Deny):
            return None
        metadata = loaded.metadata
        if isinstance(decision, Restrict):
            metadata = redact_metadata(metadata, decision)
        return self._of_view(identity, name, metadata) if view else metadata

    def _of_view(self, identity: Identity, name: RelationName, metadata: Json) -> Json | None:
        if not self._insides.readable(identity, name):
            return None
        alone = self._insides.readable_alone(identity, name)
        return metadata if alone else without_query(metadata)
