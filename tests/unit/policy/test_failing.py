"""Whatever a source does wrong, nobody gets through because of it, and no log tells secrets."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Sequence
from typing import Any

import pytest

from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.model.decision import Allow, Decision, Deny, Restrict, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, Privilege
from sqe.policy.policy import Policy
from sqe.policy.source import AllowAll

SECRET = "hunter2"
ANN = Identity("ann")
FACTS = TableFacts(RelationName(SchemaName("lake", ("hr",)), "emp"), Privilege.SELECT)
LAKE, HR = Object.catalog("lake"), Object.schema(SchemaName("lake", ("hr",)))
ERRORS: list[Exception] = [
    TimeoutError(f"POST https://opa/?token={SECRET}"),
    KeyError(SECRET),
    RecursionError(SECRET),
    MemoryError(SECRET),
    UpstreamError(ErrorCode.STORE_UNAVAILABLE, "The database is down."),
]


class Failing(AllowAll):
    """Does everything right but for one method."""

    name = "failing"

    def __init__(self, method: str, answer: Any) -> None:
        self._wrong = method
        self._answer = answer

    def _do(self, method: str, right: Any) -> Any:
        if method != self._wrong:
            return right
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def version(self) -> Hashable:
        found: Hashable = self._do("version", 1)
        return found

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        found: Decision = self._do("decide", Allow("yes"))
        return found

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        found: Allow | Deny = self._do("permits", Allow("yes"))
        return found

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        found: Sequence[bool] = self._do("visible", [True] * len(objects))
        return found

    def roles_of(self, identity: Identity) -> frozenset[str]:
        found: frozenset[str] = self._do("roles_of", frozenset())
        return found


def policy(method: str, answer: Any) -> Policy:
    return Policy([AllowAll(), Failing(method, answer)], keep_s=60)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("method", ["version", "decide", "permits", "visible", "roles_of"])
def test_every_failure_denies_and_tells_no_secret(
    method: str, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    failing = policy(method, error)
    with caplog.at_level(logging.DEBUG):
        if method in ("version", "decide"):
            found = failing.decide(ANN, [FACTS])[FACTS]
            assert isinstance(found, Deny) and found.unanswered and SECRET not in found.reason
        if method in ("version", "permits"):
            with pytest.raises(AccessError):
                failing.check(ANN, Privilege.CREATE, HR)
        if method in ("version", "visible"):
            assert failing.visible(ANN, [LAKE, HR]) == [False, False]
        if method in ("version", "roles_of"):
            with pytest.raises(AccessError):
                failing.with_roles(ANN)
    assert "policy source failing failed" in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("decide", None),
        ("decide", True),
        ("decide", "allow"),
        ("permits", None),
        ("permits", True),
        ("permits", Restrict("some")),
        ("visible", []),
        ("visible", [True]),
        ("visible", [True] * 3),
        ("visible", [1, 1]),
        ("visible", None),
        ("version", []),
    ],
)
def test_an_answer_of_another_kind_denies(method: str, answer: Any) -> None:
    wrong = policy(method, answer)
    if method in ("decide", "version"):
        assert isinstance(wrong.decide(ANN, [FACTS])[FACTS], Deny)
    if method in ("permits", "version"):
        assert isinstance(wrong.permits(ANN, Privilege.CREATE, HR), Deny)
    if method in ("visible", "version"):
        assert wrong.visible(ANN, [LAKE, HR]) == [False, False]
