"""Queries of Trino's SQL made by rule, and what a real Trino answered.

``make trino-record`` makes them and asks a Trino 476; ``recorded.jsonl.gz`` is what it answered.
"""
