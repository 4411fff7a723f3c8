"""The registry: one meaning for each family, gauges read at scrapes, scrapes that cost little."""

from __future__ import annotations

import threading

import pytest
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as openmetrics_families,
)
from prometheus_client.parser import text_string_to_metric_families

from sqe.errors import AccessError, ErrorCode, InternalError, SqeError, UpstreamError, UserError
from sqe.model.observer import (
    CallOutcome,
    CredentialsOutcome,
    Observer,
    observe_call,
    outcome_of_status,
)
from sqe.observe import families
from sqe.observe.family import Family, Kind
from sqe.observe.metrics import Metrics

OPENMETRICS = "application/openmetrics-text; version=1.0.0"


@pytest.mark.parametrize("family", families.FAMILIES, ids=lambda family: family.name)
def test_names_say_what_is_measured(family: Family) -> None:
    """Prometheus' own rules: what ``promtool check metrics`` looks at."""
    assert family.name.startswith("sqe_")
    assert family.name.endswith("_total") == (family.kind is Kind.COUNTER)
    assert family.meaning.endswith(".") and all(family.labels.values())
    assert bool(family.buckets) == (family.kind is Kind.HISTOGRAM)
    assert list(family.buckets) == sorted(set(family.buckets))
    may_name = {"user", "catalog"}
    assert not {"table", "schema", "text", "session", "query"} & (set(family.labels) - may_name)


def test_every_family_is_there_once() -> None:
    names = [family.name.removesuffix("_total") for family in families.FAMILIES]
    assert len(names) == len(set(names))
    constants = {value for value in vars(families).values() if isinstance(value, Family)}
    assert constants == set(families.FAMILIES)


def test_both_texts_can_be_read() -> None:
    metrics = Metrics()
    metrics.count(families.LOGINS, ("password", "accepted"))
    metrics.note_catalog_call("lake", CallOutcome.OK, 0.02)
    metrics.note_credentials(CredentialsOutcome.VENDED)
    metrics.note_broker_call("load_table", CallOutcome.CONFLICT, 0.02)
    metrics.note_decisions(["allow", "deny"], 0.001)
    metrics.count(families.SESSIONS, ("refused",))
    plain, kind = metrics.exposition("")
    assert kind.startswith("text/plain")
    read = {family.name: family for family in text_string_to_metric_families(plain.decode())}
    decided = {s.labels["decision"]: s.value for s in read["sqe_policy_decisions"].samples}
    assert decided == {"allow": 1, "restrict": 0, "deny": 1, "unanswered": 0}
    open_text, kind = metrics.exposition(OPENMETRICS)
    assert kind.startswith("application/openmetrics-text")
    families_read = openmetrics_families(open_text.decode())  # type: ignore[no-untyped-call]
    assert "sqe_logins" in {family.name for family in families_read}


def test_gauges_are_read_when_they_are_asked_for() -> None:
    now = [0.0]
    open_sessions = [3]
    metrics = Metrics(clock=lambda: now[0])
    metrics.read(families.OPEN_SESSIONS, lambda: {(): open_sessions[0]})
    assert b"\nsqe_open_sessions 3.0" in metrics.exposition()[0]
    open_sessions[0] = 4
    assert b"\nsqe_open_sessions 3.0" in metrics.exposition()[0]  # of less than a second ago
    now[0] += 1
    assert b"\nsqe_open_sessions 4.0" in metrics.exposition()[0]
    open_sessions[0], now[0] = 5, -100.0
    assert b"\nsqe_open_sessions 5.0" in metrics.exposition()[0]  # the clock was set back


def test_a_gauge_that_cannot_be_read_is_missing_and_counted() -> None:
    now = [0.0]
    metrics = Metrics(clock=lambda: now[0])

    def broken() -> dict[tuple[str, ...], float]:
        raise RuntimeError("words that name zoe")

    metrics.read(families.OPEN_SESSIONS, broken)
    metrics.read(families.THREADS, lambda: {(): 7})
    metrics.exposition()
    now[0] += 10
    text = metrics.exposition()[0].decode()
    assert "\nsqe_open_sessions " not in text and "\nsqe_threads 7.0" in text and "zoe" not in text
    assert 'sqe_metric_reading_errors_total{metric="sqe_open_sessions"}' in text


def test_ten_thousand_scrapes_at_once_read_once_in_a_second() -> None:
    reads: list[int] = []
    metrics = Metrics(clock=lambda: 5.0)

    def count() -> dict[tuple[str, ...], float]:
        reads.append(1)
        return {(): len(reads)}

    metrics.read(families.THREADS, count)
    texts: set[bytes] = set()

    def scrape() -> None:
        for _ in range(500):
            texts.add(metrics.exposition()[0])

    threads = [threading.Thread(target=scrape) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reads) == 1 and len(texts) == 1


def test_two_servers_in_a_process_do_not_meet() -> None:
    one, other = Metrics(), Metrics()
    one.count(families.SESSIONS, ("opened",))
    assert b'sqe_sessions_total{outcome="opened"} 1.0' in one.exposition()[0]
    assert b'sqe_sessions_total{outcome="opened"} 0.0' in other.exposition()[0]


class Heard(Observer):
    def __init__(self) -> None:
        self.calls: list[tuple[str, CallOutcome]] = []

    def note_catalog_call(self, catalog: str, outcome: CallOutcome, seconds: float) -> None:
        assert seconds >= 0
        self.calls.append((catalog, outcome))


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, CallOutcome.OK),
        (UserError(ErrorCode.TABLE_NOT_FOUND, "no"), CallOutcome.ABSENT),
        (UserError(ErrorCode.COMMIT_CONFLICT, "no"), CallOutcome.CONFLICT),
        (UserError(ErrorCode.INVALID_ARGUMENT, "no"), CallOutcome.REFUSED),
        (AccessError(ErrorCode.ACCESS_DENIED, "no"), CallOutcome.DENIED),
        (UpstreamError(ErrorCode.STORAGE_UNAVAILABLE, "no"), CallOutcome.UNAVAILABLE),
        (InternalError(ErrorCode.INTERNAL_ERROR, "no"), CallOutcome.FAILED),
        (ValueError("no"), CallOutcome.FAILED),
    ],
)
def test_a_call_ends_in_one_of_a_few_ways(error: Exception | None, outcome: CallOutcome) -> None:
    heard = Heard()

    def call() -> None:
        with observe_call(heard, "lake", "load"):
            if error is not None:
                raise error

    if error is None:
        call()
    else:
        with pytest.raises((SqeError, ValueError)):
            call()
    assert heard.calls == [("lake", outcome)]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "ok"),
        (304, "ok"),
        (400, "refused"),
        (401, "denied"),
        (403, "denied"),
        (404, "absent"),
        (409, "conflict"),
        (500, "failed"),
        (503, "unavailable"),
    ],
)
def test_a_status_is_an_outcome(status: int, outcome: str) -> None:
    assert outcome_of_status(status).value == outcome
