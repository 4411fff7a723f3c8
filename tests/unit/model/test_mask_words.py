"""Masks are written in words, and read back as they were."""

from __future__ import annotations

import pytest

from sqe.model.mask_words import mask_words, parse_mask
from sqe.model.masks import (
    BucketMask,
    ConstantMask,
    ExpressionMask,
    HashMask,
    Mask,
    NullMask,
    PartialMask,
    RegexMask,
    TruncateMask,
)

WRITTEN: list[tuple[str, Mask]] = [
    ("null", NullMask()),
    (" NULL ", NullMask()),
    ("constant('it''s, (so)')", ConstantMask("it's, (so)")),
    ("constant('')", ConstantMask("")),
    ("constant(-1.5)", ConstantMask("-1.5")),
    ("partial(0,4)", PartialMask(0, 4)),
    ("partial( 1 , 2 , '#')", PartialMask(1, 2, "#")),
    ("truncate(Month)", TruncateMask("month")),
    ("bucket(10)", BucketMask(10)),
    (r"regex('\d+', '$1')", RegexMask(r"\d+", "$1")),
    ("hash", HashMask()),
    ("hash(pii)", HashMask("pii")),
    ("hash('my key')", HashMask("my key")),
    ("expression(concat('(', left(ssn, 1)))", ExpressionMask("concat('(', left(ssn, 1))")),
]


@pytest.mark.parametrize(("text", "mask"), WRITTEN, ids=str)
def test_masks_in_words(text: str, mask: Mask) -> None:
    assert parse_mask(text) == mask
    assert parse_mask(mask_words(mask)) == mask


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "null(1)",
        "constant",
        "constant('a', 'b')",
        "constant('a",
        "partial(1)",
        "partial(-1, 0)",
        "partial(1, x)",
        "partial(1, 2, '##')",
        "truncate(fortnight)",
        "bucket(0)",
        "bucket(1.5)",
        "regex('a')",
        "regex('a',)",
        "hash(a, b)",
        "hash(a b)",
        "expression()",
        "expression",
        "null; drop",
        "partial(0,4)) x (",
    ],
)
def test_what_is_no_mask_is_said_so(text: str) -> None:
    with pytest.raises(ValueError, match=r"mask|brackets|expression"):
        parse_mask(text)
