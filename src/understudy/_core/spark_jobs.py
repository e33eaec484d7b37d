"""Jobs on Spark that bring one result from each partition of a DataFrame, whatever went wrong on the way to it."""

from __future__ import annotations

import logging
import os
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Protocol

from understudy._core.errors import TableError, UnderstudyWarning
from understudy._core.spark_waiting import SparkCalls

MOST_PARTS = 256
"""Results that one job brings to the driver: partitions beyond that are taken together."""
SHIP = (
    "Workers need it too: install understudy with the Python that they run (PYSPARK_PYTHON names it), or pack an "
    "environment and ship it (spark.archives); docs/spark.md has the commands."
)
"""What to do where a worker's Python lacks something."""


class Work(Protocol):
    """What is done with each partition, on the worker that has it. It must be possible to pickle it, and the result."""

    def __call__(self, part: int, given: Iterator[Any], /) -> Any: ...


def run_parts(frame: Any, work: Work) -> dict[int, Any]:
    """What the work makes of each partition of a DataFrame, by the partition's number; one job.

    Spark runs a task again where it failed or was slow, and takes the result of one of its runs: each partition comes
    back once, whatever happened on the way. That it did is checked.

    Raises:
        TableError: if a partition cannot be read, or no worker is left; faults that the work itself raised as such come
            back as they are.
    """
    carried = _carrying(pickle.dumps(work), version("understudy"))
    try:
        with _unheard(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of PySpark's own, about the versions of others
            warnings.simplefilter("default", UnderstudyWarning)
            rows = frame.mapInArrow(carried, "part int, told string, what string, found binary")
            rows = SparkCalls(frame.sparkSession).run(rows.toArrow)
    except TableError:
        raise
    except Exception as error:
        raise _explained(error) from None
    results: dict[int, Any] = {}
    faults: list[str] = []
    for part, told, what, found in zip(*(rows[name].to_pylist() for name in rows.column_names), strict=True):
        if told != "done":
            faults += [fault for fault in _faults(told, what) if fault not in faults]
        elif part in results:
            raise TableError(f"Spark gave partition {part} twice, which cannot be counted. Start again.")
        else:
            results[part] = pickle.loads(found)
    if faults:
        raise TableError(*faults)
    return dict(sorted(results.items()))


@contextmanager
def _unheard() -> Iterator[None]:
    """Have PySpark log nothing of an error: it would quote the cell that is at fault."""
    loggers = [logging.getLogger(name) for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger")]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, was in zip(loggers, before, strict=True):
            logger.disabled = was


def _faults(told: str, what: str) -> list[str]:
    if told == "faults":
        return what.split("\x1f")
    if told == "module":
        return [f"a Spark worker's Python has no module '{what}'. {SHIP}"]
    if told == "version":
        here = version("understudy")
        return [f"a Spark worker has understudy {what}, and here it is {here}. They must be the same. {SHIP}"]
    return [f"a task on a Spark worker broke off ({what}). The worker's log says more."]


def _carrying(work: bytes, wanted: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The work as a function that Spark takes to its workers.

    It is made inside another, so that it travels by value: a worker without this package can still run it, and say so.
    """

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pickle
        from importlib.metadata import version

        import pyarrow
        from pyspark import TaskContext

        part = TaskContext.get().partitionId()
        told, what, found = "done", "", b""
        try:
            doing = pickle.loads(work)
            if version("understudy") != wanted:
                told, what = "version", version("understudy")
            else:
                found = pickle.dumps(doing(part, batches))
        except ImportError as error:
            told, what = "module", (error.name or "understudy").partition(".")[0]
        except Exception as error:  # its message may quote cells, but for those that are made for people
            faults = getattr(error, "faults", None)
            told, what = ("faults", "\x1f".join(faults)) if faults else ("error", type(error).__name__)
        for _ in batches:  # what is not read to its end, Spark takes for a failure
            pass
        columns = {"part": [part], "told": [told], "what": [what], "found": [found]}
        types = [("part", pyarrow.int32()), ("told", pyarrow.string()), ("what", pyarrow.string())]
        yield pyarrow.RecordBatch.from_pydict(columns, pyarrow.schema([*types, ("found", pyarrow.binary())]))

    return run


def _explained(error: Exception) -> TableError:
    """A sentence for what PySpark raised, whose own words may quote cells."""
    text = str(error)
    missing = re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", text)
    if missing:
        return TableError(f"a Spark worker's Python has no module '{missing[1]}'. {SHIP}")
    if "PYTHON_VERSION_MISMATCH" in text:
        mine = f"{sys.version_info[0]}.{sys.version_info[1]}"
        return TableError(f"Spark's workers run another Python than this one, which is {mine}. {SHIP}")
    if "Cannot run program" in text:
        python = os.environ.get("PYSPARK_PYTHON", "python3")
        return TableError(f"Spark's workers have no Python at {python}. Name theirs in PYSPARK_PYTHON. {SHIP}")
    if "spark.driver.maxResultSize" in text:
        return TableError(
            "the counts of all partitions take more memory on the driver than Spark allows. Raise "
            "spark.driver.maxResultSize, or name coarser bins and fewer categories in the schema."
        )
    if (
        "Initial job has not accepted" in text
        or "SparkContext was shut down" in text
        or "SparkContext has been shut" in text
    ):
        return TableError("Spark was stopped in the middle of a count: its master gave the run up, or was stopped.")
    condition = getattr(error, "getCondition", lambda: None)()
    return TableError(
        f"Spark broke off while the table was counted ({condition or type(error).__name__}). Its log says why: read "
        "the table to its end with Spark to see whether it can."
    )
