"""Publishes on a cluster, slowly enough that a worker can be killed meanwhile: `python -m tests.spark.on_cluster`.

Arguments: the master, a folder for results, a folder for marks, the options of `publish` as JSON. Each task leaves a
mark that says in which folder, and so on which worker, it ran.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

import understudy as us
from tests.api.people import SCHEMA, people
from understudy._core import spark_waiting
from understudy._core.spark import open_session

PARTS = 4


def main(master: str, out: str, marks: str, options: str) -> None:
    told = json.loads(options)
    spark_waiting.SECONDS_WITHOUT_WORKERS = told.pop("patience", spark_waiting.SECONDS_WITHOUT_WORKERS)
    session, _ = open_session(master)
    table = pa.Table.from_pandas(people(240), preserve_index=False)

    def slowly(batches: Iterator[Any]) -> Iterator[Any]:
        import os
        import tempfile
        import time

        from pyspark import TaskContext

        part = TaskContext.get().partitionId()
        with tempfile.NamedTemporaryFile("w", dir=marks, prefix=f"{part}-", delete=False) as mark:
            mark.write(os.getcwd())
        for batch in batches:
            time.sleep(1)
            yield batch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = (
            session.createDataFrame(table).repartition(PARTS).mapInArrow(slowly, session.createDataFrame(table).schema)
        )
    us.publish(frame, schema=SCHEMA, epsilon=2, out=Path(out), **told)
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
