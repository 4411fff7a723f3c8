"""COPY INTO from an object store: with keys that the store gives the user, and no others."""

from __future__ import annotations

import io
import re
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from minio import Minio
from minio.error import S3Error

import sqe.client
from dev.stack.minio import LANDING
from dev.stack.places import Places
from sqe.engines.locations.session_policy import scope_of_reads
from sqe.engines.locations.source import object_source
from sqe.model.identity import Secret
from sqe.server.locations import locations_of
from sqe.settings import Settings
from tests.small_spark import small_spark
from tests.stack.front import Front
from tests.stack.proxy import Delay, Proxy, Refuse
from tests.stack.serving import Serving, access_token, serving
from tests.stack.wiretap import files, places_with

pytestmark = [pytest.mark.spark, pytest.mark.java]

_KEYS = re.compile(rb"<(AccessKeyId|SecretAccessKey|SessionToken)>([^<]+)</")
CSV = b'id,said\r\n1,"a ""b"", c"\r\n2,"two\r\nlines"\r\n'
BAD = b"id,said\n1,fine\nx,not a number\n"


@dataclass
class Landing:
    """A folder of the analysts' part of the bucket, and an SQE that loads from it."""

    sqe: Serving
    storage: Minio
    folder: str
    proxy: Proxy
    keys: set[bytes]  # every part of keys that the store has handed out
    home: Path
    said: list[str] = field(default_factory=list)

    def put(self, name: str, content: bytes) -> str:
        key = f"{self.folder}/{name}"
        self.storage.put_object(LANDING, key, io.BytesIO(content), len(content))
        return f"s3://{LANDING}/{key}"

    def place(self, name: str = "") -> str:
        return f"s3://{LANDING}/{self.folder}/{name}"

    def refusal(self, user: str, sql: str) -> str:
        with self.sqe.connected(user) as connection, pytest.raises(sqe.client.Error) as raised:
            connection.execute(sql).fetchall()
        self.said.append(f"{raised.value} {raised.value!r} {raised.value.__cause__!r}")
        return f"{raised.value.code} {raised.value}"

    def copies(self) -> list[Path]:
        return list((self.home / "uploads").rglob("object-*"))


@pytest.fixture(scope="module")
def landing(
    _isolated_session: None,
    stack: Places,
    storage: Minio,
    tmp_path_factory: pytest.TempPathFactory,
    jar_cache: Path,
) -> Iterator[Landing]:
    keys: set[bytes] = set()

    def hear(body: bytes) -> bytes:
        keys.update(value for _, value in _KEYS.findall(body))
        return body

    home = tmp_path_factory.mktemp("landing home")
    address = urlsplit(stack.minio)
    with (
        Proxy((str(address.hostname), int(address.port or 80))) as proxy,
        Front(stack.minio, rewrite=hear).running() as sts,
    ):
        reached = {"endpoint": proxy.url, "path_style": True, "timeout_s": 5}
        changes = {
            "spark": small_spark(jar_cache),
            "catalogs": {"own": {"type": "embedded"}},
            "default_catalog": "own",
            "default_schema": "s",
            "load": {"download_mb": 30},
            "log": {"level": "debug"},
            "locations": {
                "landing": {
                    **reached,
                    "prefix": f"s3://{LANDING}/",
                    "sts_endpoint": sts.url,
                    "unload": True,
                }
            },
        }
        with serving(stack, home, changes) as made:
            folder = f"analysts/{uuid.uuid4().hex[:8]}"
            yield Landing(made, storage, folder, proxy, keys, home)


def test_alice_loads_a_csv_of_hers_once(landing: Landing) -> None:
    name = landing.put("new orders é.csv", CSV)
    landing.put("_SUCCESS", b"")
    copy = f"COPY INTO said FROM '{name}' FILEFORMAT = CSV"
    with landing.sqe.connected("alice") as alice:
        alice.execute("CREATE TABLE said (id INT, said STRING)")
        alice.execute(copy)
        alice.execute(copy)
        alice.execute(f"COPY INTO said FROM '{landing.place('*.csv')}' FILEFORMAT = CSV")
        rows = alice.execute("SELECT * FROM said ORDER BY id").fetchall()
        assert rows == [(1, 'a "b", c'), (2, "two\r\nlines")]
        landing.put("new orders é.csv", CSV.replace(b"1", b"3"))
        alice.execute(f"COPY INTO said FROM '{landing.place()}' FILEFORMAT = CSV")
        assert alice.execute("SELECT count(*) FROM said").fetchall() == [(4,)]
    assert landing.copies() == []


