"""Combines the sources' answers. Any deny denies, and so does any failure to answer."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from sqe.model.decision import Decision, Deny, Restrict, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import Mask, strictest
from sqe.policy.source import PolicySource

_log = logging.getLogger(__name__)


def decide(
    sources: Sequence[PolicySource], identity: Identity, tables: Iterable[TableFacts]
) -> dict[TableFacts, Decision]:
    """One decision for each table and access. No sources at all is a deny, not an allow."""
    return {table: _combine(_answers(sources, identity, table)) for table in tables}


def _answers(
    sources: Sequence[PolicySource], identity: Identity, table: TableFacts
) -> list[Decision]:
    answers: list[Decision] = []
    for source in sources:
        try:
            answers.append(source.decide(identity, table))
        except Exception:  # noqa: BLE001
            # Whatever went wrong, the user must not get through because of it.
            _log.exception("policy source %s failed", type(source).__name__)
            answers.append(Deny(f"{type(source).__name__} could not answer"))
    return answers


def _combine(answers: Sequence[Decision]) -> Decision:
    if not answers:
        return Deny("no policy source answered")
    for answer in answers:
        if isinstance(answer, Deny):
            return answer
    restrictions = [answer for answer in answers if isinstance(answer, Restrict)]
    if not restrictions:
        return answers[0]
    if len(restrictions) == 1:
        return restrictions[0]
    masks: dict[str, Mask] = {}
    for restriction in restrictions:
        for column, mask in restriction.masks.items():
            name = column.lower()
            strict = strictest(masks.get(name, mask), mask)
            if strict is None:
                return Deny(f"two masks on column {column}, neither the stricter one")
            masks[name] = strict
    filters = [f"({r.row_filter})" for r in restrictions if r.row_filter]
    return Restrict(
        reason="; ".join(r.reason for r in restrictions),
        row_filter=" AND ".join(filters) or None,
        masks=masks,
        hidden=frozenset().union(*(r.hidden for r in restrictions)),
    )
