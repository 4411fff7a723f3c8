"""The catalog that plays Polaris, with real tokens of Keycloak and real keys of MinIO.

PyIceberg and a Spark without SQE are its judges: they read and write with what it vends.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from minio import Minio, MinioAdmin
from pyarrow.fs import FileSelector, S3FileSystem
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import CommitFailedException, ForbiddenError

from dev.stack.minio import BUCKET, ROOT_PASSWORD, ROOT_USER
from dev.stack.people import SHORT, SHORT_S
from dev.stack.places import Places
from sqe.engines.spark.jars import ensure_artifacts
from sqe.engines.spark.java import find_java
from sqe.errors import ErrorCode
from sqe.http.client import Http, HttpOptions
from sqe.model.identity import Secret
from sqe.settings.identity import OidcSettings
from sqe.testing import PolarisLikeCatalog, S3Keys, S3Storage, oidc_tokens
from tests.unit.testing.asking import Asker, error

ROWS = pa.table({"id": pa.array([1, 2], pa.int64()), "country": ["be", "nl"]})
VENDED = {"X_Iceberg_Access_Delegation": "vended-credentials"}
ORDERS = "lake/namespaces/sales/tables/orders"
STAFF = "lake/namespaces/hr/tables/staff"
Token = Callable[..., str]


@pytest.fixture(scope="module")
def catalogs_user(minio_admin: MinioAdmin) -> Iterator[S3Keys]:
    """A user of MinIO of this module's own: some tests disable it."""
    name, secret = f"contract-{uuid.uuid4().hex[:8]}", uuid.uuid4().hex
    minio_admin.user_add(name, secret)
    minio_admin.attach_policy(["warehouse"], user=name)
    yield S3Keys(name, Secret(secret))
    minio_admin.user_remove(name)


@pytest.fixture
def polaris(
    stack: Places, tmp_path: Path, catalogs_user: S3Keys, storage: Minio
) -> Iterator[PolarisLikeCatalog]:
    """Its own files in the stack's bucket; alice reads sales, bob writes hr, carol does all."""
    prefix = f"contract-{uuid.uuid4().hex[:8]}"
    issuer = OidcSettings(
        issuer=stack.issuer, audience=("polaris",), roles_claim="polaris.roles", skew_s=0.0
    )
    catalog = PolarisLikeCatalog(tmp_path / "polaris", oidc_tokens(issuer))
    files = S3Storage(
        f"s3://{BUCKET}/{prefix}",
        catalogs_user,
        stack.minio,
        root_keys=S3Keys(ROOT_USER, Secret(ROOT_PASSWORD)),
    )
    admin = catalog.admin
    admin.add_catalog("lake", ["sales", "hr"], storage=files)
    for name, role in {"alice": "analyst", "bob": "engineer", "carol": "admin"}.items():
        admin.add_principal(name, [role])
    admin.grant("analyst", ["TABLE_READ_DATA"], catalog="lake", namespace="sales")
    admin.grant("engineer", ["TABLE_WRITE_DATA"], catalog="lake", namespace="hr")
    admin.grant("admin", ["CATALOG_MANAGE_CONTENT"], catalog="lake")
    with catalog:
        yield catalog
        admin.restore_credentials("lake")
    for entry in storage.list_objects(BUCKET, f"{prefix}/", recursive=True):
        storage.remove_object(BUCKET, entry.object_name)


@pytest.fixture
def filled(polaris: PolarisLikeCatalog, token: Token) -> PolarisLikeCatalog:
    """With sales.orders and hr.staff, written by PyIceberg with vended keys."""
    carol = connected(polaris, token("carol"))
    for name in ("sales.orders", "hr.staff"):
        carol.create_table(name, ROWS.schema).append(ROWS)
    return polaris


def connected(polaris: PolarisLikeCatalog, bearer: str) -> RestCatalog:
    return RestCatalog("lake", uri=polaris.url, warehouse="lake", token=bearer)


def asker(polaris: PolarisLikeCatalog, bearer: str | None) -> Asker:
    return Asker(polaris.url, bearer)


def opened(config: dict[str, str]) -> S3FileSystem:
    """S3 with what was vended and nothing else."""
    host = config["s3.endpoint"].removeprefix("http://")
    return S3FileSystem(
        access_key=config["s3.access-key-id"],
        secret_key=config["s3.secret-access-key"],
        session_token=config["s3.session-token"],
        endpoint_override=host,
        scheme="http",
        region=config["client.region"],
    )


def path_of(loaded: dict[str, Any]) -> str:
    location: str = loaded["metadata"]["location"]
    return location.removeprefix("s3://")


