"""What of a warehouse in S3 can be said without one; tests/stack has the rest."""

from __future__ import annotations

import pytest

from sqe.catalog.storage.bucket import Bucket, s3_path
from sqe.model.identity import Secret
from sqe.testing import S3Keys, S3Storage

ENDPOINT = "http://127.0.0.1:9"


def bucket_at(root: str) -> Bucket:
    return S3Storage(root, S3Keys("a", Secret("b")), ENDPOINT).disk()


def test_locations_are_inside_or_not() -> None:
    bucket = bucket_at("s3://wh/lake/")
    assert bucket.root == "s3://wh/lake"
    assert bucket.holds("s3://wh/lake/t") and bucket.holds("s3a://wh/lake/t/")
    outside = ("s3://wh/lake", "s3://wh/lake2/t", "s3://other/lake/t", "/wh/lake/t", "wh/lake/t")
    assert not any(bucket.holds(location) for location in outside)


@pytest.mark.parametrize("tricky", ["s3://wh/lake/../x", "s3://wh//lake/t", "s3://wh/lake/./t"])
def test_a_location_that_can_be_read_in_two_ways_is_none(tricky: str) -> None:
    assert s3_path(tricky) is None
    assert not bucket_at("s3://wh/lake").holds(tricky)


def test_a_reserved_location_is_given_once() -> None:
    bucket = bucket_at("s3://wh/lake")
    found = {bucket.reserve("s3://wh/lake/ns/t") for _ in range(10)}
    assert len(found) == 10 and all(bucket.holds(location) for location in found)


def test_a_root_must_be_in_s3() -> None:
    with pytest.raises(ValueError, match="s3://bucket"):
        bucket_at("/var/lake")
