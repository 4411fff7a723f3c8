"""SHOW EFFECTIVE POLICY and EXPLAIN POLICY: what is decided, by which rules, from which source.

Nobody learns from them what is hidden from them. Only those who may administer a table see the text
of its filters and masks and its hidden columns. Of a table that is denied to them, users do not
even learn whether it exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqe.binding.bound import BoundAbsent, BoundStatement, BoundView
from sqe.coordinator.call import Answer, CommandCall, Row, answer, strings
from sqe.coordinator.granted import facts_of_relation, table_facts
from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Allow, Decision, Deny, Restrict, TableFacts
from sqe.model.grants import PRIVILEGES_ON
from sqe.model.identity import Identity
from sqe.model.mask_words import mask_words
from sqe.model.names import RelationName
from sqe.model.rules import Object, ObjectKind, Privilege, SubjectKind
from sqe.policy.policy import combine
from sqe.policy.read_restrictions import NOTHING
from sqe.rewrite.needs import Key, Need, identity_as, key_of, needs_of
from sqe.sql.access.commands import ExplainPolicy, ShowEffectivePolicy
from sqe.sql.statement import Command

_WORDS: dict[type[Decision], str] = {Allow: "allow", Restrict: "restrict", Deny: "deny"}
_DETAILS = ("privilege", "decision", "source", "reason", "rows", "columns")
_ALL = "all"
_NOT_LENT = "its owner may not read what it is made of, or not let others read it"


@dataclass(frozen=True)
class _Answers:
    """What the sources say about one privilege on one table. ``seen``: to somebody who may know
    that it is there. ``shows_all``: and everything about it."""

    facts: TableFacts
    answers: Sequence[tuple[str, Decision]]
    seen: bool
    shows_all: bool

    @property
    def decision(self) -> Decision:
        return combine([answer for _, answer in self.answers])

    @property
    def denied(self) -> bool:
        return isinstance(self.decision, Deny)

    def row(self) -> Row:
        decision = self.decision
        word, privilege = _WORDS[type(decision)], self.facts.privilege.value
        if isinstance(decision, Deny) and not (self.seen or self.shows_all):
            return privilege, word, None, "you may not, or it does not exist", None, None
        causes = [
            (source, answer) for source, answer in self.answers if _WORDS[type(answer)] == word
        ]
        if len(causes) > 1:
            causes = [(source, answer) for source, answer in causes if answer != NOTHING]
        sources = ", ".join(dict.fromkeys(source for source, _ in causes))
        reasons = "; ".join(dict.fromkeys(answer.reason for _, answer in causes))
        if not causes:  # none of the sources denies by itself
            reasons = decision.reason if self.shows_all else "the rules cannot be combined"
        if self.facts.privilege is not Privilege.SELECT or isinstance(decision, Deny):
            return privilege, word, sources, reasons, None, None
        limits = decision if isinstance(decision, Restrict) else Restrict("")
        return privilege, word, sources, reasons, self._rows(limits), self._columns(limits)

    def _rows(self, limits: Restrict) -> str:
        if not limits.filters:
            return _ALL
        if not self.shows_all:
            return "those that a row filter leaves"
        return " AND ".join(f"({filter_.sql})" for filter_ in limits.filters)

    def _columns(self, limits: Restrict) -> str:
        columns = []
        for name, mask in sorted(limits.masks.items()):
            if name not in limits.hidden:
                words = mask_words(mask)
                columns.append(f"{name}: {words if self.shows_all else words.partition('(')[0]}")
        if self.shows_all:
            columns += [f"{name}: hidden" for name in sorted(limits.hidden)]
        return ", ".join(columns) or _ALL


def _effective(command: ShowEffectivePolicy, call: CommandCall) -> Iterator[Row]:
    table_facts(call)  # refuses what is no table
    facts = facts_of_relation(call)
    shows_all = _administers(call, facts)
    who = _whose(command, call)
    if who is not call.session.identity and not shows_all:
        raise AccessError(
            ErrorCode.ACCESS_DENIED,
            f"You may not see what others may do with {facts.name}.",
            hint="Its owner and administrators may; SHOW EFFECTIVE POLICY ON it is about you.",
        )
    for privilege in PRIVILEGES_ON[ObjectKind.TABLE]:
        asked = replace(facts, privilege=privilege)
        yield _Answers(
            asked, call.access.policy.answers(who, asked), seen=True, shows_all=shows_all
        ).row()


def _whose(command: ShowEffectivePolicy, call: CommandCall) -> Identity:
    subject, me = command.subject, call.session.identity
    if subject is None or (
        subject.kind is SubjectKind.USER and subject.name == me.user and not command.groups
    ):
        return me
    named, groups = frozenset({subject.name}), frozenset(command.groups)
    match subject.kind:
        case SubjectKind.USER:
            who = Identity(subject.name, groups)
        case SubjectKind.GROUP:
            who = Identity("", named)
        case SubjectKind.ROLE:
            who = Identity("", roles=named)
        case SubjectKind.PUBLIC:
            who = Identity("")
    return call.access.policy.with_roles(who)


@dataclass(frozen=True)
class _Explanation:
    """Of one statement. ``problems``: what is wrong with names, for those who may hear it."""

    call: CommandCall
    answers: Mapping[Key, Sequence[_Answers]]
    problems: Mapping[RelationName, str]

    def rows(self, bound: BoundStatement, shows_all: bool = True) -> Iterator[Row]:
        """What the user may know: nothing of what is inside a view that is denied to them. Without
        ``shows_all`` also nothing of what a view reads with its owner's rights. Whoever administers
        the view sees that."""
        for reference in bound.references:
            key, target = key_of(reference), reference.target
            if key is not None and (shows_all or not key[2]):
                yield from self._rows(key)
            if isinstance(target, BoundView) and not self._is_denied(key):
                inside = shows_all
                if key is not None and target.definer not in ("", self.call.session.identity.user):
                    inside = shows_all and any(one.shows_all for one in self.answers[key])
                    if not inside:
                        yield self._row_of_owner_rights(key, target)
                yield from self.rows(target.inner, inside)
        if bound.inner is not None:
            yield from self.rows(bound.inner, shows_all)

    def _rows(self, key: Key) -> Iterator[Row]:
        name, _, owner = key
        for answers in self.answers.get(key, ()):
            row = answers.row()
            reason = row[3]
            if name in self.problems and not answers.denied:
                reason = self.problems[name]
            if owner:
                reason = f"for {owner}, with whose rights the view is read: {reason}"
            yield str(name), *row[:3], reason, *row[4:]

    def _row_of_owner_rights(self, key: Key, view: BoundView) -> Row:
        inner = (key_of(inner_key) for inner_key in view.inner.walk() if inner_key.as_user)
        if any(self._is_denied(inner_key) for inner_key in inner):
            verdict = "deny", None, _NOT_LENT
        else:
            verdict = "allow", None, "what it is made of is read with the rights of its owner"
        return str(key[0]), Privilege.SELECT.value, *verdict, None, None

    def _is_denied(self, key: Key | None) -> bool:
        return key is not None and any(one.denied for one in self.answers.get(key, ()))


def _explain(command: ExplainPolicy, call: CommandCall) -> Iterator[Row]:
    bound = call.access.binder.bind(command.about, call.session)
    reasons = {need.key: _reasons_of(need, call) for need in needs_of(bound)}
    explanation = _Explanation(call, reasons, dict(_problems(bound)))
    yield from dict.fromkeys(explanation.rows(bound))


def _reasons_of(need: Need, call: CommandCall) -> list[_Answers]:
    """About each privilege; and about reading, where that limits what else may be done."""
    reasons = []
    who = call.session.identity
    if need.as_user:
        who = call.access.policy.with_roles(identity_as(who, need.as_user))
    for facts in need.asked_facts:
        answers = call.access.policy.answers(who, facts)
        reason = _Answers(facts, answers, _sees(call, facts), _administers(call, facts))
        if facts is not need.seen or isinstance(reason.decision, Restrict):
            reasons.append(reason)
    return reasons


def _problems(bound: BoundStatement) -> Iterator[tuple[RelationName, str]]:
    """What is wrong with names, for those who may hear it."""
    for reference in bound.walk():
        target = reference.target
        if isinstance(target, BoundAbsent) and target.problem is not None:
            yield target.name, target.problem.message


def _sees(call: CommandCall, facts: TableFacts) -> bool:
    show = replace(facts, privilege=Privilege.SHOW)
    return not isinstance(call.access.policy.decide(call.session.identity, [show])[show], Deny)


def _administers(call: CommandCall, facts: TableFacts) -> bool:
    rules, identity = call.access, call.session.identity
    if rules.book is not None:
        return rules.book.may_administer(identity, Object.table(facts.name), facts.uuid)
    owns = replace(facts, privilege=Privilege.OWN)
    return isinstance(rules.policy.decide(identity, [owns])[owns], Allow)


POLICY_SHOWS: dict[type[Command], Answer] = {
    ShowEffectivePolicy: answer(strings(*_DETAILS), _effective),
    ExplainPolicy: answer(strings("object", *_DETAILS), _explain),
}
