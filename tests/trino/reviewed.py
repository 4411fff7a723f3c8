"""Recorded answers that SQE's differ from, each with the reason."""

from __future__ import annotations

_INSTALLATION = "it shows the installation: its version, its nodes"
_SKETCH = "an estimate: Trino's own sketch gives other numbers"
_READ_ONLY = "the recorded tpch catalog cannot be written to; SQE's tables can"

REVIEWED: dict[str, str] = {
    "select_misc-049": _INSTALLATION,
    "fn-approx-006": _SKETCH,
    "err-statements-003": _READ_ONLY,
    "err-statements-004": _READ_ONLY,
    "err-statements-008": _READ_ONLY,
    "err-statements-009": _READ_ONLY,
    "err-statements-033": _READ_ONLY,
}
