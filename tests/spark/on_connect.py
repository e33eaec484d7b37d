"""Publishes a DataFrame of Spark Connect, and samples on it: `python -m tests.spark.on_connect OUT`."""

from __future__ import annotations

import os
import sys
import warnings

import pyarrow as pa

import understudy as us
from tests.api.people import SCHEMA, people
from tests.spark.session import gathered
from understudy._core.spark import LOOPBACK


def main(out: str) -> None:
    warnings.simplefilter("ignore")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote("local[2]")  # a server of its own
    session = builder.config("spark.driver.host", LOOPBACK).config("spark.driver.bindAddress", LOOPBACK).getOrCreate()
    frame = session.createDataFrame(pa.Table.from_pandas(people(240), preserve_index=False))
    assert "connect" in type(frame).__module__
    release = us.publish(frame, schema=SCHEMA, epsilon=2, seed=1, out=out)
    drawn = gathered(release.model.sample_spark(session, 100, partitions=2, seed=3))
    parts = [batch for part in range(2) for batch in release.model.sample_part(part, 2, 100, seed=3)]
    assert drawn.to_pylist() == pa.Table.from_batches(parts).to_pylist()
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
