"""A memory ceiling is kept: the peak of the whole process, over tables that are larger than it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import understudy as us
from understudy.counting._room import refuse_units

PUBLISH = """
import json, re, sys, warnings
from pathlib import Path
import understudy as us
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    told = json.loads(sys.argv[1])
    us.publish(epsilon=1, n=1000, **told)
peak = 1024 * int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
print(json.dumps({"peak": peak, "said": [str(one.message) for one in said]}))
"""
"""The peak is that of the program itself: what `getrusage` tells began with the process that started it."""
FIELDS = [{"name": f"x{i}", "type": "integer", "categories": [0, 1, 2]} for i in range(8)]


def write(path: Path, rows: int, *, at_once: int) -> None:
    """A small file of many rows, all in one group of rows, as careless writers make them."""
    pattern = np.random.default_rng(1).integers(0, 3, (8, 1 << 10), dtype=np.int32)
    part = pa.table({f"x{i}": np.repeat(pattern[i], at_once >> 10) for i in range(8)})
    pq.write_table(pa.concat_tables([part] * (rows // at_once)), path, row_group_size=1 << 40)


def published(path: Path, ceiling: str, **told: Any) -> dict[str, Any]:
    told |= {"source": str(path), "schema": {"fields": FIELDS}, "memory": ceiling, "out": str(path.with_suffix(".out"))}
    done = subprocess.run(
        [sys.executable, "-c", PUBLISH.replace("us.publish(", "us.publish(told.pop('source'), "), json.dumps(told)],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks are read from /proc")


def test_a_small_ceiling_is_kept(tmp_path: Path) -> None:
    write(tmp_path / "t.parquet", 18 << 20, at_once=1 << 20)  # 604 MB of cells
    found = published(tmp_path / "t.parquet", "800MB", method="independent")
    assert "So it is streamed" in found["said"][0]
    assert found["peak"] < 800e6


@pytest.mark.slow
def test_two_gigabytes_are_kept_over_four_of_cells(tmp_path: Path) -> None:
    write(tmp_path / "t.parquet", 130 << 20, at_once=1 << 20)
    found = published(tmp_path / "t.parquet", "2GB")
    assert "So it is streamed" in found["said"][0]
    assert found["peak"] < 2e9


def test_less_than_a_run_needs_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(us.OptionError, match="at least 800 MB"):
        us.publish(pa.table({"x0": [1]}), schema={"fields": FIELDS[:1]}, epsilon=1, memory="700MB", out=tmp_path / "r")


def test_units_that_cannot_be_told_apart_under_the_ceiling_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_units(10_000_000, 2 * 10**9)
    with pytest.raises(us.OptionError, match=r"100,000,000 rows .* need some 9,536 MB .* Raise the ceiling to 14 GB"):
        refuse_units(100_000_000, 2 * 10**9)
    refuse_units(130_000_000 // 14, 2 * 10**9)
    monkeypatch.setattr("understudy.counting._room._BYTES_OF_STREAMED_UNIT", 10**7)
    rows = pa.table({"x0": [0, 1, 2] * 50, "who": list(range(150))})
    told: dict[str, Any] = {"schema": {"fields": FIELDS[:1]}, "epsilon": 1, "engine": "stream", "memory": "1GB"}
    ledger = tmp_path / "budget.db"
    for source in (rows, pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches(60))):
        with pytest.raises(us.OptionError, match="to know whose each is"):
            us.publish(source, unit="who", max_rows=1, ledger=ledger, cap=3, out=tmp_path / "r", **told)
    assert not (tmp_path / "r").exists()
    assert not ledger.exists()
