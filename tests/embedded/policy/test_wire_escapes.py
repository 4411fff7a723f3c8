"""What clients can say besides SQL is no way around a rule either; see tests/policy/escapes/wire.

``docs/reference/escapes.md`` is written from the same table.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from tests.embedded.pipe.lake import Lake
from tests.policy.escapes.clients import Wires
from tests.policy.escapes.wire import WIRE_ESCAPES
from tests.policy.escapes.wire_row import WireEscape
from tests.policy.escapes.wire_trial import WireEves, WireTrial, served, wire_world

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def wires(shared_lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wires]:
    home, loadable = tmp_path_factory.mktemp("wire"), tmp_path_factory.mktemp("loadable")
    server = served(shared_lake.server, home, loadable, WireEves())
    wire_world(server, loadable)
    with Wires.to(server, loadable) as found:
        yield found
    server.close()


@pytest.mark.rotating(parts=10)
@pytest.mark.parametrize("escape", WIRE_ESCAPES, ids=lambda one: f"{one.over}: {one.shown}"[:120])
def test_a_trick_over_the_wire_fails(wires: Wires, escape: WireEscape) -> None:
    faults = WireTrial(wires).faults(escape)
    assert not faults, f"{escape.tries}:\n{escape.shown}\n" + "\n".join(faults)


def test_nothing_of_it_has_changed_the_tables(wires: Wires) -> None:
    """Behind all tricks: what they tried to write is not there."""
    for table, rows in (("emp", 5), ("vault", 0), ("note", 2)):
        [_, found] = wires.root.ask(f"SELECT count(*) AS n FROM hr.{table}")
        assert found["n"] == rows, table
    names = {row["tableName"] for row in wires.root.ask("SHOW TABLES IN hr")[1:]}
    assert names == {"emp", "note", "own", "vault"}
    views = {row["viewName"] for row in wires.root.ask("SHOW VIEWS IN hr")[1:]}
    assert views == {"emp_view", "pay_view"}


def test_pages_do_not_count_what_is_not_shown(wires: Wires) -> None:
    for engine in ("local", "spark"):
        wires.eve_trino.ask("SELECT id FROM lake.hr.own", X_Trino_Session=f"sqe.engine={engine}")
        told = wires.eve_trino.stats
        assert (told["processedRows"], told["physicalInputBytes"]) == (2, 0)
        assert told["totalSplits"] == told["completedSplits"] == 1


def test_of_many_bound_rows_all_are_written_or_none(wires: Wires) -> None:
    """``own`` is held to its filter: one row that eve may not see takes the others with it."""
    text = "INSERT INTO hr.own (id, name, dept) VALUES (?, ?, ?)"
    with pytest.raises(Exception, match="not one that you may see"):
        wires.eve.changed(text, [(11, "x", "it"), (12, "y", "hr")])
    with pytest.raises(Exception, match="You see only part of"):
        rows = pa.table({"id": pa.array([13], pa.int32()), "dept": ["it"]})
        wires.eve.load("own", rows, "append", "hr")
    wires.eve.changed("UPDATE hr.own SET name = ? WHERE id = ?", [("z", 3), ("z", 4)])
    found = wires.root.ask("SELECT id, name FROM hr.own ORDER BY id")[1:]
    assert [row["id"] for row in found] == [1, 2, 3, 4, 5]
    assert "z" not in {row["name"] for row in found}
