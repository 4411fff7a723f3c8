"""Whatever is said of expressions as sets, no text that Python's own search fits says otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.policy.file_rules.java_regex import java_regex
from sqe.policy.regex_sets import Regex, apart, branches, fits_no_name, included, read

# (all of this, is in this), of which none is the other.
INCLUDED = [
    ("emp", "e.*"), ("emp|dept", "dept|x|emp"), ("a", "a?"), ("aa+", "a+"), ("a+", "a*"),
    ("", "a*"), ("(ab)+", "(?:a|b)*"), ("a*?b", "a*b+?"), ("^a$|^b", "a|b|c"), ("[a-c]", "[^d-z]"),
    ("a-", "a[-x]"), (r"\d+", r"\w+"), (r"\s", r"\W"), (r"a\.b", "a.b"), ("[-a]", "[a-]|x"),
    (r"[\d_]", r"\w"), (r"\D|x", r"\D|\d"), ("[a^]", "[a^x]"), ("x??", "x?y?"), ("a.c", "[^x]|a.*"),
    ("(a|b)c", "ac|bc|d"), ("()*", "a?"), ("[^a]b", "[^a][b-d]"), ("a|b", "[ab]|c"), (" ", r"\s"),
    ("\t", r"\s"), (r"\S", r"[^\s]|x "), ("_", r"\w"), ("é", r"\W|a"), (r"\é", "[à-ü]"),
    ("a(b|)", "ab?c?"), ("(a*)*b", "a*b|c"), ("\x00", "."), ("\U0010ffff", "[^a]"), ("z", "[x-z]"),
    ("[x-z]", "[w-~]"), (".", "[^\n]"), ("[!--]", "[!-.]"),
]  # fmt: skip
APART = [
    ("emp", "dept"), ("a+", "b*"), ("a.*", "b.*"), ("[a-c]x*", "[^a-c]x*"), (r"\d", r"\D"),
    (r"\w", r"\W"), (r"\s+", r"\S+"), ("a|b", "c|d"), ("a", "A"), ("aa", "a"), ("", "a"),
    (".", "\n|\r|\x85|\u2028|\u2029"), (r"a\.b", "axb"), ("(ab)*", "(ab)*a"), ("[^a]", "a"),
    (r"[^\d]", "[0-9]"), ("[b-d]", "[ae]"), ("[a-]", "b"), (r"[\]]", "a"),
]  # fmt: skip
UNREAD = [
    "(?i)a", "(?=a)", "(?!a)b", "(?<n>a)", "a{2}", "a*{2}", "a*+", "a++", "a?+", r"\p{L}", r"\bx",
    r"(a)\1", r"\t", r"a\Z", "a\\", "[a", "[a-", "[]", "[]a]", "[^]", "[a[b]]", "[a&&b]", "[b-a]",
    r"[a-\d]", r"[\.-z]", r"[\w-z]", "[a-[]", "[a-&]", "(a", "a)", "*", "a**", "a*?*", "a$b", "a^b",
    "(^a)", "(a$)", "^^a", "a$$", "]", "}", "{", r"[\n]", r"[\b]", "a|*", "(?:a",
    "(" * 9999 + ")" * 9999,
]  # fmt: skip


def known(text: str, ignore_case: bool = False) -> Regex:
    found = read(text, ignore_case)
    assert found is not None
    return found


@pytest.mark.parametrize(("one", "other"), INCLUDED)
def test_one_has_all_of_the_other(one: str, other: str) -> None:
    assert included(known(one), known(other))
    assert not included(known(other), known(one))
    assert included(known(one), known(one))
    assert not apart(known(one), known(other))


@pytest.mark.parametrize(("one", "other"), APART)
def test_two_have_nothing_of_each_other(one: str, other: str) -> None:
    assert apart(known(one), known(other))
    assert apart(known(other), known(one))
    assert not included(known(one), known(other))


@pytest.mark.parametrize("text", UNREAD)
def test_of_what_may_mean_something_else_nothing_is_said(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize("text", ["", "()", "^$", "|", r"[^\s\S]", r"a[^\w\W]|", "(|)*"])
def test_what_fits_no_name(text: str) -> None:
    assert fits_no_name(known(text))


@pytest.mark.parametrize("text", ["a", "a?", ".*", "|b", " "])
def test_what_fits_some_name(text: str) -> None:
    assert not fits_no_name(known(text))


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("EMP", "emp", True),
        (r"\w-A", r"\w-a", True),
        ("[B-D]", "[^ae-z]", True),
        ("b", "[A-C]", True),
        ("[A-z]", "[a-z]", False),  # there is more between Z and a
        ("[@-A]", "[@a]", True),
        ("[Z-^]", "[z-{]", False),
        ("B", r"[^b]", False),
        ("É", "é", False),  # as Python and Java have it: ASCII alone
        ("z", "[Z]", True),
        ("A", "[a]", True),
    ],
)
def test_names_of_things_have_no_case(one: str, other: str, said: bool) -> None:
    assert included(known(one, ignore_case=True), known(other, ignore_case=True)) is said


def test_branches_are_what_stands_between() -> None:
    assert len(branches(known("a|bc|(d|e)"))) == 4
    assert len(branches(known("(a|b)c"))) == 1
    assert branches(known("a|a")) == {known("a")}


def test_of_what_takes_too_long_nothing_is_said() -> None:
    tail = "(a|b)" * 11
    assert not included(known(f"(a|b)*a{tail}"), known("(a|b|c)*"))
    assert included(known(f"(a|b)*a{tail[:20]}"), known("(a|b|c)*"))


def test_of_what_is_too_long_nothing_is_said() -> None:
    assert read("a?" * 500) is not None
    assert read("a?" * 500 + "a") is None


def test_many_parts_that_may_be_missing_are_no_trouble() -> None:
    assert included(known("a?" * 200), known("a*"))


letters = st.sampled_from(["a", "b", "B", "c", "-", r"\.", ".", r"\d", r"\W", "é", "1", " "])
classes = st.lists(
    st.sampled_from(["a", "b", "B", "a-c", "A-b", "1", r"\d", r"\W", r"\.", "_", "é"]), min_size=1
).flatmap(
    lambda parts: st.sampled_from(["[", "[^"]).map(lambda start: start + "".join(parts) + "]")
)
expressions = st.recursive(
    st.one_of(letters, classes),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=6,
)
samples = st.lists(st.text("abBcA-.1_ é\n", max_size=5), min_size=20, max_size=20)


@given(expressions, expressions, samples, st.booleans())
@settings(max_examples=300, deadline=None)
def test_no_text_contradicts_what_is_said(
    one: str, other: str, texts: list[str], ignore_case: bool
) -> None:
    first, second = known(one, ignore_case), known(other, ignore_case)
    fits_one = {text for text in texts if java_regex(one, ignore_case).fullmatch(text)}
    fits_other = {text for text in texts if java_regex(other, ignore_case).fullmatch(text)}
    assert not (included(first, second) and fits_one - fits_other)
    assert not (apart(first, second) and fits_one & fits_other)
    assert not (fits_no_name(first) and fits_one - {""})


@given(expressions, st.text("abBcA-.1_ é\n", max_size=5), st.booleans())
@settings(max_examples=300, deadline=None)
def test_a_text_is_in_the_set_if_it_fits(one: str, text: str, ignore_case: bool) -> None:
    just_it = known("".join(rf"\{char}" if char in "-. \n" else char for char in text))
    fits = java_regex(one, ignore_case).fullmatch(text) is not None
    assert included(just_it, known(one, ignore_case)) is fits
    assert apart(just_it, known(one, ignore_case)) is not fits


@given(st.text(r"ab\.[]^-$|()?*+dw&1", max_size=8), st.text("ab.-1&^", max_size=3))
@settings(max_examples=500, deadline=None)
def test_whatever_is_read_means_that(one: str, text: str) -> None:
    found = read(one)
    try:
        pattern = java_regex(one)
    except ValueError:
        return  # such a file is not read at all
    if found is not None:
        just_it = known("".join(rf"\{char}" if char in "-.^&" else char for char in text))
        assert included(just_it, found) is (pattern.fullmatch(text) is not None)
