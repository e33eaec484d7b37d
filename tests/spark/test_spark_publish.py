"""Releases of tables that are counted on Spark: the same as in memory; nothing charged for what cannot be counted."""

from __future__ import annotations

import _thread
import signal
import sqlite3
import sys
import threading
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from tests.spark.session import frame_of, shared_session
from understudy._core import spark, spark_waiting
from understudy._core.errors import OptionError, TableError
from understudy.cli._main import run

CLEAN = pa.Table.from_pandas(people(240), preserve_index=False)
SECRET = "Tr0ub4dor"
UNITS = CLEAN.append_column("who", pa.array([i // 3 for i in range(len(CLEAN))]))
AUTO = {
    **SCHEMA,
    "fields": [
        {key: value for key, value in field.items() if key != "bins"} if field["name"] == "age" else field
        for field in SCHEMA["fields"]
    ],
    "dependencies": [{"impossible": {"sex": "Male", "job": "none"}}],
    "brokenRows": "mend",
}


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize(
    ("table", "schema", "options"),
    [
        (CLEAN, SCHEMA, {}),
        (CLEAN, AUTO, {"method": "privbayes", "k": 1}),
        (UNITS, AUTO, {"unit": "who", "max_rows": 2, "bounding": "weigh"}),
    ],
    ids=["adaptive", "rules and found bins", "weighed units"],
)
def test_a_rehearsal_is_the_same_release_on_every_engine(
    table: pa.Table, schema: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    shared_session()
    pq.write_table(table, tmp_path / "people.parquet", row_group_size=60)
    sources = {"memory": table, "stream": table, "spark": tmp_path / "people.parquet", "auto": frame_of(table)}
    for engine, source in sources.items():
        us.publish(
            source, schema=schema, epsilon=2, seed=1, out=tmp_path / engine, engine=engine, format="csv", **options
        )
    assert [files(tmp_path / engine) == files(tmp_path / "memory") for engine in sources] == [True] * 4


def test_the_command_line_counts_on_spark_and_charges_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shared_session()
    monkeypatch.chdir(tmp_path)
    us.Schema.from_dict(SCHEMA).save("people.schema.yaml")
    for i in range(2):
        pq.write_table(CLEAN.slice(i * 120, 120), f"part-{i}.parquet")
    told = ["publish", "part-*.parquet", "--schema", "people.schema.yaml", "--epsilon", "1", "--ledger", "l.db"]
    assert run([*told, "--cap", "3", "--engine", "spark", "--master", "local[2]", "--out", "r"]) == 0
    assert _charges("l.db") == 1
    broken = CLEAN.set_column(0, CLEAN.column_names[0], pa.array(["nobody"] * 240))
    pq.write_table(broken.slice(0, 120), "part-1.parquet")
    refused = {
        ("--engine", "spark"): "column 'sex': 120 values are not among its 2 categories (rows 121, 122, 123, 124, 125",
        ("--engine", "spark", "--master", "local[9]"): "a Spark session is active in this process already",
        ("--master", "local[2]"): "Add --engine spark",
    }
    for more, said in refused.items():
        assert run([*told, *more, "--out", "s"]) == 2
        heard = capsys.readouterr().err
        assert said in heard
        assert "nobody" not in heard
    assert _charges("l.db") == 1
    assert not Path("s").exists()


def _charges(ledger: str) -> int:
    if not Path(ledger).exists():
        return 0
    with sqlite3.connect(ledger) as read:
        return sum("charge" in row for row in read.execute("select * from entries"))


def test_a_frame_that_cannot_be_computed_is_refused_without_its_cells(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    frame = frame_of(CLEAN)
    failing = frame.withColumn("sex", frame["sex"].cast("int").cast("string"))
    with pytest.raises(TableError, match=r"Spark broke off while the table was counted \(CAST_INVALID_INPUT\)") as said:
        us.publish(failing, schema=SCHEMA, epsilon=1, out=tmp_path / "r")
    told = capfd.readouterr()
    assert "Male" not in str(said.value) + told.out + told.err
    strange = frame.selectExpr("make_interval(1, 2) as sex", *(name for name in frame.columns if name != "sex"))
    with pytest.raises(TableError, match="column 'sex' is of Spark's type interval, which cannot be encoded"):
        us.publish(strange, schema=SCHEMA, epsilon=1, out=tmp_path / "r")
    stream = shared_session().readStream.format("rate").load()
    with pytest.raises(TableError, match="a stream without an end"):
        us.publish(stream, schema=SCHEMA, epsilon=1, out=tmp_path / "r")
    with pytest.raises(OptionError, match=r"with the master local\[2\], so that local\[7\] cannot be used"):
        us.publish(frame, schema=SCHEMA, epsilon=1, engine="spark", master="local[7]", out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_an_interrupt_while_spark_counts_is_one_and_cancels_its_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    frame, begun = frame_of(CLEAN, 1), str(tmp_path / "begun")

    def endless(batches: Any) -> Any:
        import time
        from pathlib import Path

        Path(begun).touch()
        time.sleep(3600)
        yield from batches

    def interrupt() -> None:
        while not Path(begun).exists():
            time.sleep(0.01)
        _thread.interrupt_main()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slow = frame.mapInArrow(endless, frame.schema)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # Spark's own would cancel all there is
    try:
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            us.publish(slow, schema=SCHEMA, epsilon=1, seed=1, out=tmp_path / "r")
        Path(begun).unlink()
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):  # where rows are brought here
            us.publish(slow, schema=SCHEMA, epsilon=1, seed=1, out=tmp_path / "r", engine="memory")
    finally:
        signal.signal(signal.SIGINT, handler)
    while shared_session().sparkContext.statusTracker().getActiveJobsIds():
        time.sleep(0.05)
    assert not (tmp_path / "r").exists()


def test_that_all_workers_are_lost_is_told_and_the_charge_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    context = shared_session().sparkContext
    monkeypatch.chdir(tmp_path)
    us.Schema.from_dict(SCHEMA).save("people.schema.yaml")
    pq.write_table(CLEAN, "people.parquet")
    for name, found in {
        "SECONDS_WITHOUT_WORKERS": 0.0,
        "_LOOKS_UP": 0.001,
        "_watched": lambda session: context,
    }.items():
        monkeypatch.setattr(spark_waiting, name, found)
    told = "publish people.parquet --schema people.schema.yaml --epsilon 1 --ledger l.db --cap 3 --engine spark --out r"
    told += " --method privbayes --option k=2"
    for workers, charges in ((lambda context: 0, 0), (lambda context: int(_charges("l.db") == 0), 1)):
        monkeypatch.setattr(spark_waiting, "count_workers", workers)
        assert run(told.split()) == 2
        heard = capsys.readouterr().err
        assert "Spark has had no worker for 0 seconds: all were lost" in heard
        assert ("stays in the ledger" in heard) == bool(charges)
        assert _charges("l.db") == charges
        assert not Path("r").exists()


@pytest.fixture
def _no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    shared_session()

    class Nowhere:
        @staticmethod
        def getActiveSession() -> None:  # noqa: N802
            return None

    monkeypatch.setattr(spark, "_pyspark", lambda: Nowhere)


@pytest.mark.usefixtures("_no_session")
@pytest.mark.parametrize(
    ("master", "said"),
    [
        ("spork://host", "is no address of a Spark master. Expected such as"),
        ("spark://no-such-host.invalid:7077", "cannot be reached. Tried no-such-host.invalid at port 7077"),
        ("sc://no-such-host.invalid", "Tried no-such-host.invalid at port 15002"),
        (f"spark://{spark.LOOPBACK}:1", "Connection refused"),
        (f"spark://{spark.LOOPBACK}:port", "no such port"),
        (
            f"sc://{spark.LOOPBACK}:1/;token={SECRET};use_ssl=true",
            f"the Spark master sc://{spark.LOOPBACK}:1/;… cannot",
        ),
        (f"sc://{spark.LOOPBACK}:1;x-auth={SECRET}", f"Tried {spark.LOOPBACK} at port 1 (Connection refused)"),
        (f"spark://ann:{SECRET}@{spark.LOOPBACK}:1", "cannot be reached"),
        (f"sc:/{spark.LOOPBACK};token={SECRET}", "is no address of a Spark master"),
    ],
)
def test_a_master_that_is_not_there_is_refused(master: str, said: str) -> None:
    with pytest.raises(OptionError) as refused:
        spark.open_session(master)
    assert said in str(refused.value)
    assert SECRET not in str(refused.value)


def test_a_session_of_spark_connect_is_known_by_its_server() -> None:
    builder = SimpleNamespace(endpoint="db.example:15002")
    remote = SimpleNamespace(conf={"spark.master": "local[2]"}, client=SimpleNamespace(_builder=builder))
    for same in ("sc://db.example", "sc://db.example:15002/;token=x", "local[2]", None):
        spark.refuse_another(remote, same)
    for other in ("sc://db.example:1", "sc://other", "spark://db.example:15002"):
        with pytest.raises(OptionError, match="is active in this process already"):
            spark.refuse_another(remote, other)


@pytest.mark.usefixtures("_no_session")
def test_without_java_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(OptionError, match=r"has none\. Set it to the folder of a Java 17"):
        spark.open_session("local[2]")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OptionError, match="Install Java 17 or newer"):
        spark.open_session("local[2]")


def test_without_pyspark_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(OptionError, match=r"pip install 'understudy\[spark\]'"):
        spark.open_session("local[2]")
