"""What docs/guides/catalogs.md shows can be written so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sqe.settings.load import load_settings

GUIDE = (Path(__file__).parents[3] / "docs" / "guides" / "catalogs.md").read_text()
BLOCKS = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
URL = "postgresql+psycopg://sqe:x@db.test/books?sslmode=verify-full"


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_each_section_of_the_guide_is_accepted(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in re.findall(r"env:(\w+)", block):
        monkeypatch.setenv(name, URL)
    file = tmp_path / "sqe.toml"
    file.write_text(block)
    assert load_settings(file).catalogs


def test_each_type_has_a_section_in_the_guide() -> None:
    for kind in ("jdbc", "files", "hive", "glue"):
        assert f'type = "{kind}"' in GUIDE


MAPPED = """
[catalogs.a]
type = "jdbc"
url = "sqlite:////data/a.db"
warehouse = "s3://books/lake"
auth = "shared"
[catalogs.a.storage]
auth = "mapped"
endpoint = "https://s3.test"
[catalogs.a.storage.credentials.readers]
key_id = "id"
key = "a-secret-word"
users = ["ann"]
"""


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('users = ["ann"]', "", "nobody acts through readers"),
        ('users = ["ann"]', 'users = ["ann", "ann"]', "named twice"),
        ('auth = "mapped"', 'auth = "user"', "credentials are for"),
        ('"s3://books/lake"', '"s3://books/../lake"', "a part that is empty"),
        ('"s3://books/lake"', '"/data/a"', "storage is for a warehouse in S3"),
        ('"https://s3.test"', '"http://s3.test"', "use https://"),
        ('auth = "shared"', "", "if that is meant"),
        ("[catalogs.a.storage.credentials.readers]", "[catalogs.b]", "catalogs"),
    ],
)
def test_what_is_not_clear_is_refused_without_the_secret(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    file = tmp_path / "sqe.toml"
    file.write_text(MAPPED)
    assert "a" in load_settings(file).catalogs
    file.write_text(MAPPED.replace(old, new))
    with pytest.raises(Exception, match=re.escape(why)) as refused:
        load_settings(file)
    assert "a-secret-word" not in str(refused.value)


def test_two_catalogs_have_no_folder_of_a_bucket_in_common(tmp_path: Path) -> None:
    file = tmp_path / "sqe.toml"
    file.write_text(MAPPED + MAPPED.replace("catalogs.a", "catalogs.b").replace("lake", "lake/b"))
    with pytest.raises(Exception, match="have folders in common"):
        load_settings(file)
