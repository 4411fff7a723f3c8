"""The suites of `make test`, their budgets, and the report at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from dev.suites import Suite, read_suites
from dev.test_report import SuiteRun, print_report

ROOT = Path(__file__).parents[3]
REPORT = """<testsuites><testsuite>
<testcase classname="tests.a" name="test_slow" time="9.5"/>
<testcase classname="tests.a" name="test_quick" time="0.5"/>
</testsuite></testsuites>"""


def suite(cpu_s: int = 100) -> Suite:
    return Suite("a", ("tests/a",), ("tests/a/b",), cpu_s, ("src/sqe/sql", "Makefile"))


def test_every_package_is_a_reason_to_run_some_suite() -> None:
    packages = [f"src/sqe/{path.name}" for path in (ROOT / "src" / "sqe").iterdir()]
    for package in packages:
        assert any(one.concerns([f"{package}/x.py"]) for one in read_suites()), package


def test_a_change_concerns_a_suite_by_whole_names() -> None:
    assert suite().concerns(["src/sqe/sql/parse.py"])
    assert suite().concerns(["Makefile"])
    assert not suite().concerns(["src/sqe/sqlite.py", "docs/x.md"])


def test_a_suite_may_take_half_as_much_again_as_its_budget() -> None:
    assert not suite().exceeds_budget(150)
    assert suite().exceeds_budget(151)


def test_the_report_tells_times_and_the_slowest_tests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "a.xml"
    report.write_text(REPORT)
    print_report([SuiteRun(suite(10), 0, 20.0, report)])
    shown = capsys.readouterr().out
    assert "over its budget" in shown
    assert "FAILED" not in shown
    assert shown.index("tests.a.test_slow") < shown.index("tests.a.test_quick")


def test_a_suite_that_never_began_has_no_tests_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    print_report([SuiteRun(suite(), 2, 1.0, tmp_path / "none.xml")])
    shown = capsys.readouterr().out
    assert "FAILED (2)" in shown
    assert shown.rstrip().endswith("in seconds")