def test_pyiceberg_reads_and_writes_as_three_people(
    filled: PolarisLikeCatalog, token: Token
) -> None:
    alice, bob, carol = (connected(filled, token(name)) for name in ("alice", "bob", "carol"))
    assert alice.load_table("sales.orders").scan().to_arrow() == ROWS
    with pytest.raises(ForbiddenError, match=r"alice.*LOAD_TABLE_WITH_READ_DELEGATION"):
        alice.load_table("hr.staff")
    with pytest.raises(ForbiddenError, match="bob"):
        bob.load_table("sales.orders")
    staff = bob.load_table("hr.staff")
    staff.append(ROWS)
    assert carol.load_table("hr.staff").scan().to_arrow().num_rows == 4
    with pytest.raises((ForbiddenError, OSError)):  # the storage refuses before the catalog can
        alice.load_table("sales.orders").append(ROWS)
    assert carol.load_table("sales.orders").scan().to_arrow() == ROWS


def test_a_token_is_checked_with_the_issuers_keys(filled: PolarisLikeCatalog, token: Token) -> None:
    good = token("alice")
    head, body, signature = good.split(".")
    forged = f"{head}.{body}.{signature[::-1]}"
    short = token("alice", SHORT)
    time.sleep(SHORT_S + 1)
    for bearer in (None, forged, f"{head}.{body}.", short, "opaque"):
        answer = asker(filled, bearer).get(ORDERS)
        assert (answer.status, answer.body) == (401, b"")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert asker(filled, good).get(ORDERS).status == 200


def test_a_readers_keys_open_the_tables_files_and_no_others(
    filled: PolarisLikeCatalog, token: Token
) -> None:
    orders = asker(filled, token("alice")).get(ORDERS, **VENDED).json()
    staff = asker(filled, token("carol")).get(STAFF).json()
    files = opened(orders["config"])
    mine, other = path_of(orders), path_of(staff)
    found = [f.path for f in files.get_file_info(FileSelector(f"{mine}/", recursive=True))]
    (data,) = [path for path in found if path.endswith(".parquet")]
    assert files.open_input_file(data).size() > 0
    with pytest.raises(OSError, match="ACCESS_DENIED"):
        files.get_file_info(FileSelector(f"{other}/", recursive=True))
    with pytest.raises(OSError, match="ACCESS_DENIED"):
        files.open_input_file(staff["metadata-location"].removeprefix("s3://"))
    with pytest.raises(OSError, match="ACCESS_DENIED"), files.open_output_stream(f"{mine}/x") as x:
        x.write(b"x")


def test_a_writers_keys_write_the_tables_files_and_no_others(
    filled: PolarisLikeCatalog, token: Token
) -> None:
    staff = asker(filled, token("bob")).get(STAFF, **VENDED).json()
    orders = asker(filled, token("carol")).get(ORDERS).json()
    files = opened(staff["config"])
    with files.open_output_stream(f"{path_of(staff)}/data/x") as stream:
        stream.write(b"x")
    with (
        pytest.raises(OSError, match="ACCESS_DENIED"),
        files.open_output_stream(f"{path_of(orders)}/data/x") as stream,
    ):
        stream.write(b"x")


def test_what_a_load_with_credentials_answers(filled: PolarisLikeCatalog, token: Token) -> None:
    alice = asker(filled, token("alice"))
    filled.admin.set(claimed_seconds=60)
    loaded = alice.get(ORDERS, **VENDED).json()
    config, (entry,) = loaded["config"], loaded["storage-credentials"]
    keys = {key for key in config if key.startswith("s3.")} - set(entry["config"])
    assert keys == {"s3.endpoint", "s3.path-style-access"}
    assert entry["prefix"] == loaded["metadata"]["location"]
    assert config["client.refresh-credentials-endpoint"] == f"v1/{ORDERS}/credentials"
    ends = int(config["s3.session-token-expires-at-ms"]) / 1000
    assert ends - time.time() <= 60
    plain = alice.get(ORDERS).json()
    assert set(plain["config"]) == {"client.region", "s3.endpoint", "s3.path-style-access"}
    (fresh,) = alice.get(f"{ORDERS}/credentials").json()["storage-credentials"]
    assert fresh["prefix"] == entry["prefix"]
    assert fresh["config"].keys() == entry["config"].keys()
    assert fresh["config"]["s3.access-key-id"] == config["s3.access-key-id"]  # for half its life
    assert filled.admin.calls("load_credentials", "alice") == 1


