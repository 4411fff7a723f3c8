"""Answers are kept, but never longer than the rules they are of."""

from __future__ import annotations

import logging
import threading
from collections.abc import Hashable, Sequence

import pytest

from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, Privilege
from sqe.policy.cached import Answers
from sqe.policy.policy import Policy, denial
from sqe.policy.read_restrictions import ReadRestrictions
from sqe.policy.source import AllowAll

ANN = Identity("ann", frozenset({"staff"}))


def facts(table: str = "emp", privilege: Privilege = Privilege.SELECT) -> TableFacts:
    name = RelationName(SchemaName("lake", ("hr",)), table)
    return TableFacts(name, privilege, (ColumnFacts("id", "int", 1),))


class Counted(AllowAll):
    """Says what it is told to, and how often it was asked."""

    name = "counted"

    def __init__(self, answer: Decision | Exception | None = None) -> None:
        self.answer = answer or Allow("yes")
        self.now: Hashable = 1
        self.asked = 0

    def version(self) -> Hashable:
        if isinstance(self.now, Exception):
            raise self.now
        return self.now

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        self.asked += 1
        assert isinstance(self.answer, Allow | Deny)
        return self.answer


def decided(policy: Policy, identity: Identity = ANN, table: TableFacts | None = None) -> Decision:
    (answer,) = policy.decide(identity, [table or facts()]).values()
    return answer


def test_the_same_question_is_asked_once() -> None:
    source = Counted()
    policy = Policy([source], keep_s=60)
    for _ in range(3):
        decided(policy)
        decided(policy, Identity("ann", frozenset({"staff"})), facts())
    assert source.asked == 1
    for _ in range(3):
        policy.permits(ANN, Privilege.CREATE, Object.catalog("lake"))
    assert source.asked == 2


def test_another_person_table_or_privilege_is_another_question() -> None:
    source = Counted()
    policy = Policy([source], keep_s=60)
    decided(policy)
    decided(policy, Identity("ann"))
    decided(policy, Identity("ann", frozenset({"staff"}), claims=(("dept", "it"),)))
    decided(policy, Identity("ann", frozenset({"staff"}), issuer="https://other"))
    decided(policy, table=facts("dept"))
    decided(policy, table=facts(privilege=Privilege.INSERT))
    assert source.asked == 6


def test_a_change_of_the_rules_is_seen_by_the_next_question() -> None:
    source = Counted()
    policy = Policy([AllowAll(), source], keep_s=3600)
    assert decided(policy) == Allow("no policy source is configured")
    source.answer, source.now = Deny("no longer"), 2
    assert decided(policy) == Deny("no longer")


def test_what_a_failure_is_part_of_is_not_kept() -> None:
    source = Counted(RuntimeError("down"))
    policy = Policy([source], keep_s=60)
    assert isinstance(decided(policy), Deny)
    source.answer = Allow("up again")
    assert decided(policy) == Allow("up again")


def test_a_source_that_cannot_say_its_version_denies_what_was_kept() -> None:
    source = Counted()
    policy = Policy([source], keep_s=60)
    assert decided(policy) == Allow("yes")
    source.now = RuntimeError("down")
    denied = decided(policy)
    assert isinstance(denied, Deny) and denied.unanswered
    assert isinstance(policy.permits(ANN, Privilege.CREATE, Object.catalog("lake")), Deny)


def test_without_a_time_nothing_is_kept() -> None:
    source = Counted()
    policy = Policy([source])
    decided(policy)
    decided(policy)
    assert source.asked == 2


def test_an_answer_is_forgotten_after_its_time() -> None:
    now = [0.0]
    answers: Answers[str] = Answers(10, clock=lambda: now[0])
    answers.put("a", "yes")
    now[0] = 9.9
    assert answers.get("a") == "yes"
    now[0] = 10
    assert answers.get("a") is None


def test_the_oldest_answers_make_room() -> None:
    answers: Answers[int] = Answers(10, most=2)
    for number in range(3):
        answers.put(number, number)
    assert [answers.get(number) for number in range(3)] == [None, 1, 2]


def test_an_answer_that_is_given_anew_is_not_the_oldest() -> None:
    answers: Answers[int] = Answers(10, most=2)
    for number in (0, 1, 0, 2):
        answers.put(number, number)
    assert [answers.get(number) for number in range(3)] == [0, None, 2]


