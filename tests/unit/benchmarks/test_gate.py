"""What counts as worse than the baseline, and the table of a profile."""

from __future__ import annotations

import pytest

from benchmarks.gate import BASELINE, MEASURES, Ratio, is_worse, ratio_of
from benchmarks.profile import table_of


def test_the_noise_is_that_of_the_repeats() -> None:
    assert ratio_of([2.0] * 9) == Ratio(median=2.0, noise=0.0)
    assert ratio_of([1.0, 1.5, 2.0, 2.5, 3.0]).noise == pytest.approx(0.375)


@pytest.mark.parametrize(
    ("median", "noise", "worse"),
    [(1.0, 0.0, False), (1.14, 0.0, False), (1.16, 0.0, True), (1.25, 0.1, False), (0.5, 0, False)],
)
def test_a_ratio_is_worse_beyond_its_noise(median: float, noise: float, worse: bool) -> None:
    assert is_worse(Ratio(median=median, noise=noise), Ratio(median=1.0, noise=0.0)) is worse


def test_a_noisy_baseline_lets_more_pass() -> None:
    measured = Ratio(median=1.5, noise=0.0)
    assert is_worse(measured, Ratio(median=1.0, noise=0.1))
    assert not is_worse(measured, Ratio(median=1.0, noise=0.2))


def test_every_measure_has_a_baseline() -> None:
    assert all(name in BASELINE.read_text() for name in MEASURES)


def test_a_profile_counts_what_is_below_a_function() -> None:
    stacks = ["main (a.py:1);ask (sqe/b.py:5) 6", "main (a.py:2);ask (sqe/b.py:9);wait (c.py:1) 2"]
    assert table_of(stacks)[1:] == [
        "  100.0%   75.0%  ask (sqe/b.py)",
        "   25.0%   25.0%  wait (c.py)",
    ]
