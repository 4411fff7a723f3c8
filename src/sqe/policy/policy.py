"""Asks every source and combines what they say. Any deny denies, and so does any failure."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from sqe.errors import AccessError, ErrorCode, SqeError
from sqe.model.decision import Allow, Decision, Deny, Restrict, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import Mask, strictest_of
from sqe.model.observer import UNOBSERVED, Observer
from sqe.model.rules import Object, Privilege
from sqe.policy.cached import MOST, Answers
from sqe.policy.source import RULELESS, KnowsRoles, PolicySource

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_Said = tuple[list[_T], bool]  # what each source says, and whether all of them could


class Policy:
    """What the sources say that are in force. They may be replaced by others: each question is
    asked of the ones or of the others, and no answer of the ones is kept for the others."""

    def __init__(
        self,
        sources: Sequence[PolicySource],
        keep_s: float = 0.0,
        observer: Observer = UNOBSERVED,
    ) -> None:
        self._observer = observer
        self.replace(sources, keep_s)

    def replace(self, sources: Sequence[PolicySource], keep_s: float) -> None:
        self._said = _Answering(sources, keep_s, self._observer)

    @property
    def sources(self) -> tuple[PolicySource, ...]:
        return self._said.sources

    @property
    def ruled(self) -> bool:
        """Whether there are rules. Without any, the catalogs' own are the only gate."""
        sources = self.sources
        return any(source.name not in RULELESS for source in sources) or not sources

    def decide(
        self, identity: Identity, tables: Iterable[TableFacts]
    ) -> dict[TableFacts, Decision]:
        """One decision for each table and privilege."""
        return self._said.decide(identity, tables)

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        return self._said.permits(identity, privilege, on)

    def check(self, identity: Identity, privilege: Privilege, on: Object) -> None:
        """ACCESS_DENIED in the same words whether it is there or not."""
        answer = self.permits(identity, privilege, on)
        if isinstance(answer, Deny):
            raise denial(privilege, on, answer)

    def visible(self, identity: Identity, objects: Sequence[Object]) -> list[bool]:
        """Which of them the user may know of."""
        return self._said.visible(identity, objects)

    def with_roles(self, identity: Identity) -> Identity:
        """The identity with all roles that are in force: those of the login, and what sources
        give. ACCESS_DENIED where one cannot say: whoever is taken to be without a role may pass
        where they should not."""
        return self._said.with_roles(identity)

    def answers(self, identity: Identity, table: TableFacts) -> list[tuple[str, Decision]]:
        """What each source says, asked now: for people who want to know why."""
        return self._said.answers(identity, table)


class _Answering:
    """No sources at all is a deny, not an allow.

    Answers are kept for ``keep_s`` seconds, but never one that a failure is part of. A source
    whose version cannot be told denies: nobody knows of which rules its answer would be.
    """

    def __init__(
        self,
        sources: Sequence[PolicySource],
        keep_s: float,
        observer: Observer,
    ) -> None:
        self.sources = tuple(sources)
        self._observer = observer
        self._kept: Answers[Decision] = Answers(keep_s)
        self._seen: Answers[bool] = Answers(keep_s, most=10 * MOST)  # lists are long
        self._roles: Answers[frozenset[str]] = Answers(keep_s)

    def decide(
        self, identity: Identity, tables: Iterable[TableFacts]
    ) -> dict[TableFacts, Decision]:
        started = perf_counter()
        versions = self._versions()
        decisions = {table: self._decide(identity, table, versions) for table in tables}
        self._note(decisions.values(), started)
        return decisions

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        started = perf_counter()
        answer = self._once(
            (identity, privilege, on),
            self._versions(),
            lambda: self._ask_sources(
                lambda source: source.permits(identity, privilege, on), _deny_unanswered
            ),
        )
        # A source that restricts what has no rows has misunderstood: fail closed.
        answer = answer if not isinstance(answer, Restrict) else Deny(answer.reason)
        self._note((answer,), started)
        return answer

    def _note(self, decisions: Iterable[Decision], started: float) -> None:
        self._observer.note_decisions(map(_word, decisions), perf_counter() - started)

    def visible(self, identity: Identity, objects: Sequence[Object]) -> list[bool]:
        versions = self._versions()
        if not self.sources or versions is None:
            return [False] * len(objects)
        seen = {object_: self._seen.get((versions, identity, object_)) for object_ in objects}
        unknown = [unknown_object for unknown_object, answer in seen.items() if answer is None]
        if unknown:
            answers, whole = self._filter_visible(identity, unknown)
            for unknown_object, answer in zip(unknown, answers, strict=True):
                seen[unknown_object] = answer
                if whole:
                    self._seen.put((versions, identity, unknown_object), answer)
        return [seen[object_] is True for object_ in objects]

    def _filter_visible(self, identity: Identity, objects: Sequence[Object]) -> _Said[bool]:
        none = [False] * len(objects)
        answers, whole = self._ask_sources(
            lambda source: list(source.visible(identity, objects)), lambda why: none
        )
        fit = all(len(answer) == len(objects) for answer in answers)
        if not fit:  # one of them has misunderstood: fail closed
            return none, False
        return [all(answer[at] is True for answer in answers) for at in range(len(objects))], whole

    def with_roles(self, identity: Identity) -> Identity:
        versions = self._versions()
        if versions is None:
            raise _roles_unknown()
        roles = self._roles.get((versions, identity))
        if roles is None:
            roles_of_sources, whole = self._ask_sources(
                lambda source: _roles(source, identity), _no_roles
            )
            if not whole:
                raise _roles_unknown()
            roles = frozenset[str]().union(*roles_of_sources)
            self._roles.put((versions, identity), roles)
        return replace(identity, roles=identity.roles | roles) if roles else identity

    def answers(self, identity: Identity, table: TableFacts) -> list[tuple[str, Decision]]:
        decisions, _ = self._ask_sources(
            lambda source: source.decide(identity, table), _deny_unanswered
        )
        return [
            (source.name, decision)
            for source, decision in zip(self.sources, decisions, strict=True)
        ]

    def _decide(self, identity: Identity, table: TableFacts, versions: Hashable) -> Decision:
        return self._once(
            (identity, table),
            versions,
            lambda: self._ask_sources(
                lambda source: source.decide(identity, table), _deny_unanswered
            ),
        )

    def _once(
        self, what: tuple[Hashable, ...], versions: Hashable, ask: Callable[[], _Said[Decision]]
    ) -> Decision:
        if versions is None:
            return _deny_unanswered("a policy source could not say which rules it has")
        key = (versions, *what)
        decision = self._kept.get(key)
        if decision is None:
            answers, whole = ask()
            decision = combine(answers)
            if whole:
                self._kept.put(key, decision)
        return decision

    def _versions(self) -> Hashable:
        """Of before the questions: an answer of a newer version is only asked for again. None:
        of some source it is not known."""
        versions, whole = self._ask_sources(_version, lambda why: None)
        return tuple(versions) if whole else None

    def _ask_sources(
        self, ask: Callable[[PolicySource], _T], failed: Callable[[str], _T]
    ) -> _Said[_T]:
        answers: list[_T] = []
        whole = True
        for source in self.sources:
            try:
                answers.append(ask(source))
            except Exception as error:  # noqa: BLE001
                # Whatever went wrong, the user must not get through because of it.
                _log.error("policy source %s failed: %s", source.name, _describe_error(error))
                words = f": {error.message}" if isinstance(error, SqeError) else ""
                answers.append(failed(f"the policy source {source.name} could not answer{words}"))
                whole = False
        return answers, whole


