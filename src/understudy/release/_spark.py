"""Samples drawn on a Spark cluster: each partition from a stream of its own, the same however often it runs."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from understudy._core.errors import OptionError
from understudy._core.numbers import whole_number
from understudy._core.randomness import Streams
from understudy._core.spark_jobs import SHIP

if TYPE_CHECKING:
    from understudy.release._conditions import Where
    from understudy.release._published import PublishedModel

_ROWS_OF_PARTITION = 1 << 22
_MOST_PARTITIONS = 1 << 20


def sample_on_spark(
    model: PublishedModel,
    spark: Any,
    n: int,
    *,
    partitions: int | None,
    where: Where,
    seed: int | None,
    independent: bool,
) -> Any:
    """A DataFrame of `n` synthetic rows, which workers draw when it is used."""
    parts = (
        max(1, -(-n // _ROWS_OF_PARTITION)) if partitions is None else whole_number(partitions, "partitions", least=1)
    )
    if parts > _MOST_PARTITIONS:
        raise OptionError(f"The 'partitions' parameter must be from 1 to {_MOST_PARTITIONS:,}. Got {parts:,} instead.")
    if not hasattr(spark, "range") or not hasattr(spark, "createDataFrame"):
        raise OptionError(f"the rows are drawn by a Spark session. Got {type(spark).__name__} instead.")
    root = Streams.fresh().root if seed is None else whole_number(seed, "seed")
    next(model.sample_part(0, parts, 0, seed=root, where=where))  # what is wrong with the conditions is told here
    drawn = _carrying(pickle.dumps((model, parts, n, root, where, independent)), version("understudy"), SHIP)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PySpark's own, about the versions of others
        return spark.range(0, parts, 1, parts).mapInArrow(drawn, _types(model))


def _types(model: PublishedModel) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    from understudy.tables import arrow_schema

    return from_arrow_schema(arrow_schema(model.schema), prefer_timestamp_ntz=True)


def _carrying(what: bytes, wanted: str, ship: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The drawing as a function that travels by value: a worker without this package can still say so."""

    def draw(numbers: Iterator[Any]) -> Iterator[Any]:
        import pickle
        from importlib.metadata import version

        try:
            if version("understudy") != wanted:
                told = f"a Spark worker has understudy {version('understudy')}, and the driver {wanted}"
                raise RuntimeError(f"{told}. They must be the same. {ship}")
            model, parts, n, root, where, independent = pickle.loads(what)
        except ImportError as error:
            name = (error.name or "understudy").partition(".")[0]
            raise RuntimeError(f"a Spark worker's Python has no module '{name}'. {ship}") from None
        for batch in numbers:
            for part in batch.column(0).to_pylist():
                yield from model.sample_part(part, parts, n, seed=root, where=where, independent=independent)

    return draw
