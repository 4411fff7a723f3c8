"""Asks every source and combines what they say. Any deny denies, and so does any failure."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sqe.errors import AccessError, ErrorCode, SqeError
from sqe.model.decision import Allow, Decision, Deny, Restrict, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import Mask, strictest_of
from sqe.model.rules import Object, Privilege
from sqe.policy.cached import MOST, Answers
from sqe.policy.source import RULELESS, KnowsRoles, PolicySource

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_Said = tuple[list[_T], bool]  # what each source says, and whether all of them could


class Policy:
    """No sources at all is a deny, not an allow.

    Answers are kept for ``keep_s`` seconds, but never one that a failure is part of. A source
    whose version cannot be told denies: nobody knows of which rules its answer would be.
    """

    def __init__(self, sources: Sequence[PolicySource], keep_s: float = 0.0) -> None:
        self.sources = tuple(sources)
        self._kept: Answers[Decision] = Answers(keep_s)
        self._seen: Answers[bool] = Answers(keep_s, most=10 * MOST)  # lists are long
        self._roles: Answers[frozenset[str]] = Answers(keep_s)

    @property
    def ruled(self) -> bool:
        """Whether there are rules. Without any, the catalogs' own are the only gate."""
        return any(source.name not in RULELESS for source in self.sources) or not self.sources

    def decide(
        self, identity: Identity, tables: Iterable[TableFacts]
    ) -> dict[TableFacts, Decision]:
        """One decision for each table and privilege."""
        versions = self._versions()
        return {table: self._decided(identity, table, versions) for table in tables}

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        answer = self._once(
            (identity, privilege, on),
            self._versions(),
            lambda: self._asked(
                lambda source: source.permits(identity, privilege, on), _unanswered
            ),
        )
        # A source that restricts what has no rows has misunderstood: fail closed.
        return answer if not isinstance(answer, Restrict) else Deny(answer.reason)

    def check(self, identity: Identity, privilege: Privilege, on: Object) -> None:
        """ACCESS_DENIED in the same words whether it is there or not."""
        answer = self.permits(identity, privilege, on)
        if isinstance(answer, Deny):
            raise denied(privilege, on, answer)

    def visible(self, identity: Identity, objects: Sequence[Object]) -> list[bool]:
        """Which of them the user may know of."""
        versions = self._versions()
        if not self.sources or versions is None:
            return [False] * len(objects)
        seen = {one: self._seen.get((versions, identity, one)) for one in objects}
        unknown = [one for one, answer in seen.items() if answer is None]
        if unknown:
            answers, whole = self._shown(identity, unknown)
            for one, answer in zip(unknown, answers, strict=True):
                seen[one] = answer
                if whole:
                    self._seen.put((versions, identity, one), answer)
        return [seen[one] is True for one in objects]

    def _shown(self, identity: Identity, objects: Sequence[Object]) -> _Said[bool]:
        none = [False] * len(objects)
        answers, whole = self._asked(
            lambda source: list(source.visible(identity, objects)), lambda why: none
        )
        fit = all(len(one) == len(objects) for one in answers)
        if not fit:  # one of them has misunderstood: fail closed
            return none, False
        return [all(one[at] is True for one in answers) for at in range(len(objects))], whole

    def known(self, identity: Identity) -> Identity:
        """The identity with all roles that are in force: those of the login, and what sources
        give. ACCESS_DENIED where one cannot say: whoever is taken to be without a role may pass
        where they should not."""
        versions = self._versions()
        if versions is None:
            raise _roles_unknown()
        found = self._roles.get((versions, identity))
        if found is None:
            said, whole = self._asked(lambda source: _roles(source, identity), _no_roles)
            if not whole:
                raise _roles_unknown()
            found = frozenset[str]().union(*said)
            self._roles.put((versions, identity), found)
        return replace(identity, roles=identity.roles | found) if found else identity

    def answers(self, identity: Identity, table: TableFacts) -> list[tuple[str, Decision]]:
        """What each source says, asked now: for people who want to know why."""
        said, _ = self._asked(lambda source: source.decide(identity, table), _unanswered)
        return [(source.name, one) for source, one in zip(self.sources, said, strict=True)]

    def _decided(self, identity: Identity, table: TableFacts, versions: Hashable) -> Decision:
        return self._once(
            (identity, table),
            versions,
            lambda: self._asked(lambda source: source.decide(identity, table), _unanswered),
        )

    def _once(
        self, what: tuple[Hashable, ...], versions: Hashable, ask: Callable[[], _Said[Decision]]
    ) -> Decision:
        if versions is None:
            return _unanswered("a policy source could not say which rules it has")
        key = (versions, *what)
        found = self._kept.get(key)
        if found is None:
            answers, whole = ask()
            found = combined(answers)
            if whole:
                self._kept.put(key, found)
        return found

    def _versions(self) -> Hashable:
        """Of before the questions: an answer of a newer version is only asked for again. None:
        of some source it is not known."""
        versions, whole = self._asked(_version, lambda why: None)
        return tuple(versions) if whole else None

    def _asked(self, ask: Callable[[PolicySource], _T], failed: Callable[[str], _T]) -> _Said[_T]:
        answers: list[_T] = []
        whole = True
        for source in self.sources:
            try:
                answers.append(ask(source))
            except Exception as error:  # noqa: BLE001
                # Whatever went wrong, the user must not get through because of it.
                _log.error("policy source %s failed: %s", source.name, _told(error))
                words = f": {error.message}" if isinstance(error, SqeError) else ""
                answers.append(failed(f"the policy source {source.name} could not answer{words}"))
                whole = False
        return answers, whole


def _version(source: PolicySource) -> Hashable:
    found = source.version()
    hash(found)  # of what cannot be a key this raises, where it is taken for a failure
    return found


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


def _unanswered(why: str) -> Decision:
    return Deny(why, unanswered=True)


def _told(error: Exception) -> str:
    """What happened and where. Of errors that are not SQE's own not their words: they may quote
    what was asked with, as a token or an address."""
    words = f": {error.message}" if isinstance(error, SqeError) else ""
    places = traceback.extract_tb(error.__traceback__)[-3:]
    where = ", ".join(f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in places)
    return f"{type(error).__name__}{words} ({where})"


def denied(privilege: Privilege, on: Object, why: Deny | None = None) -> AccessError:
    """Of the reason it is only said if nobody could be asked."""
    message = f"You may not {privilege.value} {on}, or it does not exist."
    hint = why.reason if why is not None and why.unanswered else ""
    return AccessError(ErrorCode.ACCESS_DENIED, message, hint=hint)


def _is_yes(answer: object) -> bool:
    return isinstance(answer, Allow | Restrict)


def combined(answers: Sequence[Decision]) -> Decision:
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
    given: dict[str, list[Mask]] = {}
    for restriction in restrictions:
        for column, mask in restriction.masks.items():
            given.setdefault(column.lower(), []).append(mask)
    masks: dict[str, Mask] = {}
    for column, several in given.items():
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