def _version(source: PolicySource) -> Hashable:
    version = source.version()
    hash(version)  # of what cannot be a key this raises, where it is taken for a failure
    return version


def _roles(source: PolicySource, identity: Identity) -> frozenset[str]:
    return source.roles_of(identity) if isinstance(source, KnowsRoles) else frozenset()


def _no_roles(why: str) -> frozenset[str]:
    return frozenset()


def _roles_unknown() -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        "A policy source could not say which roles you have, so nothing is allowed.",
        hint="Try again; if it stays so, tell the administrator.",
    )


def _deny_unanswered(why: str) -> Decision:
    return Deny(why, unanswered=True)


def _describe_error(error: Exception) -> str:
    """What happened and where. Of errors that are not SQE's own not their words: they may quote
    what was asked with, as a token or an address."""
    words = f": {error.message}" if isinstance(error, SqeError) else ""
    places = traceback.extract_tb(error.__traceback__)[-3:]
    where = ", ".join(
        f"{Path(place.filename).name}:{place.lineno} {place.name}" for place in places
    )
    return f"{type(error).__name__}{words} ({where})"


def denial(privilege: Privilege, on: Object, why: Deny | None = None) -> AccessError:
    """Of the reason it is only said if nobody could be asked."""
    message = f"You may not {privilege.value} {on}, or it does not exist."
    hint = why.reason if why is not None and why.unanswered else ""
    return AccessError(ErrorCode.ACCESS_DENIED, message, hint=hint)


def _word(decision: Decision) -> str:
    if isinstance(decision, Deny):
        return "unanswered" if decision.unanswered else "deny"
    return "restrict" if isinstance(decision, Restrict) else "allow"


def _is_yes(answer: object) -> bool:
    return isinstance(answer, Allow | Restrict)


def combine(answers: Sequence[Decision]) -> Decision:
    """Any deny denies, filters are ANDed, the strictest mask wins."""
    if not answers:
        return Deny("no policy source answered")
    for answer in answers:
        if isinstance(answer, Deny):
            return answer
        if not _is_yes(answer):
            return Deny("a policy source answered neither yes nor no")
    restrictions = [answer for answer in answers if isinstance(answer, Restrict)]
    if not restrictions:
        return answers[0]
    masks_of: dict[str, list[Mask]] = {}
    for restriction in restrictions:
        for column, mask in restriction.masks.items():
            masks_of.setdefault(column.lower(), []).append(mask)
    masks: dict[str, Mask] = {}
    for column, several in masks_of.items():
        strict = strictest_of(several)
        if strict is None:
            return Deny(f"masks on column {column} of which none is the strictest")
        masks[column] = strict
    return Restrict(
        reason="; ".join(r.reason for r in restrictions),
        filters=tuple(dict.fromkeys(f for r in restrictions for f in r.filters)),
        masks=masks,
        hidden=frozenset(name.lower() for r in restrictions for name in r.hidden),
    )
