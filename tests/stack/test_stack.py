"""The stack itself: who is in it, and what each of them may reach, without SQE and through it."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from minio import Minio
from minio.error import S3Error

import sqe.client
from dev.stack.keycloak import password_grant
from dev.stack.messages import StackError
from dev.stack.minio import BUCKET, REGION, USERS
from dev.stack.people import PARTNERS, SHORT, SHORT_S, SQE
from dev.stack.places import ROOT, Places
from tests.stack.serving import Serving

EVERY_TABLE = (
    "SELECT table_schema, table_name FROM information_schema.tables "
    "WHERE table_schema IN ('sales', 'hr', 'board') ORDER BY 1, 2"
)


def claims(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=="))
    return found


def test_a_token_says_who_it_is_for_and_what_they_are(token: Callable[..., str]) -> None:
    bob = claims(token("bob"))
    assert (bob["preferred_username"], bob["roles"]) == ("bob", ["engineer"])
    assert bob["groups"] == ["engineers"]
    assert bob["polaris"] == {"roles": ["PRINCIPAL_ROLE:engineer"]}
    assert set(bob["aud"]) == {"sqe", "polaris"}


def test_a_token_of_the_short_client_ends_soon(token: Callable[..., str]) -> None:
    short = claims(token("alice", SHORT))
    assert short["exp"] - short["iat"] == SHORT_S
    assert short["exp"] <= time.time() + SHORT_S


def test_a_disabled_user_gets_no_token(token: Callable[..., str]) -> None:
    with pytest.raises(StackError, match="disabled"):
        token("mallory")


def test_two_issuers_have_different_people_of_one_name(
    stack: Places, token: Callable[..., str]
) -> None:
    other = next(person for person in PARTNERS if person.name == "alice")
    client = {"client_id": SQE.name, "client_secret": SQE.secret}
    theirs = password_grant(
        stack.partner_issuer, {**client, "username": "alice", "password": other.password}
    )
    assert claims(theirs)["iss"] == stack.partner_issuer
    assert claims(theirs)["sub"] != claims(token("alice"))["sub"]


def test_catalogs_keys_open_the_warehouse_and_nothing_else(stack: Places, storage: Minio) -> None:
    if not storage.bucket_exists("other"):
        storage.make_bucket("other")
    user = next(iter(USERS))
    theirs = Minio(
        endpoint=stack.minio.removeprefix("http://"),
        access_key=user,
        secret_key=USERS[user],
        region=REGION,
        secure=False,
    )
    assert theirs.bucket_exists(BUCKET)
    with pytest.raises(S3Error, match="Access Denied"):
        list(theirs.list_objects("other"))


def test_all_of_it_is_up_and_stays_so(stack: Places, stack_environ: Mapping[str, str]) -> None:
    """``stack`` brought it up before; asking again finds it running."""
    command = [sys.executable, "-m", "dev.stack", "status"]
    done = subprocess.run(command, cwd=ROOT, env=stack_environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert [line.split() for line in done.stdout.splitlines()] == [
        [name, "up"] for name in ("keycloak", "minio", "catalog", "nessie", "opa", "hive")
    ]


@pytest.mark.parametrize(
    ("user", "answer"),
    [
        ("alice", [("sales", "orders")]),
        ("bob", [("hr", "salaries"), ("sales", "orders")]),
    ],
)
def test_the_same_query_is_answered_by_who_asks(
    lakehouse: Serving, user: str, answer: list[tuple[str, str]]
) -> None:
    assert lakehouse.rows(user, EVERY_TABLE) == answer


def test_an_administrator_sees_what_nobody_else_does(lakehouse: Serving) -> None:
    minutes = "SELECT decision FROM board.minutes"
    assert lakehouse.rows("carol", minutes) == [("Buy the other one.",)]
    for user in ("alice", "bob"):
        with pytest.raises(sqe.client.ProgrammingError):
            lakehouse.rows(user, minutes)


def test_a_catalog_of_somebody_elses_is_asked_as_the_user_too(lakehouse: Serving) -> None:
    seen = {user: lakehouse.rows(user, "SHOW SCHEMAS IN nessie") for user in ("alice", "bob")}
    assert seen == {"alice": [("ns1",)], "bob": [("ns2",)]}


def test_a_password_is_as_good_as_a_token(lakehouse: Serving) -> None:
    with lakehouse.connected("bob", user="bob", password="bob-pw") as connection:
        answer = connection.execute("SELECT name FROM hr.salaries ORDER BY salary").fetchall()
    assert answer == [("Bo",), ("Ada",), ("Cy",)]
