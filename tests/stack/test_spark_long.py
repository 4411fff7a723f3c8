"""Spark jobs that outlive their keys and their user's tokens, and what Spark knows of its users."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.stack.places import Places
from sqe.client import Error
from tests.stack.front import Front
from tests.stack.heap import dump_heap, found_in
from tests.stack.serving import PASSWORDS, access_token
from tests.stack.spark_world import World, world

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(900)]

FILES = 20  # read one after the other, each for SLOW_S at least: longer than two of anything
SLOW_S = 2.5
ROWS = FILES * 1000
POISON = "AKIAPOISONPOISON"


@pytest.fixture(scope="module")
def metadata_service() -> Iterator[Front]:
    """A trap in the place of the cloud's own service for keys of machines."""
    with Front("http://127.0.0.1:9").running() as trap:
        yield trap


@pytest.fixture(scope="module")
def lakehouse(
    _isolated_session: None,
    stack: Places,
    tmp_path_factory: pytest.TempPathFactory,
    jar_cache: Path,
    metadata_service: Front,
) -> Iterator[World]:
    """In whose process somebody has left keys of other people's."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
            patch.setenv(name, POISON)
        patch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata_service.url)
        patch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{metadata_service.url}/keys")
        with world(stack, tmp_path_factory.mktemp("long"), jar_cache) as made:
            with made.login("carol") as carol:
                made.rows(carol, "CREATE TABLE lake.ns1.many (id BIGINT)")
                made.rows(
                    carol,
                    f"INSERT INTO lake.ns1.many SELECT /*+ REPARTITION({FILES}) */ id "
                    f"FROM range({ROWS})",
                )
            yield made


def test_a_job_outlives_its_keys_and_its_users_tokens(
    lakehouse: World, metadata_service: Front
) -> None:
    lakehouse.storage.seen.clear()
    lakehouse.asked.seen.clear()
    with lakehouse.login("carol") as carol:
        lakehouse.slow_s = SLOW_S
        try:
            rows = lakehouse.rows(carol, "SELECT count(*), sum(id) FROM lake.ns1.many")
        finally:
            lakehouse.slow_s = 0.0
    assert rows == [(ROWS, sum(range(ROWS)))]
    reads = lakehouse.storage.of("GET", "/data/")
    assert lakehouse.aging.refuse(reads[0].who, "") is not None, "the first keys are over by now"
    keys = {one.who for one in reads}
    tokens = {one.who for one in lakehouse.asked.of("GET", "/tables/many/credentials")}
    assert len(keys) > 2, "each was good for one renewal, and the job needed more"
    assert len(tokens) > 2, "each renewal was asked for with the token of its time"
    assert POISON not in {one.who for one in lakehouse.storage.seen}
    assert metadata_service.seen == []


def test_without_new_keys_the_job_fails_and_says_why(lakehouse: World) -> None:
    """Its keys are as good as over from the start, so that Iceberg asks for others at once."""
    fault = lakehouse.catalog.admin.inject("status", status=503, endpoint="load_credentials")
    with lakehouse.login("carol") as carol:
        lakehouse.slow_s = SLOW_S
        try:
            with pytest.raises(Error) as raised:
                lakehouse.rows(carol, "SELECT count(*), sum(id) FROM lake.ns1.many")
        finally:
            lakehouse.slow_s = 0.0
            lakehouse.catalog.admin.heal(fault)
    assert raised.value.code == "CATALOG_UNAVAILABLE"


def test_a_login_that_cannot_be_renewed_ends_the_job_and_says_so(
    lakehouse: World, stack: Places
) -> None:
    """Its user came with a token, and the issuer gives new ones to them alone."""
    token = access_token(stack, "carol", lakehouse.client)
    with lakehouse.sqe.connected("carol", token=token) as carol:
        lakehouse.slow_s = SLOW_S
        try:
            with pytest.raises(Error) as raised:
                lakehouse.rows(carol, "SELECT count(*), sum(id) FROM lake.ns1.many")
        finally:
            lakehouse.slow_s = 0.0
    assert raised.value.code == "TOKEN_EXPIRED"


def test_a_user_may_only_what_the_catalog_lets_them(lakehouse: World) -> None:
    """One server, one JVM: what carol may does not rub off on bob."""
    with lakehouse.login("bob") as connection:
        assert lakehouse.rows(connection, "SELECT max(id) FROM lake.ns1.many") == [(ROWS - 1,)]
        with pytest.raises(Error) as raised:
            lakehouse.rows(connection, "INSERT INTO lake.ns1.many VALUES (1)")
    assert raised.value.code == "ACCESS_DENIED"
    with lakehouse.login("carol") as carol:
        assert lakehouse.rows(carol, "SELECT count(*) FROM lake.ns1.many") == [(ROWS,)]


def test_no_token_of_a_user_is_in_the_memory_of_spark(
    lakehouse: World, stack: Places, tmp_path: Path
) -> None:
    """Searched in the JVM's own dump, in which what it may know is found."""
    marker = access_token(stack, "carol")
    with lakehouse.sqe.connected("carol", token=marker) as carol:
        lakehouse.storage.seen.clear()
        lakehouse.rows(carol, "INSERT INTO lake.ns1.many VALUES (1)")
        lakehouse.rows(carol, "DELETE FROM lake.ns1.many WHERE id = 1 AND id < 0")
        keys = {one.who for one in lakehouse.storage.of("PUT", "/data/")}
        assert lakehouse.spark.pid is not None
        file = tmp_path / "heap.hprof"
        dump_heap(lakehouse.spark.pid, file)
    signature = marker.rsplit(".", 1)[-1]
    server = lakehouse.spark.endpoint.token.reveal()
    known = {server, *keys}
    secret = {marker, signature, PASSWORDS["carol"], PASSWORDS["bob"], POISON}
    assert keys and found_in(file, known | secret) == known
