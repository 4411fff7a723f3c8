"""SQE, the Sovereign Query Engine: a SQL gateway in which every query runs as its sender.

The map, in the order a query travels (see ``gateway/pipeline.py``):

    auth, sessions   who is asking, and what this session has set
    sql              one statement: its kind, and where it names every relation
    binding          every name resolved in the catalogs, as the user
    catalog          Iceberg catalogs: SQE's own, and remote ones
    access, policy   allow, restrict or deny each table
    rewrite          what replaces each name in the text
    routing          which engine, and why
    coordinator      what SQE answers itself
    broker, engines  per-query handles, and the engines that run the text
    results          Arrow batches with back-pressure
    audit            one event for every change of state
    gateway          the methods every front end calls
    protocols, trino the front ends; the core knows nothing of Trino's SQL, metadata and wire
"""

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """``sqe.connect`` and ``sqe.client``, imported when they are asked for: the root is cheap."""
    if name not in ("client", "connect"):
        raise AttributeError(f"module 'sqe' has no attribute {name!r}")
    import importlib

    client = importlib.import_module("sqe.client")
    return client if name == "client" else client.connect
