"""A real standalone cluster: a master and workers as processes, one of which is killed in the middle of a publish."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scripts.spark_cluster import Cluster

import understudy as us
from tests.api.people import SCHEMA, people
from tests.house.sources import PROJECT
from tests.spark.session import skip_without_spark

pytestmark = pytest.mark.slow
TABLE = pa.Table.from_pandas(people(240), preserve_index=False)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    skip_without_spark()
    with Cluster.start(workers=3, memory="600m", environment={"PYTHONPATH": _path()}) as started:
        yield started


def _path() -> str:
    return os.pathsep.join([str(PROJECT / "src"), str(PROJECT), os.environ.get("PYTHONPATH", "")])


def _settings(tmp_path: Path, **more: str) -> dict[str, str]:
    conf = tmp_path / "conf"
    conf.mkdir(exist_ok=True)
    (conf / "spark-defaults.conf").write_text("spark.executor.memory 512m\n", encoding="utf-8")
    return {**os.environ, "PYTHONPATH": _path(), "SPARK_CONF_DIR": str(conf), **more}


def publish_and_kill(cluster: Cluster, tmp_path: Path, killed: set[int], **options: Any) -> list[str]:
    """The parts that ran, in the order of their starts; the worker of the first of them is killed at once."""
    marks = tmp_path / "marks"
    marks.mkdir()
    told = [cluster.master, str(tmp_path / "release"), str(marks), json.dumps(options)]
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.spark.on_cluster", *told], env=_settings(tmp_path), cwd=PROJECT
    )
    try:
        while not (found := [mark for mark in marks.iterdir() if mark.stat().st_size]):
            assert child.poll() is None
            time.sleep(0.02)
        worker = int(re.search(r"work-(\d)", found[0].read_text())[1])  # type: ignore[index]
        assert worker not in killed
        killed.add(worker)
        cluster.kill_worker(worker)
        assert child.wait() == 0
    finally:
        child.kill()
    return [mark.name.partition("-")[0] for mark in marks.iterdir()]


def test_a_killed_worker_changes_neither_result_nor_charges(cluster: Cluster, tmp_path: Path) -> None:
    killed: set[int] = set()
    (tmp_path / "one").mkdir()
    ran = publish_and_kill(cluster, tmp_path / "one", killed, seed=1)
    assert max(ran.count(part) for part in set(ran)) > 1  # what the worker was at was done again
    us.publish(TABLE, schema=SCHEMA, epsilon=2, seed=1, out=tmp_path / "memory")
    for path in (tmp_path / "memory").iterdir():
        assert (tmp_path / "one" / "release" / path.name).read_bytes() == path.read_bytes(), path.name
    (tmp_path / "two").mkdir()
    ledger = tmp_path / "budget.db"
    publish_and_kill(cluster, tmp_path / "two", killed, ledger=str(ledger), cap=5, dataset="people")
    with sqlite3.connect(ledger) as read:
        charges = [row for row in read.execute("select * from entries") if "charge" in row]
    assert len(charges) == 1
    assert us.load(tmp_path / "two" / "release" / "model.understudy").statement.private
    assert len(killed) == 2


def test_files_are_read_by_the_workers_that_are_left(cluster: Cluster, tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "people.parquet", row_group_size=60)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    told = [
        "publish",
        "people.parquet",
        "--schema",
        "schema.json",
        "--epsilon",
        "2",
        "--seed",
        "1",
        "--engine",
        "spark",
    ]
    command = [sys.executable, "-m", "understudy", *told, "--master", cluster.master, "--out"]
    done = subprocess.run([*command, "spark"], env=_settings(tmp_path), cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    us.publish(tmp_path / "people.parquet", schema=SCHEMA, epsilon=2, seed=1, out=tmp_path / "memory")
    for path in (tmp_path / "memory").iterdir():
        assert (tmp_path / "spark" / path.name).read_bytes() == path.read_bytes(), path.name

    without = tmp_path / "without"
    without.mkdir()
    (without / "sitecustomize.py").write_text("import sys\nsys.modules['understudy'] = None\n", encoding="utf-8")
    python = without / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{without}:$PYTHONPATH" exec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    settings = _settings(tmp_path, PYSPARK_PYTHON=str(python), PYSPARK_DRIVER_PYTHON=sys.executable)
    done = subprocess.run([*command, "none"], env=settings, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "a Spark worker's Python has no module 'understudy'. Workers need it too: install" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "none").exists()


def test_that_every_worker_is_lost_ends_the_run(tmp_path: Path) -> None:
    skip_without_spark()
    marks, ledger = tmp_path / "marks", tmp_path / "budget.db"
    marks.mkdir()
    options = {"patience": 5, "ledger": str(ledger), "cap": 5, "dataset": "people"}
    with Cluster.start(workers=1, memory="600m", environment={"PYTHONPATH": _path()}) as alone:
        told = [alone.master, str(tmp_path / "release"), str(marks), json.dumps(options)]
        command = [sys.executable, "-m", "tests.spark.on_cluster", *told]
        child = subprocess.Popen(command, env=_settings(tmp_path), cwd=PROJECT, stderr=subprocess.PIPE, text=True)
        try:
            while not any(marks.iterdir()):
                assert child.poll() is None
                time.sleep(0.02)
            alone.kill_worker()
            _, heard = child.communicate()
        finally:
            child.kill()
    assert child.returncode == 1
    assert "TableError: Spark has had no worker for 5 seconds: all were lost or taken away." in heard
    assert not (tmp_path / "release").exists()
    assert not ledger.exists()


def test_a_frame_of_spark_connect_gives_the_same_release(tmp_path: Path) -> None:
    skip_without_spark()
    command = [sys.executable, "-m", "tests.spark.on_connect", str(tmp_path / "spark")]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": _path()}, cwd=PROJECT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    us.publish(TABLE, schema=SCHEMA, epsilon=2, seed=1, out=tmp_path / "memory")
    for path in (tmp_path / "memory").iterdir():
        assert (tmp_path / "spark" / path.name).read_bytes() == path.read_bytes(), path.name
