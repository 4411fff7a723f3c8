"""What is changed when a warehouse is in another folder, and what is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.catalog.embedded.avro_file import AvroFile
from sqe.catalog.embedded.relocation.move import Move, MovedFolder
from tests.unit.backup.homes import BY_NOTE, SCHEMA, open_catalog, rows_of

MOVE = Move(("/old/warehouse", "/real/old"), "/new")


@pytest.mark.parametrize(
    ("location", "relocated"),
    [
        ("/old/warehouse/a/b.avro", "/new/a/b.avro"),
        ("/real/old/a", "/new/a"),
        ("/old/warehouse", "/new"),
        ("file:/old/warehouse/a", "file:/new/a"),
        ("file:///old/warehouse/a", "file:///new/a"),
        ("/old/warehouse2/a", "/old/warehouse2/a"),
        ("/elsewhere/old/warehouse/a", "/elsewhere/old/warehouse/a"),
        ("s3://old/warehouse/a", "s3://old/warehouse/a"),
        ("a note about /old/warehouse/a", "a note about /old/warehouse/a"),
    ],
)
def test_a_location_below_the_old_folder_is_below_the_new_one(
    location: str, relocated: str
) -> None:
    assert MOVE.relocate(location) == relocated
    assert MOVE.relocate_all({"k": [location, 1, None]}) == {"k": [relocated, 1, None]}


def test_no_file_outside_of_the_folder_is_one_of_it(tmp_path: Path) -> None:
    folder = MovedFolder(tmp_path, MOVE)
    assert folder.path_of("/old/warehouse/a/b") == tmp_path / "a" / "b"
    for location in ("/etc/passwd", "/old/warehouse/../b", "/real/old/a/../../../b", "s3://x/y"):
        assert folder.path_of(location) is None


def test_manifests_are_read_and_written_with_all_that_is_in_them(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        catalog.create_namespace("sales")
        table = catalog.create_table("sales.t", SCHEMA, partition_spec=BY_NOTE)
        table.append(rows_of(1, 2, 3))
        folder = Path(table.location()) / "metadata"
    files = sorted(folder.glob("*.avro"))
    assert len(files) == 2
    for path in files:
        content = path.read_bytes()
        rewritten = AvroFile(content).rewrite(lambda row: None)
        assert list(AvroFile(rewritten).rows()) == list(AvroFile(content).rows())
        assert rewritten[:200] == content[:200]


@pytest.mark.parametrize("cut", [3, 200, -5])
def test_a_damaged_file_is_not_taken_for_a_whole_one(tmp_path: Path, cut: int) -> None:
    with open_catalog(tmp_path) as catalog:
        catalog.create_namespace("sales")
        table = catalog.create_table("sales.t", SCHEMA)
        table.append(rows_of(1))
        path = next((Path(table.location()) / "metadata").glob("snap-*.avro"))
    with pytest.raises((ValueError, EOFError, IndexError)):
        list(AvroFile(path.read_bytes()[:cut]).rows())
