"""``python -m tests.contract.policies.record ADDRESS``: what a real OPA says to every question of
the suite, kept for where none runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.contract.policies.adapters.opa import ANSWERS, OpaAdapter, RealOpa, digest, question
from tests.contract.policies.checks import check_scenario
from tests.contract.policies.scenarios import SCENARIOS


def answers(address: str) -> dict[str, Any]:
    """Asked now. The scenarios are checked on the way."""
    opa = RealOpa(address)
    found: dict[str, Any] = {}

    def asked(rules: str, document: str, body: bytes) -> Any:
        said = opa.ask(f"r{rules}", document, body)
        said.pop("decision_id", None)
        return found.setdefault(question(rules, document, body), said)

    for scenario in SCENARIOS:
        opa.load(f"r{digest(scenario.rules)}", scenario.rules)
        for batched in (True, False):
            adapter = OpaAdapter("opa", batched, lambda: asked)
            if scenario.name not in adapter.cannot:
                with adapter.opened(scenario.rules, Path()) as opened:
                    check_scenario(opened, scenario)
        opa.remove(f"r{digest(scenario.rules)}")
    opa.close()
    return dict(sorted(found.items()))


if __name__ == "__main__":
    ANSWERS.write_text(json.dumps(answers(sys.argv[1]), indent=0) + "\n")
