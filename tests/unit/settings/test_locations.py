"""Settings of places in object stores: strict, and no token travels in the clear."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.server.locations import locations_of
from sqe.settings import Settings, load_settings
from sqe.settings.shown import show_settings


def load(tmp_path: Path, *lines: str) -> Settings:
    file = tmp_path / "sqe.toml"
    file.write_text("[locations.landing]\n" + "\n".join(lines))
    return load_settings(file, {"home": str(tmp_path)}, {})


PREFIX = 'prefix = "s3://bucket/in"'
ENDPOINT = 'endpoint = "https://minio.test:9000/"'


def test_a_location_is_read(tmp_path: Path) -> None:
    settings = load(tmp_path, PREFIX, ENDPOINT, "path_style = true")
    landing = settings.locations["landing"]
    assert landing.prefix == "s3://bucket/in/"
    assert landing.endpoint == "https://minio.test:9000"
    assert (landing.region, landing.sts_endpoint, landing.role_arn) == ("us-east-1", "", "")
    assert "s3://bucket/in/" in show_settings(settings)


def test_none_are_there_unless_they_are_named(tmp_path: Path) -> None:
    assert locations_of(Settings(home=tmp_path), tmp_path) is None


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('prefix = "s3://bucket/in/*"', "pattern"),
        ('prefix = "s3://bucket/in/../out"', "empty"),
        ('prefix = "bucket/in"', "s3://"),
        (f'{PREFIX}\nendpoint = "http://minio.test"', "https"),
        (f'{PREFIX}\nendpoint = "https://minio.test/s3"', "path"),
        (f'{PREFIX}\nendpoint = "https://key:secret@minio.test"', "password"),
        (f'{PREFIX}\n{ENDPOINT}\nsts_endpoint = "http://sts.test"', "https"),
        (f'{PREFIX}\n{ENDPOINT}\nregion = "eu west"', "region"),
        (f'{PREFIX}\n{ENDPOINT}\nrole_arn = "loader"', "ARN"),
        (f"{PREFIX}\n{ENDPOINT}\ntimeout_s = 0", "greater"),
        (f'{PREFIX}\n{ENDPOINT}\nsecret_key = "x"', "Unknown setting"),
        (PREFIX, "role_arn"),
        (f"{PREFIX}\n{ENDPOINT}\n[locations.again]\n{PREFIX}\n{ENDPOINT}", "twice"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, line: str, why: str) -> None:
    with pytest.raises(UserError, match=why) as refused:
        load(tmp_path, line)
    assert refused.value.code is ErrorCode.INVALID_SETTINGS
    assert "locations" in refused.value.message


def test_authorities_must_be_there(tmp_path: Path) -> None:
    settings = load(tmp_path, PREFIX, ENDPOINT, 'authorities = "ca.pem"')
    with pytest.raises(UserError, match=r"locations\.landing\.authorities"):
        locations_of(settings, tmp_path)


@pytest.mark.parametrize(
    ("region", "sts"),
    [
        ("eu-west-1", "https://sts.eu-west-1.amazonaws.com"),
        ("cn-north-1", "https://sts.cn-north-1.amazonaws.com.cn"),
    ],
)
def test_amazons_own_addresses_are_known(tmp_path: Path, region: str, sts: str) -> None:
    role = 'role_arn = "arn:aws:iam::123456789012:role/loader"'
    settings = load(tmp_path, PREFIX, f'region = "{region}"', role)
    found = locations_of(settings, tmp_path)
    assert found is not None
    assert found.locations[0].sts.url == sts
