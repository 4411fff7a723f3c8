"""Open Policy Agent, with the policy of ``policy.rego``."""

from __future__ import annotations

from pathlib import Path

from dev.stack.fetch import GoProgram
from dev.stack.places import HOST, Places
from dev.stack.processes import Command
from dev.stack.service import answers

_PROGRAM = GoProgram(
    "github.com/open-policy-agent/opa",
    "v1.22.0",
    "h1:CwxTSHfk5GmA1CaySVWyxRvggY2xZYxKL6bhDuWOCuU=",
)
_POLICY = Path(__file__).parent / "policy.rego"


class Opa:
    name = "opa"
    needs: tuple[str, ...] = ()

    def __init__(self, places: Places) -> None:
        self._places = places
        self.port = places.port(18183)
        self._program = places.cache / f"opa-{_PROGRAM.version}"

    def prepare(self) -> None:
        if not self._program.exists():
            _PROGRAM.build(self._program)

    def command(self, folder: Path) -> Command:
        policy = _POLICY.read_text()
        written = folder / _POLICY.name
        written.write_text(policy)
        address = f"{HOST}:{self.port}"
        serve = ("run", "--server", "--addr", address, "--disable-telemetry", str(written))
        return Command((str(self._program), *serve), {}, made_of=policy)

    def ready(self) -> bool:
        return answers(f"{self._places.opa}/health")

    def provision(self) -> None:
        """It has what it needs from the start."""
