"""Whatever is said of expressions, no text that the engine's own search fits says otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.model.java_regex import java_regex
from sqe.policy.name_patterns import NamePattern, read_pattern

# (all of this, is in this), of which none is the other.
INCLUDED = [
    ("emp", "e.*"), ("emp|dept", "dept|x|emp"), ("a", "a?"), ("aa", "a+"), ("ab.*", "a.+"),
    ("^a$|^b", "a|b$|c"), ("b", "[a-c]"), (r"a\.b", "a.b"), ("(ab)(c)", "ab.*"), ("a.*", ".+"),
    ("(?:g|h)", "g|h|i"), ("a(b|c)d", "a.*"), ("ab?c", "a(.*)"), ("x[(a)]|y", "x.*|y"),
    (r"st\w+|(a)b_x", "(.*)_x|st.*"), ("hr_[a-z]+", "hr_.*"), ("-", r"\W"), ("é", "(é)|a"),
]  # fmt: skip
APART = [
    ("emp", "dept"), ("a.*", "b.*"), ("a|b", "c|d"), ("a", "A"), ("aa", "a"), ("", "a"),
    (r"a\.b", "axb"), ("hr_[a-z]+", "it_.*"), ("ab*c", "b.*"), ("a", "ab.+"), ("(a|b)", "c$"),
]  # fmt: skip
UNREAD = [
    "(?i)a", "(?=a)", "(?!a)b", "(?<n>a)", "a{2}", r"\p{L}", r"\bx", r"(a)\1", r"\t", r"a\Z", "a\\",
    "[a", "[]", "[]a]", "[^]", "[a[b]]", "[a&&b]", "[b-a]", "(a", "a)", "*", "a**", "]", "}", "{",
    r"\Qa|b\E", "a|*", "(?:a", "a\nb", "a" * 1001, "(" * 999,
]  # fmt: skip


def pattern_of(text: str, ignore_case: bool = False) -> NamePattern:
    pattern = read_pattern(text, ignore_case)
    assert pattern is not None
    return pattern


def included(one: str, other: str, ignore_case: bool = False) -> bool:
    branches = pattern_of(one, ignore_case).branches
    return all(map(pattern_of(other, ignore_case).fits_all_of, branches))


@pytest.mark.parametrize(("one", "other"), INCLUDED)
def test_one_has_all_of_the_other(one: str, other: str) -> None:
    assert included(one, other) and included(one, one)
    assert not included(other, one)
    assert not pattern_of(one).apart_from(pattern_of(other))


@pytest.mark.parametrize(("one", "other"), APART)
def test_two_have_nothing_of_each_other(one: str, other: str) -> None:
    assert pattern_of(one).apart_from(pattern_of(other))
    assert pattern_of(other).apart_from(pattern_of(one))
    assert not included(one, other)


@pytest.mark.parametrize("text", UNREAD)
def test_of_what_may_mean_something_else_nothing_is_said(text: str) -> None:
    assert read_pattern(text) is None


@pytest.mark.parametrize("text", ["", "()", "^$", "|", "(|)"])
def test_what_fits_no_name(text: str) -> None:
    assert pattern_of(text).fits_no_name


@pytest.mark.parametrize("text", ["a", "a?", ".*", "|b", " "])
def test_what_fits_some_name(text: str) -> None:
    assert not pattern_of(text).fits_no_name


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("EMP", "emp", True),
        ("Em.*", "eM.*", True),
        ("b", "[A-C]", True),
        ("B", r"[^b]", False),
        ("É", "é", False),  # as Python and Java have it: ASCII alone
        ("É.*", "é.*", False),
    ],
)
def test_names_of_things_have_no_case(one: str, other: str, said: bool) -> None:
    assert included(one, other, ignore_case=True) is said


def test_branches_are_what_stands_between() -> None:
    assert len(pattern_of("a|bc|(d|e)").branches) == 3
    assert len(pattern_of("((g|h))").branches) == 2
    assert len(pattern_of("(a|b)c").branches) == len(pattern_of("(a)|a").branches) == 1
    assert len(pattern_of("(a|b)(c|d)").branches) == 1


letters = st.sampled_from(["a", "b", "B", "c", "-", r"\.", ".", r"\d", r"\W", "é", "1", " ", "ab"])
classes = st.lists(
    st.sampled_from(["a", "b", "B", "a-c", "A-b", "1", r"\d", r"\W", r"\.", "_", "é", "(b)"]),
    min_size=1,
).flatmap(
    lambda parts: st.sampled_from(["[", "[^"]).map(lambda start: start + "".join(parts) + "]")
)
expressions = st.recursive(
    st.one_of(letters, classes),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
        inner.map(lambda one: f"({one})"),
        inner.map(lambda one: f"^{one}$"),
        st.tuples(inner, st.sampled_from([".*", ".+", "(.*)", ".+?"])).map("".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "*+"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
        st.tuples(letters, st.sampled_from(["*", "+", "?"])).map("".join),
    ),
    max_leaves=6,
)
samples = st.lists(st.text("abBcA-.1_ é", min_size=1, max_size=5), min_size=20, max_size=20)


@given(expressions, expressions, samples, st.booleans())
@settings(max_examples=500, deadline=None)
def test_no_name_contradicts_what_is_said(
    one: str, other: str, texts: list[str], ignore_case: bool
) -> None:
    first, second = read_pattern(one, ignore_case), read_pattern(other, ignore_case)
    if first is None or second is None:
        return
    fits_one = {text for text in texts if java_regex(one, ignore_case).fullmatch(text)}
    fits_other = {text for text in texts if java_regex(other, ignore_case).fullmatch(text)}
    assert not (all(map(second.fits_all_of, first.branches)) and fits_one - fits_other)
    assert not (first.apart_from(second) and fits_one & fits_other)
    assert not (first.fits_no_name and fits_one)
    assert not (first.fits_any_name and set(texts) - fits_one)


@given(expressions, st.text("abBcA-.1_ é", max_size=5), st.booleans())
@settings(max_examples=300, deadline=None)
def test_a_name_is_fitted_if_the_expression_fits_it(one: str, text: str, ignore_case: bool) -> None:
    if (pattern := read_pattern(one, ignore_case)) is None:
        return
    only = pattern_of("".join(rf"\{char}" if char in "-. " else char for char in text), ignore_case)
    fits = java_regex(one, ignore_case).fullmatch(text) is not None
    assert pattern.fits_all_of(only.branches[0]) is fits
    assert not (pattern.apart_from(only) and fits)
