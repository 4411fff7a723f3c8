"""A person with a browser, scripted: opens an address, fills Keycloak's forms, comes back.

python -m tests.stack.browser USER PASSWORD ADDRESS    as a program that ``BROWSER`` names
"""

from __future__ import annotations

import html
import re
import ssl
import sys
from pathlib import Path
from types import TracebackType
from urllib.parse import urljoin

import httpx2

_FORM = re.compile(r'<form[^>]*\baction="([^"]+)"')
_HIDDEN = re.compile(r'<input[^>]*type="hidden"[^>]*>')
_ATTRIBUTE = re.compile(r'\b(name|value)="([^"]*)"')
_MOST = 10


class Browser:
    """Keeps cookies. ``authorities``: a PEM file of those it trusts."""

    def __init__(self, authorities: Path | None = None) -> None:
        context = ssl.create_default_context(cafile=authorities)
        self._client = httpx2.Client(verify=context, timeout=60)
        self.stop_at = ""  # a part of an address that it does not follow

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def log_in(self, address: str, user: str, password: str) -> httpx2.Response:
        """The page at the end of it."""
        page = self.open(address)
        return self.fill(page, username=user, password=password)

    def open(self, address: str) -> httpx2.Response:
        return self._arrived(self._client.get(address))

    def fill(self, page: httpx2.Response, **typed: str) -> httpx2.Response:
        """Sends the page's form with what it has hidden in it."""
        form = _FORM.search(page.text)
        assert form is not None, f"{page.url} has no form, but: {page.text[:500]}"
        fields = {}
        for hidden in _HIDDEN.findall(page.text):
            found = dict(_ATTRIBUTE.findall(hidden))
            fields[found["name"]] = html.unescape(found.get("value", ""))
        address = urljoin(str(page.url), html.unescape(form[1]))
        return self._arrived(self._client.post(address, data={**fields, **typed}))

    def _arrived(self, response: httpx2.Response) -> httpx2.Response:
        for _ in range(_MOST):
            self._trust_this_machine()
            to = response.headers.get("location", "")
            if not response.is_redirect or (self.stop_at and self.stop_at in to):
                return response
            response = self._client.get(urljoin(str(response.url), to))
        raise AssertionError(f"{response.url} leads around in circles")

    def _trust_this_machine(self) -> None:
        """As browsers do: cookies for encrypted pages also go to pages of this machine."""
        for cookie in self._client.cookies.jar:
            cookie.secure = False


if __name__ == "__main__":
    with Browser() as browser:
        browser.log_in(sys.argv[3], sys.argv[1], sys.argv[2])
