"""``sqe backup`` and ``sqe restore``: a home that is used is copied whole, and comes back."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pyiceberg.table import Table

from sqe.backup.backup import back_up
from sqe.backup.manifest import NAME
from sqe.backup.restore import restore, unpack
from sqe.errors import ErrorCode, SqeError
from sqe.store.versions import VERSIONS
from tests.unit.backup.homes import ids_of, key_names, make_home, open_catalog, rows_of
from tests.unit.cli.fakes import FakeGateway, run

Progress = Callable[..., None]


def nothing(*_: int) -> None:
    return None


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path / "old home")


@pytest.mark.parametrize("name", ["lake.tar", "lake"])
def test_a_home_comes_back_in_another_place(home: Path, tmp_path: Path, name: str) -> None:
    target, other = tmp_path / "to" / name, tmp_path / "new home"
    made = run(FakeGateway(), "backup", str(target), home=home)
    assert made.exit_code == 0, made.stderr
    assert "2 tables, 0 views" in made.stdout
    home.rename(tmp_path / "gone")
    restored = run(FakeGateway(), "restore", str(target), home=other)
    assert restored.exit_code == 0, restored.stderr
    assert f"still names {home}" in restored.stderr
    with open_catalog(other) as catalog:
        plain = catalog.load_table("sales.plain")
        assert plain.location().startswith(f"{other}/warehouse")
        assert ids_of(plain) == [2, 3]
        first = plain.history()[0].snapshot_id
        assert ids_of(plain, first) == [1, 2]
        assert ids_of(catalog.load_table("sales.parted")) == [7, 8]
        plain.append(rows_of(4))
        assert ids_of(catalog.load_table("sales.plain")) == [2, 3, 4]
    assert key_names(other) == ["nightly"]
    assert (other / "logs" / "audit.jsonl").read_text() == '{"event": "login"}\n'


@pytest.mark.parametrize("name", ["lake.tar", "lake"])
def test_only_its_owner_may_read_any_of_it(home: Path, tmp_path: Path, name: str) -> None:
    target, other = tmp_path / name, tmp_path / "new"
    back_up(home, target, nothing)
    restore(target, other, nothing)
    for top in (target, other):
        for path in (top, *top.rglob("*")):
            wanted = 0o700 if path.is_dir() else 0o600
            assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_it_has_what_tables_are_made_of_and_nothing_else(home: Path, tmp_path: Path) -> None:
    contents, left_out = back_up(home, tmp_path / "copy", nothing)
    paths = {file.path for file in contents.files}
    everything = {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}
    assert {path for path in everything - paths if not path.endswith((".db-wal", ".db-shm"))} == {
        "jars/big.jar",
        "warehouse/sales/plain/data/orphan.parquet",
    }
    assert paths <= everything
    assert left_out == []


def test_back_in_its_own_place_every_byte_is_as_it_was(home: Path, tmp_path: Path) -> None:
    contents, _ = back_up(home, tmp_path / "copy", nothing)
    home.rename(tmp_path / "gone")
    restore(tmp_path / "copy", home, nothing)
    for file in contents.files:
        assert (home / file.path).read_bytes() == (tmp_path / "copy" / file.path).read_bytes()


def _expire(table: Table) -> None:
    """As maintenance does it: a commit, and then the files that nobody needs any more."""
    before = {path for path in Path(table.location()).rglob("*") if path.is_file()}
    table.overwrite(rows_of(10, 11))
    keep = table.refresh().current_snapshot()
    assert keep is not None
    olds = [s.snapshot_id for s in table.snapshots() if s.snapshot_id != keep.snapshot_id]
    table.maintenance.expire_snapshots().by_ids(olds).commit()
    for path in before:
        path.unlink()


@pytest.mark.parametrize("name", ["lake.tar", "lake"])
def test_maintenance_takes_files_away_meanwhile(home: Path, tmp_path: Path, name: str) -> None:
    """The backup is then of a later moment, and as whole."""
    with open_catalog(home) as catalog:
        table = catalog.load_table("sales.plain")
        begun: list[bool] = []

        def interfere(*_: int) -> None:
            if not begun:
                begun.append(True)
                _expire(table)

        contents, _ = back_up(home, tmp_path / name, interfere)
    restore(tmp_path / name, tmp_path / "new", nothing)
    with open_catalog(tmp_path / "new") as catalog:
        assert ids_of(catalog.load_table("sales.plain")) == [10, 11]
    there = {str(p.relative_to(tmp_path / "new")) for p in (tmp_path / "new").rglob("*.parquet")}
    assert there == {file.path for file in contents.files if file.path.endswith(".parquet")}


def test_what_is_written_meanwhile_is_not_in_it(home: Path, tmp_path: Path) -> None:
    with open_catalog(home) as catalog:
        table = catalog.load_table("sales.plain")
        back_up(home, tmp_path / "copy", lambda *_: table.append(rows_of(99)))
    restore(tmp_path / "copy", tmp_path / "new", nothing)
    with open_catalog(tmp_path / "new") as catalog:
        assert ids_of(catalog.load_table("sales.plain")) == [2, 3]


def test_a_damaged_table_is_named_and_nothing_is_left(home: Path, tmp_path: Path) -> None:
    with open_catalog(home) as catalog:
        (entry,) = catalog.load_table("sales.parted").inspect.data_files().slice(0, 1).to_pylist()
    Path(entry["file_path"]).unlink()
    (tmp_path / "to").mkdir()
    made = run(FakeGateway(), "backup", str(tmp_path / "to" / "lake.tar"), home=home)
    assert made.exit_code == 5
    assert "CORRUPT_DATA" in made.stderr
    assert "lake.sales.parted" in made.stderr
    assert list((tmp_path / "to").iterdir()) == []


@pytest.mark.parametrize("pattern", ["*.metadata.json", "snap-*.avro", "*-m0.avro"])
def test_a_damaged_metadata_file_is_of_a_named_table(
    home: Path, tmp_path: Path, pattern: str
) -> None:
    for path in (home / "warehouse" / "sales" / "parted").rglob(pattern):
        content = path.read_bytes()
        path.write_bytes(content[:-40] + bytes(reversed(content[-40:])))
    with pytest.raises(SqeError, match=r"lake\.sales\.parted") as caught:
        back_up(home, tmp_path / "copy", nothing)
    assert caught.value.code is ErrorCode.CORRUPT_DATA


@pytest.mark.parametrize("name", ["lake.tar", "lake"])
def test_an_interrupted_backup_leaves_nothing(home: Path, tmp_path: Path, name: str) -> None:
    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    (tmp_path / "to").mkdir()
    with pytest.raises(KeyboardInterrupt):
        back_up(home, tmp_path / "to" / name, interrupt)
    assert list((tmp_path / "to").iterdir()) == []


def test_what_a_killed_backup_leaves_is_not_restored(home: Path, tmp_path: Path) -> None:
    """It has no list of its files yet, and another name."""
    partial = tmp_path / "lake.partial"
    killed = tmp_path / "killed"

    def keep_what_is_there(*_: int) -> None:
        if not killed.exists():
            shutil.copytree(partial, killed)

    back_up(home, tmp_path / "lake", keep_what_is_there)
    killed.rename(partial)
    with pytest.raises(SqeError, match="interrupted"):
        restore(partial, tmp_path / "new", nothing)
    assert not (tmp_path / "new").exists()
    with pytest.raises(SqeError, match="was killed"):
        (tmp_path / "lake").rename(tmp_path / "whole")
        back_up(home, tmp_path / "lake", nothing)
    assert unpack(tmp_path / "whole", None, nothing).tables == 2


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[content.index(b"PAR1")] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["lake.tar", "lake"])
def test_a_changed_or_cut_backup_is_refused(home: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    back_up(home, target, nothing)
    assert run(FakeGateway(), "restore", "--check", str(target), home=home).exit_code == 0
    if target.is_dir():
        _flip(next(target.rglob("*.parquet")))
    else:
        _flip(target)
    _is_refused(target, tmp_path / "new")
    if target.is_file():
        os.truncate(target, target.stat().st_size // 3)
        _is_refused(target, tmp_path / "new")


def _is_refused(target: Path, new: Path) -> None:
    with pytest.raises(SqeError) as caught:
        restore(target, new, nothing)
    assert caught.value.code is ErrorCode.CORRUPT_DATA
    assert not new.exists()
    with pytest.raises(SqeError):
        unpack(target, None, nothing)


def _edit(target: Path, **changes: object) -> None:
    head, *rest = (target / NAME).read_text().splitlines()
    lines = [json.dumps({**json.loads(head), **changes}), *rest, ""]
    (target / NAME).write_text("\n".join(lines))


@pytest.mark.parametrize("change", [{"format": 2}, {"store_version": len(VERSIONS) + 1}])
def test_a_home_of_a_newer_version_is_refused(
    home: Path, tmp_path: Path, change: dict[str, object]
) -> None:
    back_up(home, tmp_path / "copy", nothing)
    _edit(tmp_path / "copy", **change)
    with pytest.raises(SqeError, match="newer SQE"):
        restore(tmp_path / "copy", tmp_path / "new", nothing)
    assert not (tmp_path / "new").exists()


def test_a_home_that_has_something_is_left_alone(home: Path, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy", nothing)
    before = sorted(home.rglob("*"))
    refused = run(FakeGateway(), "restore", str(tmp_path / "copy"), home=home)
    assert refused.exit_code == 1
    assert "is not empty" in refused.stderr
    assert sorted(home.rglob("*")) == before


def test_an_empty_folder_may_become_the_home(home: Path, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy", nothing)
    (tmp_path / "new" / "lost+found").mkdir(parents=True)
    restore(tmp_path / "copy", tmp_path / "new", nothing)
    assert (tmp_path / "new" / "sqe.db").exists()


def test_a_backup_is_not_overwritten_and_not_in_the_home(home: Path, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy", nothing)
    with pytest.raises(SqeError, match="there already"):
        back_up(home, tmp_path / "copy", nothing)
    with pytest.raises(SqeError, match="in the home itself"):
        back_up(home, home / "copy", nothing)


@pytest.mark.parametrize("member", ["../escaped", "/tmp/escaped", "a/../../escaped"])
def test_a_hostile_tar_file_writes_nowhere_else(tmp_path: Path, member: str) -> None:
    (tmp_path / "in").mkdir()
    with tarfile.open(tmp_path / "in" / "lake.tar", "w") as tar:
        entry = tarfile.TarInfo(member)
        entry.size = 1
        tar.addfile(entry, io.BytesIO(b"x"))
    with pytest.raises(SqeError, match="no backup has"):
        restore(tmp_path / "in" / "lake.tar", tmp_path / "in" / "new", nothing)
    assert not (tmp_path / "escaped").exists()
    assert not (tmp_path / "in" / "new").exists()


def test_a_database_elsewhere_is_its_owners_business(home: Path, tmp_path: Path) -> None:
    (home / "sqe.toml").write_text(
        '[store]\nurl = "postgresql+psycopg://sqe:hidden@db.example/sqe"\n'
    )
    made = run(FakeGateway(), "backup", str(tmp_path / "copy"), home=home)
    assert made.exit_code == 0
    assert "pg_dump" in made.stderr
    assert "hidden" not in made.stdout + made.stderr
