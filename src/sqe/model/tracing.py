"""Spans, as the parts of SQE know them. Who exports them is in ``observe/``.

A part that does something worth a span says ``with trace(CATALOG, catalog=name):`` around it. Where
nobody traces, that is a look at one variable. Work on another thread takes its span along:
``current_span`` there, ``activate`` here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

from sqe.errors import SqeError
from sqe.model.spans import SpanType

Attribute = str | int
_LONGEST = 512  # what the standard has at least to be passed on of a ``tracestate``


class Span:
    """A piece of work in a trace. This one is in none, keeps nothing and has no children.

    Any thread may call it. What comes after ``end`` is ignored."""

    trace_id = ""

    def start(self, kind: SpanType, ago: float = 0.0, /, **attributes: Attribute) -> Span:
        """A part of the work that begins now, or began ``ago`` seconds before."""
        return self

    def note(self, **attributes: Attribute) -> None:
        """Only those that its type has."""

    def end(self, error: str = "") -> None:
        """``error``: the code of what it failed with."""

    @property
    def headers(self) -> Mapping[str, str]:
        """What tells another service of the trace: ``traceparent`` and ``tracestate``."""
        return {}


NO_SPAN = Span()
_CURRENT: ContextVar[Span] = ContextVar("span", default=NO_SPAN)
_NOTHING: AbstractContextManager[Span] = nullcontext(NO_SPAN)


def current_span() -> Span:
    """What this thread works for now."""
    return _CURRENT.get()


def activate(span: Span) -> AbstractContextManager[object]:
    """What this thread does in the block is part of the span."""
    return _NOTHING if span is _CURRENT.get() else _activate(span)


@contextmanager
def _activate(span: Span) -> Iterator[None]:
    token = _CURRENT.set(span)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def trace(
    kind: SpanType, parent: Span | None = None, **attributes: Attribute
) -> AbstractContextManager[Span]:
    """The block is a span: a part of ``parent``, or of what this thread works for."""
    whole = _CURRENT.get() if parent is None else parent
    return _NOTHING if whole is NO_SPAN else _run_in(whole.start(kind, **attributes))


@contextmanager
def _run_in(span: Span) -> Iterator[Span]:
    error = ""
    try:
        with activate(span):
            yield span
    except BaseException as failure:
        error = code_of(failure)
        raise
    finally:
        span.end(error)


def code_of(error: BaseException) -> str:
    """Never its text, which may quote anything."""
    return error.code.name if isinstance(error, SqeError) else "failed"


@dataclass(frozen=True, slots=True)
class ClientTrace:
    """What a client says of the trace that its statement is part of: as it came, cut at a length,
    understood by nobody yet. ``token`` is Trino's way."""

    parent: str = ""
    state: str = ""
    token: str = ""


NO_TRACE = ClientTrace()


def client_trace_of(header: Callable[[str], str]) -> ClientTrace:
    """``header`` answers the value of a request's header, or nothing."""
    parent, state = header("traceparent"), header("tracestate")
    token = header("x-trino-trace-token")
    if not (parent or state or token):
        return NO_TRACE
    return ClientTrace(*(value[: _LONGEST + 1] for value in (parent, state, token)))


class Tracer:
    """Begins the traces of queries. This one begins none."""

    def begin(self, client: ClientTrace, **attributes: Attribute) -> Span:
        """The span of a query that has just come; ``attributes`` are those of ``QUERY``."""
        return NO_SPAN

    def close(self) -> None:
        """Sends what is left, for a moment, and ends."""


UNTRACED = Tracer()
