"""Scenarios as Rego.

Where no OPA runs, a stand-in answers with what a real one has said: ``opa_answers.json``, written
by ``python -m tests.contract.policies.record ADDRESS``; tests/stack compares it with a real one.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqe.errors import ErrorCode
from sqe.http.client import Http, HttpOptions
from sqe.model.decision import TableFacts
from sqe.model.identity import Identity
from sqe.policy.opa.source import OpaSource
from sqe.settings.policy import OpaSettings
from tests.contract.policies.scenarios import Rule
from tests.unit.policy.opa.serving import PolicyServer, Reply

# Of the rules (by their digest), the document and the question; None: it is not known.
Answer = Callable[[str, str, bytes], Any]
_HERE = Path(__file__).parent.parent
ANSWERS = _HERE / "opa_answers.json"
CANNOT = {
    "to a role": "Trino tells OPA the user and the groups, no roles",
}
_UNVERSIONED = "OPA does not tell when its rules change; answers are kept for policy.cache_s"


def digest(rules: Sequence[Rule]) -> str:
    return hashlib.sha256(_written(rules).encode()).hexdigest()[:16]


def module(package: str, rules: Sequence[Rule]) -> str:
    """The scenario's policy."""
    text = (_HERE / "contract.rego").read_text()
    return text.replace("PACKAGE", package).replace("RULES", json.dumps(_written(rules)))


def _written(rules: Sequence[Rule]) -> str:
    return json.dumps([_rule(one) for one in rules], sort_keys=True)


def _rule(rule: Rule) -> dict[str, Any]:
    kind, parts = rule.on.kind.value, rule.on.parts
    on = [kind, *parts]
    if kind in ("table", "procedure"):
        on = [kind, parts[0], ".".join(parts[1:-1]), parts[-1]]
    elif kind == "schema":
        on = [kind, parts[0], ".".join(parts[1:])]
    return {
        "to": {"kind": rule.to.kind.value, "name": rule.to.name},
        "privileges": [one.value for one in rule.privileges],
        "on": on,
        "rows": rule.rows,
        "masks": dict(rule.masks),
        "hidden": list(rule.hidden),
        "deny": rule.deny,
    }


class RealOpa:
    """A running one, which is given each scenario as a package of its own."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._http = Http(HttpOptions("OPA", ErrorCode.POLICY_UNAVAILABLE))

    def load(self, package: str, rules: Sequence[Rule]) -> None:
        url = f"{self._address}/v1/policies/{package}"
        answer = self._http.call("PUT", url, body=module(f"contract.{package}", rules).encode())
        assert answer.status == 200, answer.body

    def remove(self, package: str) -> None:
        self._http.call("DELETE", f"{self._address}/v1/policies/{package}")

    def ask(self, package: str, document: str, body: bytes) -> Any:
        url = f"{self._address}/v1/data/contract/{package}/{document}"
        return self._http.call("POST", url, {"content-type": "application/json"}, body).json()

    def base(self, package: str) -> str:
        return f"{self._address}/v1/data/contract/{package}"

    def close(self) -> None:
        self._http.close()


class StandIn:
    """Answers like an OPA that has been told some rules; a question that is not known is an
    error, and so are all of them once it is ``down``."""

    def __init__(self, answer: Answer) -> None:
        self.rules: Sequence[Rule] = ()
        self.down = False
        self._answer = answer

    def reply(self, document: str, body: bytes) -> Reply:
        said = None if self.down else self._answer(digest(self.rules), document, body)
        return (500, b"") if said is None else (200, json.dumps(said).encode())


def recorded() -> Answer:
    answers = json.loads(ANSWERS.read_text())
    return lambda rules, document, body: answers.get(question(rules, document, body))


def question(rules: str, document: str, body: bytes) -> str:
    """How an answer is found again."""
    return f"{rules} {document} {json.dumps(json.loads(body)['input'], sort_keys=True)}"


def settings_of(base: str, *, batched: bool = True) -> OpaSettings:
    return OpaSettings(
        allow_url=f"{base}/allow",
        batch_url=f"{base}/batch" if batched else "",
        row_filters_url=f"{base}/rowFilters",
        column_mask_url=f"{base}/columnMask",
        batch_column_masks_url=f"{base}/batchColumnMasks" if batched else "",
        timeout_s=20,
    )


@dataclass
class OpenedOpa:
    source: OpaSource
    load: Callable[[Sequence[Rule]], None]
    stop: Callable[[], None]

    def change(self, rules: Sequence[Rule]) -> None:
        self.load(rules)

    def break_it(self) -> None:
        self.stop()

    def facts(self, who: Identity, table: TableFacts) -> TableFacts:
        return table


@dataclass(frozen=True)
class OpaAdapter:
    """``batched``: lists and masks at once, or each by itself."""

    name: str
    batched: bool
    answer: Callable[[], Answer] = recorded
    cannot: Mapping[str, str] = field(default_factory=lambda: CANNOT)
    unversioned: str = _UNVERSIONED
    changes: tuple[str, str] = ("to a user", "nothing is given")
    lists: bool = True

    @contextmanager
    def opened(self, rules: Sequence[Rule], folder: Path) -> Iterator[OpenedOpa]:
        stand_in = StandIn(self.answer())
        stand_in.rules = rules
        with PolicyServer(stand_in.reply).running() as server:
            source = OpaSource(settings_of(server.address, batched=self.batched))
            try:
                yield OpenedOpa(
                    source,
                    lambda others: setattr(stand_in, "rules", others),
                    lambda: setattr(stand_in, "down", True),
                )
            finally:
                source.close()


@dataclass(frozen=True)
class RealOpaAdapter:
    name: str
    batched: bool
    address: str
    cannot: Mapping[str, str] = field(default_factory=lambda: CANNOT)
    unversioned: str = _UNVERSIONED
    changes: tuple[str, str] = ("to a user", "nothing is given")
    lists: bool = True

    @contextmanager
    def opened(self, rules: Sequence[Rule], folder: Path) -> Iterator[OpenedOpa]:
        opa, package = RealOpa(self.address), f"p{uuid.uuid4().hex}"
        opa.load(package, rules)
        source = OpaSource(settings_of(opa.base(package), batched=self.batched))
        try:
            yield OpenedOpa(
                source, lambda others: opa.load(package, others), lambda: opa.remove(package)
            )
        finally:
            opa.remove(package)
            opa.close()
            source.close()
