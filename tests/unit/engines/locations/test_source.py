"""What a COPY names in an object store: the same as it would in a folder of this machine."""

from __future__ import annotations

import glob
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.engines.locations.source import ObjectSource, object_source
from sqe.errors import ErrorCode, UserError
from sqe.model.object_paths import ObjectPath

PARTS = st.sampled_from(["a", "b.csv", ".h", "_s", "[ab", "a1"])
KEYS = st.lists(st.lists(PARTS, min_size=1, max_size=4).map("/".join), max_size=5)
PATTERN_PARTS = st.sampled_from(["a", "*", "**", "?*.csv", "[ab]*", ".h", "a1"])
PATTERNS = st.lists(PATTERN_PARTS, min_size=1, max_size=4).map("/".join)


def source(key: str) -> ObjectSource:
    return object_source(f"s3://bucket/{key}")


@pytest.mark.parametrize(
    ("key", "fixed", "prefix", "deep"),
    [
        ("in/", "in/", "in/", False),
        ("in/a.csv", "in/a.csv", "in/a.csv", False),
        ("in/2024-*.csv", "in/", "in/2024-", False),
        ("in/*/a.csv", "in/", "in/", True),
        ("in/**", "in/", "in/", True),
        ("i*", "", "i", False),
    ],
)
def test_the_fixed_part_is_the_folder_above_the_pattern(
    key: str, fixed: str, prefix: str, deep: bool
) -> None:
    found = source(key)
    assert (found.fixed_part.key, found.prefix, found.is_deep) == (fixed, prefix, deep)


def test_a_folder_has_the_files_right_in_it_and_no_hidden_ones() -> None:
    for spelled in ("in", "in/"):
        keys = ["in/a", "in/_SUCCESS", "in/.b", "in/sub/c", "in2/d", "in", "in/"]
        assert [key for key in keys if source(spelled).matches(key)] == ["in/a"]


@given(KEYS, PATTERNS)
def test_a_pattern_means_what_it_means_for_files_of_this_machine(
    keys: list[str], pattern: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for key in keys:
            path = Path(folder, key)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            except OSError:  # a file cannot be a folder, too
                continue
            made.append(key)
        there = {key for key in made if Path(folder, key).is_file()}
        names = glob.glob(pattern, root_dir=folder, recursive=True)
        shown = {n for n in names if not os.path.basename(n).startswith((".", "_"))}
        expected = shown & there
    wanted = ObjectSource(ObjectPath("bucket", pattern))
    if wanted.is_pattern:
        assert {key for key in there if wanted.matches(key)} == expected


def test_many_wildcards_take_no_time() -> None:
    pattern = source("/".join(["**"] * 30 + ["x"]))
    assert not pattern.matches("/".join(["a"] * 200))


def test_what_cannot_be_a_place_is_the_users_error() -> None:
    with pytest.raises(UserError, match="cannot be loaded") as raised:
        source("a/../b")
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT
