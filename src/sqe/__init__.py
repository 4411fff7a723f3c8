"""SQE, the Sovereign Query Engine: a SQL gateway in which every query runs as its sender.

The map, in the order a query travels (see ``gateway/pipeline.py``):

    auth, sessions   who is asking, and what this session has set
    sql              one statement: its kind, and where it names every relation
    catalog          every name resolved, as the user; the embedded Iceberg catalog
    policy           allow, restrict or deny each table
    rewrite          what replaces each name in the text
    routing          which engine, and why
    broker, engines  per-query handles, and the engines that run the text
    results          Arrow batches with back-pressure
    audit            one event for every change of state
    gateway          the five methods every front end calls
"""

__version__ = "0.1.0"
