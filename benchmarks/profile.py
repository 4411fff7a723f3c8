"""``make profile QUERY=…``: where the time of a query goes, as a flame graph and as a table.

Samples of py-spy while a process of its own asks the question again and again.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.processes import ROOT, environment

_DEFAULT = "SELECT n_name FROM nation WHERE n_regionkey = 2 ORDER BY n_name"
_ROWS = 20
_MOST_ITSELF = 12


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__)
    parser.add_argument("query", nargs="?", default=_DEFAULT, help="over the tables of TPC-H")
    parser.add_argument("--scale", type=float, default=0.01)
    parser.add_argument("--engine", choices=("local", "spark"), default="local")
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "profile.svg")
    given = parser.parse_args(arguments)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    program = [sys.executable, "-m", "benchmarks.programs.repeat", str(given.scale), given.engine]
    command = [*program, str(2 * given.seconds + 4), given.query]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            return 1
        stacks = given.out.with_suffix(".txt")
        _record(process.pid, given.seconds, "flamegraph", given.out)
        _record(process.pid, given.seconds, "raw", stacks)
        print(process.stdout.read(), end="")
    for line in table_of(stacks.read_text().splitlines()):
        print(line)
    print(f"flame graph: {given.out}")
    return process.returncode


def _record(pid: int, seconds: int, form: str, out: Path) -> None:
    spy = Path(sys.executable).parent / "py-spy"
    command = [str(spy), "record", "--pid", str(pid), "--duration", str(seconds)]
    command += ["--rate", "250", "--format", form, "--output", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def table_of(stacks: Iterable[str]) -> list[str]:
    """Of lines ``function (file:line);… count``: SQE's functions that most samples are below or in,
    and all that most samples are in, by name and file."""
    within: Counter[str] = Counter()
    itself: Counter[str] = Counter()
    total = 0
    for line in stacks:
        stack, _, count = line.rpartition(" ")
        frames = [_name(frame) for frame in stack.split(";")]
        total += int(count)
        itself[frames[-1]] += int(count)
        for frame in set(frames):
            within[frame] += int(count)
    own = [name for name, _ in within.most_common() if "(sqe/" in name]
    return ["  within  itself  function"] + [
        f"{100 * within[name] / total:7.1f}% {100 * itself[name] / total:6.1f}%  {name}"
        for name in dict.fromkeys([*own[:_ROWS], *(n for n, _ in itself.most_common(_MOST_ITSELF))])
    ]


def _name(frame: str) -> str:
    """Without the line, so that a function is one row."""
    name, _, place = frame.partition(" (")
    file = place.rstrip(")").rpartition(":")[0] or place.rstrip(")")
    return f"{name} ({file})" if file else name


if __name__ == "__main__":
    sys.exit(main())
