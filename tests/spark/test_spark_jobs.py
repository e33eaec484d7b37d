"""What comes back from partitions: each once, and in a sentence what went wrong with one. No Java is needed."""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import pyarrow as pa
import pytest

from understudy._core import spark_jobs, spark_waiting
from understudy._core.errors import TableError, UnderstudyWarning
from understudy._core.spark_jobs import run_parts

pytest.importorskip("pyspark")


class Session:
    """A session that remembers what was cancelled. `workers` there are each time that they are counted, the last for
    good; without any it is one of Spark Connect, whose client cannot count them."""

    def __init__(self, workers: list[int] | None) -> None:
        self.tags: list[str] = []
        self.cancelled = threading.Event()
        if workers is not None:
            left = iter([*workers[:-1], *repeat(workers[-1], 10**6)])
            size = lambda: next(left) + 1  # noqa: E731
            properties = type("Properties", (), {"clone": lambda self: {}})
            context = type("Java", (), {
                "isLocal": lambda self: False,
                "getExecutorMemoryStatus": lambda self: type("Status", (), {"size": lambda self: size()})(),
                "getLocalProperties": lambda self: properties(),
                "setLocalProperties": lambda self, given: None,
            })()  # fmt: skip
            self.sparkContext = type("Context", (), {
                "_jsc": type("Jsc", (), {"sc": lambda self: context})(),
                "addJobTag": lambda _, tag: self.addTag(tag),
                "cancelJobsWithTag": lambda _, tag: self.interruptTag(tag),
            })()  # fmt: skip

    def getTags(self) -> set[str]:  # noqa: N802
        return set()

    def addTag(self, tag: str) -> None:  # noqa: N802
        self.tags.append(tag)

    def interruptTag(self, tag: str) -> None:  # noqa: N802
        assert tag in self.tags
        self.cancelled.set()


class Frame:
    """Runs a job as Spark would, partition after partition; `runs` are the partitions whose results are taken."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, runs: list[int], workers: list[int] | None = None) -> None:
        self._monkeypatch, self._runs = monkeypatch, runs
        self.sparkSession = Session(workers)

    def mapInArrow(self, run: Callable[[Iterator[Any]], Iterator[Any]], types: str) -> Frame:  # noqa: N802
        self._run = run
        return self

    def toArrow(self) -> pa.Table:  # noqa: N802
        found = []
        for part in self._runs:
            context = type("Context", (), {"partitionId": lambda self, part=part: part})()
            self._monkeypatch.setattr("pyspark.TaskContext.get", lambda context=context: context)
            found += list(self._run(iter([pa.record_batch({"a": [part, part]})])))
        return pa.Table.from_batches(found)


@dataclass(frozen=True)
class Sums:
    """The sum of a part's cells; or whatever is to go wrong."""

    fault: Exception | None = None

    def __call__(self, part: int, given: Iterator[pa.RecordBatch]) -> int:
        if self.fault is not None and part == 1:
            raise self.fault
        return sum(sum(batch.column(0).to_pylist()) for batch in given)


def test_each_partition_comes_back_once_in_the_order_of_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(run_parts(Frame(monkeypatch, [2, 0, 1]), Sums()).items()) == [(0, 0), (1, 2), (2, 4)]
    with pytest.raises(TableError, match="Spark gave partition 1 twice"):
        run_parts(Frame(monkeypatch, [0, 1, 1]), Sums())


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (TableError("a.parquet changed.", "b.parquet changed."), "a.parquet changed.\nb.parquet changed."),
        (ValueError("a cell: Jane"), "a task on a Spark worker broke off (ValueError). The worker's log says more."),
        (ModuleNotFoundError("x", name="numba.core"), "a Spark worker's Python has no module 'numba'. Workers need"),
    ],
)
def test_a_part_that_goes_wrong_is_told_without_its_cells(
    fault: Exception, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TableError) as refused:
        run_parts(Frame(monkeypatch, [0, 1]), Sums(fault))
    assert str(refused.value).startswith(said)
    assert "Jane" not in str(refused.value)


def test_workers_of_another_version_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_jobs, "version", lambda name: "9.9")
    with pytest.raises(TableError, match=r"a Spark worker has understudy .*, and here it is 9\.9"):
        run_parts(Frame(monkeypatch, [0]), Sums())


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("ModuleNotFoundError: No module named 'pyarrow'\n", "has no module 'pyarrow'"),
        ("[PYTHON_VERSION_MISMATCH] Jane", f"which is {sys.version_info[0]}.{sys.version_info[1]}"),
        ('Cannot run program "python3": Jane', "Name theirs in PYSPARK_PYTHON"),
        ("is bigger than spark.driver.maxResultSize", "Raise spark.driver.maxResultSize"),
        ("Job 3 cancelled because SparkContext was shut down", "Spark was stopped in the middle of a count"),
        ("Jane is not a number", "Spark broke off while the table was counted (RuntimeError)"),
    ],
)
def test_what_spark_raises_becomes_a_sentence(raised: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Frame):
        def toArrow(self) -> pa.Table:  # noqa: N802
            raise RuntimeError(raised)

    with pytest.raises(TableError) as refused:
        run_parts(Broken(monkeypatch, []), Sums())
    assert said in str(refused.value)
    assert "Jane" not in str(refused.value)


class Endless(Frame):
    """A job that ends only when it is cancelled, and tells that as Spark does."""

    def toArrow(self) -> pa.Table:  # noqa: N802
        self.begun()
        self.sparkSession.cancelled.wait()
        raise RuntimeError("Job 3 cancelled part of cancelled job tags")

    def begun(self) -> None:
        return None


@pytest.mark.parametrize("workers", [None, [2]])
def test_an_interrupt_is_one_and_cancels_the_job(workers: list[int] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = Endless(monkeypatch, [], workers)
    monkeypatch.setattr(frame, "begun", _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        run_parts(frame, Sums())
    assert frame.sparkSession.cancelled.is_set()


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"SECONDS_WITHOUT_WORKERS": 0.5, "_TELLS_AFTER": 0.1, "_LOOKS_UP": 0.01}.items():
        monkeypatch.setattr(spark_waiting, name, seconds)
    monkeypatch.setattr(spark_waiting, "_LOOKS_FOR_WORKERS", 0.01)


@pytest.mark.usefixtures("_impatient")
def test_a_cluster_without_workers_is_waited_for_in_vain_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = Endless(monkeypatch, [], [2, 1, 0])
    with (
        pytest.warns(UnderstudyWarning, match=r"Spark has no worker left\. Waiting up to 0\.5 seconds"),
        pytest.raises(TableError, match=r"Spark has had no worker for 0\.5 seconds: all were lost"),
    ):
        run_parts(frame, Sums())
    assert frame.sparkSession.cancelled.is_set()


@pytest.mark.usefixtures("_impatient")
def test_workers_that_come_back_in_time_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    there = threading.Event()

    class Late(Frame):
        def toArrow(self) -> pa.Table:  # noqa: N802
            there.wait()
            return super().toArrow()

    looks = iter([0, 0, 2, 0, 0, 2])

    def count(context: Any) -> int:
        found = next(looks, None)
        if found is None:
            there.set()
        return 2 if found is None else found

    monkeypatch.setattr(spark_waiting, "count_workers", count)
    monkeypatch.setattr(spark_waiting, "SECONDS_WITHOUT_WORKERS", 60.0)
    assert run_parts(Late(monkeypatch, [0, 1], [2]), Sums()) == {0: 0, 1: 2}
