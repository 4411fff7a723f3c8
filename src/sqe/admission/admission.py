"""Lets statements run, wait or be refused, by the resource groups of a file or of the settings."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sqe.admission.document import Document, GroupSpec, read_document
from sqe.admission.group import CpuBudget, ResourceGroup, Ticket
from sqe.admission.request import AdmissionRequest, Place, place_of
from sqe.admission.user_limits import Limit, LimitRules
from sqe.errors import ErrorCode, ResourceError
from sqe.settings.watched import Files, Watched

_log = logging.getLogger(__name__)
_UNREAD = -1  # no version
_WATCH_S = 0.5  # how often those that wait are looked at, besides when a statement ends


class Groups(Protocol):
    """Where the groups come from: ``version`` is another number for other groups."""

    @property
    def value(self) -> Document: ...

    @property
    def version(self) -> int: ...

    @property
    def problem(self) -> str: ...

    def limit_names(self, group: ResourceGroup) -> tuple[str, str]:
        """What its limits of running and of waiting statements are called where they are set."""
        ...


@dataclass(frozen=True)
class GroupsOfSettings:
    """Everybody has a group of their own below one for all. Fair: who has started nothing for
    longest is served first."""

    value: Document
    version: int = 1
    problem: str = ""

    def limit_names(self, group: ResourceGroup) -> tuple[str, str]:
        of_user = "_per_user" if group.parent is not None else ""
        return f"limits.running_queries{of_user}", "limits.queued_queries"


def groups_of_settings(running: int, per_user: int, queued: int) -> GroupsOfSettings:
    user = {"name": "${USER}", "hardConcurrencyLimit": per_user, "maxQueued": queued}
    everybody = {"name": "global", "hardConcurrencyLimit": running, "maxQueued": queued}
    return GroupsOfSettings(
        Document.model_validate(
            {
                "rootGroups": [{**everybody, "subGroups": [user]}],
                "selectors": [{"group": "global.${USER}"}],
            }
        )
    )


class GroupsOfFile:
    """Read again when the file changes. INVALID_SETTINGS where it is broken from the start."""

    def __init__(self, path: Path) -> None:
        self._watched: Watched[Document] = Watched(path, _read)

    @property
    def value(self) -> Document:
        return self._watched.value

    @property
    def version(self) -> int:
        return self._watched.version

    @property
    def problem(self) -> str:
        return self._watched.problem

    def limit_names(self, group: ResourceGroup) -> tuple[str, str]:
        return "its hardConcurrencyLimit", f'maxQueued of "{group.full_name}"'


def _read(files: Files) -> Document:
    (content,) = files.values()
    document = read_document(content)
    memory = [spec.name for root in document.roots for spec in root.walk() if spec.soft_memory]
    if memory:
        _log.warning(
            "softMemoryLimit of the resource groups %s is not applied: local.memory_mb and Spark's "
            "heap limit memory",
            ", ".join(memory),
        )
    return document


class Admission:
    """Thread-safe. Nobody waits on a thread: who may start is called back, on the thread of the
    statement that made room."""

    def __init__(
        self,
        groups: Groups,
        limits: LimitRules | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits or LimitRules()
        self._source = groups
        self._clock = clock
        self._lock = threading.Lock()
        self._document = groups.value
        self._version = groups.version
        self._roots: dict[str, ResourceGroup] = {}
        self._tickets: dict[int, Ticket] = {}  # those that wait or run
        self._numbers = 0
        self._watching = False
        self._closed: Exception | None = None

    @property
    def problem(self) -> str:
        """What is wrong with the file as it is now; "": it is what holds."""
        return self._source.problem

    def replace(self, groups: Groups, limits: LimitRules) -> None:
        """From now on these hold, for what waits and runs as well."""
        with self._lock:
            self._source, self.limits = groups, limits
            self._version = _UNREAD
            starting = self._refresh()
        for ticket in starting:
            ticket.start()

    def enter(self, ticket: Ticket) -> None:
        """Starts the statement, or lets it wait. ResourceError: it may do neither."""
        with self._lock:
            changed = self._refresh()
            if self._closed is not None:
                raise self._closed
            group = self._group(self._place(ticket.request))
            now = self._clock()
            self._numbers += 1
            ticket.number, ticket.group, ticket.since = self._numbers, group, now
            starts = all(above.may_start(now) for above in group.path)
            if starts and not group.queued:
                self._run(ticket)
            else:
                self._check_queue(group, now)
                self._wait(ticket)
                self._watch()
        for other in changed:
            other.start()
        if ticket.running:
            ticket.start()

    def check(self, request: AdmissionRequest) -> None:
        """For what neither waits nor counts: raises where a statement would be refused now."""
        with self._lock:
            self._refresh()
            group = self._group(self._place(request))
            now = self._clock()
            if not all(above.may_start(now) for above in group.path):
                self._check_queue(group, now)
            self._forget_unused(group)

    def leave(self, ticket: Ticket) -> None:
        """It has ended, started or not. Others may start now."""
        with self._lock:
            now = self._clock()
            if ticket.group is not None and ticket.running:
                for group in ticket.group.path:
                    if group.cpu is not None:
                        group.cpu.charge(now - ticket.since, now)
            self._remove(ticket)
            if ticket.group is not None:
                self._forget_unused(ticket.group)
            starting = list(self._start_waiting())
        for other in starting:
            other.start()

    def withdraw(self, ticket: Ticket) -> bool:
        """Whether it was waiting; it will not start."""
        with self._lock:
            waited = ticket.waiting
            if waited:
                self._remove(ticket)
                if ticket.group is not None:
                    self._forget_unused(ticket.group)
        return waited

    def position_in_queue(self, ticket: Ticket) -> int:
        """How many wait in its group since before it."""
        with self._lock:
            group = ticket.group
            if group is None or not ticket.waiting:
                return 0
            return sum(1 for number in group.waiting if number < ticket.number)

    def close(self, because: Exception) -> None:
        """Refuses all that wait, and all that come."""
        with self._lock:
            self._closed = because
            waiting = [ticket for ticket in self._tickets.values() if ticket.waiting]
            for ticket in waiting:
                self._remove(ticket)
        for ticket in waiting:
            ticket.refuse(because)

    def figures(self) -> list[tuple[str, int, int]]:
        """Of each group in use: its name, how many run and how many wait there."""
        with self._lock:
            return [
                (group.full_name, group.running, group.queued)
                for root in self._roots.values()
                for group in root.walk()
            ]

    def totals(self) -> dict[str, tuple[int, int]]:
        """How many run and wait, by the groups' names in the file: those of users are one there."""
        totals: dict[str, tuple[int, int]] = {}
        with self._lock:
            for root in self._roots.values():
                for group in root.walk():
                    running, queued = totals.get(group.name_in_file, (0, 0))
                    total = running + group.running, queued + group.queued
                    totals[group.name_in_file] = total
        return totals

    def _place(self, request: AdmissionRequest) -> Place:
        place = place_of(self._document, request)
        if place is None:
            raise ResourceError(
                ErrorCode.QUERY_REJECTED,
                "Query did not match any selection rule of the resource groups.",
                hint="Ask whoever keeps the resource groups for a selector that fits you.",
            )
        return place

    def _group(self, place: Place) -> ResourceGroup:
        level, parent = self._roots, None
        for spec, name in zip(place.specs, place.names, strict=True):
            group = level.get(name)
            if group is None:
                group = level[name] = ResourceGroup(spec, name, parent, self._budget(spec))
            level, parent = group.groups, group
        assert parent is not None  # noqa: S101  a place has at least the root
        return parent

    def _budget(self, spec: GroupSpec) -> CpuBudget | None:
        if spec.hard_cpu is None or self._document.cpu_period is None:
            return None
        soft = spec.hard_cpu if spec.soft_cpu is None else spec.soft_cpu
        return CpuBudget(soft, spec.hard_cpu, self._document.cpu_period, self._clock())

    def _check_queue(self, group: ResourceGroup, now: float) -> None:
        full = next((above for above in group.path if not above.may_queue()), None)
        if full is None:
            return
        busy = next((above for above in group.path if not above.may_start(now)), full)
        running_limit, queue_limit = (
            self._source.limit_names(busy)[0],
            self._source.limit_names(full)[1],
        )
        runs = "query runs" if busy.running == 1 else "queries run"
        waits = "waits" if full.queued == 1 else "wait"
        text = (
            f'{busy.running} {runs} in the resource group "{busy.full_name}" ({running_limit}), '
            f"and {full.queued} {waits}; {queue_limit} allows no more."
        )
        self._forget_unused(group)
        raise ResourceError(
            ErrorCode.TOO_MANY_QUERIES, text, hint="Wait until one has ended, or cancel one."
        )

    def _run(self, ticket: Ticket) -> None:
        assert ticket.group is not None  # noqa: S101  a ticket that enters has one
        if not ticket.running:
            ticket.waiting, ticket.running, ticket.since = False, True, self._clock()
        self._tickets[ticket.number] = ticket
        ticket.group.count(running=1)
        for group in ticket.group.path:
            self._numbers += 1
            group.last_started = self._numbers

    def _wait(self, ticket: Ticket) -> None:
        assert ticket.group is not None  # noqa: S101
        ticket.waiting = True
        self._tickets[ticket.number] = ticket
        ticket.group.waiting[ticket.number] = ticket
        ticket.group.count(queued=1)

    def _remove(self, ticket: Ticket) -> None:
        self._tickets.pop(ticket.number, None)
        if ticket.group is None:
            return
        if ticket.waiting:
            del ticket.group.waiting[ticket.number]
            ticket.group.count(queued=-1)
        if ticket.running:
            ticket.group.count(running=-1)
        ticket.waiting = ticket.running = False

    def _start_waiting(self) -> Iterator[Ticket]:
        """All that may start now, counted as running."""
        now = self._clock()
        for root in self._roots.values():
            while (ticket := root.next_ticket(now)) is not None:
                assert ticket.group is not None  # noqa: S101
                del ticket.group.waiting[ticket.number]
                ticket.group.count(queued=-1)
                self._run(ticket)
                yield ticket

    def _forget_unused(self, group: ResourceGroup) -> None:
        """Groups are as many as there are users: those without work go, unless they owe cpu."""
        for unused in group.path:
            if not unused.unused or unused.groups:
                return
            if unused.cpu is not None and unused.cpu.usage(self._clock()):
                return
            level = self._roots if unused.parent is None else unused.parent.groups
            level.pop(unused.name, None)

    def _refresh(self) -> list[Ticket]:
        """Takes up changed groups: what runs and waits is put where it belongs now. Those that
        may start by them."""
        version = self._source.version
        if version == self._version:
            return []
        self._version, self._document = version, self._source.value
        self._roots = {}
        starting: list[Ticket] = []
        tickets, self._tickets = list(self._tickets.values()), {}
        for ticket in tickets:
            place = place_of(self._document, ticket.request)
            if place is None:  # no group has it any more: it runs, and does not count
                ticket.group = None
                if ticket.waiting:
                    ticket.waiting, ticket.running = False, True
                    starting.append(ticket)
                self._tickets[ticket.number] = ticket
                continue
            ticket.group = self._group(place)
            if ticket.running:
                self._run(ticket)
            else:
                self._wait(ticket)
        return [*starting, *self._start_waiting()]

    def _watch(self) -> None:
        """While somebody waits, a thread looks at time limits, at cpu that has come back and at
        the file: nothing else may ever end."""
        if not self._watching:
            self._watching = True
            threading.Thread(target=self._look, name="admission", daemon=True).start()

    def _look(self) -> None:
        while True:
            time.sleep(_WATCH_S)
            late: list[tuple[Ticket, Limit]] = []
            with self._lock:
                starting = self._refresh()
                now = self._clock()
                for ticket in list(self._tickets.values()):
                    limit = ticket.longest_wait()
                    if ticket.waiting and limit and now - ticket.since >= limit.value:
                        self._remove(ticket)
                        late.append((ticket, limit))
                starting += self._start_waiting()
                self._watching = any(ticket.waiting for ticket in self._tickets.values())
                goes_on = self._watching
            for ticket in starting:
                ticket.start()
            for ticket, limit in late:
                ticket.refuse(_wait_error(ticket, limit))
            if not goes_on:
                return


def _wait_error(ticket: Ticket, limit: Limit) -> ResourceError:
    return ResourceError(
        ErrorCode.TIMEOUT,
        f'The query waited {limit.value:g} s in the resource group "{ticket.group_name}"; '
        f"{limit.setting} allows no more.",
        hint="Try again later.",
    )
