"""Counts what happens and reads how things are, for Prometheus."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from sqe.model.observer import CallOutcome, CredentialsOutcome, Observer
from sqe.observe import families
from sqe.observe.family import Family, Kind

_log = logging.getLogger(__name__)
_KEPT_S = 1.0
# When each series began: as much again to send, and nobody asks.
disable_created_metrics()  # type: ignore[no-untyped-call]
Labels = tuple[str, ...]
Reading = Callable[[], Mapping[Labels, float]]


class Metrics(Observer):
    """In a registry of their own, so that two servers in one process do not meet. Thread-safe."""

    def __init__(self, *, users: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        ProcessCollector(registry=self._registry)
        self._readings = _Readings(self)
        left_out = () if users else (families.USER_QUERIES,)
        self._made: dict[Family, Any] = {
            family: _make(family, self._registry)
            for family in families.FAMILIES
            if family not in left_out
        }
        self._registry.register(self._readings)
        self._clock = clock
        self._scraping = threading.Lock()
        self._kept: dict[str, tuple[float, bytes]] = {}

        for family, begin in families.BEGIN_AT_ZERO.items():
            for labels in begin:
                self._made[family].labels(*labels)

    def has(self, family: Family) -> bool:
        return family in self._made

    def count(self, family: Family, labels: Labels = (), amount: float = 1) -> None:
        made = self._made[family]
        (made.labels(*labels) if labels else made).inc(amount)

    def observe(self, family: Family, value: float, labels: Labels = ()) -> None:
        """A negative value is none: it comes of a clock that was set back."""
        made = self._made[family]
        (made.labels(*labels) if labels else made).observe(max(0.0, value))

    def read(self, family: Family, reading: Reading) -> None:
        """From now on each scrape asks ``reading`` for the family's values, by their labels."""
        made = self._made.pop(family, None)
        if made is not None:
            self._registry.unregister(made)
        self._readings.add(family, reading)

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """The metrics and their content type. Who asks more often than once in a second gets the
        same answer again: scrapes must not keep queries from the processor."""
        encode, kind = choose_encoder(accept)
        with self._scraping:
            made_at, text = self._kept.get(kind, (float("-inf"), b""))
            now = self._clock()
            if not 0 <= now - made_at < _KEPT_S:
                text = encode(self._registry)
                self._kept[kind] = (now, text)  # there are a few kinds of text
        return text, kind

    def note_catalog_call(self, catalog: str, outcome: CallOutcome, seconds: float) -> None:
        self.observe(families.CATALOG_SECONDS, seconds, (catalog, outcome.value))

    def note_credentials(self, outcome: CredentialsOutcome) -> None:
        self.count(families.CREDENTIALS, (outcome.value,))

    def note_broker_call(self, operation: str, outcome: CallOutcome, seconds: float) -> None:
        self.observe(families.BROKER_SECONDS, seconds, (operation, outcome.value))

    def note_decisions(self, decisions: Iterable[str], seconds: float) -> None:
        for decision in decisions:
            self.count(families.DECISIONS, (decision,))
        self.observe(families.POLICY_SECONDS_TAKEN, seconds)


class _Readings(Collector):
    """What is asked for at each scrape."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._readings: dict[Family, Reading] = {}
        self._failing: set[Family] = set()

    def add(self, family: Family, reading: Reading) -> None:
        self._readings[family] = reading

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        for family, reading in list(self._readings.items()):
            try:
                values = reading()
            except Exception as error:  # noqa: BLE001  the others are still worth having
                if family not in self._failing:
                    _log.warning("%s cannot be read: %s", family.name, type(error).__name__)
                self._failing.add(family)
                self._metrics.count(families.READING_ERRORS, (family.name,))
                continue
            self._failing.discard(family)
            kind = CounterMetricFamily if family.kind is Kind.COUNTER else GaugeMetricFamily
            made = kind(family.name, family.meaning, labels=list(family.labels))
            for labels, value in values.items():
                made.add_metric(list(labels), value)
            yield made


def _make(family: Family, registry: CollectorRegistry) -> Counter | Gauge | Histogram:
    labels = list(family.labels)
    if family.kind is Kind.HISTOGRAM:
        return Histogram(
            family.name, family.meaning, labels, registry=registry, buckets=family.buckets
        )
    kind = Counter if family.kind is Kind.COUNTER else Gauge
    return kind(family.name, family.meaning, labels, registry=registry)
