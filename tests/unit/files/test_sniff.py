"""How a CSV file is written, from its first lines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sqe.files.options import CsvOptions
from sqe.files.sniff import Sample, sniff


def sniffed(text: str, columns: Sequence[str] = (), **options: str) -> Sample:
    return sniff("a.csv", text, True, CsvOptions.of(options), columns)


@pytest.mark.parametrize(
    ("text", "columns", "header"),
    [
        ("id,name\n1,a\n", (), True),
        ("name,city\nann,Bonn\n", (), True),  # nothing but text: people's files have headers
        ("1,a\n2,b\n", (), False),
        ("a,1\nb,2\n", (), False),
        ("2023,2024\n1,2\n", (), False),
        ("2023,2024\n1,2\n", ("2023", "2024"), True),
        ("name,2024\nann,5\n", ("name", "2024"), True),
        ("day,1\n2024-01-01,2\n", (), True),  # dates stand below a word
        ("id,,\n1,2,3\n", (), True),
    ],
)
def test_the_header_is_found(text: str, columns: tuple[str, ...], header: bool) -> None:
    assert sniffed(text, columns).written.header is header


@pytest.mark.parametrize(
    ("cells", "signs"),
    [
        (["1.234,56"], (",", ".")),
        (["1,5", "2,25"], (",", ".")),
        (["1,234.56"], (".", ",")),
        (["1,234,567"], (".", ",")),
        (["1,234"], (".", "")),  # nobody knows
        (["1.5", "1,5"], (".", "")),
        (["1.234"], (".", "")),
        (["1,5", "0.125"], (".", "")),  # 0.125 is no hundred and twenty-five
    ],
)
def test_the_decimal_sign_is_found_where_it_is_sure(cells: list[str], signs: object) -> None:
    forms = sniffed("a;b\n" + "".join(f"{cell};x\n" for cell in cells)).written.forms
    assert (forms.decimal, forms.thousands) == signs


def test_numbers_with_commas_are_no_fields() -> None:
    assert sniffed("1,5;2,5\n3,5;4,5\n").written.dialect.sep == ";"


def test_the_signs_that_end_lines_elsewhere_end_none_here() -> None:
    assert sniffed("a,b\nx\u2028y,z\x0b\n").rows == (["x\u2028y", "z\x0b"],)


def test_a_sample_that_is_cut_does_not_count_its_last_line() -> None:
    found = sniff("a.csv", "a,b\n1,2\n3", False, CsvOptions(), ())
    assert found.rows == (["1", "2"],)
