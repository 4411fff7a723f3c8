"""Addresses, configuration, tags, paging and the order of checks, as Polaris has them."""

from __future__ import annotations

import hashlib
import uuid

from sqe.testing import PolarisLikeCatalog, StaticTokens
from sqe.testing.access import ROLE_PREFIX
from tests.unit.testing.asking import Asker, error

ORDERS = "lake/namespaces/sales/tables/orders"


def test_the_configuration_is_polariss(alice: Asker) -> None:
    config = alice.get("config?warehouse=lake").json()
    assert config["overrides"] == {"prefix": "lake", "namespace-separator": "%1F"}
    assert "default-base-location" in config["defaults"]
    first, *rest = config["endpoints"]
    assert first == "GET /v1/{prefix}/namespaces/{namespace}"
    assert not [one for one in rest if one.endswith(("/credentials", "/sign"))]
    assert error(alice.get("config")) == (400, "BadRequestException", "Please specify a warehouse")
    assert error(alice.get("config?warehouse=sea"))[1:] == (
        "NotFoundException",
        "Unable to find warehouse sea",
    )


def test_a_bad_token_is_an_empty_401(polaris: PolarisLikeCatalog, tokens: StaticTokens) -> None:
    tokens.add("stranger", "nobody-here")
    tokens.add("greedy", "alice", ["analyst", "admin"])
    for token in (None, "forged", "stranger", "greedy"):
        answer = Asker(polaris.url, token).get("config?warehouse=lake")
        assert (answer.status, answer.body) == (401, b"")
        assert answer.headers["www-authenticate"] == "Bearer"


def test_a_token_without_roles_may_only_see_the_configuration(
    polaris: PolarisLikeCatalog, tokens: StaticTokens, carol: Asker
) -> None:
    tokens.add("bare", "carol", [])
    bare = Asker(polaris.url, "bare")
    assert bare.get("config?warehouse=lake").status == 200
    assert error(bare.get(ORDERS))[0] == 403
    tokens.add("all", "carol", ["ALL"])
    assert Asker(polaris.url, "all").get(ORDERS).status == 200
    assert ROLE_PREFIX == "PRINCIPAL_ROLE:"


def test_the_order_of_checks(polaris: PolarisLikeCatalog, alice: Asker) -> None:
    nobody = Asker(polaris.url, None)
    realm = nobody.get(ORDERS, Polaris_Realm="other")
    assert error(realm) == (404, "MissingOrInvalidRealm", "Missing or invalid realm")
    assert error(nobody.get("lake/nothing"))[0] == 404
    assert nobody.get("lake/namespaces/none").status == 401
    assert error(alice.get("lake/namespaces/hr/tables/none"))[0] == 404
    assert error(alice.get("lake/namespaces/hr/tables/staff"))[0] == 403
    assert alice.get(ORDERS, Polaris_Realm="POLARIS").status == 200
    assert alice.ask("POST", "oauth/tokens").status == 501


def test_requests_have_an_id(alice: Asker) -> None:
    assert alice.get(ORDERS, X_Request_ID="mine").headers["x-request-id"] == "mine"
    made = alice.get(ORDERS).headers["x-request-id"]
    name, _, number = made.partition("_")
    assert (str(uuid.UUID(name)), len(number)) == (name, 19)
    assert "x-request-id" in alice.get("lake/namespaces/none").headers


def test_a_tag_is_of_the_metadata_location_alone(alice: Asker, carol: Asker) -> None:
    loaded = alice.get(ORDERS)
    where = loaded.json()["metadata-location"]
    tag = f'W/"{hashlib.sha256(where.encode()).hexdigest()}"'
    assert loaded.headers["etag"] == tag
    assert carol.get(f"{ORDERS}?snapshots=refs").headers["etag"] == tag
    again = alice.get(ORDERS, If_None_Match=f'W/"x", {tag}')
    assert (again.status, again.body, "etag" in again.headers) == (304, b"", False)
    assert error(alice.get(ORDERS, If_None_Match="*"))[1] == "BadRequestException"
    assert error(alice.get(ORDERS, If_None_Match="x"))[1] == "IllegalArgumentException"
    update = {"updates": [{"action": "set-properties", "updates": {"a": "1"}}]}
    committed = carol.post(ORDERS, update)
    assert "etag" not in committed.headers and "config" not in committed.json()
    assert alice.get(ORDERS, If_None_Match=tag).status == 200
    assert error(alice.get(f"{ORDERS}?snapshots=some"))[2] == "Unrecognized snapshots: some"


def test_a_denied_load_is_denied_whatever_its_tag(alice: Asker, carol: Asker) -> None:
    staff = "lake/namespaces/hr/tables/staff"
    tag = carol.get(staff).headers["etag"]
    assert alice.get(staff, If_None_Match=tag).status == 403


def test_lists_come_in_pages_if_paging_is_on(polaris: PolarisLikeCatalog, carol: Asker) -> None:
    for name in "abc":
        carol.make("sales", name)
    path = "lake/namespaces/sales/tables"
    whole = carol.get(f"{path}?pageSize=2").json()
    assert len(whole["identifiers"]) == 4 and whole["next-page-token"] is None
    polaris.admin.set(paging=True)
    assert len(carol.get(f"{path}?pageToken=").json()["identifiers"]) == 4
    first = carol.get(f"{path}?pageSize=3").json()
    last = carol.get(f"{path}?pageToken={first['next-page-token']}").json()
    names = [one["name"] for one in first["identifiers"] + last["identifiers"]]
    assert names == ["orders", "a", "b", "c"] and last["next-page-token"] is None
    assert error(carol.get(f"{path}?pageSize=-1")) == (
        400,
        "IllegalArgumentException",
        "Invalid page size",
    )


def test_a_repeated_commit_is_done_once_if_keys_are_on(
    polaris: PolarisLikeCatalog, carol: Asker
) -> None:
    polaris.admin.set(idempotency=True)
    assert "idempotency-key-lifetime" in carol.get("config?warehouse=lake").json()
    key = str(uuid.uuid4())
    where = carol.get(ORDERS).json()["metadata"]["table-uuid"]
    change = {
        "requirements": [{"type": "assert-table-uuid", "uuid": where}],
        "updates": [{"action": "set-properties", "updates": {"n": "1"}}],
    }
    first = carol.post(ORDERS, change, Idempotency_Key=key).json()
    second = carol.post(ORDERS, change, Idempotency_Key=key).json()
    assert first["metadata-location"] == second["metadata-location"]
    made = [
        carol.post(
            "lake/namespaces/sales/tables",
            {"name": "twice", "schema": first["metadata"]["schemas"][0]},
            Idempotency_Key=key,
        ).status
        for _ in range(2)
    ]
    assert made == [200, 200]
    assert error(carol.get(ORDERS, Idempotency_Key="1"))[1] == "InvalidIdempotencyKey"