def test_a_folder_of_parquet_makes_a_table(landing: Landing) -> None:
    for number in range(3):
        out = io.BytesIO()
        pq.write_table(pa.table({"n": [number], "x": [f"row {number}"]}), out)
        landing.put(f"parts/{number}.parquet", out.getvalue())
    landing.put("parts/_SUCCESS", b"")
    place = landing.place("parts")
    with landing.sqe.connected("alice") as alice:
        alice.execute(
            f"COPY INTO parts FROM '{place}' FILEFORMAT = PARQUET COPY_OPTIONS ('create' = 'true')"
        )
        rows = alice.execute("SELECT n, x FROM parts ORDER BY n").fetchall()
    assert rows == [(number, f"row {number}") for number in range(3)]
    assert landing.copies() == []


def test_messages_and_rejects_name_the_object(landing: Landing) -> None:
    name = landing.put("bad/b.csv", BAD)
    broken = landing.put("bad/c.json", b'{"id": "text"}\n')
    with landing.sqe.connected("alice") as alice:
        alice.execute("CREATE TABLE bad (id INT, said STRING)")
        copy = f"COPY INTO bad FROM '{name}' FILEFORMAT = CSV"
        said = landing.refusal("alice", copy)
        assert f"{name}, line 3" in said and "object-0" not in said
        said = landing.refusal("alice", f"COPY INTO bad FROM '{broken}' FILEFORMAT = JSON")
        assert broken in said and "object-0" not in said
        rejects = alice.execute(f"{copy} COPY_OPTIONS ('rejects' = 'true')").fetchall()
        assert [(row[0], row[1]) for row in rejects] == [(name, 3)]
    assert landing.copies() == []


def test_bob_may_not_load_what_the_store_does_not_show_him(landing: Landing) -> None:
    name = landing.put("secret.csv", CSV)
    with landing.sqe.connected("bob") as bob:
        bob.execute("CREATE TABLE bobs (id INT, said STRING)")
        for place in (name, landing.place(), landing.place("*.csv"), f"s3://{LANDING}/*"):
            said = landing.refusal("bob", f"COPY INTO bobs FROM '{place}' FILEFORMAT = CSV")
            assert "ACCESS_DENIED" in said and "does not let you read" in said
        # A role that the store does not know gets no keys at all.
        said = landing.refusal("carol", f"COPY INTO bobs FROM '{name}' FILEFORMAT = CSV")
        assert "ACCESS_DENIED" in said and "gives you no keys" in said
        assert bob.execute("SELECT count(*) FROM bobs").fetchall() == [(0,)]


def test_the_keys_of_a_statement_open_what_it_names_and_nothing_else(
    landing: Landing, stack: Places
) -> None:
    named, other = landing.put("own/a.csv", CSV), landing.put("other/a.csv", CSV)
    [place] = landing.sqe.server.settings.locations.values()
    settings = Settings(locations={"landing": place})
    locations = locations_of(settings, landing.home)
    assert locations is not None
    token = Secret(access_token(stack, "alice"))
    source = object_source(landing.place("own/"))
    keys = locations.locations[0].sts.exchange_token(token, scope_of_reads(source), "sqe-test")
    locations.close()
    assert keys.token is not None
    client = Minio(
        endpoint=urlsplit(stack.minio).netloc,
        access_key=keys.key_id.reveal(),
        secret_key=keys.key.reveal(),
        session_token=keys.token.reveal(),
        region="us-east-1",
        secure=False,
    )

    def read(name: str) -> bytes:
        key = name.removeprefix(f"s3://{LANDING}/")
        return client.get_object(bucket_name=LANDING, object_name=key).read()

    assert read(named) == CSV
    for forbidden in (
        lambda: read(other),
        lambda: list(client.list_objects(bucket_name=LANDING, prefix=f"{landing.folder}/")),
        lambda: client.remove_object(LANDING, named.removeprefix(f"s3://{LANDING}/")),
    ):
        with pytest.raises(S3Error, match="AccessDenied"):
            forbidden()


