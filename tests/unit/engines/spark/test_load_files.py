"""Which files COPY may read, and that nothing is told about the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sqe.engines.protocol import Run
from sqe.engines.spark.ledger import PROPERTY, LedgerEntry, already_loaded
from sqe.engines.spark.load_files import LoadFile, LoadFolders
from sqe.engines.spark.load_places import LoadPlaces
from sqe.errors import AccessError, ErrorCode, SqeError, UserError
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.sessions.store import SessionStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.csv", "b.csv", "_hidden.csv", ".hidden.csv", "we[ir]d*.csv"):
        (folder / name).write_text(name)
    (folder / "sub").mkdir()
    (folder / "sub" / "c.csv").write_text("c")
    (tmp_path / "secret.csv").write_text("secret")
    return folder


def names(folder: Path, *sources: str) -> list[str]:
    found = LoadFolders([folder]).find([str(folder / source) for source in sources])
    return [os.path.relpath(file.path, folder.resolve()) for file in found]


def refused(folder: Path, source: str) -> SqeError:
    with pytest.raises(SqeError) as raised:
        LoadFolders([folder]).find([source])
    return raised.value


def test_a_file_a_folder_or_a_pattern(folder: Path) -> None:
    assert names(folder, "a.csv", "a.csv") == ["a.csv"]
    assert names(folder, "") == ["a.csv", "b.csv", "we[ir]d*.csv"]
    assert names(folder, "[ab].csv") == ["a.csv", "b.csv"]
    assert names(folder, "**/*.csv") == ["a.csv", "b.csv", "sub/c.csv", "we[ir]d*.csv"]
    assert names(folder, "we[ir]d*.csv") == ["we[ir]d*.csv"]
    assert [file.path for file in LoadFolders([folder]).find([f"file://{folder}/a.csv"])]


@pytest.mark.parametrize("source", ["{up}/secret.csv", "{up}/absent.csv", "{up}/*.csv", "/etc/*"])
def test_outside_of_the_folders_the_answer_is_always_the_same(folder: Path, source: str) -> None:
    source = source.format(up=folder / "..")
    error = refused(folder, source)
    assert error.code is ErrorCode.ACCESS_DENIED
    assert error.message == f"{source} does not lie in a folder that may be loaded from."


def test_a_link_that_leads_out_is_refused_wherever_it_stands(folder: Path) -> None:
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "out").symlink_to(folder.parent)
    for source in ("link.csv", "*.csv", "out/secret.csv", "out/*.csv"):
        assert refused(folder, str(folder / source)).code is ErrorCode.ACCESS_DENIED


def test_a_folder_whose_name_begins_like_an_allowed_one_is_not_it(folder: Path) -> None:
    other = folder.parent / "in2"
    other.mkdir()
    (other / "a.csv").write_text("")
    assert refused(folder, str(other / "a.csv")).code is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("hdfs://bucket/a.csv", ErrorCode.NOT_SUPPORTED),
        ("a.csv", ErrorCode.INVALID_ARGUMENT),
        ("{folder}/nothing.csv", ErrorCode.INVALID_ARGUMENT),
        ("{folder}/nothing*", ErrorCode.INVALID_ARGUMENT),
        ("{folder}/_hidden.csv", ErrorCode.INVALID_ARGUMENT),
        ("{folder}/fifo", ErrorCode.INVALID_ARGUMENT),
        ("{folder}/a:b.csv", ErrorCode.NOT_SUPPORTED),
    ],
)
def test_what_cannot_be_loaded_is_said(folder: Path, source: str, code: ErrorCode) -> None:
    os.mkfifo(folder / "fifo")
    (folder / "a:b.csv").write_text("")
    assert refused(folder, source.format(folder=folder)).code is code


def test_without_folders_only_the_callers_own_files_are_read(folder: Path) -> None:
    own = str((folder / "a.csv").resolve())
    with pytest.raises(AccessError, match="not set up"):
        LoadFolders().find([own])
    assert [file.path for file in LoadFolders().find([own], {own})] == [own]
    with pytest.raises(AccessError, match="does not lie"):
        LoadFolders().find([str(folder / "b.csv")], {own})


def files(folder: Path, *which: str) -> tuple[LoadFile, ...]:
    return tuple(LoadFolders([folder]).find([str(folder / name) for name in which]))


def metadata(head: int, parents: dict[int, int | None], loaded: str) -> dict[str, object]:
    return {
        "current-snapshot-id": head,
        "snapshots": [
            {"snapshot-id": snapshot, "parent-snapshot-id": parent}
            for snapshot, parent in parents.items()
        ],
        "properties": {PROPERTY: loaded},
    }


def test_files_count_as_loaded_while_their_snapshot_is_part_of_the_history() -> None:
    loaded = '{"1":["a"],"2":["b"],"3":["c"]}'
    rolled_back = metadata(1, {1: None, 2: 1, 3: 2}, loaded)
    assert already_loaded(rolled_back) == {"a"}
    assert already_loaded(metadata(3, {2: 1, 3: 2}, loaded)) == {"a", "b", "c"}  # 1 has expired
    assert already_loaded(metadata(4, {3: 2, 4: None}, loaded)) == {"a", "b"}  # replaced
    assert already_loaded(metadata(1, {1: None}, "not ours")) == set()


def test_a_file_that_changes_while_it_is_loaded_stops_the_commit(folder: Path) -> None:
    entry = LedgerEntry(files(folder, "a.csv"))
    request = {"updates": [{"action": "add-snapshot", "snapshot": {"snapshot-id": 5}}]}
    (folder / "a.csv").unlink()
    (folder / "a.csv").symlink_to(folder.parent / "secret.csv")
    with pytest.raises(UserError, match="changed while it was read"):
        entry.add_to(request, lambda: pytest.fail("the table is not needed"))
    assert entry.refusal is not None
    assert entry.refusal.code is ErrorCode.INVALID_FILE


def test_files_of_the_lakehouse_itself_are_never_loaded(folder: Path) -> None:
    warehouse = folder / "home" / "warehouse"
    warehouse.mkdir(parents=True)
    own = str(warehouse / "a.parquet")
    Path(own).write_text("rows")
    (folder / "link.parquet").symlink_to(own)
    folders = LoadFolders([folder], never=[folder / "home"])
    for source in (own, str(folder / "link.parquet"), f"{folder}/home/**/*.parquet"):
        with pytest.raises(AccessError):
            folders.find([source], {own})


def test_an_upload_is_loaded_by_the_request_that_brings_it_and_not_listed(folder: Path) -> None:
    uploads = folder / "home" / "uploads"
    uploads.mkdir(parents=True)
    mine, other = str(uploads / "1.parquet"), str(uploads / "2.parquet")
    for path in (mine, other):
        Path(path).write_text("rows")
    folders = LoadFolders([folder], never=[folder / "home"], uploads=uploads)
    (found,) = folders.find([mine], {mine})
    assert found.uploaded
    for source, own in ((other, {mine}), (mine, set()), (str(uploads), {mine})):
        with pytest.raises(AccessError):
            folders.find([source], own)
    request = {"updates": [{"action": "add-snapshot", "snapshot": {"snapshot-id": 5}}]}
    assert LedgerEntry((found,)).add_to(request, lambda: pytest.fail("not needed")) == request


def test_object_stores_are_refused_until_the_settings_name_locations(folder: Path) -> None:
    session = SessionStore(SchemaName("lake", ("s",))).open(Identity("alice"))
    with pytest.raises(AccessError, match="not set up") as refused:
        LoadPlaces(LoadFolders([folder])).find(["s3://bucket/a.csv"], Run("q", session))
    assert "[locations.NAME]" in refused.value.hint
