"""The policy of vended credentials."""

from __future__ import annotations

import json

from sqe.testing.policy import inside, locations_of, session_policy


def test_a_writers_policy_has_polariss_statements() -> None:
    written = json.loads(session_policy(["s3://wh/ns/t"], write=True))
    assert written["Version"] == "2012-10-17"
    files = "arn:aws:s3:::wh/ns/t/*"
    assert written["Statement"] == [
        {"Effect": "Allow", "Action": ["s3:PutObject", "s3:DeleteObject"], "Resource": files},
        {
            "Effect": "Allow",
            "Action": "s3:ListBucket",
            "Resource": "arn:aws:s3:::wh",
            "Condition": {"StringLike": {"s3:prefix": "ns/t/*"}},
        },
        {"Effect": "Allow", "Action": "s3:GetBucketLocation", "Resource": "arn:aws:s3:::wh"},
        {"Effect": "Allow", "Action": ["s3:GetObject", "s3:GetObjectVersion"], "Resource": files},
    ]


def test_a_readers_policy_is_the_same_without_writing() -> None:
    policies = [
        json.loads(session_policy(["s3://wh/a", "s3://wh/b"], write=write))["Statement"]
        for write in (True, False)
    ]
    assert policies[0][1:] == policies[1]
    assert policies[1][0]["Condition"]["StringLike"]["s3:prefix"] == ["a/*", "b/*"]


def test_patterns_in_a_path_stand_for_themselves() -> None:
    text = session_policy(["s3://wh/ns/a*b?$"], write=False)
    assert "arn:aws:s3:::wh/ns/a${*}b${?}${$}/*" in text


def test_a_location_inside_another_is_not_named_twice() -> None:
    properties = {"write.data.path": "s3://wh/d/", "write.metadata.path": "s3://wh/t/metadata"}
    metadata = {"location": "s3://wh/t", "properties": properties}
    assert locations_of(metadata) == ["s3://wh/d", "s3://wh/t"]


def test_what_is_inside_a_location() -> None:
    assert inside("s3://wh/t/data/x", ["s3://wh/t"])
    assert not inside("s3://wh/t2/data/x", ["s3://wh/t"])
    assert not inside("s3://wh/t/../u/x", ["s3://wh/t"])
    assert not inside("s3://wh/t", ["s3://wh/t"])
    assert not inside("", ["s3://wh/t"])
