"""Fetching objects as a user: whose keys, which objects, and what is said when it fails."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.engines.locations.location import UserKeys
from sqe.engines.locations.locations import Locations
from sqe.engines.locations.session_policy import scope_of_reads
from sqe.engines.locations.source import object_source
from sqe.engines.protocol import Run
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.model.passport import Passport, Token
from sqe.results.cancellation import Cancellation
from sqe.server.locations import locations_of
from sqe.sessions.store import SessionStore
from sqe.settings import LocationSettings, Settings
from tests.unit.engines.locations.user_store import KEYS, Fault, UserStore, error, send, user_store

TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl"


@pytest.fixture
def store() -> Iterator[UserStore]:
    with user_store() as made:
        yield made


@pytest.fixture
def locations(store: UserStore, tmp_path: Path) -> Iterator[Locations]:
    made = locations_in(store, tmp_path)
    yield made
    made.close()


def locations_in(store: UserStore, folder: Path, **more: object) -> Locations:
    given = {"endpoint": store.endpoint, "path_style": True, "timeout_s": 1, **more}
    prefixes = {
        "landing": "s3://bucket/in/",
        "deeper": "s3://bucket/in/deep/",
        "out": "s3://bucket/out/",
    }
    role = "arn:aws:iam::123456789012:role/deep"
    settings = Settings(
        locations={
            name: LocationSettings.model_validate(
                {
                    "prefix": prefix,
                    "role_arn": role if name == "deeper" else "",
                    "unload": name == "out",
                    **given,
                }
            )
            for name, prefix in prefixes.items()
        },
        load={"download_mb": 1},
        unload={"object_mb": 1},
    )
    found = locations_of(settings, folder)
    assert found is not None
    return found


def run_of(*, token: str = TOKEN, cancellation: Cancellation | None = None) -> Run:
    passport = Passport(Token(Secret(token)), "login") if token else None
    sessions = SessionStore(SchemaName("lake", ("s",)))
    session = sessions.open(Identity("alice", passport=passport))
    return Run("q-1", session, cancellation or Cancellation())


def names(locations: Locations, *sources: str) -> list[str]:
    return [remote.name for source in sources for remote in locations.find(source, run_of())]


def contents(locations: Locations, source: str, run: Run) -> list[bytes]:
    with locations.fetch(locations.find(source, run), run) as fetched:
        return [copy.path.read_bytes() for copy in fetched]


def refusal(locations: Locations, source: str, run: Run | None = None) -> SqeError:
    with pytest.raises(SqeError) as raised:
        contents(locations, source, run or run_of())
    said = f"{raised.value} {raised.value!r} {raised.value.__cause__!r}"
    assert not any(secret in said for secret in (TOKEN, *KEYS))
    return raised.value


def left(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.startswith(("object-", "query-"))]


def test_objects_are_fetched_with_keys_for_the_users_own_token(
    store: UserStore, locations: Locations, tmp_path: Path
) -> None:
    store.objects = {"in/a 1%.csv": b"one", "in/_x": b"", "in/sub/b.csv": b"two"}
    assert contents(locations, "s3://bucket/in/", run_of()) == [b"one"]
    assert contents(locations, "s3://bucket/in/**/*.csv", run_of()) == [b"one", b"two"]
    assert contents(locations, "s3://bucket/in/sub/b.csv", run_of()) == [b"two"]
    assert contents(locations, "s3://bucket/in", run_of()) == [b"one"]
    asked = store.asked[0]
    assert asked["WebIdentityToken"] == TOKEN
    assert asked["Action"] == "AssumeRoleWithWebIdentity"
    assert json.loads(asked["Policy"])["Statement"][0]["Resource"] == ["arn:aws:s3:::bucket/in/*"]
    assert (asked["RoleSessionName"], "RoleArn" in asked) == ("sqe-q-1", False)
    assert left(tmp_path) == []


def test_the_folder_of_a_location_may_be_spelled_without_its_slash(
    store: UserStore, locations: Locations
) -> None:
    store.objects = {"in": b"beside it", "in/a": b"in it"}
    assert contents(locations, "s3://bucket/in", run_of()) == [b"in it"]


def test_the_longest_prefix_wins(store: UserStore, locations: Locations) -> None:
    store.objects = {"in/deep/a": b"", "in/deeper/a": b""}
    assert names(locations, "s3://bucket/in/deep/a", "s3://bucket/in/deeper/a")
    assert ["RoleArn" in asked for asked in store.asked] == [True, False]


@pytest.mark.parametrize(
    "source", ["s3://bucket/inbox/a", "s3://bucket/i*", "s3://bucket/", "s3://other/in/a"]
)
def test_beside_the_locations_nothing_is_asked(
    store: UserStore, locations: Locations, source: str
) -> None:
    assert refusal(locations, source).code is ErrorCode.ACCESS_DENIED
    assert not store.asked and not store.requests


def test_who_has_no_token_is_told_so(store: UserStore, locations: Locations) -> None:
    found = refusal(locations, "s3://bucket/in/", run_of(token=""))
    assert found.code is ErrorCode.ACCESS_DENIED
    assert "your login has none" in found.message
    assert store.asked == []


def test_lists_of_several_pages_are_read_to_their_end(
    store: UserStore, locations: Locations
) -> None:
    store.page = 2
    store.objects = {f"in/{number}": b"" for number in range(5)}
    assert names(locations, "s3://bucket/in/*") == [f"s3://bucket/in/{n}" for n in range(5)]


def test_keys_that_end_soon_are_renewed(store: UserStore, locations: Locations) -> None:
    store.objects = {"in/a": b""}
    store.expiration = "2000-01-01T00:00:00Z"
    assert contents(locations, "s3://bucket/in/a", run_of()) == [b""]
    assert len(store.asked) == 2  # to look at it, and to fetch it


def fails(status: int, code: str, method: str = "GET") -> Fault:
    def fault(request: BaseHTTPRequestHandler) -> bool:
        if request.command not in (method, "HEAD" if method == "GET" else method):
            return False
        send(request, status, error(code, f"{TOKEN} {KEYS[0]}"))
        return True

    return fault


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        (fails(400, "InvalidIdentityToken", "POST"), ErrorCode.ACCESS_DENIED, "InvalidIdentity"),
        (fails(403, "AccessDenied", "POST"), ErrorCode.ACCESS_DENIED, "gives you no keys"),
        (fails(500, "InternalFailure", "POST"), ErrorCode.STORAGE_UNAVAILABLE, "HTTP 500"),
        (fails(403, "AccessDenied"), ErrorCode.ACCESS_DENIED, "read s3://bucket/in/a"),
        (fails(403, "RequestTimeTooSkewed"), ErrorCode.STORAGE_UNAVAILABLE, "TooSkewed"),
        (fails(404, "NoSuchBucket"), ErrorCode.INVALID_ARGUMENT, "no bucket bucket"),
        (fails(301, "PermanentRedirect"), ErrorCode.STORAGE_UNAVAILABLE, "HTTP 301"),
        (fails(503, "SlowDown"), ErrorCode.STORAGE_UNAVAILABLE, "HTTP 503"),
    ],
)
def test_what_the_store_refuses_is_told_in_our_words(
    store: UserStore, locations: Locations, fault: Fault, code: ErrorCode, said: str
) -> None:
    store.objects = {"in/a": b"x"}
    store.fault = fault
    found = refusal(locations, "s3://bucket/in/a")
    assert found.code is code
    assert said in found.message


@pytest.mark.parametrize(
    "body", [b"", b"<a/>", b"<!DOCTYPE a><a/>", b"<a><AccessKeyId>k</AccessKeyId></a>"]
)
def test_an_answer_without_keys_is_a_failure(
    store: UserStore, locations: Locations, body: bytes
) -> None:
    def fault(request: BaseHTTPRequestHandler) -> bool:
        send(request, 200, body)
        return True

    store.fault = fault
    assert refusal(locations, "s3://bucket/in/").code is ErrorCode.STORAGE_UNAVAILABLE


def test_keys_with_declarations_around_them_are_not_read(
    store: UserStore, locations: Locations
) -> None:
    def fault(request: BaseHTTPRequestHandler) -> bool:
        send(request, 200, b"<!DOCTYPE a>" + store.keys())
        return True

    store.fault = fault
    assert refusal(locations, "s3://bucket/in/").code is ErrorCode.STORAGE_UNAVAILABLE


def test_a_store_that_is_down_is_told_soon(store: UserStore, tmp_path: Path) -> None:
    locations = locations_in(store, tmp_path, endpoint="http://127.0.0.1:9")
    found = refusal(locations, "s3://bucket/in/a")
    assert found.code is ErrorCode.STORAGE_UNAVAILABLE
    assert "location landing at 127.0.0.1:9 cannot be reached" in found.message


def test_where_nothing_matches_there_is_no_file(store: UserStore, locations: Locations) -> None:
    store.objects = {"in/_hidden": b"", "in/sub/a": b""}
    for source in ("s3://bucket/in/absent", "s3://bucket/in/", "s3://bucket/in/*.csv"):
        found = refusal(locations, source)
        assert found.code is ErrorCode.INVALID_ARGUMENT
        assert found.message == f"There is no file {source}."


def test_an_object_that_changes_meanwhile_is_not_loaded(
    store: UserStore, locations: Locations, tmp_path: Path
) -> None:
    run = run_of()
    for change in ({"in/a": b"two!"}, {}):
        store.objects = {"in/a": b"one!"}
        found = locations.find("s3://bucket/in/", run)
        store.objects = change
        with (
            pytest.raises(SqeError, match="changed or removed") as raised,
            locations.fetch(found, run),
        ):
            pass
        assert raised.value.code is ErrorCode.INVALID_FILE
    assert left(tmp_path) == []


def test_more_than_the_limit_is_not_fetched(
    store: UserStore, locations: Locations, tmp_path: Path
) -> None:
    store.objects = {"in/a": b"x" * 600_000, "in/b": b"x" * 600_000}
    found = refusal(locations, "s3://bucket/in/")
    assert found.code is ErrorCode.DISK_FULL
    assert "load.download_mb" in found.hint
    assert not any("GET /bucket/in" in request for request in store.requests)
    assert left(tmp_path) == []


def test_an_object_with_a_name_that_others_read_differently_is_refused(
    store: UserStore, locations: Locations
) -> None:
    store.objects = {"in/sub//a": b""}
    assert refusal(locations, "s3://bucket/in/**").code is ErrorCode.NOT_SUPPORTED


@pytest.mark.parametrize("status", [200, 503])
def test_an_answer_that_is_cut_or_none_is_asked_for_again(
    store: UserStore, locations: Locations, status: int
) -> None:
    store.objects = {"in/a": b"x" * 1000}
    cuts = [2]

    def fault(request: BaseHTTPRequestHandler) -> bool:
        if request.command != "GET" or request.path != "/bucket/in/a" or not cuts[0]:
            return False
        cuts[0] -= 1
        request.send_response(status)
        request.send_header("content-length", "1000")
        request.end_headers()
        request.wfile.write(b"x" * 10)
        request.close_connection = True
        return True

    store.fault = fault
    assert contents(locations, "s3://bucket/in/a", run_of()) == [b"x" * 1000]
    cuts[0] = 9
    assert refusal(locations, "s3://bucket/in/a").code is ErrorCode.STORAGE_UNAVAILABLE


def test_a_cancel_ends_a_download_that_stalls(store: UserStore, tmp_path: Path) -> None:
    locations = locations_in(store, tmp_path, timeout_s=30)
    store.objects = {"in/a": b"x" * 1000}
    stalled, over = threading.Event(), threading.Event()

    def fault(request: BaseHTTPRequestHandler) -> bool:
        if request.command != "GET":
            return False
        request.send_response(200)
        request.send_header("content-length", "1000")
        request.end_headers()
        request.wfile.write(b"x")
        stalled.set()
        over.wait(20)
        request.close_connection = True
        return True

    store.fault = fault
    cancellation = Cancellation()

    def cancel() -> None:
        stalled.wait()
        while not any(path.is_file() and path.stat().st_size == 0 for path in left(tmp_path)):
            time.sleep(0.01)
        time.sleep(0.3)  # until it waits for the second chunk
        cancellation.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    began = time.monotonic()
    found = refusal(locations, "s3://bucket/in/a", run_of(cancellation=cancellation))
    thread.join()
    assert found.code is ErrorCode.CANCELLED
    assert time.monotonic() - began < 10
    assert left(tmp_path) == []
    over.set()
    locations.close()


def test_nothing_secret_is_logged_or_shown(
    store: UserStore, locations: Locations, caplog: pytest.LogCaptureFixture
) -> None:
    store.objects = {"in/a": b"x"}
    caplog.set_level(logging.DEBUG)
    run = run_of()
    keys = UserKeys(
        locations.locations[0],
        scope_of_reads(object_source("s3://bucket/in/a")),
        run.session.identity,
        "s",
    )
    current = keys.current()
    found = locations.find("s3://bucket/in/", run)
    with locations.fetch(found, run) as fetched:
        shown = f"{locations!r} {locations.locations!r} {keys!r} {current!r} {fetched!r} {run!r}"
    assert "s3://bucket/in/a" in shown
    assert not any(secret in shown + caplog.text for secret in (TOKEN, *KEYS))


def write(
    locations: Locations,
    place: str,
    content: bytes,
    *,
    overwrite: bool = False,
    run: Run | None = None,
) -> None:
    with locations.new_object(place, run or run_of(), overwrite=overwrite) as file:
        file.write(content)


def unwritten(locations: Locations, place: str, content: bytes = b"x") -> SqeError:
    with pytest.raises(SqeError) as raised:
        write(locations, place, content)
    return raised.value


def test_an_object_is_written_whole_with_keys_for_it_alone(
    store: UserStore, locations: Locations, tmp_path: Path
) -> None:
    place = "s3://bucket/out/a 1.csv"
    with locations.new_object(place, run_of(), overwrite=False) as file:
        file.write(b"some ")
        file.write(b"rows")
        assert store.objects == {}
    assert store.objects == {"out/a 1.csv": b"some rows"}
    [statement] = json.loads(store.asked[0]["Policy"])["Statement"]
    assert statement["Resource"] == "arn:aws:s3:::bucket/out/a 1.csv"
    assert left(tmp_path) == []


def test_nothing_is_written_of_what_fails_or_is_cancelled(
    store: UserStore, locations: Locations, tmp_path: Path
) -> None:
    with (
        pytest.raises(ValueError, match="broken"),
        locations.new_object("s3://bucket/out/a", run_of(), overwrite=False) as file,
    ):
        file.write(b"some")
        raise ValueError("broken")
    run = run_of()
    with (
        pytest.raises(SqeError, match="cancelled"),
        locations.new_object("s3://bucket/out/a", run, overwrite=False) as file,
    ):
        file.write(b"some")
        run.cancellation.cancel()
    assert store.objects == {}
    assert left(tmp_path) == []


def test_an_object_is_replaced_only_where_that_is_said(
    store: UserStore, locations: Locations
) -> None:
    store.objects = {"out/a": b"before"}
    assert "already" in unwritten(locations, "s3://bucket/out/a").message
    write(locations, "s3://bucket/out/a", b"after", overwrite=True)
    assert store.objects == {"out/a": b"after"}


def test_one_that_comes_meanwhile_is_not_replaced_either(
    store: UserStore, locations: Locations
) -> None:
    with (
        pytest.raises(SqeError, match="already"),
        locations.new_object("s3://bucket/out/a", run_of(), overwrite=False) as file,
    ):
        file.write(b"mine")
        store.objects = {"out/a": b"theirs"}
    assert store.objects == {"out/a": b"theirs"}


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("s3://bucket/in/a", ErrorCode.ACCESS_DENIED),  # may be loaded from only
        ("s3://bucket/out", ErrorCode.ACCESS_DENIED),  # beside the prefix, not below it
        ("s3://bucket/outer/a", ErrorCode.ACCESS_DENIED),
        ("s3://bucket/out/", ErrorCode.INVALID_ARGUMENT),
        ("s3://bucket/out/*", ErrorCode.INVALID_ARGUMENT),
        ("s3://bucket/out/_a", ErrorCode.INVALID_ARGUMENT),
        ("s3://bucket/out/../in/a", ErrorCode.INVALID_ARGUMENT),
    ],
)
def test_what_may_not_be_written_is_refused_before_a_store_is_asked(
    store: UserStore, locations: Locations, place: str, code: ErrorCode
) -> None:
    assert unwritten(locations, place).code is code
    assert not store.asked and not store.requests


def test_the_limit_of_an_object_is_kept(
    store: UserStore, locations: Locations, tmp_path: Path
) -> None:
    found = unwritten(locations, "s3://bucket/out/a", b"x" * 1_100_000)
    assert found.code is ErrorCode.DISK_FULL
    assert "unload.object_mb" in found.hint
    assert store.objects == {}
    assert left(tmp_path) == []


def test_a_store_that_lets_the_user_not_write_says_so(
    store: UserStore, locations: Locations
) -> None:
    store.fault = fails(403, "AccessDenied", "PUT")
    found = unwritten(locations, "s3://bucket/out/a")
    assert found.code is ErrorCode.ACCESS_DENIED
    assert found.message == "The object store does not let you write s3://bucket/out/a."


def test_a_write_without_an_answer_may_have_happened(
    store: UserStore, locations: Locations
) -> None:
    def fault(request: BaseHTTPRequestHandler) -> bool:
        request.close_connection = True
        return request.command == "PUT"

    store.fault = fault
    found = unwritten(locations, "s3://bucket/out/a")
    assert found.code is ErrorCode.COMMIT_UNKNOWN
    assert "s3://bucket/out/a" in found.message


class _CancelsLate(Cancellation):
    """By the time that a part of the object is on its way."""

    checks = 0

    def check(self) -> None:
        self.checks += 1
        if self.checks == 4:
            self.cancel()
        super().check()


def test_a_cancel_ends_an_upload_and_nothing_is_written(
    store: UserStore, locations: Locations, tmp_path: Path
) -> None:
    cancellation = _CancelsLate()
    with pytest.raises(SqeError, match="cancelled"):
        write(locations, "s3://bucket/out/a", b"x" * 500_000, run=run_of(cancellation=cancellation))
    assert cancellation.checks == 4
    assert store.objects == {}
    assert left(tmp_path) == []


def test_rows_that_are_too_many_end_a_parquet_file_too(
    store: UserStore, locations: Locations
) -> None:
    rows = pa.table({"x": [os.urandom(1000) for _ in range(3000)]})
    with (
        pytest.raises(SqeError, match="no object may be larger"),
        locations.new_object("s3://bucket/out/a", run_of(), overwrite=False) as file,
    ):
        pq.write_table(rows, file)
    assert store.objects == {}
