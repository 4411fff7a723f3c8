"""A policy server that cannot be reached, or takes too long, denies; and it says what happened."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from sqe.errors import ErrorCode, UpstreamError
from sqe.model.decision import ColumnFacts, Deny, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import SYSTEM, Object, Privilege
from sqe.policy.opa.source import OpaSource
from sqe.policy.policy import Policy
from sqe.settings.policy import OpaSettings
from tests.unit.policy.opa.serving import PolicyServer, says

ANN = Identity("ann")
EMP = TableFacts(
    RelationName(SchemaName("lake", ("hr",)), "emp"), Privilege.SELECT, (ColumnFacts("id"),)
)


@pytest.fixture
def silent() -> Iterator[str]:
    """Takes every connection and never says anything."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(50)
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def gone() -> str:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{closed.getsockname()[1]}"


def source(address: str, limit: float = 0.2) -> OpaSource:
    return OpaSource(OpaSettings(allow_url=f"http://{address}/v1/data/x/allow", timeout_s=limit))


def check_denies(opa: OpaSource, words: str) -> None:
    with pytest.raises(UpstreamError) as raised:
        opa.decide(ANN, EMP)
    assert raised.value.code is ErrorCode.POLICY_UNAVAILABLE
    assert words in raised.value.message and "/v1/data" not in raised.value.message
    policy = Policy([opa])
    denied = policy.decide(ANN, [EMP])[EMP]
    assert isinstance(denied, Deny) and words in denied.reason
    assert isinstance(policy.permits(ANN, Privilege.EXECUTE, SYSTEM), Deny)
    assert policy.visible(ANN, [Object.catalog("lake")]) == [False]
    opa.close()


def test_nobody_there(gone: str) -> None:
    check_denies(source(gone), f"The policy server at {gone} cannot be reached")


def test_nothing_said(silent: str) -> None:
    check_denies(source(silent), f"The policy server at {silent} did not answer within 0.2 s")


def test_no_question_is_asked_when_the_time_is_up(gone: str) -> None:
    check_denies(source(gone, 1e-9), "did not answer all questions within 1e-09 s")


def test_the_limit_is_for_all_questions_together() -> None:
    """Each answer is quick enough by itself."""

    def reply(document: str, body: bytes) -> tuple[int, bytes]:
        time.sleep(0.15)
        return says(True)

    with PolicyServer(reply).running() as server:
        opa = OpaSource(OpaSettings(allow_url=f"{server.address}/allow", timeout_s=0.4))
        with pytest.raises(UpstreamError, match="within"):
            opa.decide(ANN, TableFacts(EMP.name, Privilege.ALTER, EMP.columns))
        assert len(server.asked) < 8
        opa.close()
