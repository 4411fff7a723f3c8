"""When pages are compressed on their way."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from starlette.requests import Request
from starlette.responses import Response

from sqe.trino.http.answers import send_page
from sqe.trino.http.bridge import Bridge
from sqe.trino.http.pages import Page

SMALL, MEDIUM, LARGE = b"{}", b'{"n":1}' * 1_000, b'{"n":1}' * 50_000


def answer(page: Page, accepted: str, local: bool = False) -> Response:
    headers = [(b"accept-encoding", accepted.encode())]
    request = Request({"type": "http", "headers": headers})
    bridge = Bridge()
    try:
        return asyncio.run(send_page(page, request, local, bridge))
    finally:
        bridge.close()


@pytest.mark.parametrize("body", [MEDIUM, LARGE])
def test_a_page_is_compressed_for_who_asks(body: bytes) -> None:
    response = answer(Page(body), "gzip, deflate")
    assert response.headers["content-encoding"] == "gzip"
    assert gzip.decompress(bytes(response.body)) == body
    assert int(response.headers["content-length"]) == len(response.body) < len(body)


@pytest.mark.parametrize(
    ("page", "accepted", "local"),
    [
        (Page(MEDIUM), "", False),
        (Page(MEDIUM), "br", False),
        (Page(SMALL), "gzip", False),
        (Page(MEDIUM), "gzip", True),  # the way is short
        (Page(MEDIUM, packed=True), "gzip", False),  # it would not get smaller
    ],
)
def test_others_are_sent_as_they_are(page: Page, accepted: str, local: bool) -> None:
    response = answer(page, accepted, local)
    assert "content-encoding" not in response.headers and response.body == page.body


def test_a_header_may_be_there_several_times() -> None:
    page = Page(SMALL, (("X-Trino-Set-Session", "a=1"), ("X-Trino-Set-Session", "b=2")))
    assert answer(page, "").headers.getlist("x-trino-set-session") == ["a=1", "b=2"]
