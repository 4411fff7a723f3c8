"""Which pages a client gets: the next one, the last one again, and no others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from sqe.auth.configured import authenticators
from sqe.auth.hashing import hash_token, new_token
from sqe.model.query import QueryState
from sqe.settings import AuthSettings
from sqe.trino.http.options import TrinoOptions
from tests.unit.trino.http.serving import (
    ALL_RIGHT,
    GONE,
    NOT_FOUND,
    Answer,
    Endless,
    Hanging,
    Serving,
    first_executing,
    follow,
    rows,
    rows_from,
    serving,
)

TOKENS = {name: new_token() for name in ("ann", "bob")}
USERS = AuthSettings.model_validate(
    {"users": {n: {"tokens": [f"sha256:{hash_token(t).hex()}"]} for n, t in TOKENS.items()}}
)
NO_CONTENT = 204


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serving]:
    yield from started(tmp_path, 300.0)


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Serving]:
    """Gives up clients soon."""
    yield from started(tmp_path, 2.0)


def started(tmp_path: Path, client_timeout_s: float) -> Iterator[Serving]:
    answers: dict[str, Answer] = {
        "endless": Endless(),
        "hanging": Hanging(),
        "two": rows((1, "a"), (2, "b")),
    }
    options = TrinoOptions(
        wait_s=0.2,
        page_bytes=64 * 1024,
        client_timeout_s=client_timeout_s,
        plain_credentials=True,
    )
    with serving(tmp_path, answers, options, authenticators(USERS)) as found:
        yield found


def of(served: Serving, user: str) -> httpx2.Client:
    token = TOKENS[user].reveal()
    return served.client(user, headers={"Authorization": f"Bearer {token}"})


def until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_the_last_page_can_be_had_again_and_older_ones_are_gone(served: Serving) -> None:
    with of(served, "ann") as client:
        first, page = rows_from(client, first_executing(client, "endless"))
        assert client.get(first).content == page.content
        second, again = rows_from(client, page.json()["nextUri"])
        assert client.get(first).status_code == GONE
        assert client.get(second).content == again.content


def test_the_last_page_of_all_can_be_had_again(served: Serving) -> None:
    with of(served, "ann") as client:
        uri = first_executing(client, "two")
        page = client.get(uri)
        while "nextUri" in page.json():
            uri = page.json()["nextUri"]
            page = client.get(uri)
        assert client.get(uri).content == page.content
        assert page.json()["stats"]["state"] == "FINISHED"


def test_a_token_that_was_not_given_out_is_not_found(served: Serving) -> None:
    with of(served, "ann") as client:
        uri = first_executing(client, "endless")
        base, _, _ = uri.rpartition("/")
        for token in ("1", "7", "-1", "x", "99999999999999999999999999"):
            assert client.get(f"{base}/{token}").status_code == NOT_FOUND
        assert client.get(uri).status_code == ALL_RIGHT


def test_a_wrong_slug_is_not_found(served: Serving) -> None:
    with of(served, "ann") as client:
        uri = first_executing(client, "endless")
        start, slug, token = uri.rsplit("/", 2)
        for wrong in (slug[:-1], slug + "0", "y" + "0" * 40, "%00", "ü"):
            assert client.get(f"{start}/{wrong}/{token}").status_code == NOT_FOUND
            assert client.delete(f"{start}/{wrong}/{token}").status_code == NOT_FOUND
        rows_from(client, uri)


def test_slugs_of_the_two_kinds_of_pages_are_not_the_same(served: Serving) -> None:
    with of(served, "ann") as client:
        uri = first_executing(client, "endless")
        assert client.get(uri.replace("/executing/", "/queued/")).status_code == NOT_FOUND


def test_what_is_anothers_is_not_there(served: Serving) -> None:
    with of(served, "ann") as ann, of(served, "bob") as bob:
        uri = first_executing(ann, "endless")
        for method in ("GET", "HEAD", "DELETE"):
            assert bob.request(method, uri).status_code == NOT_FOUND
        query_id = uri.split("/")[-3]
        assert bob.get(f"/v1/query/{query_id}").status_code == GONE
        assert bob.delete(f"/v1/query/{query_id}").status_code == NO_CONTENT
        assert bob.get("/v1/query").json() == []
        assert served.gateway.record(query_id).state is QueryState.RUNNING
        rows_from(ann, uri)


def test_a_query_that_does_not_exist_is_not_found(served: Serving) -> None:
    with of(served, "ann") as client:
        path = "/v1/statement/executing/20260101_000000_00001_aaaaa/y0/0"
        assert client.get(path).status_code == NOT_FOUND


def test_a_query_that_is_cancelled_ends_and_says_so(served: Serving) -> None:
    hanging = served.script.answers["hanging"]
    assert isinstance(hanging, Hanging)
    with of(served, "ann") as client:
        page = client.post("/v1/statement", content=b"hanging").json()
        page = client.get(page["nextUri"]).json()
        assert client.delete(page["nextUri"]).status_code == NO_CONTENT
        assert hanging.cancelled.wait(1)
        page = client.get(page["nextUri"]).json()
        assert page["error"]["errorName"] == "USER_CANCELED"
        # The client is told at once; the record ends with the engine's work.
        assert until(lambda: served.gateway.record(page["id"]).state is QueryState.CANCELLED)


def test_rows_already_made_are_not_the_result_of_a_cancelled_query(served: Serving) -> None:
    with of(served, "ann") as client:
        page = rows_from(client, first_executing(client, "endless"))[1].json()
        assert client.delete(page["nextUri"]).status_code == NO_CONTENT
        page = client.get(page["nextUri"]).json()
        assert page["error"]["errorName"] == "USER_CANCELED" and "data" not in page


def test_a_partial_cancel_keeps_what_there_is(served: Serving) -> None:
    endless = served.script.answers["endless"]
    assert isinstance(endless, Endless)
    with of(served, "ann") as client:
        page = rows_from(client, first_executing(client, "endless"))[1].json()
        assert client.delete(page["partialCancelUri"]).status_code == NO_CONTENT
        while "nextUri" in page:
            page = client.get(page["nextUri"]).json()
        assert page["stats"]["state"] == "FINISHED" and "error" not in page
        assert endless.ended.wait(5)


def test_a_query_nobody_asks_about_is_ended_and_freed(hasty: Serving) -> None:
    endless = hasty.script.answers["endless"]
    assert isinstance(endless, Endless)
    with of(hasty, "ann") as client:
        uri = first_executing(client, "endless")
        assert endless.ended.wait(20)
        assert until(lambda: client.get(uri).status_code == NOT_FOUND)
        assert until(lambda: hasty.gateway.records()[-1].state is QueryState.CANCELLED)


def test_a_heartbeat_keeps_a_query(hasty: Serving) -> None:
    endless = hasty.script.answers["endless"]
    assert isinstance(endless, Endless)
    with of(hasty, "ann") as client:
        uri = first_executing(client, "endless")
        for _ in range(30):
            assert client.head(uri).status_code == ALL_RIGHT
            time.sleep(0.1)
        assert not endless.ended.is_set()
        rows_from(client, uri)


def test_nobody_reading_makes_the_engine_wait(served: Serving) -> None:
    endless = served.script.answers["endless"]
    assert isinstance(endless, Endless)
    with of(served, "ann") as client:
        uri = first_executing(client, "endless")
        for _ in range(20):
            client.head(uri)
            time.sleep(0.02)
        made = endless.made  # batches of 100 kB
        for _ in range(20):
            client.head(uri)
            time.sleep(0.02)
        assert endless.made == made < 12


def test_a_queued_query_can_be_cancelled(served: Serving) -> None:
    with of(served, "ann") as client:
        page = client.post("/v1/statement", content=b"hanging").json()
        assert client.head(page["nextUri"]).status_code == ALL_RIGHT
        assert client.delete(page["nextUri"]).status_code == NO_CONTENT
        page = client.get(page["nextUri"]).json()
        assert page["error"]["errorName"] == "USER_CANCELED"


def test_own_queries_are_listed_and_can_be_ended(served: Serving) -> None:
    with of(served, "ann") as client:
        follow(client, "two")
        query_id = client.post("/v1/statement", content=b"hanging").json()["id"]
        listed = {one["queryId"]: one["query"] for one in client.get("/v1/query").json()}
        assert sorted(listed.values()) == ["hanging", "two"]
        assert client.get("/ui/query.html?" + query_id).headers["location"].endswith(query_id)
        assert client.delete(f"/v1/query/{query_id}").status_code == NO_CONTENT
        found = client.get(f"/v1/query/{query_id}").json()
        assert until(lambda: client.get(f"/v1/query/{query_id}").json()["state"] == "FAILED")
        assert found["session"]["user"] == "ann" and found["query"] == "hanging"
        done = client.get("/v1/query?state=finished").json()
        assert [one["query"] for one in done] == ["two"]


def test_rows_that_wait_are_not_the_result_of_a_query_cancelled_late(served: Serving) -> None:
    with of(served, "ann") as client:
        uri = first_executing(client, "two")
        query_id = uri.split("/")[-3]
        assert until(lambda: served.gateway.record(query_id).state.ended)
        assert client.delete(uri).status_code == NO_CONTENT
        page = client.get(uri).json()
        assert page["error"]["errorName"] == "USER_CANCELED" and "data" not in page
