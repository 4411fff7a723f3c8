from __future__ import annotations

import pytest

from sqe.model.sizes import size_words


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1536, "1.5 KB"),
        (3 << 30, "3.0 GB"),
        (1 << 40, "1.0 TB"),
    ],
)
def test_sizes_are_for_people(count: int, shown: str) -> None:
    assert size_words(count) == shown
