"""Java's regular expressions mean in Python what they mean in Java, or are refused."""

from __future__ import annotations

import pytest

from sqe.model.java_regex import java_regex, literal, problem_of_replacement

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
    assert not problem_of_replacement("(" * 9999 + ")" * 9999, "")  # Java may have room for it


def test_a_literal_is_the_text_and_nothing_else() -> None:
    for text in (".*", "a|b", "$1", r"\Q", "é-ü", "(", "a b", "[x]", "{2}", "^"):
        assert java_regex(literal(text)).fullmatch(text)
        assert not java_regex(literal(text)).fullmatch("a")


def test_names_of_things_fit_whatever_their_case() -> None:
    assert java_regex("Emp", ignore_case=True).fullmatch("eMP")
    assert not java_regex("Emp").fullmatch("emp")


@pytest.mark.parametrize(
    ("pattern", "replacement", "problem"),
    [
        ("[0-9]", "x", ""),
        (r"(\d+)-(\d+)", "$2-$1", ""),
        (r"(?<a>x)", "${a}", ""),
        (r"\p{L}", "$9", ""),  # Java's alone: not judged
        ("a", r"\$", ""),
        ("a", "", ""),
        ("(a)", "$12", ""),
        ("a", "$\u0663", "stands for nothing"),
        ("a", "${1}", "stands for nothing"),
        ("(", "x", "is not a regular expression"),
        ("[a-z", "x", "a [ is not closed"),
        ("a\\", "x", "ends with a"),
        ("a", "$1", "has no group 1"),
        ("(a)", "${b}", "has no group b"),
        ("a", "5$", "stands for nothing"),
        ("a", "x\\", "stands for nothing"),
    ],
)
def test_what_cannot_be_replaced_is_known(pattern: str, replacement: str, problem: str) -> None:
    found = problem_of_replacement(pattern, replacement)
    assert problem in found if problem else not found


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", "(?:a", ")", "*", "a|*b", "(+a)", "(?:?a)", "a{3,2}", "[z-a]"),
        *("(?<a>x)(?<a>y)", r"\k<q>", "(?i)*", "a{99999999999}"),
    ],
)
def test_what_java_cannot_read_either_is_no_regular_expression(pattern: str) -> None:
    assert problem_of_replacement(pattern, "").startswith(
        f"{pattern!r} is not a regular expression"
    )


# All of them compile in Java.
@pytest.mark.parametrize(
    "pattern",
    [
        *(r"[\w-z]", r"[\w-.]", r"(a)\2", r"(a\1)", "^*", "a$*", r"\b*", "x{2}{3}"),
        *("(?<=a|bc)x", "(?<=a{1,3})x", "(?<=a*)b"),
    ],
)
def test_what_java_alone_can_read_may_be_right(pattern: str) -> None:
    assert not problem_of_replacement(pattern, "")
