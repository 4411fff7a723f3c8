"""What Spark is told of a table's storage: the user's keys for this table, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sqe.broker.broker import Broker, BrokerSession
from sqe.broker.handles import HandleGrant
from sqe.broker.storage import Renewals
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.errors import AccessError, ErrorCode, UpstreamError, UserError
from sqe.model.passport import login_expired
from sqe.sql.statement import Access
from tests.unit.broker.emp import NAME
from tests.unit.broker.test_broker import ask, path_of
from tests.unit.broker.vending import LOCATION, VendingCatalog, keys

REFRESH = "client.refresh-credentials-endpoint"


@pytest.fixture
def broker() -> Iterator[Broker]:
    broker = Broker()
    yield broker
    broker.close()


@pytest.fixture
def session(broker: Broker) -> BrokerSession:
    return broker.open_session()


@pytest.fixture
def vending(catalog: EmbeddedCatalog) -> VendingCatalog:
    return VendingCatalog(catalog, credentials=(keys(0),))


def shown(broker: Broker, session: BrokerSession, grant: HandleGrant) -> dict[str, Any]:
    status, loaded = ask(broker, session.token.reveal(), "GET", path_of(grant))
    assert status == 200
    answer: dict[str, Any] = loaded
    return answer


def test_spark_gets_the_keys_as_vended_and_asks_the_broker_for_the_next(
    broker: Broker, session: BrokerSession, vending: VendingCatalog
) -> None:
    with session.grant([vending.granted()]) as grant:
        config = shown(broker, session, grant)["config"]
        assert {key: config[key] for key in keys(0)["config"] if "expires" not in key} == {
            "s3.access-key-id": "id-0",
            "s3.secret-access-key": "key-0",
            "s3.session-token": "token-0",
        }
        assert config["io-impl"] == "org.apache.iceberg.aws.s3.S3FileIO"
        path = config[REFRESH]
        assert path == f"v1/{path_of(grant)}/credentials"
        token = session.token.reveal()
        status, answer = ask(broker, token, "GET", path.removeprefix("v1/"))
        assert status == 200
        (renewed,) = answer["storage-credentials"]
        assert renewed["config"]["s3.access-key-id"] == "id-1"
    assert ask(broker, token, "GET", path.removeprefix("v1/"))[0] == 404


@pytest.mark.parametrize(
    "key",
    [
        "token",
        "uri",
        "io-impl",
        "credential",
        "oauth2-server-uri",
        "client.credentials-provider",
        "client.credentials-provider.role",
        "client.factory",
        "client.refresh-credentials-endpoint",
        "client.assume-role.arn",
        "credentials.uri",
        "rest.auth.type",
        "rest.signing-name",
        "header.Authorization",
        "s3.client-factory-impl",
        "s3.remote-signing-enabled",
        "s3.signer",
        "s3.signer.uri",
        "s3.signer.endpoint",
        "s3.staging-dir",
        "s3.access-grants.enabled",
        "s3.preload-client-enabled",
        "warehouse",
        "anything",
    ],
)
@pytest.mark.parametrize("where", ["config", "credentials"])
def test_what_could_lead_spark_elsewhere_does_not_pass(
    broker: Broker, session: BrokerSession, vending: VendingCatalog, key: str, where: str
) -> None:
    if where == "config":
        vending.config = {key: "planted"}
    else:
        one = keys(0)
        vending.credentials = ({**one, "config": {**one["config"], key: "planted"}},)
    with session.grant([vending.granted()]) as grant:
        assert "planted" not in str(shown(broker, session, grant)["config"])


def test_what_storage_needs_passes(
    broker: Broker, session: BrokerSession, vending: VendingCatalog
) -> None:
    wanted = {
        "s3.endpoint": "http://127.0.0.1:9",
        "s3.path-style-access": "true",
        "client.region": "eu-central-1",
        "s3.sse.type": "kms",
    }
    vending.config = dict(wanted)
    with session.grant([vending.granted()]) as grant:
        assert wanted.items() <= shown(broker, session, grant)["config"].items()


def test_keys_in_the_tables_config_are_keys_too(
    broker: Broker, session: BrokerSession, vending: VendingCatalog
) -> None:
    """As Nessie sends them, without a word on how long they live."""
    vending.credentials = ()
    vending.config = dict(keys(7)["config"])
    del vending.config["s3.session-token-expires-at-ms"]
    with session.grant([vending.granted()]) as grant:
        config = shown(broker, session, grant)["config"]
    assert config["s3.access-key-id"] == "id-7"
    assert config["s3.session-token-expires-at-ms"].isdigit()
    assert REFRESH in config


def test_keys_without_a_session_are_not_renewed(
    broker: Broker, session: BrokerSession, vending: VendingCatalog
) -> None:
    vending.credentials = ()
    vending.config = {"s3.access-key-id": "a", "s3.secret-access-key": "b"}
    with session.grant([vending.granted()]) as grant:
        config = shown(broker, session, grant)["config"]
    assert config["client.refresh-credentials-enabled"] == "false"
    assert REFRESH not in config


def test_of_several_keys_each_is_renewed_by_itself(
    broker: Broker, session: BrokerSession, vending: VendingCatalog
) -> None:
    """Iceberg takes no answer with two."""
    vending.credentials = (keys(0), keys(5, prefix="s3://other/"))
    with session.grant([vending.granted()]) as grant:
        answer = shown(broker, session, grant)
        assert answer["config"]["s3.access-key-id"] == "id-0"
        mine, other = answer["storage-credentials"]
        assert other["config"]["s3.access-key-id"] == "id-5"
        token = session.token.reveal()
        path = mine["config"][REFRESH].removeprefix("v1/")
        assert [c["prefix"] for c in ask(broker, token, "GET", path)[1]["storage-credentials"]] == [
            LOCATION
        ]
        path = other["config"][REFRESH].removeprefix("v1/")
        assert ask(broker, token, "GET", path)[1]["storage-credentials"] == []


def test_a_table_in_s3_without_keys_is_refused_before_spark_is_asked(
    session: BrokerSession, vending: VendingCatalog
) -> None:
    vending.credentials = ()
    refused = pytest.raises(AccessError, match=r"no storage credentials for lake\.hr\.emp")
    with refused as raised, session.grant([vending.granted()]):
        pass
    assert raised.value.code is ErrorCode.ACCESS_DENIED


def test_a_table_in_s3_without_keys_is_refused_by_the_broker(
    broker: Broker, session: BrokerSession, vending: VendingCatalog
) -> None:
    """When it is loaded anew for a write, and the catalog has changed its mind."""
    with session.grant([vending.granted(Access.WRITE)]) as grant:
        vending.credentials = ()
        status, answer = ask(broker, session.token.reveal(), "GET", path_of(grant))
    assert status == 403
    assert "no storage credentials for lake.hr.emp" in answer["error"]["message"]


def test_remote_signing_is_refused_for_spark(
    session: BrokerSession, vending: VendingCatalog
) -> None:
    vending.credentials = ()
    vending.config = {"s3.remote-signing-enabled": "true", "s3.signer.uri": "http://x"}
    with pytest.raises(UserError, match="signed") as raised, session.grant([vending.granted()]):
        pass
    assert raised.value.code is ErrorCode.NOT_SUPPORTED
    assert "local engine" in raised.value.hint


def test_places_that_sqe_does_not_read_are_refused(
    session: BrokerSession, vending: VendingCatalog
) -> None:
    vending.location = "hdfs://somewhere/emp"
    with pytest.raises(UserError, match="stored under hdfs:"), session.grant([vending.granted()]):
        pass


def test_a_table_on_disk_gets_no_keys_even_if_the_catalog_sends_some(
    broker: Broker, session: BrokerSession, vending: VendingCatalog
) -> None:
    vending.location = "/var/lake/hr/emp"
    with session.grant([vending.granted()]) as grant:
        answer = shown(broker, session, grant)
    assert answer["config"] == {}
    assert "storage-credentials" not in answer


def test_keys_are_renewed_when_half_of_their_life_is_over() -> None:
    """However often Spark's tasks ask."""
    now = [1000.0]
    asked: list[float] = []
    renewals = Renewals(lambda: now[0])

    def load() -> tuple[dict[str, Any], ...]:
        asked.append(now[0])
        one = keys(len(asked))
        ends = {"s3.session-token-expires-at-ms": str(int((now[0] + 60) * 1000))}
        return ({**one, "config": {**one["config"], **ends}},)

    for second in range(0, 120, 10):
        now[0] = 1000.0 + second
        renewals.renew(load, NAME)
    assert asked == [1000.0, 1030.0, 1060.0, 1090.0]


def test_the_end_of_the_login_is_what_spark_is_told(
    broker: Broker, session: BrokerSession, vending: VendingCatalog
) -> None:
    vending.failure = login_expired()
    with session.grant([vending.granted()]) as grant:
        path = f"{path_of(grant)}/credentials"
        status, answer = ask(broker, session.token.reveal(), "GET", path)
        assert status == 419
        text = f"Not authorized: {answer['error']['message']}"
        refusal = grant.refusal(text, vague=False)
        assert refusal is not None and refusal.code is ErrorCode.TOKEN_EXPIRED


def test_a_catalog_that_is_down_is_not_asked_again_by_iceberg(
    broker: Broker, session: BrokerSession, vending: VendingCatalog
) -> None:
    vending.failure = UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "The catalog is down.")
    with session.grant([vending.granted()]) as grant:
        path = f"{path_of(grant)}/credentials"
        assert ask(broker, session.token.reveal(), "GET", path)[0] == 424
        assert grant.refusal("some task failed", vague=False) is None
        assert grant.refusal("some task failed", vague=True) is vending.failure
