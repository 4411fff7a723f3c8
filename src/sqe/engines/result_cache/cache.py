"""The result cache: asked by the router before an engine is, told by the runner what one says."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from sqe.catalog.transaction import current
from sqe.engines.protocol import Explanation, Run
from sqe.engines.result_cache.answer import Answer
from sqe.engines.result_cache.question import Question, Refusal, question_of
from sqe.engines.result_cache.store import AnswerStore
from sqe.model.query import EngineKind, Route
from sqe.results.description import Description
from sqe.results.sizes import batch_bytes
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.sessions.session import Session


@dataclass(frozen=True)
class KeptAnswer:
    """Implements ``Prepared``: nothing is run."""

    answer: Answer
    text: str

    @property
    def route(self) -> Route:
        reason = "the result cache has the answer, and nothing that it depends on has changed"
        return Route(EngineKind.COORDINATOR, reason)

    def run(self, run: Run) -> ResultStream:
        answer = self.answer
        return ResultStream(answer.columns, answer.schema, answer.batches)

    def describe(self, run: Run) -> Description:
        return Description(self.answer.columns, self.answer.schema)

    def explain(self, run: Run, mode: str = "") -> Explanation:
        plan = f"{self.answer.rows:,} rows of the result cache"
        return Explanation(self.text, f"{plan}\nSET SESSION sqe.result_cache = 'off' shows more.")

    def analyze(self, run: Run) -> Explanation:
        return self.explain(run)


@dataclass(frozen=True)
class Keeping:
    """A question whose answer is not there yet. ``generation``: of the cache, when it was asked."""

    question: Question
    cache: ResultCache = field(repr=False)
    generation: int

    def keep(self, result: ResultStream) -> ResultStream:
        """The same result, kept when it has been read to its end."""

        def copy_batches() -> Iterator[pa.RecordBatch]:
            batches: list[pa.RecordBatch] = []
            size, most = 0, self.cache.largest
            for batch in result:
                size += batch_bytes(batch)
                if size <= most:
                    batches.append(batch)
                else:
                    batches.clear()
                yield batch
            if size <= most:
                self.cache.put(self, result, tuple(batches), size)

        return ResultStream(
            result.columns,
            result.schema,
            copy_batches(),
            result.close,
            lambda: result.rows_affected,
            result.outcome,
        )


class ResultCache:
    """Whoever asks has been decided on already: the key has what was decided, so a rule that has
    changed is a new question. What was kept under the old one is dropped all the same.
    """

    def __init__(
        self,
        store: AnswerStore,
        tables: tuple[str, ...],
        largest: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``tables``: patterns of those whose answers may be kept; ``largest``: bytes."""
        self._store = store
        self._tables = tables
        self.largest = largest
        self._clock = clock

    def look_up(
        self, guarded: GuardedStatement, session: Session
    ) -> KeptAnswer | Keeping | Refusal | None:
        if not self._tables or current() is not None:  # nobody else sees a transaction's changes
            return None
        question = question_of(guarded, session, self._tables)
        if not isinstance(question, Question):
            return question
        generation = self._store.generation
        answer = self._store.get(question.key)
        if answer is not None:
            return KeptAnswer(answer, guarded.bound.statement.text.strip())
        return Keeping(question, self, generation)

    def put(
        self,
        keeping: Keeping,
        result: ResultStream,
        batches: tuple[pa.RecordBatch, ...],
        size: int,
    ) -> None:
        answer = Answer(result.columns, result.schema, batches, size, self._clock())
        self._store.put(keeping.question.key, answer, keeping.generation)

    def drop(self) -> None:
        """All of it: somebody has changed who may see what."""
        self._store.drop()

    def close(self) -> None:
        self._store.close()