def test_rows_are_written_as_the_user_whole_or_not_at_all(landing: Landing) -> None:
    place = landing.place("out/rows.parquet")
    key = place.removeprefix(f"s3://{LANDING}/")
    unload = f"COPY (SELECT id, concat('row ', id) AS x FROM range(1000)) TO '{place}'"
    assert "ACCESS_DENIED" in landing.refusal("bob", unload)
    fails = f"COPY (SELECT 1 / (id - 999) FROM range(1000)) TO '{place}'"
    assert "DIVISION_BY_ZERO" in landing.refusal("alice", fails)
    with pytest.raises(S3Error, match="NoSuchKey"):
        landing.storage.stat_object(LANDING, key)
    [(rows, files_written, size)] = landing.sqe.rows("alice", unload)
    assert (rows, files_written) == (1000, 1)
    content = landing.storage.get_object(LANDING, key).read()
    assert len(content) == size
    assert pq.read_table(io.BytesIO(content)).num_rows == 1000
    assert "already" in landing.refusal("alice", unload)
    assert landing.sqe.rows("alice", f"{unload} (OVERWRITE)")[0][0] == 1000
    assert [p for p in (landing.home / "uploads").rglob("*") if p.name == "object"] == []


def test_what_is_too_large_or_out_of_reach_is_told(landing: Landing) -> None:
    large = landing.put("large.csv", b"id,said\n" + b"1,x\n" * (8 * 1024 * 1024))
    with landing.sqe.connected("alice") as alice:
        alice.execute("CREATE TABLE large (id INT, said STRING)")
    copy = f"COPY INTO large FROM '{large}' FILEFORMAT = CSV"
    assert "DISK_FULL" in landing.refusal("alice", copy)
    landing.proxy.fault = Refuse()
    try:
        assert "STORAGE_UNAVAILABLE" in landing.refusal("alice", copy)
    finally:
        landing.proxy.fault = None
    landing.storage.remove_object(LANDING, large.removeprefix(f"s3://{LANDING}/"))


def test_a_cancel_in_the_download_leaves_nothing(landing: Landing) -> None:
    name = landing.put("slow.csv", b"id,said\n" + b"1,x\n" * (4 * 1024 * 1024))
    errors: list[str] = []
    with landing.sqe.connected("alice") as alice:
        alice.execute("CREATE TABLE slow (id INT, said STRING)")
        cursor = alice.cursor()

        def load() -> None:
            try:
                cursor.execute(f"COPY INTO slow FROM '{name}' FILEFORMAT = CSV").fetchall()
            except sqe.client.Error as error:
                errors.append(str(error))

        thread = threading.Thread(target=load)
        landing.proxy.fault = Delay(0.02)
        try:
            thread.start()
            while not landing.copies():
                time.sleep(0.02)
            began = time.monotonic()
            cursor.cancel()
            thread.join()
        finally:
            landing.proxy.fault = None
        assert time.monotonic() - began < 5
        assert "cancelled" in errors[0]
        while landing.copies():  # the engine tidies up after the client has heard
            time.sleep(0.02)
        assert alice.execute("SELECT count(*) FROM slow").fetchall() == [(0,)]


def test_no_key_and_no_token_is_left_anywhere(landing: Landing, stack: Places) -> None:
    token = access_token(stack, "alice")
    with landing.sqe.connected("alice", token=token) as alice:
        alice.execute("CREATE TABLE last (id INT, said STRING)")
        name = landing.put("last.csv", CSV)
        alice.execute(f"COPY INTO last FROM '{name}' FILEFORMAT = CSV")
    assert landing.keys
    secrets = {*landing.keys, token.encode(), token.rsplit(".")[-1].encode()}
    said = ("what was said", "\n".join(landing.said).encode())
    assert places_with(secrets, [said, *files(landing.home)]) == set()
    found = places_with([name.encode()], files(landing.home))  # the search finds what is there
    assert "logs/audit.jsonl" in found
