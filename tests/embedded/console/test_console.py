"""What the console answers, whoever asks and however."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from sqe.console.app import Console
from tests.embedded.console.conftest import ADDRESS, MARK, PASSWORDS, Person
from tests.embedded.flight.serving import ENDLESS, ROWS, Serving

_END_S = 30.0


def _start(browser: TestClient, text: str) -> str:
    answer = browser.post("/api/runs", json={"sql": text})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


def _run(browser: TestClient, text: str) -> dict[str, Any]:
    run = _start(browser, text)
    until = time.monotonic() + _END_S
    while time.monotonic() < until:
        state: dict[str, Any] = browser.get(f"/api/runs/{run}?rows=999999999&wait_ms=2000").json()
        if state["ended"]:
            return {"id": run, **state}
    raise AssertionError(f"{text} did not end: {state}")


def _rows(browser: TestClient, run: str, **how: Any) -> list[list[Any]]:
    answer = browser.get(f"/api/runs/{run}/rows", params=how)
    assert answer.status_code == 200, answer.text
    rows: list[list[Any]] = answer.json()["rows"]
    return rows


def _wait_for_end(serving: Serving) -> None:
    until = time.monotonic() + _END_S
    while ENDLESS in serving.running() and time.monotonic() < until:
        time.sleep(0.05)
    assert ENDLESS not in serving.running()


def test_the_page_and_its_files_are_there_under_a_strict_policy(person: Person) -> None:
    browser = person()
    page = browser.get("/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    nonce = policy.partition("'nonce-")[2].partition("'")[0]
    assert f'content="{nonce}"' in page.text
    for path in ("/static/app.js", "/vendor/codemirror/index.js", "/vendor/aggrid/index.js"):
        assert browser.get(path).status_code == 200
    assert browser.get("/vendor/codemirror/../../pyproject.toml").status_code == 404


@pytest.mark.parametrize(
    ("headers", "path"),
    [
        ({"host": "sqe.attacker.example"}, "/"),
        ({"host": "sqe.attacker.example"}, "/api/me"),
        ({"origin": "https://attacker.example"}, "/api/me"),
        ({"sec-fetch-site": "cross-site"}, "/api/me"),
    ],
)
def test_requests_that_come_from_elsewhere_are_refused(
    person: Person, headers: dict[str, str], path: str
) -> None:
    assert person("ann").get(path, headers=headers).status_code == 403


def test_a_form_of_another_page_starts_nothing(console: Console) -> None:
    with TestClient(console.app(), base_url=ADDRESS) as browser:
        answer = browser.post("/api/login", json={})
    assert answer.status_code == 403
    assert not answer.cookies


def test_a_login_gives_a_cookie_that_scripts_and_other_sites_do_not_get(console: Console) -> None:
    with TestClient(console.app(), base_url=ADDRESS, headers=MARK) as browser:
        wrong = browser.post("/api/login", json={"user": "ann", "password": "wrong"})
        assert wrong.json()["error"]["code"] == "AUTHENTICATION_FAILED"
        right = browser.post("/api/login", json={"user": "ann", "password": PASSWORDS["ann"]})
        (cookie,) = right.headers.get_list("set-cookie")
        assert cookie.startswith("__Host-sqe-console=")
        for word in ("HttpOnly", "Secure", "SameSite=strict", "Path=/"):
            assert word in cookie
        assert browser.get("/api/me").json()["user"] == "ann"


def test_who_logged_out_is_nobody_and_their_statements_end(
    person: Person, serving: Serving
) -> None:
    browser = person("ann")
    kept = dict(browser.cookies)
    run = _start(browser, ENDLESS)
    browser.post("/api/logout")
    stale = person()
    stale.cookies.update(kept)
    assert stale.get(f"/api/runs/{run}").status_code == 401
    _wait_for_end(serving)


def test_idle_people_are_shown_out(make_console: Callable[..., Console], person: Person) -> None:
    browser = person("ann", make_console(idle_s=0.2))
    until = time.monotonic() + _END_S
    while time.monotonic() < until:
        time.sleep(0.5)
        answer = browser.post("/api/lookup", json={"sql": "SHOW CATALOGS"})
        if answer.status_code == 401:
            return
    raise AssertionError("still there")


def test_statements_and_lookups_run_as_the_person(person: Person, serving: Serving) -> None:
    for name in PASSWORDS:
        browser = person(name)
        asked, looked_up = f"SELECT x, '{name}' FROM shop.axb", f"SELECT '{name}' FROM shop.axb"
        _run(browser, asked)
        browser.post("/api/lookup", json={"sql": looked_up})
        records = serving.server.gateway.records()
        users = {record.user for record in records if record.text in (asked, looked_up)}
        assert users == {name}


def test_pages_of_a_large_result_are_its_rows_in_order(person: Person) -> None:
    browser = person("ann")
    state = _run(browser, "SELECT n, t FROM shop.numbers ORDER BY n")
    assert state["rows"] == ROWS
    assert state["columns"] == [["n", "bigint"], ["t", "string"]]
    for start in (0, 1, 8_191, 8_192, 99_999, ROWS - 3):
        rows = _rows(browser, state["id"], start=start, count=7)
        assert rows == [[str(n), f"row {n}"] for n in range(start, min(start + 7, ROWS))]
    assert _rows(browser, state["id"], start=ROWS, count=7) == []
    last_first = _rows(browser, state["id"], start=2, count=3, sort=0, direction="desc")
    assert [row[0] for row in last_first] == [str(ROWS - 3), str(ROWS - 4), str(ROWS - 5)]


def test_another_persons_result_is_not_there(person: Person) -> None:
    ann, bob = person("ann"), person("bob")
    run = _run(ann, "SELECT n FROM shop.numbers LIMIT 5")["id"]
    for path in ("", "/rows", "/cell?row=0&column=0", "/download?format=csv"):
        answer = bob.get(f"/api/runs/{run}{path}")
        assert answer.json()["error"]["code"] == "QUERY_NOT_FOUND"
    bob.post(f"/api/runs/{run}/cancel")
    bob.delete(f"/api/runs/{run}")
    assert len(_rows(ann, run)) == 5


def test_every_type_comes_without_losing_a_digit(person: Person) -> None:
    browser = person("ann")
    state = _run(browser, "SELECT * FROM shop.types ORDER BY i NULLS LAST")
    row, nulls = _rows(browser, state["id"])
    values = dict(zip((name for name, _ in state["columns"]), row, strict=True))
    assert values["l"] == str(2**62)
    assert values["n"] == "12345.6789"
    assert values["s"] == "Grüße"
    assert values["day"] == "2026-02-28"
    assert values["ts"] == "2026-02-28T01:02:03.000004Z"
    assert nulls == [None] * len(row)


def test_a_cell_that_is_too_long_is_cut_and_can_be_had_whole(person: Person) -> None:
    browser = person("ann")
    run = _run(browser, f"SELECT '{'äb' * 20_000}' AS long FROM shop.axb")["id"]
    ((cell,),) = _rows(browser, run)
    assert cell[1] == 40_000
    assert len(cell[0]) == 10_000
    assert browser.get(f"/api/runs/{run}/cell?row=0&column=0").text == "äb" * 20_000


def test_an_error_says_where_it_is(person: Person) -> None:
    state = _run(person("ann"), "SELECT 1,\n  nothing FROM shop.numbers")
    assert state["error"]["code"] == "COLUMN_NOT_FOUND"
    assert (state["error"]["line"], state["error"]["column"]) == (2, 3)


def test_cancel_ends_the_work(person: Person, serving: Serving) -> None:
    browser = person("ann")
    run = _start(browser, ENDLESS)
    time.sleep(0.3)
    browser.post(f"/api/runs/{run}/cancel")
    until = time.monotonic() + _END_S
    while time.monotonic() < until:
        state = browser.get(f"/api/runs/{run}?rows=999999999&wait_ms=1000").json()
        if state["ended"]:
            break
    assert state["error"]["code"] == "CANCELLED"
    _wait_for_end(serving)


def test_a_result_larger_than_is_kept_is_cut_and_says_so(
    make_console: Callable[..., Console], person: Person
) -> None:
    state = _run(person("ann", make_console(result_bytes=100_000)), "SELECT * FROM shop.numbers")
    assert state["cut"]
    assert 0 < state["rows"] < ROWS
    assert state["error"] is None


def test_downloads_have_the_rows_of_the_result(person: Person) -> None:
    browser = person("ann")
    run = _run(browser, "SELECT n, t FROM shop.numbers ORDER BY n LIMIT 20000")["id"]

    def get(kind: str) -> bytes:
        return browser.get(f"/api/runs/{run}/download?format={kind}").content

    expected = [{"n": n, "t": f"row {n}"} for n in range(20_000)]
    assert json.loads(get("json")) == expected
    assert pa.ipc.open_stream(get("arrow")).read_all().to_pylist() == expected
    assert pq.read_table(io.BytesIO(get("parquet"))).to_pylist() == expected
    lines = list(csv.DictReader(io.StringIO(get("csv").decode())))
    assert [{"n": int(line["n"]), "t": line["t"]} for line in lines] == expected
    assert browser.get(f"/api/runs/{run}/download?format=exe").status_code == 400


def test_a_spreadsheet_finds_no_formula_in_texts_and_numbers_as_they_are(person: Person) -> None:
    browser = person("ann")
    text = "SELECT '=cmd|x' AS `@a`, '-1' AS b, -1 AS c, '+1' AS d, 'a=b' AS e"
    run = _run(browser, text)["id"]
    content = browser.get(f"/api/runs/{run}/download?format=csv").text
    assert content == "'@a,b,c,d,e\r\n'=cmd|x,'-1,-1,'+1,a=b\r\n"


def test_an_empty_result_is_one_in_every_format(person: Person) -> None:
    browser = person("ann")
    run = _run(browser, "SELECT n FROM shop.numbers WHERE n < 0")["id"]
    assert _rows(browser, run) == []
    assert browser.get(f"/api/runs/{run}/download?format=json").json() == []
    arrow = browser.get(f"/api/runs/{run}/download?format=arrow").content
    assert pa.ipc.open_stream(arrow).read_all().num_rows == 0


def test_a_lookup_takes_parameters_as_texts(person: Person) -> None:
    text = "SELECT table_name FROM lake.information_schema.tables WHERE table_name IN (?, ?)"
    body = {"sql": text, "parameters": ["axb", "' OR '1' = '1"]}
    answer = person("bob").post("/api/lookup", json=body)
    assert answer.json()["rows"] == [["axb"]]


@pytest.mark.parametrize(
    "body", [b"[]", b"{", b'{"sql": 5}', b'{"sql": "SELECT 1", "parameters": [1]}']
)
def test_a_bad_body_is_refused_in_words(person: Person, body: bytes) -> None:
    answer = person("ann").post("/api/lookup", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "INVALID_ARGUMENT"
