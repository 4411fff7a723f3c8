"""Where answers are kept: bounds, files, and what goes wrong with them."""

from __future__ import annotations

import threading
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.engines.local.spill import remove_left_behind
from sqe.engines.result_cache.answer import Answer
from sqe.engines.result_cache.store import AnswerStore, CacheLimits

KB = 1024
ROWS = 1_000  # of 8 bytes


def answer_of(number: int, made: float = 0.0) -> Answer:
    batch = pa.record_batch({"n": pa.array([number] * ROWS, pa.int64())})
    return Answer((), batch.schema, (batch,), batch.nbytes, made)


def number_in(answer: Answer | None) -> int | None:
    if answer is None:
        return None
    assert answer.rows == ROWS
    number: int = answer.batches[0]["n"][0].as_py()
    return number


def store_in(folder: Path, memory: int = 20 * KB, disk: int = 100 * KB) -> AnswerStore:
    return AnswerStore(folder, CacheLimits(memory, disk, 60.0), clock=lambda: 0.0)


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.arrow"))


def test_what_does_not_fit_in_memory_is_on_disk_and_comes_back(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    for number in range(8):
        assert store.put(number, answer_of(number), store.generation)
    assert len(files_in(tmp_path)) == 6
    assert [number_in(store.get(number)) for number in range(8)] == list(range(8))
    memory, disk = store.used
    assert memory <= 20 * KB and disk <= 100 * KB
    assert disk == sum(path.stat().st_size for path in files_in(tmp_path))


def test_memory_and_disk_are_bounded(tmp_path: Path) -> None:
    store = store_in(tmp_path, disk=30 * KB)
    for number in range(50):
        store.put(number, answer_of(number), store.generation)
    assert store.used[0] <= 20 * KB
    assert sum(path.stat().st_size for path in files_in(tmp_path)) <= 30 * KB
    assert number_in(store.get(49)) == 49 and store.get(0) is None


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    store = store_in(tmp_path / "answers", memory=0)
    store.put("a", answer_of(1), store.generation)
    [path] = files_in(tmp_path)
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("left", [0, 1, 100, 5_000])
def test_a_file_that_was_cut_off_is_no_answer(tmp_path: Path, left: int) -> None:
    store = store_in(tmp_path, memory=0)
    store.put("a", answer_of(1), store.generation)
    [path] = files_in(tmp_path)
    path.write_bytes(path.read_bytes()[:left])
    assert store.get("a") is None
    assert not files_in(tmp_path) and store.used == (0, 0)


def test_a_file_that_is_gone_is_no_answer(tmp_path: Path) -> None:
    store = store_in(tmp_path, memory=0)
    store.put("a", answer_of(1), store.generation)
    files_in(tmp_path)[0].unlink()
    assert store.get("a") is None


def test_files_of_a_process_that_crashed_are_removed_unread(tmp_path: Path) -> None:
    crashed = tmp_path / "process-crashed"
    crashed.mkdir()
    (crashed / "1.arrow").write_bytes(b"ARROW1\0\0cut off")
    remove_left_behind(tmp_path)
    assert not crashed.exists()


def test_a_disk_that_cannot_be_written_costs_only_the_answer(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file is where the folder should be")
    store = store_in(tmp_path / "answers")
    for number in range(5):
        assert store.put(number, answer_of(number), store.generation)
    assert number_in(store.get(4)) == 4 and store.get(0) is None


def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    store = store_in(Path("/dev/full") / "answers", memory=0)
    assert store.put("a", answer_of(1), store.generation)
    assert store.get("a") is None


def test_everything_is_dropped_at_once_and_what_is_being_made_too(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    before = store.generation
    for number in range(6):
        store.put(number, answer_of(number), before)
    store.drop()
    assert not files_in(tmp_path) and store.used == (0, 0)
    assert not store.put("late", answer_of(1), before)
    assert [store.get(number) for number in range(6)] == [None] * 6
    assert store.get("late") is None


def test_an_old_answer_is_not_given(tmp_path: Path) -> None:
    now = [0.0]
    store = AnswerStore(tmp_path, CacheLimits(10 * KB, 100 * KB, 60.0), clock=lambda: now[0])
    for name in ("on disk", "in memory"):
        store.put(name, answer_of(1), store.generation)
    now[0] = 61.0
    assert store.get("in memory") is None and store.get("on disk") is None
    assert store.used == (0, 0) and not files_in(tmp_path)


def test_many_threads_find_what_belongs_to_their_question(tmp_path: Path) -> None:
    store, wrong = store_in(tmp_path), []

    def work(seed: int) -> None:
        for step in range(150):
            number = (seed * 7 + step * 3) % 12
            if step % 50 == 49:
                store.drop()
            generation = store.generation
            found = number_in(store.get(number))
            if found is None:
                store.put(number, answer_of(number), generation)
            elif found != number:
                wrong.append((number, found))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    store.close()
    assert not files_in(tmp_path)
