"""AWS's signature, checked with the one that another program makes."""

from __future__ import annotations

import datetime as dt
import hashlib
from urllib.parse import urlsplit

import pytest
from minio.credentials.credentials import Credentials
from minio.signer import sign_v4_s3

from sqe.catalog.s3_place import S3Credentials
from sqe.model.identity import Secret

NOW = dt.datetime(2026, 11, 16, 12, 0, 5, tzinfo=dt.UTC)
NOTHING = hashlib.sha256(b"").hexdigest()


@pytest.mark.parametrize("token", [None, "a session's token"])
@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:9000", "https://s3.example.com", ""])
@pytest.mark.parametrize("path_style", [True, False])
@pytest.mark.parametrize("name", ["w/t/a.parquet", "a b+c/ü=1/%41~'.parquet"])
def test_it_is_the_same_as_minios(
    token: str | None, endpoint: str, path_style: bool, name: str
) -> None:
    secret = Secret(token) if token else None
    keys = S3Credentials(
        "s3://", "eu-south-2", endpoint, path_style, Secret("AKID"), Secret("shh"), secret
    )
    url = keys.url(f"s3://lake/{name}")
    found = keys.sign("GET", url, now=NOW)
    given: dict[str, str | list[str] | tuple[str]] = {
        "Host": urlsplit(url).netloc,
        "x-amz-content-sha256": NOTHING,
    }
    given["x-amz-date"] = NOW.strftime("%Y%m%dT%H%M%SZ")
    if token:
        given["x-amz-security-token"] = token
    other = Credentials(access_key="AKID", secret_key="shh", session_token=token)
    wanted = sign_v4_s3(
        method="GET",
        url=urlsplit(url),
        region="eu-south-2",
        headers=given,
        credentials=other,
        content_sha256=NOTHING,
        date=NOW,
    )
    assert found["authorization"] == wanted["Authorization"]
    assert found["host"] == urlsplit(url).netloc
