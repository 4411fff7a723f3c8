"""Java's regular expressions mean in Python what they mean in Java, or are refused."""

from __future__ import annotations

import pytest

from sqe.policy.file_rules.java_regex import java_regex, literal

# (pattern, fits, does not fit), each as Java's Pattern.matches answers.
CASES = [
    ("alice", "alice", "alice2"),
    ("alice|bob", "bob", "bobby"),
    (".*", "anything at all", "two\nlines"),
    (".", "\t", "\r"),
    (".", "é", "\u2028"),
    ("(?s).*", "two\nlines", None),
    ("(?s)a.", "a\n", "A\n"),
    ("(?i)Alice", "aLICE", "alicé"),
    ("(?i)a.", "Ab", "a\n"),
    ("(?is)a.", "A\n", "b\n"),
    ("(?i)k", "K", "\u212a"),  # the sign of Kelvin is no ASCII letter
    ("(?i:A)b", "ab", "aB"),
    (r"\w+", "ab_9", "é"),
    (r"\d", "7", "\u0667"),
    (r"\s", "\x0b", "\xa0"),
    (r"a\.b", "a.b", "axb"),
    (r"\é", "é", "e"),
    (r"\Qa.b\E.", "a.bc", "axbc"),
    (r"\Q(", "(", "x"),
    (r"[a-c&]+", "a&b", "d"),
    (r"[^a-z]", "A", "b"),
    (r"[\w.-]+@x", "a.b-c@x", "a b@x"),
    (r"[a^]", "^", "b"),
    (r"(?<team>\w+)_\k<team>", "a_a", "a_b"),
    (r"(a)(b)\2", "abb", "aba"),
    ("(?!secret).*", "public", "secret_table"),
    ("x{2,3}", "xx", "x"),
    ("a++b", "aab", "ab+"),
    (r"a\z", "a", "a\n"),
    (r"a\z|b", "b", "ab"),
    (r"\(?a", "(a", "((a"),
    (r"\u0041\x42", "AB", "ab"),
]
REFUSED = [
    r"\p{Lower}+", "[a-z&&[^b]]", "[a[bc]]", "[]a]", "(?x) a b", "(?m)^a$", "a(?i)b", "(?P<x>a)",
    "(?(1)a|b)", r"\G", r"\Z", r"\h", r"\v", r"\R", r"\07", r"\cA", r"\x{41}", "a{", "{2}", "*",
    "(", ")", "[", "a\\", r"[\b]", "(?#c)", "(?<!a*)b", "[a--b]", "x{,2}", r"\N{DIGIT ONE}",
    r"(a)\10", r"(?<a>x)[\k<a>]", r"(a)[\1]", r"[\z]", "a{99999999999}", "[a-z&&b]",
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "fitting", "other"), CASES)
def test_means_the_same(pattern: str, fitting: str, other: str | None) -> None:
    assert java_regex(pattern).fullmatch(fitting)
    assert other is None or not java_regex(pattern).fullmatch(other)


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_is_not_known_to_mean_the_same_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"SQE does not read|is not a regular expression"):
        java_regex(pattern)


def test_what_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a regular expression"):
        java_regex("(" * 9999 + ")" * 9999)


def test_a_literal_is_the_text_and_nothing_else() -> None:
    for text in (".*", "a|b", "$1", r"\Q", "é-ü", "(", "a b", "[x]", "{2}", "^"):
        assert java_regex(literal(text)).fullmatch(text)
        assert not java_regex(literal(text)).fullmatch("a")


def test_names_of_things_fit_whatever_their_case() -> None:
    assert java_regex("Emp", ignore_case=True).fullmatch("eMP")
    assert not java_regex("Emp").fullmatch("emp")