def test_revoked_credentials_are_dead_at_once(filled: PolarisLikeCatalog, token: Token) -> None:
    alice = asker(filled, token("alice"))
    loaded = alice.get(ORDERS, **VENDED).json()
    files = opened(loaded["config"])
    place = FileSelector(f"{path_of(loaded)}/", recursive=True)
    assert files.get_file_info(place)
    filled.admin.revoke_credentials("lake")
    with pytest.raises(OSError, match=r"(?i)access"):
        files.get_file_info(place)
    assert error(alice.get(ORDERS, **VENDED))[:2] == (500, "StsException")
    filled.admin.restore_credentials("lake")
    again = opened(alice.get(ORDERS, **VENDED).json()["config"])
    assert again.get_file_info(place)


@pytest.fixture
def http() -> Iterator[Http]:
    made = Http(HttpOptions("the storage", ErrorCode.STORAGE_UNAVAILABLE))
    yield made
    made.close()


def signed(
    who: Asker, table: str, method: str, uri: str, **headers: str
) -> tuple[int, dict[str, str]]:
    sent = {name.replace("_", "-"): [value] for name, value in headers.items()}
    body = {"method": method, "uri": uri, "region": "us-east-1", "headers": sent}
    answer = who.post(f"{table}/sign", body)
    found = answer.json().get("headers", {})
    return answer.status, {name: ", ".join(values) for name, values in found.items()}


def test_remote_signing_lets_through_what_the_privileges_do(
    filled: PolarisLikeCatalog, token: Token, stack: Places, http: Http
) -> None:
    alice = asker(filled, token("alice"))
    filled.admin.set(remote_signing=True)
    loaded = alice.get(ORDERS, X_Iceberg_Access_Delegation="vended-credentials,remote-signing")
    config = loaded.json()["config"]
    assert config["s3.signer.endpoint"] == f"v1/{ORDERS}/sign"
    assert "s3.access-key-id" not in config and "storage-credentials" not in loaded.json()
    where = f"{stack.minio}/{loaded.json()['metadata-location'].removeprefix('s3://')}"
    status, headers = signed(alice, ORDERS, "GET", where, range="bytes=0-9")
    assert status == 200
    whole = http.call("GET", where, headers).body
    assert json.loads(whole) == loaded.json()["metadata"]
    part = http.call("GET", where, {**headers, "range": "bytes=5-9"})  # the same signature
    assert (part.status, part.body) == (206, whole[5:10])
    folder = path_of(loaded.json()).removeprefix(f"{BUCKET}/")
    listing = f"{stack.minio}/{BUCKET}?list-type=2&prefix={folder}/"
    status, headers = signed(alice, ORDERS, "GET", listing)
    assert (status, http.call("GET", listing, headers).status) == (200, 200)


def test_remote_signing_refuses_the_rest(
    filled: PolarisLikeCatalog, token: Token, stack: Places
) -> None:
    alice, carol = asker(filled, token("alice")), asker(filled, token("carol"))
    filled.admin.set(remote_signing=True)
    orders, staff = carol.get(ORDERS).json(), carol.get(STAFF).json()
    mine, other = (f"{stack.minio}/{path_of(table)}" for table in (orders, staff))
    assert signed(alice, ORDERS, "PUT", f"{mine}/data/x")[0] == 403
    assert signed(carol, ORDERS, "PUT", f"{mine}/data/x")[0] == 200
    assert signed(alice, STAFF, "GET", f"{other}/data/x")[0] == 403
    for method, uri in (
        ("GET", f"{other}/data/x"),
        ("GET", f"{mine}/../staff/x"),
        ("GET", f"{mine}%2F..%2Fstaff"),
        ("GET", f"{stack.minio}/{BUCKET}?list-type=2&prefix="),
        ("GET", f"{stack.minio}/{BUCKET}?list-type=2&prefix={mine.rpartition('/')[0]}"),
        ("PUT", f"{stack.minio}/{BUCKET}?policy&prefix={path_of(orders)}/"),
        ("POST", f"{stack.minio}/{BUCKET}?delete"),
    ):
        assert signed(carol, ORDERS, method, uri)[0] == 403, uri
    copied = path_of(staff)
    assert signed(carol, ORDERS, "PUT", f"{mine}/x", x_amz_copy_source=f"/{copied}/x")[0] == 403
    assert signed(carol, ORDERS, "GET", "http://elsewhere/x")[0] == 400


