"""The recorded scripts through the gateway, on a real Spark: nothing is answered differently."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.engines.spark.addresses import EmbeddedAddress
from sqe.model.identity import Identity
from sqe.server.build import Server, build
from sqe.settings import Settings
from tests.embedded.pipe.lake import Lake
from tests.trino.asking import Asker
from tests.trino.corpus import FOLDER, Verdict, cases
from tests.trino.reviewed_scripts import REVIEWED
from tests.trino.scripts import CATALOGS, USER, Client, run_script
from tests.trino.tpch import make_tiny

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the corpus is not here"),
]
_SCRIPTS = cases("scripts") if FOLDER.is_dir() else []


@pytest.fixture(scope="module")
def server(shared_lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    assert shared_lake.server.spark is not None
    loadable: Path = tmp_path_factory.mktemp("tiny")
    settings = Settings.model_validate(
        {
            "home": tmp_path_factory.mktemp("scripts home"),
            "default_catalog": "iceberg",
            "catalogs": CATALOGS,
            "spark": {"remote": EmbeddedAddress(shared_lake.server.spark).reach().url.reveal()},
            "load": {"folders": [loadable]},
        }
    )
    server = build(settings)
    session = server.gateway.open_session(Identity(user=USER))
    make_tiny(Asker(server.gateway, session.id), loadable)
    yield server
    server.close()


@pytest.mark.parametrize("script", _SCRIPTS, ids=[one["id"] for one in _SCRIPTS])
def test_a_script_is_answered_as_trino_answers_it(server: Server, script: dict[str, Any]) -> None:
    session = server.gateway.open_session(Identity(user=USER))
    judged = list(run_script(Client(server.gateway, session.id), script))
    different = {(one.script, one.step): one for one in judged if one.verdict is Verdict.DIFFERENT}
    reviewed = {key for key in REVIEWED if key[0] == script["id"]}
    assert different.keys() - reviewed == set(), [
        f"{one.sql}: {one.why}" for key, one in different.items() if key not in reviewed
    ]
    assert reviewed - different.keys() == set(), "these are the same now"
