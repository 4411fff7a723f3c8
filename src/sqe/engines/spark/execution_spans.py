"""What Spark does for a plan, as spans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sqe.engines.spark.connection import StageProgress
from sqe.model.spans import SPARK_EXECUTE, SPARK_STAGE
from sqe.model.tracing import NO_SPAN, Span, code_of

Watch = Callable[[Sequence[StageProgress]], None]


@contextmanager
def trace_execution(parent: Span) -> Iterator[Watch | None]:
    """Around the run of a plan, which may be a generator: the span is not what its thread works
    for. What it gives is told of Spark's stages; None where nobody traces."""
    span = parent.start(SPARK_EXECUTE)
    if span is NO_SPAN:
        yield None
        return
    stages, error = _Stages(span), ""
    try:
        yield stages.watch
    except GeneratorExit:  # nobody reads on
        raise
    except BaseException as failure:
        error = code_of(failure)
        raise
    finally:
        stages.end()
        span.end(error)


class _Stages:
    def __init__(self, parent: Span) -> None:
        self._parent = parent
        self._open: dict[int, Span] = {}
        self._ended: set[int] = set()

    def watch(self, stages: Sequence[StageProgress]) -> None:
        for stage in stages:
            if stage.id in self._ended:
                continue
            span = self._open.get(stage.id)
            if span is None:
                span = self._open[stage.id] = self._parent.start(SPARK_STAGE)
            span.note(tasks=stage.tasks, tasks_done=stage.tasks_done)
            if stage.done:
                self._ended.add(stage.id)
                self._open.pop(stage.id).end()

    def end(self) -> None:
        for span in self._open.values():
            span.end()
        self._open.clear()
