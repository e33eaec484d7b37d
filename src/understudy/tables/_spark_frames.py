"""DataFrames of Spark, classic and Connect. PySpark is never imported here: whoever has a DataFrame has it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from understudy._core.errors import TableError, UnderstudyWarning
from understudy._core.spark_waiting import SparkCalls
from understudy.tables._columnar import checked
from understudy.tables._objects import Column

_ROWS = 1 << 17


def is_spark_frame(source: Any) -> bool:
    """Whether this is a DataFrame of Spark.

    >>> is_spark_frame(pa.table({"a": [1]}))
    False
    """
    kind = type(source)
    return kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"


class SparkFrame:
    """A DataFrame whose rows are brought here, partition after partition, for whoever does not count on the cluster."""

    def __init__(self, frame: Any) -> None:
        if frame.isStreaming:
            raise TableError("the Spark DataFrame is a stream without an end. Write it to a table, and publish that.")
        self._frame = frame
        self.names = tuple(map(str, frame.columns))

    def batches(self, wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        """These columns; the batches are as large as Spark makes them."""
        asked = selected(self._frame, self.names, wanted)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of PySpark's own, about the versions of others
                warnings.simplefilter("default", UnderstudyWarning)
                calls, packed = SparkCalls(asked.sparkSession), asked.mapInArrow(_packing(), "batch binary")
                parts = iter(calls.run(packed.toLocalIterator))
                while (row := calls.run(lambda: next(parts, None))) is not None:
                    with pa.ipc.open_stream(pa.py_buffer(bytes(row[0]))) as stream:
                        yield from (checked(batch.rename_columns(list(wanted)), wanted) for batch in stream)
        except pa.ArrowException:
            raise TableError("the Spark DataFrame is damaged: its columns do not hold what they say.") from None
        except TableError:
            raise
        except Exception as error:  # messages may quote cells
            raise TableError(
                f"the Spark DataFrame broke off ({type(error).__name__}). Read it to its end to see why."
            ) from None


def selected(frame: Any, names: Sequence[str], wanted: Sequence[str]) -> Any:
    """Some columns, called c0, c1 and so on by their place in the DataFrame: a name may hold anything, and Spark would
    take two that differ in capitals for one."""
    places = [names.index(name) for name in wanted]
    return frame.toDF(*(f"c{i}" for i in range(len(names)))).select(*(f"c{i}" for i in places))


def _packing() -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function that makes a cell of bytes of each batch; it needs nothing but Arrow where it runs."""

    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            sink = pyarrow.BufferOutputStream()
            with pyarrow.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield pyarrow.RecordBatch.from_pydict({"batch": [sink.getvalue().to_pybytes()]})

    return pack
