"""The benchmark harness, with figures that cost nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.__main__ import main
from benchmarks.bench import Bench, Options
from benchmarks.figure import Figure, Measured, NotMeasured, Target
from benchmarks.figures import FIGURES
from benchmarks.report import RESULTS, Report
from benchmarks.tpcds import tpcds_queries
from benchmarks.tpch_queries import tpch_queries

LINE = re.compile(r"figure [a-z0-9_]+ \d+(\.\d+)? (ms|s|MB|x|ratio)")


def figure(name: str, value: float) -> Figure:
    return Figure(name, "ms", Target("<", 10), "for a test", lambda bench: Measured(value))


def broken(bench: Bench) -> Measured:
    raise RuntimeError("no clock")


def without_peer(bench: Bench) -> Measured:
    raise NotMeasured("no peer here")


def test_every_figure_has_a_name_of_its_own_and_a_meaning() -> None:
    names = [entry.name for entry in FIGURES]
    assert len(set(names)) == len(names)
    for entry in FIGURES:
        assert re.fullmatch(r"[a-z][a-z0-9_]+", entry.name)
        assert entry.target is None or entry.target.limit > 0
        assert entry.meaning


def test_the_figures_of_the_issues_are_there() -> None:
    assert {entry.name for entry in FIGURES} >= {
        "spark_overhead_p50_ms",
        "tpch_sf1_spark_over_direct",
        "spark_boot_cds_ratio",
        "serve_ready_s",
        "idle_rss_mb",
        "stream_50m_spark_peak_mb",
        "bind_10k_tables_ms",
        "cli_help_ms",
        "tpch_sf1_local_over_duckdb",
        "tpch_sf1_spark_over_local",
        "tpcds_sf1_local_share",
        "tpcds_sf1_local_over_duckdb",
        "small_query_p50_ms",
        "gateway_overhead_p50_ms",
        "cold_small_query_s",
        "stream_50m_local_peak_mb",
        "mixed_20_p99_ms",
    }


def test_a_figure_without_a_target_is_reported_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reported = Figure("a_ms", "ms", None, "for a test", lambda bench: Measured(9.0))
    atleast = Figure("b_x", "x", Target(">=", 10), "for a test", lambda bench: Measured(9.0))
    assert main([], [reported, atleast], tmp_path) == 0
    assert "missed a_ms" not in (shown := capsys.readouterr().err)
    assert "missed b_x 9.0 >=10" in shown
    latest = Report.model_validate_json((tmp_path / "latest.json").read_text())
    assert [(part.target is None, part.ok) for part in latest.figures] == [
        (True, True),
        (False, False),
    ]


def test_list_names_every_figure_and_measures_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [entry.name for entry in FIGURES]


def test_stdout_has_one_line_for_each_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], [figure("a_ms", 1.234), figure("b_ms", 20.0)], tmp_path) == 0
    shown = capsys.readouterr()
    assert shown.out == "figure a_ms 1.2 ms\nfigure b_ms 20.0 ms\n"
    assert all(LINE.fullmatch(line) for line in shown.out.splitlines())
    assert "missed b_ms 20.0 <10" in shown.err
    assert "missed a_ms" not in shown.err


def test_a_complete_run_is_published_as_a_valid_report(tmp_path: Path) -> None:
    main([], [figure("a_ms", 1.0)], tmp_path)
    latest = Report.model_validate_json((tmp_path / "latest.json").read_text())
    assert latest.complete
    assert (tmp_path / f"{latest.date[:10]}.json").exists()
    assert latest.machine["cores"]
    assert {"sqe", "python", "java", "iceberg", "pyspark", "duckdb"} <= set(latest.versions)
    assert [(part.name, part.value, part.ok) for part in latest.figures] == [("a_ms", 1, True)]


@pytest.mark.parametrize("arguments", [["--quick"], ["--scale", "0.1"], ["--only", "a_ms"]])
def test_a_part_of_the_figures_is_not_published(tmp_path: Path, arguments: list[str]) -> None:
    main(arguments, [figure("a_ms", 1.0), figure("b_ms", 1.0)], tmp_path / "results")
    (written,) = (tmp_path / "results").iterdir()
    assert written.name.endswith("-partial.json")


def test_a_figure_that_cannot_be_measured_does_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = Figure("a_ms", "ms", Target("<", 1), "for a test", broken)
    assert main([], [failing, figure("b_ms", 1.0)], tmp_path) == 1
    assert capsys.readouterr().out == "figure b_ms 1.0 ms\n"
    (part, _) = json.loads((tmp_path / "latest.json").read_text())["figures"]
    assert (part["value"], part["ok"], part["error"]) == (None, False, "RuntimeError: no clock")


def test_a_figure_without_its_peer_is_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = Figure("a_ms", "ms", Target("<", 1), "for a test", without_peer)
    assert main([], [absent, figure("b_ms", 1.0)], tmp_path) == 0
    shown = capsys.readouterr()
    assert shown.out == "figure b_ms 1.0 ms\n"
    assert "not measured a_ms: no peer here" in shown.err
    (part, _) = json.loads((tmp_path / "latest.json").read_text())["figures"]
    assert (part["value"], part["detail"]) == (None, {"not_measured": "no peer here"})


def test_what_figures_share_is_made_once() -> None:
    made = []
    with Bench(Options()) as bench:
        first = bench.once(lambda bench: made.append(1))
        assert first is None
        for _ in range(2):
            bench.once(Bench.folder)
        assert bench.once(Bench.folder).is_dir()
        kept = bench.once(Bench.folder)
    assert not kept.exists()
    assert made == [1]


def test_there_are_22_and_99_queries() -> None:
    assert list(tpch_queries()) == [f"q{number:02d}" for number in range(1, 23)]
    assert list(tpcds_queries()) == [f"q{number:02d}" for number in range(1, 100)]


def test_published_results_are_valid() -> None:
    for path in RESULTS.glob("*.json"):
        Report.model_validate_json(path.read_text())