def test_many_threads_may_ask_at_once() -> None:
    answers: Answers[int] = Answers(10, most=5)

    def use(number: int) -> None:
        for turn in range(500):
            answers.put((number, turn % 7), turn)
            answers.get((number, turn % 7))

    threads = [threading.Thread(target=use, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(answers.get((n, t)) is not None for n in range(4) for t in range(7)) == 5


def test_each_source_is_asked_for_its_own_answer() -> None:
    policy = Policy([Counted(Deny("no")), Counted(RuntimeError("down")), AllowAll()])
    answers = policy.answers(ANN, facts())
    assert [name for name, _ in answers] == ["counted", "counted", "none"]
    assert answers[0][1] == Deny("no")
    assert answers[1][1] == Deny("the policy source counted could not answer", unanswered=True)


def test_a_failure_is_logged_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    error = RuntimeError("POST https://opa/?token=hunter2")
    with caplog.at_level(logging.ERROR):
        assert isinstance(decided(Policy([Counted(error)])), Deny)
    assert "policy source counted failed: RuntimeError" in caplog.text
    assert "test_kept.py" in caplog.text and "hunter2" not in caplog.text


def test_sqes_own_words_are_told(caplog: pytest.LogCaptureFixture) -> None:
    error = UpstreamError(ErrorCode.STORE_UNAVAILABLE, "The database is down.")
    denied = decided(Policy([Counted(error)]))
    assert denied == Deny(
        "the policy source counted could not answer: The database is down.", unanswered=True
    )
    assert "The database is down." in caplog.text


def test_an_answer_that_is_none_denies() -> None:
    class Silent(AllowAll):
        def decide(self, identity: Identity, table: TableFacts) -> Decision:
            return None  # type: ignore[return-value]

    assert isinstance(decided(Policy([AllowAll(), Silent()])), Deny)


class Roles(Counted):
    def roles_of(self, identity: Identity) -> frozenset[str]:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return frozenset({"reader"})


def test_roles_that_a_source_gives_are_added_to_those_of_the_login() -> None:
    source = Roles()
    policy = Policy([AllowAll(), source], keep_s=60)
    login = Identity("ann", roles=frozenset({"boss"}))
    assert policy.with_roles(login).roles == {"boss", "reader"}
    assert policy.with_roles(login).user == "ann" and source.asked == 1
    source.now = 2
    assert policy.with_roles(login).roles == {"boss", "reader"} and source.asked == 2


def test_a_source_that_cannot_say_the_roles_denies() -> None:
    """To be taken for somebody without a role may open what the role would close."""
    source = Roles(RuntimeError("down"))
    policy = Policy([source], keep_s=60)
    with pytest.raises(AccessError) as raised:
        policy.with_roles(ANN)
    assert raised.value.code is ErrorCode.ACCESS_DENIED and "down" not in str(raised.value)
    source.answer, source.now = Allow("up again"), RuntimeError("down")
    with pytest.raises(AccessError):
        policy.with_roles(ANN)


LAKE, SEA = Object.catalog("lake"), Object.catalog("sea")


def test_another_person_privilege_or_thing_is_asked_about_anew() -> None:
    source = Counted()
    policy = Policy([source], keep_s=60)
    for identity, privilege, on in (
        (ANN, Privilege.CREATE, LAKE),
        (Identity("bob"), Privilege.CREATE, LAKE),
        (ANN, Privilege.DROP, LAKE),
        (ANN, Privilege.CREATE, SEA),
    ):
        policy.permits(identity, privilege, on)
    assert source.asked == 4


class Shows(Counted):
    """Shows the one thing that it is told to, to ann."""

    shown = LAKE
    questions: list[Sequence[Object]]

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        self.questions = [*getattr(self, "questions", []), objects]
        if isinstance(self.answer, Exception):
            raise self.answer
        return [identity == ANN and one == self.shown for one in objects]


def test_of_a_list_only_what_is_not_known_is_asked() -> None:
    source = Shows()
    policy = Policy([source], keep_s=60)
    assert policy.visible(ANN, [LAKE]) == [True]
    assert policy.visible(ANN, [SEA, LAKE, SEA]) == [False, True, False]
    assert policy.visible(ANN, [LAKE, SEA]) == [True, False]
    assert source.questions == [[LAKE], [SEA]]
    assert policy.visible(Identity("bob"), [LAKE]) == [False]
    source.shown, source.now = SEA, 2
    assert policy.visible(ANN, [LAKE, SEA]) == [False, True]


def test_a_list_that_a_failure_is_part_of_is_not_kept() -> None:
    source = Shows(RuntimeError("down"))
    policy = Policy([source], keep_s=60)
    assert policy.visible(ANN, [LAKE]) == [False]
    source.answer = Allow("up again")
    assert policy.visible(ANN, [LAKE]) == [True]


def test_without_sources_nothing_is_seen() -> None:
    assert Policy([]).visible(ANN, [LAKE]) == [False]


def test_there_are_rules_unless_nothing_but_the_catalogs_decides() -> None:
    assert Policy([]).ruled
    assert Policy([AllowAll(), Counted()]).ruled
    assert not Policy([AllowAll(), ReadRestrictions()]).ruled


def test_without_rules_nobody_has_a_right_over_others() -> None:
    policy = Policy([AllowAll(), ReadRestrictions()])
    assert not policy.ruled
    assert isinstance(policy.permits(ANN, Privilege.CREATE, LAKE), Allow)
    for privilege in (Privilege.IMPERSONATE, Privilege.VIEW_QUERY, Privilege.KILL_QUERY):
        assert isinstance(policy.permits(ANN, privilege, Object.user("bob")), Deny)


def test_only_of_a_failure_the_reason_is_told() -> None:
    told = denial(Privilege.CREATE, LAKE, Deny("the source is down", unanswered=True))
    for why in (None, Deny("a rule")):
        assert denial(Privilege.CREATE, LAKE, why).message == told.message
        assert denial(Privilege.CREATE, LAKE, why).hint == ""
    assert told.hint == "the source is down"
