"""A seed repeats a run to the byte, whatever order sets happen to have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.sources import PROJECT

# Wide enough for several choices, drawn candidates and all files of a release.
RUN = """
import hashlib, sys
from pathlib import Path
import understudy as us

names = [f"c{i}" for i in range(7)]
fields = [{"name": n, "type": "string", "categories": ["a", "b", "c"][: 2 + i % 2]} for i, n in enumerate(names)]
fields[-1] = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 63}, "bins": 8}
import pyarrow as pa
rows = {n: [fields[i]["categories"][(r * (i + 3) + r // 7) % (2 + i % 2)] for r in range(600)]
        for i, n in enumerate(names[:-1])}
rows["age"] = [(r * r) % 64 for r in range(600)]
out = Path(sys.argv[1])
us.publish(pa.table(rows), schema={"name": "tiny", "fields": fields}, epsilon=3, seed=5, out=out,
    method="privbayes", max_candidates=9)
for path in sorted(out.iterdir()):
    text = path.read_bytes()
    print(path.name, hashlib.sha256(text).hexdigest())
"""


def _run(folder: Path, hash_seed: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(folder)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_seeded_run_gives_the_same_bytes_under_two_hash_seeds(tmp_path: Path) -> None:
    first, second = (_run(tmp_path / seed, seed) for seed in ("0", "4242"))
    assert "synthetic.NOT-PRIVATE.csv" in first
    assert first == second


def test_another_seed_gives_another_table() -> None:
    import understudy as us

    tables = [us.PrivBayes(epsilon=1.0, seed=seed).fit(*_tiny()).sample(200, seed=1) for seed in (1, 2)]
    assert not tables[0].equals(tables[1])


def _tiny() -> tuple[object, dict[str, object]]:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": ["x", "y", "y", "x"] * 50, "b": ["p", "q", "q", "q"] * 50})
    fields = [{"name": "a", "categories": ["x", "y"]}, {"name": "b", "categories": ["p", "q"]}]
    return table, {"fields": fields}
