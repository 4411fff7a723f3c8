"""The page in a real browser: what people do there, and what it does with what is in their data."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from pyiceberg.catalog.rest import RestCatalog

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.embedded.entry import CATALOG_FILE, WAREHOUSE
from sqe.catalog.rest.routes import catalog_app
from sqe.console.app import Console
from sqe.http.serving import HttpThread
from tests.embedded.console.browser import SWITCHES, find_chromium
from tests.embedded.console.conftest import PASSWORDS
from tests.embedded.flight.serving import ENDLESS, ROWS, Serving

HOSTILE = "<img src=x onerror=alert(1)>"
_WAIT_MS = 20_000

pytestmark = pytest.mark.timeout(600)  # a browser may have to be installed


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    command = find_chromium()
    if command is None:
        pytest.skip("there is no Chromium, and none can be installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=command, args=list(SWITCHES))
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser, console: Console) -> Iterator[Page]:
    """Logged in as ann. Whatever the browser complains of fails the test: a script that throws, a
    breach of the policy, a dialog that nobody asked for."""
    http = HttpThread(console.app())
    http.start()
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    shown = context.new_page()
    shown.set_default_timeout(_WAIT_MS)
    complaints: list[str] = []
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.on("dialog", lambda dialog: complaints.append(dialog.message))
    shown.on("console", lambda said: complaints.append(said.text) if is_complaint(said) else None)
    shown.goto(http.url)  # anybody is let in there, as nobody in particular
    shown.click("button:text-is('Log out')")
    shown.fill("#user", "ann")
    shown.fill("#password", PASSWORDS["ann"])
    shown.click("button[type=submit]")
    shown.wait_for_selector(".cm-content")
    yield shown
    context.close()
    http.stop()
    assert complaints == []


def is_complaint(said: ConsoleMessage) -> bool:
    """An answer that is an error is none: what the page does with it is looked at."""
    return said.type in ("error", "warning") and "Failed to load resource" not in said.text


def _ask(page: Page, text: str) -> None:
    page.click(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    page.keyboard.press("Control+Enter")


def test_a_person_asks_sees_rows_draws_a_chart_and_downloads(page: Page, tmp_path: Path) -> None:
    _ask(page, "SELECT t AS name, n FROM shop.numbers ORDER BY n LIMIT 500")
    page.wait_for_selector("text=500 rows")
    page.wait_for_selector(".ag-row >> text=row 7")
    with page.expect_download() as download:
        page.click("a:text-is('json')")
    download.value.save_as(tmp_path / "rows.json")
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert rows == [{"name": f"row {n}", "n": n} for n in range(500)]
    page.click("button:text-is('Chart')")
    page.wait_for_selector(".canvas canvas")


def test_a_large_result_is_looked_at_where_one_scrolls(page: Page) -> None:
    _ask(page, "SELECT n FROM shop.numbers ORDER BY n")
    page.wait_for_selector(f"text={ROWS:,} rows")
    page.wait_for_selector(".ag-row >> nth=1")
    page.evaluate("document.querySelector('.ag-body-viewport').scrollTop = 1e9")
    page.wait_for_selector(f".ag-row >> text='{ROWS - 1}'")


def test_an_error_is_marked_where_it_is(page: Page) -> None:
    _ask(page, "SELECT n,\n  nothing FROM shop.numbers")
    page.wait_for_selector(".error >> text=COLUMN_NOT_FOUND")
    assert page.text_content(".cm-content .wrong") == "nothing"


def test_an_error_of_a_later_statement_has_its_line_of_the_sheet(page: Page) -> None:
    page.click(".cm-content")
    page.keyboard.insert_text("SELECT n FROM shop.numbers LIMIT 1;\n\nSELECT nothing FROM shop.axb")
    page.keyboard.press("Control+Shift+Enter")
    page.wait_for_selector(".error >> text=line 3:8")
    assert page.text_content(".cm-content .wrong") == "nothing"


def test_cancel_ends_a_statement(page: Page, serving: Serving) -> None:
    _ask(page, ENDLESS)
    page.click("button:text-is('Cancel')")
    page.wait_for_selector(".error >> text=CANCELLED")
    until = time.monotonic() + 30
    while ENDLESS in serving.running() and time.monotonic() < until:
        time.sleep(0.05)
    assert ENDLESS not in serving.running()


def test_sheets_are_there_again_after_a_reload(page: Page) -> None:
    page.click(".cm-content")
    page.keyboard.insert_text("SELECT 'kept'")
    page.reload()
    page.wait_for_selector(".cm-content >> text=kept")


def test_what_is_in_data_and_names_is_text(page: Page, serving: Serving) -> None:
    _make_hostile_table(serving)
    _ask(page, f"SELECT `{HOSTILE}` FROM shop.`{HOSTILE}`")
    page.wait_for_selector(".ag-row >> text=onerror")
    page.click("button[role=tab]:text-is('Chart')")
    page.goto(page.url.partition("#")[0] + "#/find/lake/shop/" + HOSTILE.replace(" ", "%20"))
    page.wait_for_selector("h1 >> text=onerror")
    page.wait_for_selector("td >> text=onerror")
    assert page.query_selector("img") is None


def test_people_find_a_table_and_read_what_the_rules_say_of_them(page: Page) -> None:
    page.click("nav >> text=Find")
    page.fill("input[type=search]", "types")
    page.click("tr.link >> text=types")
    page.wait_for_selector("td:text-is('decimal(20,4)')")
    page.click("button:text-is('What I may')")
    page.wait_for_selector("td:text-is('select')")


def test_one_sees_what_one_has_run(page: Page) -> None:
    _ask(page, "SELECT x AS mark FROM shop.axb")
    page.wait_for_selector("text=1 row")
    page.click("nav >> text=Watch")
    page.click("tr.link >> text=AS mark")
    page.wait_for_selector("dt:text-is('engine')")


@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for name in ("Ask", "Find", "Watch"):
        page.click(f"nav >> text={name}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def _make_hostile_table(serving: Serving) -> None:
    home = serving.server.settings.home
    catalog = EmbeddedCatalog(home / CATALOG_FILE, home / WAREHOUSE)
    http = HttpThread(catalog_app(lambda _: catalog))
    http.start()
    rows = pa.table(
        {HOSTILE: pa.array([HOSTILE, "javascript:alert(1)", "\u202egnp.exe", "x" * 99_999])}
    )
    try:
        table = RestCatalog("lake", uri=http.url).create_table(
            ("shop", HOSTILE), schema=rows.schema
        )
        table.append(rows)
    finally:
        http.stop()
        catalog.close()
