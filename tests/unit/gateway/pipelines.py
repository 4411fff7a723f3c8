"""A pipeline for tests: Spark's dialect, and whatever engines a test has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqe.access.control import AccessControl
from sqe.access.functions import SqlFunctions
from sqe.access.guards import Guards
from sqe.access.statement_guard import StatementGuard
from sqe.binding.binder import Binder
from sqe.engines.protocol import Engine
from sqe.engines.rerun import Reruns
from sqe.engines.router import Router
from sqe.gateway.dialects import SPARK
from sqe.gateway.pipeline import Pipeline
from sqe.gateway.runner import Runner
from sqe.model.identity import Secret
from sqe.model.query import EngineKind
from sqe.policy.policy import Policy
from sqe.spark_sql.spark_dialect import SparkDialect
from sqe.sql.parser import Parser
from sqe.sql.text import TextLimits
from sqe.store.database import Database
from sqe.store.functions import FunctionStore

_NOTHING = Database(Path(), Secret("sqlite://"))  # in memory, and only if somebody asks


def spark_pipeline(
    binder: Binder,
    policy: Policy,
    engines: Mapping[EngineKind, Engine],
    router: Router,
    reruns: Reruns | None = None,
) -> Pipeline:
    limits = TextLimits()
    return Pipeline(
        {SPARK: SparkDialect()},
        Parser(limits),
        SqlFunctions(binder.catalogs, policy, FunctionStore(_NOTHING), limits),
        StatementGuard(
            binder,
            AccessControl(policy, binder.catalogs, binder.whole),
            Guards(binder, policy.with_roles),
        ),
        router,
        Runner(engines, reruns or Reruns()),
    )
