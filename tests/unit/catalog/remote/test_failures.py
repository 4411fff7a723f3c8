"""What users are told when a catalog refuses, fails, hangs or talks nonsense."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from sqe.catalog.protocol import Catalog, Ident
from sqe.catalog.remote.breaker import Breaker
from sqe.catalog.remote.catalog import RestCatalog
from sqe.errors import ErrorCode, SqeError, Unanswered
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token
from tests.unit.catalog.remote.serving import (
    Reply,
    Script,
    Served,
    error,
    lake,
    opened,
    person,
    scripted,
    service,
)

EMP = Ident(("hr",), "emp")
TABLE = Reply(body=b'{"metadata-location": "s3://w/1.json", "metadata": {"location": "s3://w"}}')
POLARIS_403 = error(
    403,
    "ForbiddenException",
    "Principal 'ann' with activated PrincipalRoles '[analyst]' is not authorized for op LOAD_TABLE",
)


def failing(script: Script | Reply, act: Callable[[RestCatalog], object]) -> SqeError:
    def answer(method: str, path: str) -> Reply:
        return script if isinstance(script, Reply) else script(method, path)

    ann = person("ann", token="hunter2")
    with lake(answer, ann, timeout_s=2.0) as (_, catalog), pytest.raises(SqeError) as caught:
        act(catalog)
    text = f"{caught.value} {caught.value.__cause__} {caught.value.__context__}"
    assert "hunter2" not in text
    return caught.value


def failed(catalog: Catalog, act: Callable[[Catalog], object]) -> SqeError:
    with pytest.raises(SqeError) as caught:
        act(catalog)
    return caught.value


def always(method: str, path: str) -> Reply:
    return TABLE


def load(catalog: Catalog) -> None:
    catalog.load_table(EMP)


def commit(catalog: Catalog) -> None:
    catalog.commit_table(EMP, {"updates": []})


def commit_both(catalog: Catalog) -> None:
    identifiers = [{"namespace": ["hr"], "name": name} for name in ("emp", "pay")]
    catalog.commit_transaction({"table-changes": [{"identifier": one} for one in identifiers]})


def make_schema(catalog: Catalog) -> None:
    catalog.create_namespace(("hr",), {})


def drop_schema(catalog: Catalog) -> None:
    catalog.drop_namespace(("hr",))


def make_table(catalog: Catalog) -> None:
    catalog.create_table(("hr",), {"name": "emp"})


def drop_table(catalog: Catalog) -> None:
    catalog.drop_table(EMP, purge=True)


@pytest.mark.parametrize(
    ("act", "reply", "code"),
    [
        (load, Reply(401, b""), ErrorCode.AUTHENTICATION_FAILED),
        (load, Reply(419, b""), ErrorCode.TOKEN_EXPIRED),
        (commit, POLARIS_403, ErrorCode.ACCESS_DENIED),
        (commit, error(500, "AccessCheckException"), ErrorCode.ACCESS_DENIED),
        (load, error(404, "NoSuchTableException"), ErrorCode.TABLE_NOT_FOUND),
        (commit, error(404, "NoSuchTableException"), ErrorCode.TABLE_NOT_FOUND),
        (make_table, error(404, "NoSuchNamespaceException"), ErrorCode.SCHEMA_NOT_FOUND),
        (make_table, error(404, "NotFoundException"), ErrorCode.SCHEMA_NOT_FOUND),
        (make_table, error(409, "AlreadyExistsException"), ErrorCode.TABLE_ALREADY_EXISTS),
        (make_schema, error(409, "AlreadyExistsException"), ErrorCode.SCHEMA_ALREADY_EXISTS),
        (make_schema, Reply(409, b""), ErrorCode.SCHEMA_ALREADY_EXISTS),
        (drop_schema, error(409, "NamespaceNotEmptyException"), ErrorCode.SCHEMA_NOT_EMPTY),
        (drop_schema, error(400, "NamespaceNotEmptyException"), ErrorCode.SCHEMA_NOT_EMPTY),
        (commit, error(409, "CommitFailedException"), ErrorCode.COMMIT_CONFLICT),
        (commit_both, error(409, "CommitFailedException"), ErrorCode.COMMIT_CONFLICT),
        (commit_both, error(404, "NoSuchTableException"), ErrorCode.TABLE_NOT_FOUND),
        (commit_both, error(404, "NoSuchNamespaceException"), ErrorCode.SCHEMA_NOT_FOUND),
        (commit, error(409, "CommitConflictException"), ErrorCode.COMMIT_CONFLICT),
        (commit, error(400, "CommitFailedException"), ErrorCode.COMMIT_CONFLICT),
        (commit, Reply(409, b"<html>"), ErrorCode.COMMIT_CONFLICT),
        (commit, error(400, "CommitStateUnknownException"), ErrorCode.CATALOG_UNAVAILABLE),
        (commit, error(500, "CommitFailedException"), ErrorCode.CATALOG_UNAVAILABLE),
        (commit, error(502, ""), ErrorCode.CATALOG_UNAVAILABLE),
        (commit, error(503, "ServiceFailureException"), ErrorCode.CATALOG_UNAVAILABLE),
        (commit, error(400, "IllegalArgumentException"), ErrorCode.INVALID_ARGUMENT),
        (make_table, error(406, "UnsupportedOperationException"), ErrorCode.NOT_SUPPORTED),
        (make_table, Reply(501, b""), ErrorCode.NOT_SUPPORTED),
        (make_table, error(422, "UnprocessableEntityException"), ErrorCode.INVALID_ARGUMENT),
        (load, error(422, "UnprocessableEntityException"), ErrorCode.STORAGE_UNAVAILABLE),
        (load, error(403, "S3Exception"), ErrorCode.STORAGE_UNAVAILABLE),
        (load, error(429, "TooManyRequestsException"), ErrorCode.CATALOG_UNAVAILABLE),
        (load, error(500, "IllegalStateException"), ErrorCode.CATALOG_UNAVAILABLE),
        (
            load,
            Reply(302, b"", {"location": "http://elsewhere.test"}),
            ErrorCode.CATALOG_UNAVAILABLE,
        ),
        (load, Reply(200, b"{"), ErrorCode.CATALOG_UNAVAILABLE),
        (load, Reply(200, b"[]"), ErrorCode.CATALOG_UNAVAILABLE),
        (load, Reply(200, b'{"metadata": 1}'), ErrorCode.CATALOG_UNAVAILABLE),
        (load, Reply(200, b'{"metadata": {}} trailing'), ErrorCode.CATALOG_UNAVAILABLE),
        (load, Reply(200, b'{"metadata": {}, "config": [1]}'), ErrorCode.CATALOG_UNAVAILABLE),
        (load, Reply(200, b"[" * 200_000), ErrorCode.CATALOG_UNAVAILABLE),
        (load, Reply(304, b""), ErrorCode.CATALOG_UNAVAILABLE),
        (commit, Reply(200, TABLE.body, cut=20), ErrorCode.CATALOG_UNAVAILABLE),
    ],
)
def test_every_failure_has_its_code(
    act: Callable[[Catalog], object], reply: Reply, code: ErrorCode
) -> None:
    assert failing(reply, act).code is code


@pytest.mark.parametrize("load_it", [load, lambda catalog: catalog.load_view(EMP)])
def test_what_is_not_yours_looks_as_if_it_were_not_there(
    load_it: Callable[[Catalog], object],
) -> None:
    kind = "NoSuchTableException" if load_it is load else "NoSuchViewException"
    answers = [
        POLARIS_403,
        error(500, "AccessCheckException", "Nessie says no"),
        error(404, kind, "Table does not exist: hr.emp"),
        error(404, "NoSuchNamespaceException", "Namespace does not exist: hr"),
    ]
    told = {(e.code, str(e), e.hint) for e in (failing(answer, load_it) for answer in answers)}
    assert len(told) == 1


def test_a_denied_list_does_not_say_who_may() -> None:
    denied = failing(POLARIS_403, lambda catalog: catalog.list_tables(("hr",)))
    assert denied.code is ErrorCode.ACCESS_DENIED
    assert str(denied) == "Catalog lake does not let you list the tables in hr."


def test_a_denied_change_says_why() -> None:
    reply = error(403, "ForbiddenException", "Unable to purge: emp.\nSee DROP_WITH_PURGE")
    assert str(failing(reply, drop_table)) == (
        "Catalog lake does not let you drop hr.emp: Unable to purge: emp. See DROP_WITH_PURGE"
    )


def test_a_catalog_that_repeats_the_token_is_not_repeated() -> None:
    assert "…" in str(failing(error(400, "", "bad header Bearer hunter2"), commit))


def test_a_root_that_is_not_there_is_no_empty_catalog() -> None:
    gone = error(404, "NoSuchNamespaceException", "Namespace does not exist: ''")
    failure = failing(gone, lambda catalog: catalog.list_namespaces())
    assert failure.code is ErrorCode.CATALOG_UNAVAILABLE


RESTRICTED = b'{"metadata": {"location": "s3://b/t"}, "read-restrictions": {"a": [false]}}'


def test_restrictions_of_readers_come_with_the_table() -> None:
    with lake(lambda method, path: Reply(200, RESTRICTED), person("ann")) as (_, catalog):
        assert catalog.load_table(EMP).restrictions == '{"a": [false]}'


def test_a_view_with_restrictions_is_forbidden_as_nothing_carries_them_out() -> None:
    failure = failing(Reply(200, RESTRICTED), lambda catalog: catalog.load_view(EMP))
    assert failure.code is ErrorCode.ACCESS_DENIED


def test_restrictions_of_another_shape_make_the_answer_unreadable() -> None:
    body = b'{"metadata": {"location": "s3://b/t"}, "read-restrictions": [1]}'
    assert failing(Reply(200, body), load).code is ErrorCode.CATALOG_UNAVAILABLE


def test_someone_without_a_token_is_told_so_and_nothing_is_asked() -> None:
    with lake(always, Identity("ann")) as (there, catalog):
        caught = failed(catalog, load)
    assert "your login has none" in caught.message
    assert caught.code is ErrorCode.ACCESS_DENIED
    assert there.seen == []


def test_an_open_server_is_shown_no_ones_token() -> None:
    with scripted(always) as there, service(there.url, shows_token=False) as made:
        opened(made, person("ann")).load_table(EMP)
        opened(made, Identity("nobody")).load_table(EMP)
    assert not any("authorization" in headers for _, _, headers in there.seen)


def test_an_expired_login_asks_nothing() -> None:
    passport = Passport(Token(Secret("old"), time.time() - 1), "monday")
    with lake(always, Identity("ann", passport=passport)) as (there, catalog):
        caught = failed(catalog, load)
    assert caught.code is ErrorCode.TOKEN_EXPIRED
    assert there.seen == []


def renewing(passport: Passport, then: Reply) -> Script:
    """The token is renewed while the first request is under way, and refused there."""
    tokens = iter(["new"])

    def script(method: str, path: str) -> Reply:
        for token in tokens:
            passport.renew(Token(Secret(token), time.time() + 1000))
            return Reply(401, b"")
        return then

    return script


@pytest.mark.parametrize("act", [load, commit])
def test_a_token_renewed_meanwhile_is_shown_instead(act: Callable[[Catalog], object]) -> None:
    passport = Passport(Token(Secret("old"), time.time() + 100), "monday")
    script = renewing(passport, TABLE)
    with scripted(script) as there, service(there.url) as made:
        act(opened(made, Identity("ann", passport=passport)))
    shown = [headers["authorization"] for _, path, headers in there.seen if "emp" in path]
    assert shown == ["Bearer old", "Bearer new"]


def once(first: Reply) -> Script:
    replies = iter([first])
    return lambda method, path: next(replies, TABLE)


@pytest.mark.parametrize(
    "hiccup",
    [Reply(200, TABLE.body, cut=5), error(503, "", retry_after="0")],
    ids=["connection lost", "503 with Retry-After"],
)
def test_a_question_is_asked_twice_and_a_commit_is_not(hiccup: Reply) -> None:
    with lake(once(hiccup), person("ann")) as (there, catalog):
        assert catalog.load_table(EMP).metadata_location == "s3://w/1.json"
    assert there.count("GET", "/emp") == 2
    with lake(once(hiccup), person("ann")) as (there, catalog):
        failed(catalog, commit)
    assert there.count("POST", "/emp") == 1


@pytest.mark.parametrize("retry_after", ["3600", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_nobody_waits_longer_than_the_limit(retry_after: str) -> None:
    busy = error(503, "", retry_after=retry_after)
    with lake(lambda method, path: busy, person("ann")) as (there, catalog):
        failed(catalog, load)
    assert there.count("GET", "/emp") == 1


def test_a_commit_that_was_not_taken_is_known_not_to_be_done() -> None:
    busy = failing(error(429, "TooManyRequestsException"), commit)
    assert isinstance(busy, Unanswered) and not busy.maybe_done
    lost = failing(Reply(200, TABLE.body, cut=3), commit)
    assert isinstance(lost, Unanswered) and lost.maybe_done


class Hanging:
    """A catalog that answers when it is told to, and a breaker with a clock that is set."""

    def __init__(self) -> None:
        self.now = 0.0
        self.answers = threading.Event()
        self.breaker = Breaker("Catalog lake", timeouts=2, rest_s=5.0, clock=lambda: self.now)

    def script(self, method: str, path: str) -> Reply:
        return Reply(TABLE.status, TABLE.body, wait=self.answers)


@pytest.fixture
def hanging() -> Iterator[tuple[Hanging, Served, Callable[[], object]]]:
    state = Hanging()
    with scripted(state.script) as there:
        with service(there.url, state.breaker, timeout_s=0.3) as made:
            yield state, there, lambda: opened(made, person("ann")).load_table(EMP)
        state.answers.set()


def test_a_catalog_that_hangs_is_left_alone_until_it_answers(
    hanging: tuple[Hanging, Served, Callable[[], object]],
) -> None:
    state, there, ask = hanging
    for _ in range(2):
        with pytest.raises(Unanswered, match=r"did not answer within 0\.3 s"):
            ask()
    asked = there.count("GET", "/emp")
    with pytest.raises(Unanswered, match="is not asked just now") as refused:
        ask()
    assert there.count("GET", "/emp") == asked and not refused.value.maybe_done
    state.now = 6.0
    with pytest.raises(Unanswered, match="did not answer"):
        ask()  # one is let through, and in vain
    with pytest.raises(Unanswered, match="is not asked just now"):
        ask()
    state.answers.set()
    state.now = 12.0
    assert ask() and ask()
