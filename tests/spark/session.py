"""One Spark session for all tests of a process: starting Java costs more than all that is done with it."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from understudy._core.spark import LOOPBACK, silenced

_SETTINGS = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.driver.memory": "1g",
    "spark.driver.host": LOOPBACK,
    "spark.driver.bindAddress": LOOPBACK,
    # a Java that lives for seconds is not worth optimising
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def skip_without_spark() -> None:
    """Skip, and say why, where PySpark or Java is missing."""
    home = os.environ.get("JAVA_HOME")
    if find_spec("pyspark") is None:
        pytest.skip("PySpark is not installed: make spark")
    if shutil.which("java" if home is None else str(Path(home, "bin", "java"))) is None:
        pytest.skip("there is no Java: make spark")


def shared_session() -> Any:
    """The session, active in this process from then on."""
    skip_without_spark()
    return _session()


@cache
def _session() -> Any:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings(), silenced():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.appName("understudy-tests")
        for name, value in _SETTINGS.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()


def frame_of(table: pa.Table, partitions: int = 3) -> Any:
    """A DataFrame with these rows, in this order."""
    session = shared_session()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return session.createDataFrame(table).coalesce(partitions)


def gathered(frame: Any) -> pa.Table:
    """All rows of a DataFrame, in the order of its partitions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return frame.toArrow()
