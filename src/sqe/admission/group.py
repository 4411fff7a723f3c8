"""A resource group while SQE runs: who waits in it, who runs, who is next."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqe.admission.document import GroupSpec
from sqe.admission.request import AdmissionRequest
from sqe.admission.user_limits import Limit

_NO_LIMIT = Limit(0, "")
_BELOW_SOFT_LIMIT = 2**31  # how much more often a group is chosen while it is below its soft limit


@dataclass(eq=False, slots=True)
class Ticket:
    """One statement: it waits, runs, or has ended. ``start`` and ``refuse`` are called at most
    once, and not both."""

    request: AdmissionRequest
    start: Callable[[], None]
    refuse: Callable[[Exception], None]
    longest_wait: Callable[[], Limit] = lambda: _NO_LIMIT  # as it is now
    number: int = 0  # in the order they came
    group: ResourceGroup | None = None
    waiting: bool = False
    running: bool = False
    since: float = 0.0  # when it began to wait, or to run

    @property
    def group_name(self) -> str:
        return self.group.full_name if self.group is not None else ""


class CpuBudget:
    """Seconds of engine time that a group may use in a period; they come back evenly."""

    def __init__(self, soft: float, hard: float, period: float, now: float) -> None:
        self._soft, self._hard, self._period = soft, hard, period
        self._used = 0.0
        self._at = now

    def charge(self, seconds: float, now: float) -> None:
        self._used = self.usage(now) + max(seconds, 0.0)
        self._at = now

    def usage(self, now: float) -> float:
        """A clock that goes back gives nothing back."""
        regained = max(now - self._at, 0.0) * self._hard / self._period
        return max(self._used - regained, 0.0)

    def share(self, now: float) -> float:
        """Of the group's concurrency: all of it up to the soft limit, none from the hard one on."""
        used = self.usage(now)
        if used <= self._soft:
            return 1.0
        if used >= self._hard:
            return 0.0
        return (self._hard - used) / (self._hard - self._soft)


@dataclass(eq=False)
class ResourceGroup:
    """``running`` and ``queued`` count the groups below it, too. All of a tree is changed under
    one lock, which its owner holds."""

    spec: GroupSpec
    name: str
    parent: ResourceGroup | None
    cpu: CpuBudget | None = None
    running: int = 0
    queued: int = 0
    groups: dict[str, ResourceGroup] = field(default_factory=dict)
    waiting: dict[int, Ticket] = field(default_factory=dict)  # of a leaf, by number
    last_started: int = 0

    @property
    def path(self) -> list[ResourceGroup]:
        """From itself up to the root."""
        groups: list[ResourceGroup] = [self]
        while (parent := groups[-1].parent) is not None:
            groups.append(parent)
        return groups

    @property
    def full_name(self) -> str:
        return ".".join(group.name for group in reversed(self.path))

    @property
    def name_in_file(self) -> str:
        """With the variables as they are written: ``global.${USER}``."""
        return ".".join(group.spec.name for group in reversed(self.path))

    def may_start(self, now: float) -> bool:
        """One more, by its own limits."""
        limit = self.spec.hard_concurrency
        if self.cpu is not None:
            share = self.cpu.share(now)
            limit = max(1, int(limit * share)) if share else 0
        return self.running < limit

    def may_queue(self) -> bool:
        return self.queued < self.spec.max_queued

    @property
    def unused(self) -> bool:
        return not self.running and not self.queued

    def count(self, *, running: int = 0, queued: int = 0) -> None:
        for group in self.path:
            group.running += running
            group.queued += queued

    def next_ticket(self, now: float) -> Ticket | None:
        """Which of those that wait in or below it starts next; None: none may."""
        if not self.queued or not self.may_start(now):
            return None
        if self.waiting:
            return self._first()
        for group in self._in_order(now):
            ticket = group.next_ticket(now)
            if ticket is not None:
                return ticket
        return None

    def walk(self) -> Iterator[ResourceGroup]:
        yield self
        for group in self.groups.values():
            yield from group.walk()

    def _first(self) -> Ticket:
        tickets = list(self.waiting.values())
        if self.spec.policy == "query_priority":
            return min(tickets, key=lambda ticket: (-ticket.request.priority, ticket.number))
        if self.spec.policy == "weighted":
            weights = [ticket.request.priority for ticket in tickets]
            return random.choices(tickets, weights)[0]  # noqa: S311  a lottery, not a secret
        return tickets[0]

    def _in_order(self, now: float) -> list[ResourceGroup]:
        """The groups below it that have somebody waiting, the one to be served first first."""
        able = [group for group in self.groups.values() if group.queued and group.may_start(now)]
        match self.spec.policy:
            case "fair":
                return sorted(able, key=lambda group: group.last_started)
            case "weighted_fair":
                return sorted(
                    able, key=lambda group: (group.running / group.spec.weight, group.last_started)
                )
            case "weighted":
                # Random order in which the heavier ones are likely to be early.
                return sorted(able, key=lambda group: -(random.random() ** (1 / group.chance)))  # noqa: S311
            case _:
                return sorted(able, key=lambda group: group.highest)

    @property
    def chance(self) -> float:
        soft = self.spec.soft_concurrency
        above = soft is not None and self.running >= soft
        return self.spec.weight * (1 if above else _BELOW_SOFT_LIMIT)

    @property
    def highest(self) -> tuple[int, int]:
        """Of those that wait in or below it, the one to be served first: its rank."""
        ranks = [(-ticket.request.priority, ticket.number) for ticket in self.waiting.values()]
        ranks += [group.highest for group in self.groups.values() if group.queued]
        return min(ranks)
