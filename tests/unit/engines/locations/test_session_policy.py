"""The policy of a statement's keys: what it names, to read and to list, and nothing else."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.engines.locations.session_policy import scope_of_reads, scope_of_writes
from sqe.engines.locations.source import object_source
from sqe.errors import ErrorCode, UserError
from sqe.model.object_paths import ObjectPath

NAMES = st.text("ab.é ", min_size=1, max_size=4).filter(lambda name: name.strip(".") != "")
FOLDERS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def policy(place: str) -> list[dict[str, Any]]:
    scope = scope_of_reads(object_source(place))
    assert scope.name == place
    statements: list[dict[str, Any]] = json.loads(scope.policy)["Statement"]
    return statements


@pytest.mark.parametrize(
    ("key", "read", "listed"),
    [
        ("in/", ["in/*"], ["in/*"]),
        ("in/a.csv", ["in/a.csv", "in/a.csv/*"], ["in/a.csv/*"]),
        ("in/2024-*.csv", ["in/2024-*"], ["in/2024-*"]),
        ("", ["*"], ["*"]),
    ],
)
def test_it_reads_and_lists_what_is_named(key: str, read: list[str], listed: list[str]) -> None:
    reading, listing = policy(f"s3://bucket/{key}")
    assert reading["Action"] == "s3:GetObject"
    assert reading["Resource"] == [f"arn:aws:s3:::bucket/{one}" for one in read]
    assert listing["Action"] == "s3:ListBucket"
    assert listing["Resource"] == "arn:aws:s3:::bucket"
    assert listing["Condition"] == {"StringLike": {"s3:prefix": listed}}
    assert {one["Effect"] for one in (reading, listing)} == {"Allow"}


@given(FOLDERS, FOLDERS)
def test_it_opens_nothing_beside_the_folder(folder: str, other: str) -> None:
    reading, _ = policy(f"s3://bucket/{folder}/")
    opens = any(fnmatchcase(f"arn:aws:s3:::bucket/{other}", one) for one in reading["Resource"])
    assert opens is other.startswith(f"{folder}/")


def test_to_write_it_opens_one_object() -> None:
    [only] = json.loads(scope_of_writes(ObjectPath("bucket", "out/a.csv")).policy)["Statement"]
    assert only["Action"] == ["s3:PutObject", "s3:GetObject"]
    assert only["Resource"] == "arn:aws:s3:::bucket/out/a.csv"


def test_what_sts_would_not_take_is_not_sent() -> None:
    with pytest.raises(UserError, match="too long") as raised:
        scope_of_reads(object_source("s3://bucket/" + "a" * 1000))
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT
