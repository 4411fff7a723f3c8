"""Places in object stores: only spellings that everybody reads alike, by whole parts."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.model.object_paths import ObjectPath, object_path

TRICKS = st.sampled_from([".", "..", "", "%2e%2e", "%2F", "a", "in", "in2", "é", "\\", "${x}", " "])
KEYS = st.lists(TRICKS | st.text(max_size=5), max_size=6).map("/".join)


@pytest.mark.parametrize(
    "text",
    [
        "s3a://bucket/a",
        "S3://bucket/a",
        "/bucket/a",
        "s3:///a",
        "s3://b/a",
        "s3://Bucket/a",
        "s3://buc..ket/a",
        "s3://user:pw@bucket/a",
        "s3://bucket:9000/a",
        "s3://bucket//a",
        "s3://bucket/a//b",
        "s3://bucket/./a",
        "s3://bucket/a/..",
        "s3://bucket/a/%2e%2e/b",
        "s3://bucket/a\\b",
        "s3://bucket/a\nb",
        "s3://bucket/a\0",
        "s3://bucket/${aws:username}/b",
        "s3://bucket/" + "é" * 600,
    ],
)
def test_other_spellings_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"it|is not the name"):
        object_path(text)


@pytest.mark.parametrize("key", ["", "a", "a/", "a/b c+é=1.csv", "a/*.csv", "a$b"])
def test_a_name_is_what_it_was(key: str) -> None:
    assert object_path(f"s3://bucket/{key}") == ObjectPath("bucket", key)
    assert str(object_path(f"s3://bucket/{key}")) == f"s3://bucket/{key}"


@given(KEYS)
def test_what_is_taken_has_one_reading_only(key: str) -> None:
    try:
        path = object_path(f"s3://bucket/{key}")
    except ValueError:
        return
    assert path.key == key == unquote(key)
    assert posixpath.normpath(f"/{key}") == f"/{key.rstrip('/')}"


@given(KEYS, st.sampled_from(["", "in/", "in/a/"]))
def test_what_lies_below_is_below_by_whole_parts(key: str, folder: str) -> None:
    try:
        path = object_path(f"s3://bucket/{key}")
    except ValueError:
        return
    parts, above = [p for p in key.split("/") if p], [p for p in folder.split("/") if p]
    assert path.is_below(ObjectPath("bucket", folder)) is (parts[: len(above)] == above)
    assert not path.is_below(ObjectPath("bucket2", folder))
