"""Bars of every query as SVG, on a scale of powers of ten."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from benchmarks.suites.result import SuiteResult

_COLOURS = {"sqe": "#1768ac", "trino": "#dd3497", "spark": "#e8871e", "duckdb": "#7a9e3f"}
_BAR, _GAP, _HEIGHT, _LEFT, _TOP, _BOTTOM = 7, 6, 220, 46, 28, 46


def bars(result: SuiteResult) -> str:
    sides = list(result.sides)
    medians = [
        took.median_s * 1000 for query in result.queries.values() for took in query.took.values()
    ]
    low = math.floor(math.log10(max(1.0, min(medians, default=1.0))))
    high = max(low + 1, math.ceil(math.log10(max(medians, default=10.0))))
    width = _LEFT + len(result.queries) * (len(sides) * _BAR + _GAP) + 10
    height = _TOP + _HEIGHT + _BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(width, 420)}" height="{height}"'
        ' font-family="sans-serif" font-size="10">',
        f'<rect width="{max(width, 420)}" height="{height}" fill="white"/>',
        *_axis(low, high, max(width, 420)),
        *_legend(result),
        *_all_bars(result, sides, low, high),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _y(ms: float, low: int, high: int) -> float:
    part = (math.log10(max(ms, 10.0**low)) - low) / (high - low)
    return _TOP + _HEIGHT * (1 - part)


def _axis(low: int, high: int, width: int) -> Iterator[str]:
    for power in range(low, high + 1):
        y = _y(10.0**power, low, high)
        yield f'<line x1="{_LEFT}" x2="{width - 5}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="{_LEFT - 4}" y="{y + 3:.1f}" text-anchor="end">{10**power} ms</text>'


def _legend(result: SuiteResult) -> Iterator[str]:
    for place, (name, side) in enumerate(result.sides.items()):
        x = _LEFT + place * 95
        yield f'<rect x="{x}" y="8" width="9" height="9" fill="{_COLOURS.get(name, "#888")}"/>'
        yield f'<text x="{x + 12}" y="16">{escape(f"{name} {side.version}")}</text>'


def _all_bars(result: SuiteResult, sides: list[str], low: int, high: int) -> Iterator[str]:
    x, floor = float(_LEFT), _TOP + _HEIGHT
    for name, query in result.queries.items():
        middle = x + len(sides) * _BAR / 2
        for place, side in enumerate(sides):
            if side in query.took:
                ms = query.took[side].median_s * 1000
                y = _y(ms, low, high)
                yield (
                    f'<rect x="{x + place * _BAR:.0f}" y="{y:.1f}" width="{_BAR - 1}"'
                    f' height="{floor - y:.1f}" fill="{_COLOURS.get(side, "#888")}">'
                    f"<title>{escape(f'{name}, {side}: {ms:.0f} ms')}</title></rect>"
                )
        yield (
            f'<text x="{middle:.0f}" y="{floor + 10}" text-anchor="end"'
            f' transform="rotate(-60 {middle:.0f} {floor + 10})">{escape(name)}</text>'
        )
        x += len(sides) * _BAR + _GAP
