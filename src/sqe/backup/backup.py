"""A copy of a home, made while others use it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sqe import __version__
from sqe.backup.archive import Archive, open_archive
from sqe.backup.databases import (
    copy_database,
    is_beside_database,
    is_database,
    read_store_version,
)
from sqe.backup.manifest import NAME, BackedUpFile, Contents
from sqe.backup.warehouse import Progress, WarehouseCopy, roots_of
from sqe.catalog.embedded.entry import CATALOG_FILE, WAREHOUSE
from sqe.errors import ErrorCode, UserError
from sqe.store.database import STORE_FILE

# Folders of a home with what SQE makes or fetches anew: the engines' scratch space and programs.
REBUILT = frozenset({"jars", "spark", "local", "uploads", "cds"})


@dataclass
class _Parts:
    files: list[BackedUpFile] = field(default_factory=list)
    left_out: list[Path] = field(default_factory=list)
    store_version: int = 0


def back_up(home: Path, target: Path, progress: Progress) -> tuple[Contents, list[Path]]:
    """What is in the backup, and the files of the home that are of a kind that no backup can
    hold: links to folders, sockets."""
    home = home.absolute()
    if not home.is_dir():
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"There is no home in {home}.")
    if target.resolve().is_relative_to(home.resolve()):
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{target} is in the home itself.",
            hint="Keep backups somewhere else, best on another disk.",
        )
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    with open_archive(target) as archive:
        folder = tempfile.TemporaryDirectory(prefix=f"{target.name}.", dir=target.parent)
        with folder as name:
            catalog = WarehouseCopy(home, archive, Path(name), progress)
            files = catalog.copy() if (home / CATALOG_FILE).exists() else []
            parts = _copy_others(home, archive, Path(name))
        views = sum(relation.is_view for relation in catalog.relations)
        contents = Contents(
            sqe=__version__,
            made_at=made_at,
            home=str(home),
            warehouse=roots_of(home),
            store_version=parts.store_version,
            tables=len(catalog.relations) - views,
            views=views,
            files=[*files, *parts.files],
        )
        archive.finish(contents)
    return contents, parts.left_out


def _copy_others(home: Path, archive: Archive, folder: Path) -> _Parts:
    """After the catalog: the rules about a table are then at least as new as the table."""
    parts = _Parts()
    for number, path in enumerate(_list_others(home, parts.left_out)):
        source = path
        try:
            if is_database(path):
                source = folder / f"database-{number}.db"
                copy_database(path, source)
                if path == home / STORE_FILE:
                    parts.store_version = read_store_version(source)
            with source.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                parts.files.append(archive.add(str(path.relative_to(home)), file, size))
        except FileNotFoundError:  # a log that got another name just now
            continue
        finally:
            if source != path:
                source.unlink(missing_ok=True)
    return parts


def _list_others(home: Path, left_out: list[Path]) -> Iterator[Path]:
    """Everything of the home but its catalog and warehouse, and what is made anew."""
    for top in sorted(home.iterdir()):
        if top.name in REBUILT or top.name in (WAREHOUSE, CATALOG_FILE, NAME):
            continue
        if not top.is_dir():
            yield from _list_file(top, left_out)
            continue
        for folder, folders, names in os.walk(top):
            left_out += [link for name in folders if (link := Path(folder, name)).is_symlink()]
            for name in sorted(names):
                yield from _list_file(Path(folder, name), left_out)


def _list_file(path: Path, left_out: list[Path]) -> Iterator[Path]:
    if path.is_file():
        if not is_beside_database(path):
            yield path
    elif path.is_symlink() or path.exists():
        left_out.append(path)
