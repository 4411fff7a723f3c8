"""Asks every source and combines what they say. Any deny denies, and so does any failure."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Allow, Decision, Deny, Restrict, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import Mask, strictest
from sqe.model.rules import Object, Privilege
from sqe.policy.source import PolicySource

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class Policy:
    """No sources at all is a deny, not an allow."""

    def __init__(self, sources: Sequence[PolicySource]) -> None:
        self.sources = tuple(sources)

    def decide(
        self, identity: Identity, tables: Iterable[TableFacts]
    ) -> dict[TableFacts, Decision]:
        """One decision for each table and privilege."""
        return {table: self._decided(identity, table) for table in tables}

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        answer = combined(self._asked(lambda source: source.permits(identity, privilege, on), Deny))
        # A source that restricts what has no rows has misunderstood: fail closed.
        return answer if not isinstance(answer, Restrict) else Deny(answer.reason)

    def check(self, identity: Identity, privilege: Privilege, on: Object) -> None:
        """ACCESS_DENIED in the same words whether it is there or not."""
        if isinstance(self.permits(identity, privilege, on), Deny):
            raise denied(privilege, on)

    def visible(self, identity: Identity, objects: Sequence[Object]) -> list[bool]:
        """Which of them the user may know of."""
        if not self.sources or not objects:
            return [False] * len(objects)
        none = [False] * len(objects)
        answers = self._asked(
            lambda source: list(source.visible(identity, objects)), lambda why: none
        )
        return [
            all(len(one) == len(objects) and one[place] for one in answers)
            for place in range(len(objects))
        ]

    def _decided(self, identity: Identity, table: TableFacts) -> Decision:
        return combined(self._asked(lambda source: source.decide(identity, table), Deny))

    def _asked(self, ask: Callable[[PolicySource], _T], failed: Callable[[str], _T]) -> list[_T]:
        answers: list[_T] = []
        for source in self.sources:
            try:
                answers.append(ask(source))
            except Exception:  # noqa: BLE001
                # Whatever went wrong, the user must not get through because of it.
                _log.exception("policy source %s failed", source.name)
                answers.append(failed(f"the policy source {source.name} could not answer"))
        return answers


def denied(privilege: Privilege, on: Object) -> AccessError:
    what = privilege.value
    return AccessError(ErrorCode.ACCESS_DENIED, f"You may not {what} {on}, or it does not exist.")


def combined(answers: Sequence[Decision]) -> Decision:
    """Any deny denies, filters are ANDed, the strictest mask wins."""
    if not answers:
        return Deny("no policy source answered")
    for answer in answers:
        if isinstance(answer, Deny):
            return answer
    restrictions = [answer for answer in answers if isinstance(answer, Restrict)]
    if not restrictions:
        return answers[0]
    masks: dict[str, Mask] = {}
    for restriction in restrictions:
        for column, mask in restriction.masks.items():
            name = column.lower()
            strict = strictest(masks.get(name, mask), mask)
            if strict is None:
                return Deny(f"two masks on column {column}, neither the stricter one")
            masks[name] = strict
    return Restrict(
        reason="; ".join(r.reason for r in restrictions),
        filters=tuple(dict.fromkeys(f for r in restrictions for f in r.filters)),
        masks=masks,
        hidden=frozenset(name.lower() for r in restrictions for name in r.hidden),
    )
