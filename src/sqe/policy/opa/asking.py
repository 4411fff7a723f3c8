"""Questions to OPA about one user, all of them answered within one limit of time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from sqe.errors import ErrorCode, UpstreamError
from sqe.http.client import Http
from sqe.model.decision import ColumnFacts
from sqe.model.identity import Identity
from sqe.policy.opa import answers, resources
from sqe.policy.opa.operations import Question
from sqe.policy.opa.resources import Resource
from sqe.policy.opa.types import spell_for_trino
from sqe.settings.policy import OpaSettings

_T = TypeVar("_T")
WHAT = "The policy server"
_AS_TRINO = {"trinoVersion": "476"}
_HINTS = {"GetColumnMask": "; `default columnMask := null` says that a column has no mask"}


class Asking:
    """Raises POLICY_UNAVAILABLE for an answer that does not come, or is none."""

    def __init__(self, http: Http, settings: OpaSettings, identity: Identity) -> None:
        self._http = http
        self._settings = settings
        self._end = time.monotonic() + settings.timeout_s
        who = {"user": identity.user, "groups": sorted(identity.groups)}
        self._context = {"identity": who, "softwareStack": _AS_TRINO}

    def yes(self, question: Question) -> bool:
        action: dict[str, Any] = {"operation": question.operation}
        if question.resource:
            action["resource"] = question.resource
        if question.grantee:
            action["grantee"] = {"type": "USER", "name": question.grantee}
        return self._ask(self._settings.allow_url, action, answers.yes_or_no)

    def which(self, operation: str, asked: Sequence[Resource]) -> set[int]:
        """The places of those that the user may know of."""
        url = self._settings.batch_url
        if not url:
            each = [self.yes(Question(operation, resource)) for resource in asked]
            return {place for place, answer in enumerate(each) if answer}
        action = {"operation": operation, "filterResources": list(asked)}
        return self._ask(url, action, lambda result: answers.read_places(result, len(asked)))

    def which_columns(self, table: Sequence[str], names: Sequence[str]) -> set[int]:
        """One resource holds all of them, and the places are those of its columns."""
        url = self._settings.batch_url
        if not url:
            return self.which("FilterColumns", [resources.table(table, [name]) for name in names])
        asked = [resources.table(table, names)]
        action = {"operation": "FilterColumns", "filterResources": asked}
        return self._ask(url, action, lambda result: answers.read_places(result, len(names)))

    def row_filters(self, table: Sequence[str]) -> list[str]:
        url = self._settings.row_filters_url
        if not url:
            return []
        action = {"operation": "GetRowFilters", "resource": resources.table(table)}
        return self._ask(url, action, answers.row_filters)

    def masks(self, table: Sequence[str], columns: Sequence[ColumnFacts]) -> dict[str, str]:
        """Expressions by column."""
        asked = [
            resources.column(table, column.name, spell_for_trino(column.type)) for column in columns
        ]
        if self._settings.batch_column_masks_url and asked:
            by_place = self._ask(
                self._settings.batch_column_masks_url,
                {"operation": "GetColumnMask", "filterResources": asked},
                lambda result: answers.masks(result, len(asked)),
            )
            return {columns[place].name: text for place, text in by_place.items()}
        if self._settings.column_mask_url:
            each = {
                column.name: self._mask(what) for column, what in zip(columns, asked, strict=True)
            }
            return {name: text for name, text in each.items() if text is not None}
        return {}

    def _mask(self, column: Resource) -> str | None:
        action = {"operation": "GetColumnMask", "resource": column}
        return self._ask(self._settings.column_mask_url, action, answers.mask)

    def _ask(self, url: str, action: dict[str, Any], read: Callable[[Any], _T]) -> _T:
        operation = str(action["operation"])
        body = json.dumps({"input": {"context": self._context, "action": action}}).encode()
        left = self._end - time.monotonic()
        if left <= 0:
            limit = self._settings.timeout_s
            raise _no_answer(url, operation, f"did not answer all questions within {limit:.3g} s")
        answer = self._http.call("POST", url, self._headers(), body, seconds=left)
        if answer.status != 200:
            raise _no_answer(url, operation, f"answered with status {answer.status}")
        try:
            document = answer.json()
            if not isinstance(document, dict):
                raise ValueError("not an object")
            if "result" in document:
                return read(document["result"])
        except (ValueError, RecursionError) as error:
            raise _no_answer(url, operation, f"gave no proper answer ({error})") from None
        hint = _HINTS.get(operation, "")
        raise _no_answer(url, operation, f"has no rule for this (the answer is undefined){hint}")

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json; charset=utf-8", "accept": "application/json"}
        token = self._settings.token.get_secret_value()
        return {**headers, "authorization": f"Bearer {token}"} if token else headers


def _no_answer(url: str, operation: str, what: str) -> UpstreamError:
    host = urlsplit(url).netloc.rpartition("@")[2]
    return UpstreamError(
        ErrorCode.POLICY_UNAVAILABLE, f"{WHAT} at {host} {what}, asked for {operation}."
    )
