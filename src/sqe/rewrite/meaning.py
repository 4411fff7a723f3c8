"""What names in a statement mean, as values: equal ones are read in the same way."""

from __future__ import annotations

from collections.abc import Hashable

from sqe.binding.bound import BoundReference, BoundTable, BoundView


def meaning_of_target(reference: BoundReference) -> Hashable | None:
    """What a name stands for: the committed state of a table, the text of a view. None for what
    is no table, or is not committed. Whose a guard is (name, groups, claims) is in its text, which
    is a meaning like a view's."""
    target = reference.target
    if isinstance(target, BoundTable):
        loaded = target.loaded
        if loaded is None or loaded.metadata_location is None:
            return None
        state = (loaded.metadata_location, hash(loaded.metadata_json))
        return (target.name, target.ident, target.suffix, target.columns, state)
    if isinstance(target, BoundView):
        view = (target.name, target.relation, target.columns, target.query_columns, target.types)
        guard = target.guard
        guarded = guard is not None and (
            guard.barrier,
            guard.risky,
            bool(guard.keys),
            reference.relation,
        )
        return (view, guarded, target.inner.statement.text)
    return None
