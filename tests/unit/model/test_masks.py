"""Which of two masks shows less."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.model.masks import (
    UNITS,
    BucketMask,
    ConstantMask,
    ExpressionMask,
    Mask,
    NullMask,
    PartialMask,
    RegexMask,
    TruncateMask,
    strictest,
    strictest_of,
)

MASKS: st.SearchStrategy[Mask] = st.one_of(
    st.just(NullMask()),
    st.builds(ConstantMask, st.sampled_from(["a", "b"])),
    st.builds(PartialMask, st.integers(0, 2), st.integers(0, 2), st.sampled_from("*x")),
    st.builds(TruncateMask, st.sampled_from(UNITS)),
    st.builds(BucketMask, st.sampled_from([1, 2, 3, 4, 6, 12])),
    st.builds(RegexMask, st.sampled_from([r"\d", "a"]), st.just("x")),
    st.builds(ExpressionMask, st.sampled_from(["upper(a)", "lower(a)"])),
)


@pytest.mark.parametrize(
    ("one", "other", "taken"),
    [
        (NullMask(), ConstantMask("x"), NullMask()),
        (ConstantMask("x"), PartialMask(last=4), ConstantMask("x")),
        (ConstantMask("x"), ConstantMask("y"), None),
        (PartialMask(1, 2), PartialMask(1, 4), PartialMask(1, 2)),
        (PartialMask(0, 4), PartialMask(4, 0), None),
        (TruncateMask("year"), TruncateMask("month"), TruncateMask("year")),
        (TruncateMask("week"), TruncateMask("month"), None),
        (TruncateMask("week"), TruncateMask("day"), TruncateMask("week")),
        (BucketMask(100), BucketMask(10), BucketMask(100)),
        (BucketMask(15), BucketMask(10), None),
        (ExpressionMask("upper(a)"), ExpressionMask("lower(a)"), None),
        (RegexMask("a", "b"), NullMask(), NullMask()),
    ],
)
def test_the_strictest_is_taken_if_it_can_be_told(
    one: Mask, other: Mask, taken: Mask | None
) -> None:
    assert strictest(one, other) == taken


@given(one=MASKS, other=MASKS)
def test_the_order_of_two_does_not_matter(one: Mask, other: Mask) -> None:
    assert strictest(one, other) == strictest(other, one)


@given(one=MASKS, other=MASKS, third=MASKS)
def test_what_is_stricter_than_the_stricter_is_strictest(
    one: Mask, other: Mask, third: Mask
) -> None:
    if strictest(one, other) == one and strictest(other, third) == other:
        assert strictest(one, third) == one


@given(st.lists(MASKS, max_size=4), st.randoms())
def test_the_strictest_of_several_depends_on_no_order(masks: list[Mask], random: Random) -> None:
    assert strictest_of(masks) == strictest_of(random.sample(masks, len(masks)))
    if len(masks) == 2:
        assert strictest_of(masks) == strictest(*masks)


def test_one_more_mask_is_no_way_out_of_a_refusal() -> None:
    unranked: list[Mask] = [PartialMask(0, 4), PartialMask(4, 0)]
    assert strictest_of(unranked) is None
    assert strictest_of([NullMask(), *unranked]) is None
    assert strictest_of([]) is None
