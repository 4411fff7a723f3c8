"""Whatever raises while it is decided what a user may see, the user is not answered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest
from sqe.model.rules import SYSTEM, Object
from sqe.server.build import Server, build
from sqe.settings import Settings
from tests.contract.policies.adapters.adapter import Adapter
from tests.contract.policies.adapters.cedar import CedarAdapter
from tests.contract.policies.adapters.file_rules import FileAdapter
from tests.contract.policies.adapters.sql import SqlAdapter
from tests.contract.policies.scenarios import EMP, HR, P, Rule, to_user
from tests.policy.breaking import Place, broken, places, traced
from tests.policy.worlds import written_to

ANN = Identity("ann", groups=frozenset({"hr"}), roles=frozenset({"clerk"}))
ROWS = "dept = 'it' OR dept = current_user"
SEEN = (Rule(to_user("ann"), (P.SELECT,), EMP, rows=ROWS),)
MASKED = (Rule(to_user("ann"), (P.SELECT,), EMP, rows=ROWS, masks={"ssn": "upper(ssn)"}),)
ASKS = (Rule(to_user("ann"), (P.EXECUTE,), SYSTEM),)
SHOWN = (
    Rule(to_user("ann"), (P.SHOW,), Object.catalog("lake")),
    Rule(to_user("ann"), (P.SHOW,), HR),
    Rule(to_user("ann"), (P.SHOW,), EMP),
)
RULES = {
    "sql": (*ASKS, *SHOWN, *MASKED),
    "rules.json": (*ASKS, *SEEN),  # who may read a table may know of it
    "cedar": (*ASKS, *SHOWN, *SEEN),
}
ASKED = (
    "SELECT id, dept, ssn FROM hr.emp ORDER BY id",
    "SELECT count(*), max(ssn) FROM hr.emp",
    "SELECT e.id FROM hr.emp e WHERE 10 / e.id > 1 ORDER BY 1",
    "WITH q AS (SELECT * FROM hr.emp) SELECT q.id FROM q JOIN hr.emp e ON q.id = e.id ORDER BY 1",
    "DESCRIBE hr.emp",
    "SHOW TABLES IN hr",
    "SELECT table_name FROM lake.information_schema.tables WHERE table_schema = 'hr'",
    "EXPLAIN SELECT id FROM hr.emp",
)
REFUSED = (
    "SELECT * FROM hr.other",
    "DELETE FROM hr.emp WHERE id = 1",
    "SELECT * FROM hr.emp.files",
    "SELECT nothing FROM hr.emp",
)
PLACES = places()


@dataclass
class Desk:
    """Ann's session on a server that asks every source there is."""

    server: Server
    numbers: Iterator[int] = field(default_factory=count)

    def ask(self, text: str) -> list[dict[str, Any]] | SqeError:
        """Never the same text twice, so that nothing kept is used."""
        gateway = self.server.gateway
        session = gateway.open_session(ANN)
        session.set_property("sqe.engine", "local")
        request = QueryRequest(session.id, f"{text} -- {next(self.numbers)}")
        try:
            with gateway.fetch(gateway.submit(request)) as result:
                rows: list[dict[str, Any]] = result.read_all().to_pylist()
                return rows
        except SqeError as error:
            return error
        finally:
            session.close()


@pytest.fixture(scope="module")
def desk(_isolated_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with ExitStack() as stack:
        sources = []
        adapters: tuple[Adapter, ...] = (SqlAdapter(), FileAdapter(), CedarAdapter())
        for adapter in adapters:
            folder = tmp_path_factory.mktemp("rules")
            opened = adapter.opened(RULES[adapter.name], folder)
            sources.append(stack.enter_context(opened).source)
        settings = Settings.model_validate(
            {"home": tmp_path_factory.mktemp("closed"), "policy": {"cache_s": 0}}
        )
        server = build(settings, sources)
        stack.callback(server.close)
        _load(server)
        yield Desk(server)


def _load(server: Server) -> None:
    rows = pa.table({"id": [1, 2, 3], "dept": ["it", "hr", "it"], "ssn": ["a", "b", "c"]})
    with written_to(server) as rest:
        rest.create_namespace("hr")
        for name in ("emp", "other"):
            rest.create_table(f"hr.{name}", rows.schema).append(rows)


@pytest.fixture(scope="module")
def callers(desk: Desk) -> dict[str, list[str]]:
    """Which statements call each function."""
    found: dict[str, list[str]] = {}
    for text in (*ASKED, *REFUSED):
        called: set[str] = set()
        with traced(PLACES, called):
            desk.ask(text)
        for label in called:
            found.setdefault(label, []).append(text)
    return found


@pytest.fixture(scope="module")
def answers(desk: Desk) -> dict[str, list[dict[str, Any]] | SqeError]:
    return {text: desk.ask(text) for text in (*ASKED, *REFUSED)}


def test_the_rules_are_in_force(answers: dict[str, list[dict[str, Any]] | SqeError]) -> None:
    assert answers[ASKED[0]] == [
        {"id": 1, "dept": "it", "ssn": "A"},
        {"id": 3, "dept": "it", "ssn": "C"},
    ]
    assert not [text for text in ASKED if isinstance(answers[text], SqeError)], answers
    assert all(isinstance(answers[text], SqeError) for text in REFUSED), answers


def test_most_of_the_code_takes_part(callers: dict[str, list[str]]) -> None:
    """Otherwise nothing below would be tried."""
    decided = [label for label in callers if label.startswith(("rewrite.guard", "policy.policy"))]
    assert len(decided) > 10
    assert len(callers) > 100


@pytest.mark.rotating(parts=10)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.label)
def test_a_function_that_raises_lets_nothing_through(
    desk: Desk,
    callers: dict[str, list[str]],
    answers: dict[str, list[dict[str, Any]] | SqeError],
    place: Place,
) -> None:
    for text in callers.get(place.label, []):
        with broken(place) as calls:
            answer = desk.ask(text)
        whole = answers[text]
        if calls and not all(calls):
            assert isinstance(answer, SqeError), text
        else:  # not called for this one, or only to tell what may be listed
            assert isinstance(answer, SqeError) or _no_more(answer, whole), text


def _no_more(found: list[dict[str, Any]], whole: list[dict[str, Any]] | SqeError) -> bool:
    return isinstance(whole, list) and all(row in whole for row in found)
