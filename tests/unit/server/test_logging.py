"""What SQE says of itself in its log: start, settings, stages and stop, and never a secret."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sqe.client.embedded import EmbeddedTransport
from sqe.model.identity import Identity
from sqe.policy.source import AllowAll
from sqe.server.build import build
from sqe.settings import load_settings

SECRET = "hunter2-and-more"
FILE = f"""
[catalogs.lake]
type = "embedded"
[catalogs.far]
type = "rest"
uri = "https://catalog.example/api"
headers = {{ x-key = "{SECRET}" }}
[spark]
remote = "sc://spark.example:15002/;token={SECRET}"
session_conf = {{ "spark.hadoop.fs.azure.account.key.x" = "{SECRET}", "spark.app.name" = "shown" }}
[store]
url = "postgresql://ann:{SECRET}@db.example/sqe"
[policy]
hash_keys = {{ names = "{SECRET}-of-thirty-two-bytes-and-more" }}
"""


def _logged(home: Path, level: str) -> list[dict[str, str]]:
    file = home / "sqe.toml"
    file.write_text(FILE.replace("[store]", f'[log]\nlevel = "{level}"\n[store]'))
    settings = load_settings(file, {"home": str(home)}, {})
    server = build(settings, [AllowAll()])
    try:
        session = server.gateway.open_session(Identity("ann"))
        transport = EmbeddedTransport(server.gateway, session, "tests")
        with pytest.raises(Exception, match="nosuch"):
            transport.execute("SELECT * FROM lake.default.nosuch").result()
    finally:
        server.close()
    lines = (home / "logs" / "sqe.log").read_text().splitlines()
    assert SECRET not in "\n".join(lines)
    return [json.loads(line) for line in lines]


def test_start_settings_and_stop_are_logged(tmp_path: Path) -> None:
    messages = [line["message"] for line in _logged(tmp_path, "info")]
    # There is no such store.
    assert messages[1].startswith("attached catalogs cannot be read: SQE's own database")
    assert len(messages) == 3 and messages[-1] == "sqe has stopped"
    settings = json.loads(messages[0].partition("settings ")[2])
    assert settings["home"] == str(tmp_path)
    conf = settings["spark"]["session_conf"]
    assert conf == {"spark.hadoop.fs.azure.account.key.x": "****", "spark.app.name": "shown"}


def test_debug_tells_every_stage_and_every_call_of_a_catalog(tmp_path: Path) -> None:
    said = "\n".join(line["message"] for line in _logged(tmp_path, "debug"))
    for stage in ("parse", "bind", "decide", "guard"):
        assert re.search(rf"query \w+: {stage} took \d+\.\d ms", said), said
    assert re.search(r"catalog lake: load_table .*nosuch.* took", said)
    assert re.search(r"query \w+ of ann: failed after .* s, TABLE_NOT_FOUND", said)


def test_the_log_of_a_container_is_on_stdout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = load_settings(flags={"home": str(tmp_path), "log": {"to": "stdout"}}, environ={})
    build(settings, [AllowAll()]).close()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["level"] for line in lines] == ["info", "info"]
    assert not (tmp_path / "logs" / "sqe.log").exists()
    build(settings.for_command(), [AllowAll()]).close()  # stdout is for its answers
    assert capsys.readouterr().out == "" and (tmp_path / "logs" / "sqe.log").exists()
