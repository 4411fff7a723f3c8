"""Servers with policies of a test's own, on a Spark that another server has started."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import SecretStr

from sqe.engines.spark.addresses import EmbeddedAddress
from sqe.policy.source import PolicySource
from sqe.server.build import Server, build
from sqe.settings import LoadSettings, Settings, SparkSettings
from sqe.settings.settings import LocalSettings, LogSettings, ResultCacheSettings
from tests.differential.sides import QUICK_CONF
from tests.policy.hashing import POLICY


def beside(shared: Server, home: Path, sources: Sequence[PolicySource]) -> Server:
    """Of one thread, and so are queries on Spark in effect: rows come in the same order again."""
    assert shared.spark is not None
    url = EmbeddedAddress(shared.spark).reach().url.reveal()
    return build(
        Settings(
            home=home,
            spark=SparkSettings(remote=SecretStr(url), session_conf=QUICK_CONF),
            local=LocalSettings(threads=1),
            load=LoadSettings(folders=(home / "loadable",)),
            log=LogSettings(audit=False),
            policy=POLICY,
            result_cache=ResultCacheSettings(tables=("*",)),
        ),
        sources,
    )
