"""What comes back from partitions: each once, and in a sentence what went wrong with one. No Java is needed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from understudy._core import spark_jobs
from understudy._core.errors import TableError
from understudy._core.spark_jobs import run_parts

pytest.importorskip("pyspark")


class Frame:
    """Runs a job as Spark would, partition after partition; `runs` are the partitions whose results are taken."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, runs: list[int]) -> None:
        self._monkeypatch, self._runs = monkeypatch, runs

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
