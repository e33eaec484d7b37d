"""Tables that are streamed: the same release as in memory, nothing charged for what cannot be read."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from understudy._core.errors import UnderstudyWarning
from understudy.cli._main import run

ROWS = people(240)
CLEAN = pa.Table.from_pandas(ROWS, preserve_index=False)
AUTO = {
    **SCHEMA,
    "fields": [
        {key: value for key, value in field.items() if key != "bins"} if field["name"] == "age" else field
        for field in SCHEMA["fields"]
    ],
}
RULES = {
    **SCHEMA,
    "dependencies": [{"impossible": {"sex": "Male", "job": "none"}}],
    "brokenRows": "mend",
}
UNITS = CLEAN.append_column("who", pa.array([i // 3 for i in range(len(CLEAN))]))


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.tables._code_reader._MOST_ROWS", 64)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("table", "schema", "options"),
    [
        (CLEAN, SCHEMA, {}),
        (CLEAN, AUTO, {}),
        (CLEAN, RULES, {}),
        (CLEAN, SCHEMA, {"method": "privbayes"}),
        (UNITS, SCHEMA, {"unit": "who", "max_rows": 2}),
        (UNITS, RULES, {"unit": "who", "max_rows": 2, "bounding": "weigh", "method": "independent"}),
    ],
    ids=["adaptive", "found bins", "rules", "privbayes", "units", "weighed units"],
)
def test_a_rehearsal_is_the_same_release_in_memory_and_streamed(
    table: pa.Table, schema: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    for engine in ("memory", "stream"):
        us.publish(table, schema=schema, epsilon=2, seed=1, out=tmp_path / engine, engine=engine, **options)
    assert files(tmp_path / "memory") == files(tmp_path / "stream")


def test_every_kind_of_source_gives_the_same_release(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / "parts").mkdir()
    for i in range(3):
        pq.write_table(CLEAN.slice(i * 80, 80), tmp_path / "parts" / f"{i}.parquet")
    ROWS.to_csv(tmp_path / "people.csv", index=False)
    sources = {
        "folder": lambda: tmp_path / "parts",
        "pattern": lambda: f"{tmp_path}/parts/*.parquet",
        "csv": lambda: tmp_path / "people.csv",
        "stream": lambda: pa.RecordBatchReader.from_batches(CLEAN.schema, iter(CLEAN.to_batches(50))),
        "relation": lambda: duckdb.connect().from_arrow(CLEAN),
    }
    found = {}
    for name, source in sources.items():
        out = tmp_path / f"out-{name}"
        us.publish(
            source(), schema=SCHEMA, epsilon=2, seed=1, out=out, engine="stream", method="independent", format="csv"
        )
        found[name] = files(out)
    assert all(one == found["folder"] for one in found.values())


def entries(ledger: Path) -> int:
    if not ledger.exists():
        return 0
    with sqlite3.connect(ledger) as file:
        return int(file.execute("select count(*) from entries").fetchone()[0])


@pytest.mark.parametrize("when", [1, 2], ids=["in the first pass", "in the second"])
@pytest.mark.parametrize("how", ["changed", "gone"])
def test_a_file_that_changes_or_vanishes_is_refused_and_the_ledger_is_true(when: int, how: str, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for i in range(2):
        pq.write_table(CLEAN.slice(i * 120, 120), tmp_path / "parts" / f"{i}.parquet")
    path = tmp_path / "parts" / "1.parquet"

    def progress(stage: str, done: int, total: int) -> None:
        if stage == ("reading the table" if when == 1 else "pass 2 over the rows") and done and path.exists():
            if how == "gone":
                path.unlink()
            else:
                pq.write_table(CLEAN.slice(0, 120), path)

    ledger, out = tmp_path / "budget.db", tmp_path / "release"
    with pytest.raises(us.TableError, match=r"1\.parquet (is gone|changed while it was read)"):
        us.publish(
            tmp_path / "parts", schema=SCHEMA, epsilon=1, method="privbayes", k=2, engine="stream", out=out,
            ledger=ledger, cap=3, progress=progress,
        )  # fmt: skip
    assert not out.exists()
    assert entries(ledger) == (0 if when == 1 else 2)  # the account is opened with the first charge


def test_the_release_cannot_go_into_the_folder_that_is_read(tmp_path: Path) -> None:
    pq.write_table(CLEAN, tmp_path / "0.parquet")
    with pytest.raises(us.OutputError, match="lies in the folder"):
        us.publish(tmp_path, schema=SCHEMA, epsilon=1, out=tmp_path / "release")
    assert [path.name for path in tmp_path.iterdir()] == ["0.parquet"]


def test_the_plan_announces_the_passes_that_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from understudy.counting import _pass_counter

    another = _pass_counter.PassLog.another
    logs: list[Any] = []
    monkeypatch.setattr(_pass_counter.PassLog, "another", lambda log: (logs.append(log), another(log))[1])
    pq.write_table(CLEAN, tmp_path / "people.parquet")
    for method, most in (("auto", 1), ("independent", 1), ("privbayes", 4), ("jtree", 2)):
        told: dict[str, Any] = {"schema": SCHEMA, "epsilon": 1, "method": method, "engine": "stream"}
        plan = us.plan(tmp_path / "people.parquet", rows=240, **told)
        assert (plan.engine, plan.passes) == ("stream", most)
        assert plan.pass_bytes == (tmp_path / "people.parquet").stat().st_size
        logs.clear()
        us.publish(tmp_path / "people.parquet", out=tmp_path / method, seed=1, **told)
        assert 1 + len(logs) <= most
    many = us.plan(schema=SCHEMA, rows=10**9, epsilon=1, memory="2GB")
    assert (many.engine, many.pass_bytes) == ("stream", None)
    assert many.engine_because == "the table takes some 7,629 MB in memory, and there are 825 MB for rows."
    assert us.plan(schema=SCHEMA, rows=10**6, epsilon=1, memory="2GB").engine == "memory"


def test_the_command_line_streams_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(CLEAN, tmp_path / "a.parquet")
    us.Schema.from_dict(SCHEMA).save(tmp_path / "s.yaml")
    told = [f"{tmp_path}/*.parquet", "--schema", str(tmp_path / "s.yaml"), "--epsilon", "1", "--memory", "900MB"]
    monkeypatch.setattr("understudy.counting._choosing.room_for_rows", lambda memory: 100)
    with pytest.warns(UnderstudyWarning, match="the table takes some 0 MB in memory"):
        assert run(["publish", *told, "--method", "independent", "--out", str(tmp_path / "r")]) == 0
    assert run(["plan", *told, "--rows", "240"]) == 0
    assert "Counting: streamed, in one pass over 0.0 MB. The table takes" in capsys.readouterr().out
    assert run(["publish", *told, "--engine", "memory", "--out", str(tmp_path / "s")]) == 2
    assert "name the engine stream, or raise the ceiling" in capsys.readouterr().err
    for words in (["--memory", "5MB"], ["--memory", "2 XB"], ["--memory", "-1"], ["--engine", "sparc"]):
        assert run(["publish", *told[:5], *words, "--out", str(tmp_path / "s")]) == 2
        assert "parameter must be" in capsys.readouterr().err
    assert run(["publish", f"{tmp_path}/*.csv", *told[1:], "--out", str(tmp_path / "s")]) == 2
    assert "no file is called" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()
