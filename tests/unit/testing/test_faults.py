"""The catalog does wrong what it is told to, to whom it is told to, and no more."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from sqe.errors import SqeError
from sqe.testing import PolarisLikeCatalog, RemoteAdmin
from tests.unit.testing.asking import Asker, error

ORDERS = "lake/namespaces/sales/tables/orders"
SET = {"updates": [{"action": "set-properties", "updates": {"a": "1"}}]}


def test_it_answers_late(polaris: PolarisLikeCatalog, alice: Asker) -> None:
    polaris.admin.inject("latency", seconds=0.3, endpoint="load_table")
    began = time.monotonic()
    assert alice.get(ORDERS).status == 200
    assert time.monotonic() - began >= 0.3


def test_it_hangs_until_it_is_healed(polaris: PolarisLikeCatalog, alice: Asker) -> None:
    fault = polaris.admin.inject("hang", principal="alice", endpoint="load_table")
    answers: list[int] = []
    waiting = threading.Thread(target=lambda: answers.append(alice.get(ORDERS).status))
    waiting.start()
    while not polaris.admin.calls("load_table", "alice"):
        time.sleep(0.01)
    waiting.join(0.2)
    assert not answers
    polaris.admin.heal(fault)
    waiting.join(10)
    assert answers == [200]


def test_it_fails_for_one_principal_and_endpoint(
    polaris: PolarisLikeCatalog, alice: Asker, carol: Asker
) -> None:
    polaris.admin.inject("status", status=502, principal="alice", endpoint="load_table", times=2)
    assert [alice.get(ORDERS).status for _ in range(3)] == [502, 502, 200]
    assert carol.get(ORDERS).status == 200


def test_it_flaps(polaris: PolarisLikeCatalog, alice: Asker) -> None:
    polaris.admin.inject("status", status=503, every=2)
    assert [alice.get(ORDERS).status for _ in range(4)] == [200, 503, 200, 503]
    polaris.admin.heal()
    assert [alice.get(ORDERS).status for _ in range(3)] == [200, 200, 200]


def test_a_commit_happens_and_its_answer_is_lost(polaris: PolarisLikeCatalog, carol: Asker) -> None:
    polaris.admin.inject("lost-answer", status=504, endpoint="update_table")
    assert error(carol.post(ORDERS, SET)) == (
        504,
        "InjectedFault",
        "The test catalog was told to fail.",
    )
    assert carol.get(ORDERS).json()["metadata"]["properties"]["a"] == "1"


def test_half_an_answer_is_not_taken_for_one(polaris: PolarisLikeCatalog, alice: Asker) -> None:
    polaris.admin.inject("truncated", endpoint="load_table", times=1)
    with pytest.raises(SqeError, match="cannot be reached"):
        alice.get(ORDERS)
    assert alice.get(ORDERS).status == 200


def test_a_token_is_suddenly_invalid(
    polaris: PolarisLikeCatalog, alice: Asker, carol: Asker
) -> None:
    polaris.admin.inject("unauthenticated", principal="alice")
    answer = alice.get(ORDERS)
    assert (answer.status, answer.body) == (401, b"")
    assert carol.get(ORDERS).status == 200


def test_requests_are_counted(polaris: PolarisLikeCatalog, alice: Asker, carol: Asker) -> None:
    polaris.admin.reset_calls()
    alice.get(ORDERS)
    alice.get(ORDERS)
    carol.get("lake/namespaces")
    assert polaris.admin.calls("load_table", "alice") == 2
    assert polaris.admin.calls("load_table") == 2
    assert polaris.admin.calls(principal="carol") == 1
    expected = [["list_namespaces", "carol", 1], ["load_table", "alice", 2]]
    assert polaris.admin.all_calls() == expected


@pytest.fixture
def remote(polaris: PolarisLikeCatalog) -> Iterator[RemoteAdmin]:
    admin = RemoteAdmin(polaris.admin_url)
    yield admin
    admin.close()


def test_another_process_can_do_all_of_it(remote: RemoteAdmin, alice: Asker) -> None:
    staff = "lake/namespaces/hr/tables/staff"
    on = {"catalog": "lake", "namespace": "hr"}
    assert alice.get(staff).status == 403
    remote.call("grant", role="analyst", privileges=["TABLE_READ_DATA"], **on)
    assert alice.get(staff).status == 200
    assert remote.call("calls", endpoint="load_table", principal="alice") == 2
    fault = remote.call("inject", kind="status", status=500)
    assert alice.get(staff).status == 500
    remote.call("heal", fault=fault)
    assert alice.get(staff).status == 200
    remote.call("add_catalog", name="pond", namespaces=["a"])
    assert alice.get("config?warehouse=pond").status == 200


def test_nonsense_is_told(remote: RemoteAdmin) -> None:
    with pytest.raises(RuntimeError, match="'TABLE_FLY' is not a valid Privilege"):
        remote.call("grant", role="analyst", privileges=["TABLE_FLY"], catalog="lake")
    with pytest.raises(RuntimeError, match="there is no POST gate"):
        remote.call("gate")
    with pytest.raises(RuntimeError, match="no_such_option"):
        remote.call("set", no_such_option=1)
