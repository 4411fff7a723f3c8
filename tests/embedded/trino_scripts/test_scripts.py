"""The recorded scripts, on a real Spark: nothing is answered differently."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from sqe.engines.spark.addresses import EmbeddedAddress
from tests.embedded.pipe.lake import Lake
from tests.trino.corpus import FOLDER, Verdict, cases
from tests.trino.reviewed_scripts import REVIEWED
from tests.trino.scripts import CATALOG, CATALOGS, run_script
from tests.trino.serving import Served, serving

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the corpus is not here"),
]
_SCRIPTS = cases("scripts") if FOLDER.is_dir() else []


@pytest.fixture(scope="module")
def served(shared_lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    assert shared_lake.server.spark is not None
    url = EmbeddedAddress(shared_lake.server.spark).reach().url.reveal()
    given = {"default_catalog": CATALOG, "catalogs": CATALOGS, "spark": {"remote": url}}
    home, loadable = (tmp_path_factory.mktemp(name) for name in ("scripts home", "tiny"))
    with serving(home, given, loadable) as started:
        yield started


@pytest.mark.rotating(parts=10)
@pytest.mark.parametrize("script", _SCRIPTS, ids=[one["id"] for one in _SCRIPTS])
def test_a_script_is_answered_as_trino_answers_it(served: Served, script: dict[str, Any]) -> None:
    with closing(served.client(CATALOG)) as client:
        judged = list(run_script(client, script))
    different = {(one.script, one.step): one for one in judged if one.verdict is Verdict.DIFFERENT}
    reviewed = {key for key in REVIEWED if key[0] == script["id"]}
    assert different.keys() - reviewed == set(), [
        f"{one.sql}: {one.why}" for key, one in different.items() if key not in reviewed
    ]
    assert reviewed - different.keys() == set(), "these are the same now"
