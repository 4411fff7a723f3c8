"""One question to a catalog: its address, its answer taken apart, its failures in SQE's terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from sqe.catalog.protocol import Json
from sqe.catalog.remote.answers import Restricted, object_of
from sqe.catalog.remote.caller import CatalogClient, Request
from sqe.catalog.remote.errors import Act, absent, restriction_error, unreadable
from sqe.catalog.remote.paths import Paths, Unnameable
from sqe.errors import ErrorCode, UserError
from sqe.http.client import Answer

_T = TypeVar("_T")
_PAGE = "1000"
_MOST_PAGES = 10_000

Build = Callable[[Paths], Request]


def ignore_answer(answer: Answer) -> None:
    """For answers that say no more than that it is done."""


def ask(caller: CatalogClient, act: Act, build: Build, read: Callable[[Answer], _T]) -> _T:
    config = caller.config()
    root = f"{caller.service.options.uri}/v1"
    paths = Paths(f"{root}/{config.prefix}" if config.prefix else root, config.separator)
    try:
        request = build(paths)
    except Unnameable:
        if act.looks or act.lists:
            raise absent(act) from None
        message = f"Catalog {caller.name} cannot have a schema or table of such a name."
        raise UserError(ErrorCode.INVALID_ARGUMENT, message) from None
    answer = caller.send(act, request)
    try:
        return read(answer)
    except Restricted:
        raise restriction_error(act) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise unreadable(caller.name, act) from None


def ask_pages(
    caller: CatalogClient,
    act: Act,
    address: Callable[[Paths], tuple[str, Mapping[str, str]]],
    read: Callable[[Json], list[_T]],
) -> list[_T]:
    """A whole list. ``address``: the URL and the query without the page."""
    collected: list[_T] = []
    token = ""
    for _ in range(_MOST_PAGES):

        def page(paths: Paths, token: str = token) -> Request:
            url, query = address(paths)
            return Request("GET", url, {**query, "pageToken": token, "pageSize": _PAGE})

        entries, following = ask(caller, act, page, lambda answer: _page(answer, read))
        collected += entries
        if not following or following == token:
            return collected
        token = following
    raise unreadable(caller.name, act)


def _page(answer: Answer, read: Callable[[Json], list[_T]]) -> tuple[list[_T], str]:
    body = object_of(answer)
    return read(body), str(body.get("next-page-token") or "")
