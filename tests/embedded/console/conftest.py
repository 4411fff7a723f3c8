"""The console of a server without Spark, and browsers of people who use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from sqe.auth.hashing import hash_password
from sqe.console.app import Console
from sqe.console.assets import read_assets
from sqe.console.browser_sessions import BrowserSessions
from sqe.console.logins import Logins
from sqe.console.runs import Limits
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from tests.embedded.flight.serving import Serving, make_lakehouse

PASSWORDS = {"ann": "correct horse", "bob": "battery staple"}
MARK = {"x-sqe-console": "1"}
ADDRESS = "https://127.0.0.1"  # a browser keeps our cookies for addresses of this machine only so

Person = Callable[..., TestClient]


@pytest.fixture(scope="session")
def serving(_isolated_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    users = {
        name: {"password": hash_password(Secret(password), ScryptCost(p=1)).write()}
        for name, password in PASSWORDS.items()
    }
    home = make_lakehouse(tmp_path_factory.mktemp("console home"))
    with Serving.start(home, auth={"anonymous": True, "users": users}) as started:
        yield started


@pytest.fixture
def make_console(serving: Serving) -> Iterator[Callable[..., Console]]:
    opened: list[Callable[[], None]] = []

    def make(result_bytes: int = 1 << 30, idle_s: float = 600.0) -> Console:
        logins, sessions = (
            Logins(serving.address, {}, Limits(result_bytes)),
            BrowserSessions(idle_s),
        )
        opened.extend((sessions.close, logins.close))
        return Console(logins, sessions, read_assets())

    yield make
    for close in opened:
        close()


@pytest.fixture
def console(make_console: Callable[..., Console]) -> Console:
    return make_console()


@pytest.fixture
def person(console: Console) -> Iterator[Person]:
    """A browser, logged in as somebody if a name is given."""
    browsers: list[TestClient] = []

    def come(name: str = "", at: Console = console) -> TestClient:
        browser = TestClient(at.app(), base_url=ADDRESS, headers=MARK)
        browser.__enter__()
        browsers.append(browser)
        if name:
            credential = {"user": name, "password": PASSWORDS[name]}
            assert browser.post("/api/login", json=credential).status_code == 200
        return browser

    yield come
    for browser in browsers:
        browser.__exit__(None, None, None)


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    return tmp_path