def test_a_lost_commit_leaves_nothing_in_the_bucket(
    filled: PolarisLikeCatalog, token: Token, storage: Minio
) -> None:
    carol = asker(filled, token("carol"))
    folder = path_of(carol.get(ORDERS).json()).removeprefix(f"{BUCKET}/") + "/metadata/"

    def metadata() -> set[str]:
        found = storage.list_objects(BUCKET, folder)
        return {str(one.object_name) for one in found if "metadata.json" in str(one.object_name)}

    before = metadata()
    change = {
        "requirements": [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 1}],
        "updates": [{"action": "set-properties", "updates": {"a": "1"}}],
    }
    assert error(carol.post(ORDERS, change))[:2] == (409, "CommitFailedException")
    assert metadata() == before
    taken = {"name": "orders", "schema": {"type": "struct", "fields": []}}
    assert error(carol.post("lake/namespaces/sales/tables", taken))[0] == 409
    assert metadata() == before


def test_writers_at_once_all_get_their_rows_in(filled: PolarisLikeCatalog, token: Token) -> None:
    bearer = token("carol")

    def append(_: int) -> None:
        carol = connected(filled, bearer)
        while True:
            try:
                carol.load_table("sales.orders").append(ROWS)
            except CommitFailedException:
                continue  # somebody else was first
            return

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(append, range(4)))
    table = connected(filled, bearer).load_table("sales.orders")
    assert table.scan().to_arrow().num_rows == 10
    assert len(table.snapshots()) == 5


def test_a_storage_that_does_not_answer_is_no_missing_table(
    polaris: PolarisLikeCatalog, token: Token, catalogs_user: S3Keys
) -> None:
    nowhere = S3Storage(f"s3://{BUCKET}/x", catalogs_user, "http://127.0.0.1:9")
    polaris.admin.add_catalog("dead", ["sales"], storage=nowhere)
    polaris.admin.grant("admin", ["CATALOG_MANAGE_CONTENT"], catalog="dead")
    carol = asker(polaris, token("carol"))
    table = {"name": "t", "schema": json.loads('{"type": "struct", "fields": []}')}
    refused = error(carol.post("dead/namespaces/sales/tables", table))
    assert refused[:2] == (500, "SdkClientException")
    assert carol.get("dead/namespaces/sales/tables").json()["identifiers"] == []


def catalog_conf(name: str, polaris: PolarisLikeCatalog, bearer: str) -> dict[str, str]:
    catalog = f"spark.sql.catalog.{name}"
    return {
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "rest",
        f"{catalog}.uri": polaris.url,
        f"{catalog}.warehouse": "lake",
        f"{catalog}.token": bearer,
        f"{catalog}.token-refresh-enabled": "false",
        f"{catalog}.header.X-Iceberg-Access-Delegation": "vended-credentials",
        f"{catalog}.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
    }


def spark(conf: dict[str, str], *statements: str) -> list[dict[str, Any]]:
    """What a Spark of its own, without SQE, answers to each statement."""
    ran = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("plain_spark.py"))],
        input=json.dumps({"conf": conf, "statements": statements}),
        capture_output=True,
        text=True,
        env={**os.environ, "JAVA_HOME": str(find_java().home)},
        timeout=300,
    )
    assert ran.stdout, ran.stderr[-3000:]
    answers: list[dict[str, Any]] = json.loads(ran.stdout)
    return answers


@pytest.mark.timeout(400)
def test_spark_without_sqe_reads_and_writes(
    filled: PolarisLikeCatalog, token: Token, jar_cache: Path
) -> None:
    filled.admin.set(claimed_seconds=240)  # Java renews what ends within 5 minutes
    jars = ensure_artifacts(jar_cache, find_java(), {})
    answers = spark(
        {
            "spark.jars": ",".join(map(str, jars)),
            "spark.ui.enabled": "false",
            "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": "1",
            **catalog_conf("bobs", filled, token("bob")),
            **catalog_conf("alices", filled, token("alice")),
        },
        "INSERT INTO bobs.hr.staff VALUES (3, 'de')",
        "UPDATE bobs.hr.staff SET country = 'fr' WHERE id = 1",
        "SELECT id, country FROM bobs.hr.staff ORDER BY id",
        "SELECT id, country FROM alices.sales.orders ORDER BY id",
        "SELECT * FROM alices.hr.staff",
    )
    assert answers[:2] == [{"rows": []}, {"rows": []}]
    assert answers[2] == {"rows": [[1, "fr"], [2, "nl"], [3, "de"]]}
    assert answers[3] == {"rows": [[1, "be"], [2, "nl"]]}
    assert "alice" in answers[4]["error"]
    assert "LOAD_TABLE_WITH_READ_DELEGATION" in answers[4]["error"]
    assert filled.admin.calls("load_credentials", "alice") > 0
