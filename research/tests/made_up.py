"""Benchmark tables that are made up: the names and shapes of the real ones, a few hundred rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml


def write_binary_table(folder: Path, name: str, columns: int, rows: int = 400, seed: int = 1) -> None:
    """A table of 0 and 1 in which every column copies its neighbour four times out of five."""
    rng = np.random.default_rng(seed)
    codes = np.empty((rows, columns), dtype=int)
    codes[:, 0] = rng.integers(0, 2, rows)
    for column in range(1, columns):
        codes[:, column] = codes[:, column - 1] ^ (rng.random(rows) < 0.2)
    names = [f"c{i}" for i in range(columns)]
    lines = [",".join(names), *(",".join(map(str, row)) for row in codes)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    fields = [{"name": n, "type": "string", "categories": ["0", "1"], "origin": "declared"} for n in names]
    (folder / f"{name}.schema.yaml").write_text(yaml.safe_dump({"name": name, "fields": fields}))
